"""The recheck: what may have changed since admit."""

from mutation import COMPILER, ENGINE, Mutation

TESTS = ("engine", "recheck", "corpus", "roll-out")
COMPILED = ("compiler", "diagnostics")

MUTATIONS = [
    Mutation(
        "hosts-may-be-rewritten",
        ENGINE + "recheck.rs",
        "        if now == admitted {",
        "        if now == admitted || true {",
        TESTS,
    ),
    Mutation(
        "routes-may-write-any-host",
        ENGINE + "recheck.rs",
        "self.endpoint.is_some_and(named)\n    }\n\n    fn permits_path",
        "self.endpoint.is_some_and(named) || true\n    }\n\n    fn permits_path",
        TESTS,
    ),
    Mutation(
        "hosts-may-be-respelled-in-the-chain",
        ENGINE + "recheck.rs",
        "        if !self.upstream {",
        "        if !self.upstream && false {",
        TESTS,
    ),
    Mutation(
        "endpoint-may-change",
        ENGINE + "recheck.rs",
        "    if name != record.endpoint {",
        "    if name != record.endpoint && false {",
        TESTS,
    ),
    Mutation(
        "recorded-endpoint-trusted",
        ENGINE + "recheck.rs",
        "    let selected = select(engine.policy(), record.host, record.target);",
        """    let mut endpoints = engine.policy().endpoints().iter();
    let named = endpoints.position(|of| Some(of.name.as_str()) == record.endpoint);
    let selected = match named {
        Some(index) => Ok(Place::Endpoint(index)),
        None => select(engine.policy(), record.host, record.target),
    };""",
        TESTS,
    ),
    Mutation(
        "recheck-of-one-endpoint-takes-all",
        ENGINE + "recheck.rs",
        "        Some(only) if place != Place::Endpoint(only) => {",
        "        Some(only) if place != Place::Endpoint(only) && false => {",
        TESTS,
    ),
    Mutation(
        "paths-may-be-rewritten",
        ENGINE + "recheck.rs",
        "        now == admitted || self.endpoint.is_some_and(named)",
        "        now == admitted || self.endpoint.is_some_and(named) || true",
        TESTS,
    ),
    Mutation(
        "queries-may-be-rewritten",
        ENGINE + "recheck.rs",
        "    if query != admitted_query {",
        "    if query != admitted_query && false {",
        TESTS,
    ),
    Mutation(
        "verbs-may-be-rewritten",
        ENGINE + "recheck.rs",
        """    if head.pseudo(b":method") != record.verb {""",
        """    if head.pseudo(b":method") != record.verb && false {""",
        TESTS,
    ),
    Mutation(
        "upstream-counts-in-the-chain",
        ENGINE + "recheck.rs",
        "        endpoint: endpoint.filter(|_| engine.is_upstream()),",
        "        endpoint,",
        TESTS,
    ),
    Mutation(
        "upstream-hosts-count-in-the-chain",
        ENGINE + "recheck.rs",
        """        endpoint: endpoint.filter(|_| engine.is_upstream()),
        upstream: engine.is_upstream(),""",
        """        endpoint,
        upstream: true,""",
        TESTS,
    ),
    Mutation(
        "clients-may-set-what-filters-set",
        ENGINE + "engine.rs",
        "                Self::Admit => &[],",
        "                Self::Admit => &endpoint.set_by_filters,",
        TESTS,
    ),
    Mutation(
        "filters-may-set-nothing",
        ENGINE + "engine.rs",
        "                Self::Recheck => &endpoint.set_by_filters,",
        "                Self::Recheck => &[],",
        TESTS,
    ),
    Mutation(
        "filters-may-set-whatever-is-forbidden",
        ENGINE + "json.rs",
        "!self.but.iter().any(|set| set == name)",
        "self.but.is_empty()",
        TESTS,
    ),
    Mutation(
        "filters-may-set-names-in-any-case",
        ENGINE + "json.rs",
        "!self.but.iter().any(|set| set == name)",
        "!self.but.iter().any(|set| guard::folds_to(name, set))",
        TESTS,
    ),
    Mutation(
        "arguments-set-by-filters-open-to-clients-compile",
        COMPILER + "lower/endpoint.rs",
        "        if !forbidden.contains(&name.value) {",
        "        if !forbidden.contains(&name.value) && false {",
        COMPILED,
    ),
    Mutation(
        "records-of-any-layout-read",
        ENGINE + "record.rs",
        "        let rest = bytes.strip_prefix(&[LAYOUT])?;",
        "        let (_, rest) = bytes.split_first()?;",
        TESTS,
    ),
    Mutation(
        "records-with-more-behind-read",
        ENGINE + "record.rs",
        "        rest.is_empty().then_some(Self {",
        "        Some(Self {",
        TESTS,
    ),
    Mutation(
        "length-may-be-wrong-after-a-rewrite",
        ENGINE + "http.rs",
        "(Role::Recheck, Some(declared)) if declared != actual => Err",
        "(Role::Recheck, Some(declared)) if declared != actual && false => Err",
        TESTS,
    ),
]
