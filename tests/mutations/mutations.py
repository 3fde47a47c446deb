"""Edits of the sources that a test must notice, one `Mutation` each.

A mutation takes one defence away. `find` must stand exactly once in `file`;
when the code there changes, change the mutation with it.
"""

from typing import NamedTuple


class Mutation(NamedTuple):
    """One edit: in `file`, `find` becomes `put`."""

    name: str
    file: str
    find: str
    put: str


ENGINE = "filter/engine/src/"

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
        """                _ => return Err(ambiguous("has more than one value")),""",
        """                _ => (first.unwrap_or_default(), true),""",
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
    Mutation(
        "query-logged",
        ENGINE + "show/uri.rs",
        """first(uri, b"?#").unwrap_or(uri.len())""",
        """first(uri, b"#").unwrap_or(uri.len())""",
    ),
    Mutation(
        "user-information-logged",
        ENGINE + "show/uri.rs",
        """filter(|at| in_authority && *at > 0)""",
        """filter(|at| in_authority && *at > 999)""",
    ),
    Mutation(
        "task-id-logged",
        ENGINE + "mirrors.rs",
        """        "taskId" => String::new(),
""",
        "",
    ),
    Mutation(
        "would-deny-told-twice",
        ENGINE + "outcome.rs",
        "repeats_admit: would_deny && facts.told.would_deny,",
        "repeats_admit: false,",
    ),
    Mutation(
        "unasked-principals-logged",
        ENGINE + "audit/principals.rs",
        """Ok(Some(_)) if TOKENS.contains(&name.as_str()) => Value::from(vec!["-"]),
""",
        "",
    ),
]
