"""`when`: what is known of who sent a request."""

from mutation import COMPILER, ENGINE, Mutation

TESTS = ("engine", "principals", "corpus", "conditions")
COMPILED = ("compiler", "diagnostics")

MUTATIONS = [
    Mutation(
        "unknown-principals-escape-denies",
        ENGINE + "policy/principals.rs",
        "self.met(condition, true) != Met::No)",
        "self.met(condition, true) == Met::Yes)",
        TESTS,
    ),
    Mutation(
        "unknown-principals-get-allows",
        ENGINE + "policy/principals.rs",
        "self.met(condition, false) == Met::Yes)",
        "self.met(condition, false) != Met::No)",
        TESTS,
    ),
    Mutation(
        "denies-compare-principals-by-case",
        ENGINE + "policy/principals.rs",
        "            fold: deny,",
        "            fold: false,",
        TESTS,
    ),
    Mutation(
        "unreadable-items-skipped",
        ENGINE + "policy/claims.rs",
        "                    (1, Wire::Bytes(item)) => scalar(kind(item)?, words, &mut values)?,",
        """                    (1, Wire::Bytes(item)) => {
                        let _skipped = scalar(kind(item)?, words, &mut values);
                    }""",
        TESTS,
    ),
    Mutation(
        "empty-lists-are-known",
        ENGINE + "policy/claims.rs",
        "    (!values.is_empty()).then_some(values)",
        "    Some(values)",
        TESTS,
    ),
    Mutation(
        "scopes-are-one-text",
        ENGINE + "policy/claims.rs",
        """    name == "scope" || name == "scp\"""",
        """    name == "scope of none\"""",
        TESTS,
    ),
    Mutation(
        "scp-is-one-text",
        ENGINE + "policy/claims.rs",
        """    name == "scope" || name == "scp\"""",
        """    name == "scope\"""",
        TESTS,
    ),
    Mutation(
        "numbers-match-nothing",
        ENGINE + "policy/principals.rs",
        "                || contains(wanted, &written(*number), style, deny)",
        "                && contains(wanted, &written(*number), style, deny) && false",
        TESTS,
    ),
    Mutation(
        "numbers-compared-as-text",
        ENGINE + "policy/principals.rs",
        "            exact.any(|text| as_number(text) == Some(*number))",
        "            exact.any(|text| *text == written(*number))",
        TESTS,
    ),
    Mutation(
        "flags-match-nothing",
        ENGINE + "policy/principals.rs",
        """if *flag { "true" } else { "false" }, style, deny)""",
        """if *flag { "True" } else { "False" }, Style { fold: false, ..style }, deny)""",
        TESTS,
    ),
    Mutation(
        "inexact-numbers-are-known",
        ENGINE + "policy/claims.rs",
        "number.abs() < FIRST_INEXACT",
        "number.is_finite()",
        TESTS,
    ),
    Mutation(
        "names-of-members-are-values",
        ENGINE + "policy/claims.rs",
        "        Kind::Null | Kind::Number(_) | Kind::Object(_) | Kind::List(_) => None,",
        """        Kind::Object(object) => {
            for field in fields(object) {
                let (1, Wire::Bytes(pair)) = field? else {
                    continue;
                };
                for part in fields(pair) {
                    if let (1, Wire::Bytes(name)) = part? {
                        values.push(Scalar::Text(text(name)?.to_owned()));
                    }
                }
            }
            Some(())
        }
        Kind::Null | Kind::Number(_) | Kind::List(_) => None,""",
        TESTS,
    ),
    Mutation(
        "texts-taken-for-lists",
        ENGINE + "policy/claims.rs",
        "        Kind::List(list) => {",
        "        Kind::List(list) | Kind::Text(list @ [b'\\n', ..]) => {",
        TESTS,
    ),
    Mutation(
        "texts-with-controls-are-known",
        ENGINE + "policy/claims.rs",
        "(!text.is_empty() && !text.chars().any(char::is_control)).then_some(text)",
        "(!text.is_empty()).then_some(text)",
        TESTS,
    ),
    Mutation(
        "last-of-two-claims-taken",
        ENGINE + "policy/claims.rs",
        "found.replace(value?).is_some() {",
        "found.replace(value?).is_some() && false {",
        TESTS,
    ),
    Mutation(
        "denies-of-unseen-names-compile",
        COMPILER + "lower/conditions.rs",
        "            acknowledged: false,\n        } = condition.principal\n        {",
        "            acknowledged: false,\n        } = condition.principal\n            && false\n        {",
        COMPILED,
    ),
    Mutation(
        "scopes-with-blanks-compile",
        COMPILER + "lower/conditions.rs",
        "        if value.value.contains(' ') {",
        "        if value.value.contains('\\0') {",
        COMPILED,
    ),
]
