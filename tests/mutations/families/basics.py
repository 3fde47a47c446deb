"""JSON, batches, mirrors, methods and names."""

from mutation import ENGINE, Mutation

MUTATIONS = [
    Mutation(
        "duplicates-in-arrays-skipped",
        ENGINE + "body/json/reader/grammar.rs",
        "        if duplicates::any(names) {",
        """        let before = self.text.get(..start).unwrap_or_default().trim_end();
        if !before.ends_with(['[', ',']) && duplicates::any(names) {""",
    ),
    Mutation(
        "first-batch-member-decides",
        ENGINE + "policy/authorize.rs",
        "        for operation in operations {",
        "        for operation in operations.iter().take(1) {",
    ),
    Mutation(
        "first-version-line-taken",
        ENGINE + "head/version.rs",
        """                Some(first) if equal && !first.is_empty() && repeats == Switch::Allow => {""",
        """                Some(first) if repeats == Switch::Allow || !equal => {""",
    ),
    Mutation(
        "method-mirror-trusted",
        ENGINE + "body/mirrors.rs",
        """            (Some(_), Some(body)) => return Err(mismatch(METHOD_HEADER, "method", body)),""",
        """            (Some(_), Some(_)) => {}""",
    ),
    Mutation(
        "name-mirror-trusted",
        ENGINE + "body/mirrors.rs",
        """            (Some(mirror), Some((member, body))) if mirror != body => {
                return Err(mismatch(NAME_HEADER, member, body));
            }""",
        """            (Some(mirror), Some((member, body))) if mirror != body => {
                let _trusted = mismatch(NAME_HEADER, member, body);
            }""",
    ),
    Mutation(
        "unavailable-taken-for-an-extension",
        ENGINE + "body/profile.rs",
        """        McpMethodClassification::Extension => Ok(Class::Extension),""",
        """        McpMethodClassification::Extension | McpMethodClassification::Unavailable => {
            Ok(Class::Extension)
        }""",
    ),
    Mutation(
        "allows-compared-after-lower-casing",
        ENGINE + "policy/names.rs",
        """        .binary_search_by(|entry| entry.as_str().cmp(name))
        .is_ok()""",
        """        .iter()
        .any(|entry| entry.eq_ignore_ascii_case(name))""",
    ),
    Mutation(
        "denies-compared-exactly",
        ENGINE + "policy/names.rs",
        """            .any(|entry| entry.eq_ignore_ascii_case(name))
    } else {""",
        """            .any(|entry| entry == name)
    } else {""",
    ),
]
