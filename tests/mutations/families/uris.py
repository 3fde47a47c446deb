"""Resource URIs: which are refused, and which spellings a deny covers."""

from mutation import COMPILER, ENGINE, Mutation

TESTS = ("engine", "corpus", "uris")
COMPILED = ("compiler", "diagnostics", "corpus")

MUTATIONS = [
    Mutation(
        "default-ports-pass",
        ENGINE + "policy/uri/authority.rs",
        """        "https" | "wss" => "443",""",
        """        "https" | "wss" => "none",""",
        TESTS,
    ),
    Mutation(
        "default-ports-of-http-pass",
        ENGINE + "policy/uri/authority.rs",
        """        "http" | "ws" => "80",""",
        """        "http" | "ws" => "none",""",
        TESTS,
    ),
    Mutation(
        "fragments-hide-denied-uris",
        ENGINE + "policy/uri/deny.rs",
        "fragment: !pattern.contains('#'),",
        "fragment: false,",
        TESTS,
    ),
    Mutation(
        "queries-hide-denied-uris",
        ENGINE + "policy/uri/deny.rs",
        "query: !pattern.contains('?'),",
        "query: false,",
        TESTS,
    ),
    Mutation(
        "escapes-hide-denied-uris",
        ENGINE + "policy/uri/deny.rs",
        "Self(levels.into_iter().map(Spelling::new).collect())",
        "Self(levels.into_iter().take(1).map(Spelling::new).collect())",
        TESTS,
    ),
    Mutation(
        "escapes-of-escapes-hide-denied-uris",
        ENGINE + "policy/uri/deny.rs",
        "Self(levels.into_iter().map(Spelling::new).collect())",
        "Self(levels.into_iter().take(2).map(Spelling::new).collect())",
        TESTS,
    ),
    Mutation(
        "escapes-in-denies-taken-literally",
        ENGINE + "policy/uri/deny.rs",
        "        while let Some(decoded) = levels.last().and_then(|last| decoded(last)) {",
        "        while let Some(decoded) = levels.get(9).and_then(|last| decoded(last)) {",
        TESTS,
    ),
    Mutation(
        "user-information-hides-denied-uris",
        ENGINE + "policy/uri/deny.rs",
        "                users.join(&now, tokens);",
        "                users.clear();",
        TESTS,
    ),
    Mutation(
        "ports-hide-denied-uris",
        ENGINE + "policy/uri/deny.rs",
        "b':' if (start..end).contains(&at) => ports.join(&now, tokens),",
        "b':' if (start..end).contains(&at) => ports.clear(),",
        TESTS,
    ),
    Mutation(
        "parameters-hide-denied-uris",
        ENGINE + "policy/uri/deny.rs",
        "b';' => parameters.join(&now, tokens),",
        "b';' => parameters.clear(),",
        TESTS,
    ),
    Mutation(
        "dots-and-slashes-hide-denied-uris",
        ENGINE + "policy/uri/deny.rs",
        "            if *idle {",
        "            if *idle && false {",
        TESTS,
    ),
    Mutation(
        "capitals-hide-denied-uris",
        ENGINE + "policy/uri/deny.rs",
        "wanted.eq_ignore_ascii_case(byte) => {",
        "wanted == byte => {",
        TESTS,
    ),
    Mutation(
        "escapes-hide-faults",
        ENGINE + "policy/uri.rs",
        "    for level in &levels.texts {",
        "    for level in levels.texts.iter().take(1) {",
        TESTS,
    ),
    Mutation(
        "escapes-of-escapes-hide-faults",
        ENGINE + "policy/uri.rs",
        "    for level in &levels.texts {",
        "    for level in levels.texts.iter().take(2) {",
        TESTS,
    ),
    Mutation(
        "deep-escapes-pass",
        ENGINE + "policy/uri.rs",
        "    if levels.too_deep {",
        "    if levels.too_deep && false {",
        TESTS,
    ),
    Mutation(
        "stars-cover-user-information",
        ENGINE + "policy/names.rs",
        "ResourceUris::Strict => uri::user_information(uri),",
        "ResourceUris::Strict => 0..0,",
        TESTS,
    ),
    Mutation(
        "single-slash-before-a-host-passes",
        ENGINE + "policy/uri.rs",
        """    let Some(rest) = rest.strip_prefix("//") else {""",
        """    let Some(rest) = rest.strip_prefix("//").or(rest.strip_prefix('/')) else {""",
        TESTS,
    ),
    Mutation(
        "hosts-of-files-pass",
        ENGINE + "policy/uri.rs",
        "        Some(path) if path.starts_with('/') => path_and_query(path),",
        "        Some(path) => path_and_query(path),",
        TESTS,
    ),
    Mutation(
        "files-without-three-slashes-pass",
        ENGINE + "policy/uri.rs",
        """    match rest.strip_prefix("//") {
        Some(path) if path""",
        """    match rest.strip_prefix("//").or(Some(rest)) {
        Some(path) if path""",
        TESTS,
    ),
    Mutation(
        "dot-segments-pass",
        ENGINE + "policy/uri.rs",
        "        if has_dot_segment(level) {",
        "        if has_dot_segment(level) && false {",
        TESTS,
    ),
    Mutation(
        "characters-beyond-ascii-pass",
        ENGINE + "policy/uri.rs",
        "            _ if !byte.is_ascii() => {",
        "            _ if !byte.is_ascii() => {}\n            _ if false => {",
        TESTS,
    ),
    Mutation(
        "hosts-of-any-characters-pass",
        ENGINE + "policy/uri.rs",
        "    characters(uri)?;",
        """    let host = Authority::find(uri.as_bytes()).map_or(0, |authority| authority.end);
    characters(uri.get(host..).unwrap_or_default())?;""",
        TESTS,
    ),
    Mutation(
        "escapes-in-hosts-pass",
        ENGINE + "policy/uri/authority.rs",
        """    if host.contains('%') {""",
        """    if host.contains('%') {
        return Ok(());
    }
    if host.contains('%') {""",
        TESTS,
    ),
    Mutation(
        "denies-that-hold-nobody-compile",
        COMPILER + "lower/resources.rs",
        "    let fault = canonical.then(|| uris::fault(text)).flatten();",
        "    let fault = (!canonical).then(|| uris::fault(text)).flatten();",
        COMPILED,
    ),
    Mutation(
        "denies-of-any-uris-compile",
        COMPILER + "lower/endpoint.rs",
        "    if source.resource_uris == ResourceUris::Any {",
        "    if source.resource_uris == ResourceUris::Any && false {",
        COMPILED,
    ),
]
