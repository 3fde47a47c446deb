"""What logs may say."""

from mutation import ENGINE, Mutation

TESTS = ("engine", "audit", "secrets")

MUTATIONS = [
    Mutation(
        "query-logged",
        ENGINE + "answer/show/uri.rs",
        """first(uri, b"?#").unwrap_or(uri.len())""",
        """first(uri, b"#").unwrap_or(uri.len())""",
        TESTS,
    ),
    Mutation(
        "user-information-logged",
        ENGINE + "answer/show/uri.rs",
        """filter(|at| in_authority && *at > 0)""",
        """filter(|at| in_authority && *at > 999)""",
        TESTS,
    ),
    Mutation(
        "task-id-logged",
        ENGINE + "body/mirrors.rs",
        """        "taskId" => String::new(),
""",
        "",
        TESTS,
    ),
    Mutation(
        "would-deny-told-twice",
        ENGINE + "answer/outcome.rs",
        "let repeats_admit = facts.told_by_admit;",
        "let repeats_admit = false;",
        TESTS,
    ),
    Mutation(
        "another-would-deny-not-told",
        ENGINE + "request.rs",
        "facts.told_by_admit &= since.is_same_call(&facts.operations);",
        "facts.told_by_admit &= since.is_same_call(&facts.operations) || true;",
        TESTS,
    ),
    Mutation(
        "unasked-principals-logged",
        ENGINE + "answer/audit/principals.rs",
        """Ok(Some(_)) if TOKENS.contains(&name.as_str()) => Value::from(vec!["-"]),
""",
        "",
        TESTS,
    ),
]
