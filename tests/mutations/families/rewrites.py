"""The recheck: what may have changed since admit."""

from mutation import COMPILER, ENGINE, Mutation

TESTS = ("engine", "recheck", "corpus", "roll-out")
COMPILED = ("compiler", "diagnostics")

MUTATIONS = [
    Mutation(
        "hosts-may-be-rewritten",
        ENGINE + "head/recheck.rs",
        "        if now == admitted {",
        "        if now == admitted || true {",
        TESTS,
    ),
    Mutation(
        "routes-may-write-any-host",
        ENGINE + "head/recheck.rs",
        "self.endpoint.is_some_and(named)\n    }\n\n    fn permits_path",
        "self.endpoint.is_some_and(named) || true\n    }\n\n    fn permits_path",
        TESTS,
    ),
    Mutation(
        "hosts-may-be-respelled-in-the-chain",
        ENGINE + "head/recheck.rs",
        "        if !self.upstream {",
        "        if !self.upstream && false {",
        TESTS,
    ),
    Mutation(
        "endpoint-may-change",
        ENGINE + "head/recheck.rs",
        "    if name != record.endpoint {",
        "    if name != record.endpoint && false {",
        TESTS,
    ),
    Mutation(
        "recorded-endpoint-trusted",
        ENGINE + "head/recheck.rs",
        "    let selected = select(&core.policy, record.host, record.target);",
        """    let named = core
        .seats()
        .find(|seat| Some(seat.endpoint.name.as_str()) == record.endpoint);
    let selected = match named {
        Some(seat) => Ok(Place::Endpoint(seat)),
        None => select(&core.policy, record.host, record.target),
    };""",
        TESTS,
    ),
    Mutation(
        "recheck-of-one-endpoint-takes-all",
        ENGINE + "head/recheck.rs",
        "        Some(only) if name != Some(only.endpoint.name.as_str()) =>",
        "        Some(only) if name != Some(only.endpoint.name.as_str()) && false =>",
        TESTS,
    ),
    Mutation(
        "paths-may-be-rewritten",
        ENGINE + "head/recheck.rs",
        "        now == admitted || self.endpoint.is_some_and(named)",
        "        now == admitted || self.endpoint.is_some_and(named) || true",
        TESTS,
    ),
    Mutation(
        "queries-may-be-rewritten",
        ENGINE + "head/recheck.rs",
        "    if query != admitted_query {",
        "    if query != admitted_query && false {",
        TESTS,
    ),
    Mutation(
        "verbs-may-be-rewritten",
        ENGINE + "head/recheck.rs",
        """    if head.pseudo(b":method") != record.verb {""",
        """    if head.pseudo(b":method") != record.verb && false {""",
        TESTS,
    ),
    Mutation(
        "upstream-counts-in-the-chain",
        ENGINE + "head/recheck.rs",
        "        endpoint: place.endpoint().filter(|_| core.upstream),",
        "        endpoint: place.endpoint(),",
        TESTS,
    ),
    Mutation(
        "upstream-hosts-count-in-the-chain",
        ENGINE + "head/recheck.rs",
        """        endpoint: place.endpoint().filter(|_| core.upstream),
        upstream: core.upstream,""",
        """        endpoint: place.endpoint(),
        upstream: true,""",
        TESTS,
    ),
    Mutation(
        "clients-may-set-what-filters-set",
        ENGINE + "body/json.rs",
        "            Role::Admit => &[][..],",
        "            Role::Admit => &endpoint.set_by_filters[..],",
        TESTS,
    ),
    Mutation(
        "filters-may-set-nothing",
        ENGINE + "body/json.rs",
        "            Role::Recheck => &endpoint.set_by_filters,",
        "            Role::Recheck => &[],",
        TESTS,
    ),
    Mutation(
        "filters-may-set-whatever-is-forbidden",
        ENGINE + "body/json/skeleton.rs",
        "!self.but.iter().any(|set| set == name)",
        "self.but.is_empty()",
        TESTS,
    ),
    Mutation(
        "filters-may-set-names-in-any-case",
        ENGINE + "body/json/skeleton.rs",
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
        ENGINE + "head/record.rs",
        "        let rest = bytes.strip_prefix(&[LAYOUT])?;",
        "        let (_, rest) = bytes.split_first()?;",
        TESTS,
    ),
    Mutation(
        "records-with-more-behind-read",
        ENGINE + "head/record.rs",
        "        rest.is_empty().then_some(Self {",
        "        Some(Self {",
        TESTS,
    ),
    Mutation(
        "length-may-be-wrong-after-a-rewrite",
        ENGINE + "body/revision.rs",
        "(Role::Recheck, Some(declared)) if declared != actual => Err",
        "(Role::Recheck, Some(declared)) if declared != actual && false => Err",
        TESTS,
    ),
]
