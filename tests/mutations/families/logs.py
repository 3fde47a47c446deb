"""What logs may say."""

from mutation import ENGINE, Mutation

TESTS = ("engine", "audit", "secrets")

MUTATIONS = [
    Mutation(
        "query-logged",
        ENGINE + "show/uri.rs",
        """first(uri, b"?#").unwrap_or(uri.len())""",
        """first(uri, b"#").unwrap_or(uri.len())""",
        TESTS,
    ),
    Mutation(
        "user-information-logged",
        ENGINE + "show/uri.rs",
        """filter(|at| in_authority && *at > 0)""",
        """filter(|at| in_authority && *at > 999)""",
        TESTS,
    ),
    Mutation(
        "task-id-logged",
        ENGINE + "mirrors.rs",
        """        "taskId" => String::new(),
""",
        "",
        TESTS,
    ),
    Mutation(
        "would-deny-told-twice",
        ENGINE + "outcome.rs",
        "repeats_admit: would_deny && facts.told.would_deny,",
        "repeats_admit: false,",
        TESTS,
    ),
    Mutation(
        "another-would-deny-not-told",
        ENGINE + "pending.rs",
        "facts.told.would_deny &= since.is_same_call(&facts.operations);",
        "facts.told.would_deny &= since.is_same_call(&facts.operations) || true;",
        TESTS,
    ),
    Mutation(
        "unasked-principals-logged",
        ENGINE + "audit/principals.rs",
        """Ok(Some(_)) if TOKENS.contains(&name.as_str()) => Value::from(vec!["-"]),
""",
        "",
        TESTS,
    ),
]
