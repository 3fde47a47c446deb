"""Params as the schema has them, and the revision that they are read as."""

from mutation import ENGINE, Mutation

TESTS = ("engine", "corpus", "schema")
TABLE = ENGINE + "body/profile/shape/table.rs"

MUTATIONS = [
    Mutation(
        "input-responses-of-any-shape-pass",
        TABLE,
        "static INPUT_RESPONSE: Node = Node::Union(&[&CREATE_MESSAGE_RESULT, &LIST_ROOTS_RESULT, &ELICIT_RESULT]);",
        "static INPUT_RESPONSE: Node = Node::Kinds(OBJECT);",
        TESTS,
    ),
    Mutation(
        "elicited-actions-of-any-word-pass",
        TABLE,
        """    required("action", &Node::Words(&["accept", "cancel", "decline"])),""",
        """    required("action", &Node::Kinds(TEXT)),""",
        TESTS,
    ),
    Mutation(
        "null-taken-for-absent",
        ENGINE + "body/profile/shape.rs",
        "            Some(Value::Null) if !member.required => match holds(&Value::Null, member.node) {",
        """            Some(Value::Null) if !member.required => match Ok::<(), Wrong>(()) {""",
        TESTS,
    ),
    Mutation(
        "modern-cancellations-of-any-shape-pass",
        TABLE,
        "Some(&NOTIFICATIONS_CANCELLED_PARAMS_3)",
        "Some(&ANY_NOTIFICATION_PARAMS)",
        TESTS,
    ),
    Mutation(
        "task-status-without-ttl-passes",
        TABLE,
        """    required("ttl", &Node::Kinds(INTEGER | NULL)),""",
        """    optional("ttl", &Node::Kinds(INTEGER | NULL)),""",
        TESTS,
    ),
    Mutation(
        "initialize-inspected-as-the-newest",
        ENGINE + "body/revision.rs",
        """                Some(revision) => Self {
                    revision,
                    scope: Scope::Offered,""",
        """                Some(_) => Self {
                    revision: newest,
                    scope: Scope::Offered,""",
        TESTS,
    ),
    Mutation(
        "initialize-inspected-as-the-oldest",
        ENGINE + "body/revision.rs",
        "endpoint.revisions.legacy().next_back()",
        "endpoint.revisions.legacy().next()",
        TESTS,
    ),
    Mutation(
        "meta-of-an-initialize-names-any-revision",
        ENGINE + "body/revision.rs",
        """            Scope::Open(permitted) => permitted
                .legacy()
                .any(|revision| version == revision.as_str()),""",
        """            Scope::Open(_) => true,""",
        TESTS,
    ),
]
