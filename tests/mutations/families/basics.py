"""JSON, batches, mirrors, methods and names."""

from mutation import ENGINE, Mutation

MUTATIONS = [
    Mutation(
        "duplicates-in-arrays-skipped",
        ENGINE + "json/reader/grammar.rs",
        "        if duplicates::any(names) {",
        """        let before = self.text.get(..start).unwrap_or_default().trim_end();
        if !before.ends_with(['[', ',']) && duplicates::any(names) {""",
    ),
    Mutation(
        "first-batch-member-decides",
        ENGINE + "authorize.rs",
        "        for operation in operations.list() {",
        "        for operation in operations.list().into_iter().take(1) {",
    ),
    Mutation(
        "first-version-line-taken",
        ENGINE + "revision.rs",
        """                Some(first) if equal && !first.is_empty() && repeats == Switch::Allow => {""",
        """                Some(first) if repeats == Switch::Allow || !equal => {""",
    ),
    Mutation(
        "method-mirror-trusted",
        ENGINE + "mirrors.rs",
        """            (Some(_), Some(body)) => return Err(mismatch(METHOD_HEADER, "method", body)),""",
        """            (Some(_), Some(_)) => {}""",
    ),
    Mutation(
        "name-mirror-trusted",
        ENGINE + "mirrors.rs",
        """            (Some(mirror), Some((member, body))) if mirror != body => {
                return Err(mismatch(NAME_HEADER, member, body));
            }""",
        """            (Some(mirror), Some((member, body))) if mirror != body => {
                let _trusted = mismatch(NAME_HEADER, member, body);
            }""",
    ),
    Mutation(
        "unavailable-taken-for-an-extension",
        ENGINE + "inspect.rs",
        """        McpMethodClassification::Extension => Ok(Class::Extension),""",
        """        McpMethodClassification::Extension | McpMethodClassification::Unavailable => {
            Ok(Class::Extension)
        }""",
    ),
    Mutation(
        "allows-compared-after-lower-casing",
        ENGINE + "authorize.rs",
        """        .binary_search_by(|entry| entry.as_str().cmp(name))
        .is_ok()""",
        """        .iter()
        .any(|entry| entry.eq_ignore_ascii_case(name))""",
    ),
    Mutation(
        "denies-compared-exactly",
        ENGINE + "authorize.rs",
        """            .any(|entry| entry.eq_ignore_ascii_case(name))
    } else {""",
        """            .any(|entry| entry == name)
    } else {""",
    ),
]
