//! Patterns of method names, as far as the compiler has to understand them.

/// Whether all of `text` matches `pattern`, in which `*` is any run of
/// characters.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some(found) = rest.find(part) else {
            return false;
        };
        let end = found.saturating_add(part.len());
        rest = rest.get(end..).unwrap_or_default();
    }
    rest.ends_with(last)
}

/// What stands before the first `*`.
pub(super) fn literal_start(pattern: &str) -> &str {
    pattern.split('*').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_is_any_run() {
        for (pattern, text, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("*", "", true),
            ("tools/*", "tools/call", true),
            ("tools/*", "tool", false),
            ("*/l*t", "tools/list", true),
            ("a*a", "a", false),
            ("a**b", "ab", true),
            ("*ab*ab", "ab", false),
            ("*ab*ab", "abab", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }
}
