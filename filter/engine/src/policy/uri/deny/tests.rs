use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn denied(pattern: &str, uri: &str) -> bool {
    Spellings::of(uri).match_any(pattern)
}

#[test]
fn however_it_is_spelled() {
    for (pattern, uri) in [
        (
            "file:///docs/plan(secret).md",
            "file:///docs/plan(secret).md",
        ),
        (
            "file:///docs/plan(secret).md",
            "file:///docs/plan%28secret%29.md",
        ),
        (
            "file:///docs/plan(secret).md",
            "file:///docs/plan%2528secret%2529.md",
        ),
        (
            "file:///docs/plan(secret).md",
            "file:///docs/plan%25252528secret).md",
        ),
        (
            "file:///docs/plan%28secret%29.md",
            "file:///docs/plan(secret).md",
        ),
        ("file:///docs/caf%C3%A9.md", "file:///docs/caf%25C3%25A9.md"),
        ("file:///docs/a%2A", "file:///docs/a*"),
        ("file:///docs/a", "file:///docs/A"),
        ("file:///docs/a", "file:///docs/a#x"),
        ("file:///docs/a", "file:///docs/a?x"),
        ("file:///docs/a", "file:///docs/a?x#y"),
        ("file:///docs/a", "file:///docs/a%23x"),
        ("file:///docs/a", "file:///docs/a%253Fx"),
        ("file:///docs/a", "file:///docs/a/"),
        ("file:///docs/a", "file:///docs/a/?x"),
        ("file:///docs/a", "file:///docs/a."),
        ("file:///docs/a", "file:///docs/a%20"),
        ("file:///docs/a", "file:///docs/a.%20./#x"),
        ("file:///docs/a", "file:///docs/a;v=1"),
        ("file:///docs/a/", "file:///docs/a"),
        ("file:///docs/a/b", "file:///docs./a%20/b"),
        ("file:///docs/a/b", "file:///docs;x/a/b"),
        ("file:///docs/*", "file:///docs/a?b"),
        ("file:///docs/*", "file:///docs/a#b"),
        ("docs://h/x", "docs://u@h/x"),
        ("docs://h/x", "docs://u%40h/x"),
        ("docs://h/x", "docs://u:p@h:1/x"),
        ("docs://h/x", "docs://h:name/x"),
        ("docs://h/x", "docs://h%3A1/x"),
        ("docs://h/x", "docs://h./x"),
        ("docs://h/x", "docs://h.:1/x"),
        ("docs://h/x", "docs://h//x"),
        ("docs://h/x", "docs:////h/x"),
        ("docs://h/x", "docs:/h/x"),
        ("docs://h/*", "docs://h/;v/x"),
        ("docs://h/*", "docs://h/%20/x"),
        ("docs://h/a/b", "docs://h/a;v;w/;/;v/b"),
        ("docs://h/a/b", "docs://h/a/...%20;v/b"),
        ("d:/b", "d:/;/b;"),
        ("docs://h/b", "docs://h/;x/b"),
        ("docs://h/b", "docs://h/;x/;y/b;z"),
        ("docs://h:1/x", "docs://h:1/x"),
        ("docs://u@h/x", "docs://u@h:1/x"),
        ("docs://h", "docs://u@h:1"),
        ("https://h/x", "https://h:8443/x"),
        ("https://h/a#b", "https://h/a?q#b"),
        ("https://h/a?b", "https://h/a?b#c"),
        ("docs://h/**", "docs://h/"),
        ("**/secret", "docs://h/a/secret/"),
        ("**", "a:"),
    ] {
        assert!(denied(pattern, uri), "{pattern} {uri}");
    }
}

#[test]
fn and_nothing_else() {
    for (pattern, uri) in [
        ("file:///*", "file:///docs/a"),
        ("file:///docs/a", "file:///docs/ab"),
        ("file:///docs/ab", "file:///docs/a?b"),
        ("file:///docs/ab", "file:///docs/a;b"),
        ("file:///docs/ac", "file:///docs/a;b;c"),
        ("file:///docs/a%2A", "file:///docs/ab"),
        ("file:///docs/a#b", "file:///docs/a"),
        ("file:///docs/a?b", "file:///docs/a"),
        ("file:///docs/a?b", "file:///docs/a?c"),
        ("docs://h:1/x", "docs://h/x"),
        ("docs://h:1/x", "docs://h:2/x"),
        ("docs://u@h/x", "docs://h/x"),
        ("docs://u@h/x", "docs://v@h/x"),
        ("docs://h/*", "docs://h/a;v/x"),
        ("docs://h/*/x", "docs://h/x"),
        ("docs://h/a/b", "docs://h/ab"),
        ("docs://h/*/", "docs://h/a"),
        ("docs://h/a", "docs://h.a/a"),
    ] {
        assert!(!denied(pattern, uri), "{pattern} {uri}");
    }
}

/// Reading a body's worth of text once for each deny would take seconds.
#[test]
fn what_is_too_long_to_be_read_is_denied_by_what_it_begins_with() {
    let names = |pattern: &str| Names::new(vec![pattern.to_owned()]).unwrap();
    let long = Spellings::of(&format!("docs://h/secret;{}", "x".repeat(5000)));
    assert!(long.are_denied(&names("docs://h/secret"), true));
    assert!(long.are_denied(&names("docs://h/sec**"), true));
    assert!(!long.are_denied(&names("docs://h/secrets"), false));
    for other in ["docs://h/other", "docs://i/secret", "file://h/secret"] {
        assert!(!long.are_denied(&names(other), true), "{other}");
    }
}

