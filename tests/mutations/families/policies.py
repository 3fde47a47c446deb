"""The policy file: characters and tags that readers of YAML take differently."""

from mutation import COMPILER, Mutation

TESTS = ("compiler", "diagnostics", "corpus")
FILE = COMPILER + "source/refused.rs"

MUTATIONS = [
    Mutation(
        "next-lines-stand-in-policies",
        FILE,
        "        '\\u{85}' => Some((",
        "        '\\u{85}' if false => Some((",
        TESTS,
    ),
    Mutation(
        "line-separators-stand-in-policies",
        FILE,
        "        '\\u{2028}' => Some((",
        "        '\\u{2028}' if false => Some((",
        TESTS,
    ),
    Mutation(
        "paragraph-separators-stand-in-policies",
        FILE,
        "        '\\u{2029}' => Some((",
        "        '\\u{2029}' if false => Some((",
        TESTS,
    ),
    Mutation(
        "lone-carriage-returns-stand-in-policies",
        FILE,
        "        '\\r' if next != Some('\\n') => Some((",
        "        '\\r' if next.is_none() => Some((",
        TESTS,
    ),
    Mutation(
        "bidirectional-controls-stand-in-policies",
        FILE,
        "'\\u{2066}'..='\\u{2069}' => {",
        "'\\u{2066}'..='\\u{2069}' if false => {",
        TESTS,
    ),
    Mutation(
        "tags-stand-in-policies",
        COMPILER + "source/tree.rs",
        "        if is_tagged {",
        "        if is_tagged && false {",
        TESTS,
    ),
]