#[test]
fn templates_with_and_without_their_expressions() {
    let denied = |pattern, uri| Spellings::of_template(uri).match_any(pattern);
    assert!(denied("file:///docs/**", "file:///docs/{page}"));
    assert!(denied("file:///docs/a", "file:///docs/a{?x}"));
    assert!(denied("file:///docs/a", "file:///docs/a{/x}"));
    assert!(!denied("file:///docs/a", "file:///docs/b{?x}"));
}

/// One thing that a reader leaves out, at every place where it may; `lax`:
/// also what denies leave out beyond that.
fn shorter(text: &str, cuts: Cuts, lax: bool) -> Vec<String> {
    let mut made = Vec::new();
    let mut without = |from: usize, to: usize| made.push([&text[..from], &text[to..]].concat());
    let until = |from: usize, ends: &[char]| {
        let found = text[from..].find(ends);
        found.map_or(text.len(), |at| from + at)
    };
    let authority = text
        .find("://")
        .map(|at| (at + 3, until(at + 3, &['/', '?', '#'])));
    for (at, c) in text.char_indices() {
        let next = text[at + 1..].chars().next();
        let ends = |c: Option<char>| c.is_none_or(|c| "/?#;".contains(c));
        // Nothing but what may be left out follows in the path.
        let rest = &text[at + 1..until(at + 1, &['?', '#'])];
        let bare = |segment: &str| {
            segment
                .split(';')
                .next()
                .is_none_or(|s| s.replace('.', "").is_empty())
        };
        let ends_path = rest.split('/').all(bare);
        let in_authority = authority.filter(|(start, end)| (*start..*end).contains(&at));
        match (c, in_authority) {
            ('#', _) if cuts.fragment => without(at, text.len()),
            ('?', _) if cuts.query => {
                without(at, until(at + 1, &['#']));
                without(at, text.len());
            }
            ('@', Some((start, _))) => without(start, at + 1),
            (':', Some((_, end))) => without(at, end),
            (';', _) => without(at, until(at + 1, &['/', '?', '#'])),
            ('/', _) if next == Some('/') => without(at, at + 1),
            ('/', _) if lax && follows_nothing(&text[..at], authority) => without(at, at + 1),
            ('/', _) if ends_path => without(at, at + 1),
            ('.', _) if ends(next) => without(at, at + 1),
            _ => {}
        }
    }
    made
}

/// The text and all that becomes of it.
fn spelled(text: &str, cuts: Cuts, lax: bool) -> BTreeSet<String> {
    let mut spelled = BTreeSet::from([text.to_owned()]);
    let mut todo = vec![text.to_owned()];
    while let Some(next) = todo.pop() {
        for made in shorter(&next, cuts, lax) {
            if spelled.insert(made.clone()) {
                todo.push(made);
            }
        }
    }
    spelled
}

/// Whether nothing stays between the last slash of a text and its end. What is
/// left out there need not be, which denies a little too much.
fn follows_nothing(text: &str, authority: Option<(usize, usize)>) -> bool {
    let Some((before, mut segment)) = text.rsplit_once('/') else {
        return false;
    };
    let mut ends = vec![';'];
    if authority.is_some_and(|(start, _)| start == before.len() + 1) {
        segment = segment.rsplit('@').next().unwrap_or_default();
        ends.push(':');
    }
    let stays = segment.split(&ends[..]).next().unwrap_or_default();
    !segment.contains(['?', '#']) && stays.bytes().all(|byte| byte == b'.')
}

/// The definition: `*` is any run without `/`, `**` any run.
fn by_definition(pattern: &[u8], text: &[u8]) -> bool {
    let (stop, rest) = match pattern {
        [] => return text.is_empty(),
        [b'*', b'*', rest @ ..] => (false, rest),
        [b'*', rest @ ..] => (true, rest),
        [first, rest @ ..] => {
            return text
                .split_first()
                .is_some_and(|(byte, tail)| byte == first && by_definition(rest, tail));
        }
    };
    (0..=text.len()).any(|taken| {
        let (run, tail) = text.split_at(taken);
        !(stop && run.contains(&b'/')) && by_definition(rest, tail)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]
    #[test]
    fn agrees_with_the_definition(
        pattern in "d:(//h|//\\*|\\*\\*)?[ab/*.;?#]{0,6}",
        text in "d:(//h|//a@h|//h:1|//h;a|//h\\.)?([ab/.;?#]{0,7}|/[ab/;?#]{0,7})",
    ) {
        let cuts = Cuts { query: !pattern.contains('?'), fragment: !pattern.contains('#') };
        let mut wanted = pattern.clone();
        while wanted.contains("//") {
            wanted = wanted.replace("//", "/");
        }
        while wanted.ends_with('/') && !wanted.ends_with("*/") {
            wanted.pop();
        }
        let exact = |text: &String| {
            by_definition(wanted.as_bytes(), text.as_bytes())
                || by_definition(pattern.as_bytes(), text.as_bytes())
        };
        let denied = denied(&pattern, &text);
        let all = |lax| spelled(&text, cuts, lax).iter().any(exact);
        prop_assert!(denied || !all(false), "{} {}", pattern, text);
        prop_assert!(!denied || all(true), "too much: {} {}", pattern, text);
    }

    #[test]
    fn takes_whatever_it_is_given(pattern in "\\PC{0,20}", text in "\\PC{0,40}") {
        let _ = denied(&pattern, &text);
        let _ = Spellings::of_template(&text).match_any(&pattern);
    }
}
