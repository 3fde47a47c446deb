//! What is not read as YAML, told at its place: the text between `«` and `»`.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]

use mcp_policy::{Diagnostic, compile};

/// The text without the marks, and the bytes between them.
fn unmarked(marked: &str) -> (String, Vec<std::ops::Range<usize>>) {
    let mut text = String::new();
    let mut places = Vec::new();
    for (index, part) in marked.split('«').enumerate() {
        let (place, after) = part.split_once('»').unwrap_or(("", part));
        if index > 0 {
            places.push(text.len()..text.len() + place.len());
        }
        text.push_str(place);
        text.push_str(after);
    }
    (text, places)
}

fn refused(text: &str) -> Vec<Diagnostic> {
    compile(text).expect_err(text)
}

/// All of what is refused, with the words for it.
#[track_caller]
fn expect(marked: &str, message: &str) {
    let (text, places) = unmarked(marked);
    for (text, shift) in [(text.clone(), 0), (format!("\u{feff}{text}"), 3)] {
        let found = refused(&text);
        let labels = found.iter().flat_map(|it| &it.labels);
        let bytes: Vec<_> = labels.map(|label| label.span.bytes.clone()).collect();
        let shifted = places.iter().map(|at| at.start + shift..at.end + shift);
        assert_eq!(bytes, shifted.collect::<Vec<_>>(), "{text:?} {found:#?}");
        assert!(
            found.iter().all(|it| it.message.contains(message)),
            "{text:?} {found:#?}"
        );
    }
}

#[test]
fn tags_are_found_wherever_they_stand() {
    for marked in [
        "a: «!!str» b",
        "a: «!» b",
        "a: «!»",
        "a: «!!str»",
        "«!!map» {a: b}",
        "[«!a» a, «!b» c, «!!binary» aGk=]",
        "«!a» [«!b» c]",
        "«!!str» a: b",
        "a: &x «!!int» 3\nb: *x",
        "a: «!!str» &x 3",
        "a: &x # c\n  «!!str» 3",
        "a: «!<tag:yaml.org,2002:str>» 3",
        "{\"a\":«!!str» b}",
        "{x: \"a #\", y: «!!str» b}",
        "{x: \"a\n # b\", y: «!!str» b}",
        "a: it's\nb: «!!str» 'c'",
        "a: b 'c\nd: «!!str» 'e'",
        "a: «!!str» |\n  b",
        "a: '!'\nb: «!c» d # !e",
        "a: «!!null» ~",
        "- «!t»\n- «!t» b",
        "- «!t»\n  b: c",
        // Those that the parser itself refuses.
        "a: «!undeclared!x» b",
        "a: «!<open» b",
        "a: «!%» b",
    ] {
        expect(marked, "a policy has no tags, found `!");
    }
}

#[test]
fn a_mark_in_a_text_or_comment_is_no_tag() {
    for text in [
        "a: b # do !not",
        "# !!str\na: b",
        "a: b! !c",
        "a: \"!b\"",
        "a: '!!str b'",
        "\"!a\": [\"!\", 'b !c']",
        "a: |\n  !b\n  # !c",
        "a: &x \"!b\"\nc: *x",
        "a: b!c\naxb: axb",
    ] {
        let found = refused(text);
        assert!(
            found.iter().all(|it| !it.message.contains("tags")),
            "{text:?}"
        );
        assert!(
            found.iter().all(|it| !it.message.contains("not valid")),
            "{text:?}"
        );
    }
}

#[test]
fn directives_are_refused() {
    for (marked, message) in [
        ("«%YAML 1.1»\n---\na: b", "found `%YAML 1.1`"),
        (
            "# c\n\n \t# c\n«%YAML 1.2» # c\n---\na: b",
            "found `%YAML 1.2`",
        ),
        (
            "«%TAG ! tag:x,2000:»\r\n---\r\na: b",
            "found `%TAG ! tag:x,2000:`",
        ),
        ("...\n«%any thing»\n---\na: b", "found `%any thing`"),
        ("«%»", "found `%`"),
        ("«%YAML x»\n---\n", "found `%YAML x`"),
        ("a: b\n«%YAML 1.1»\n---\nc: d", "found `%YAML 1.1`"),
        ("---\n«%YAML 1.1»\n", "found `%YAML 1.1`"),
    ] {
        expect(marked, message);
        expect(marked, "a policy has no directives");
    }
    let fine = compile(
        "# %YAML 1.1\nmcp_policy: 1\nendpoints:\n  - path: \"/50\n      %25\"\n    name: a%b\n",
    );
    assert!(
        fine.unwrap_err()
            .iter()
            .all(|it| !it.message.contains("directives"))
    );
}

#[test]
fn words_come_from_the_place() {
    for (marked, message) in [
        ("a: [b«»\n\n", "it ends while a bracket is open"),
        ("a: {b: [c], d«»", "it ends while a bracket is open"),
        (
            "a: «\"»b\nc: d\n",
            "the quote that is opened here is never closed",
        ),
        (
            "a: «'»it''s\nc: d\n",
            "the quote that is opened here is never closed",
        ),
        (r#"a: «"\q"»"#, "this text in quotes cannot be read"),
        ("a: ['b' «\"c\"»]", "this text in quotes cannot be read"),
        ("a: «\"b»\nc\"\n", "this text in quotes cannot be read"),
        ("a: «*none»\n", "nothing above is named `&none`"),
        ("a: [«*»]", "a text without quotes cannot begin with `*`"),
        ("a: «&»", "a text without quotes cannot begin with `&`"),
        (
            "a: [x, «@»y]",
            "a text without quotes cannot begin with `@`",
        ),
        (
            "a: «`»y",
            "a text without quotes cannot begin with a backtick",
        ),
        ("a: «%»y", "a text without quotes cannot begin with `%`"),
        (
            "a: [«|»b]",
            "behind `|` stands only how the text below is indented",
        ),
        (
            "a: «>»b",
            "behind `>` stands only how the text below is indented",
        ),
        ("a: [«:»\"b\"]", "a `:` cannot stand here"),
        ("a: b«:» c", "a `:` cannot stand here"),
        ("a: [«?»b]", "a text in brackets cannot begin with `?`"),
        ("a: [b«}»", "this bracket closes nothing"),
        ("a: b, c\nd: [b]«,»\n", "or no bracket is open"),
        ("a: [b, «,» c]", "nothing stands before this `,`"),
        ("a:\n«\t»b: c\n", "a tab is used as indentation"),
        ("a: b\n «c»: d\n", ""),
        (
            "a:\n    b: c\n  «d»: e\n",
            "this line does not fit those above it",
        ),
        ("a: b\nc: \u{feff}d\n", ""),
        ("- a\n«b»: c\n", "this line does not fit those above it"),
    ] {
        if message.is_empty() {
            let (text, _) = unmarked(marked);
            assert!(
                refused(&text)[0].message.contains("not valid YAML"),
                "{text:?}"
            );
            continue;
        }
        expect(marked, message);
        expect(marked, "the file is not valid YAML");
    }
}

#[test]
fn what_yaml_has_nowhere() {
    for character in [
        "\0", "\u{1}", "\u{1b}", "\u{7f}", "\u{80}", "\u{9f}", "\u{ffff}",
    ] {
        for (before, after) in [
            ("a: b # ", ""),
            ("a: \"", "\""),
            ("", ""),
            ("a: |\n  b", "\n"),
        ] {
            let marked = format!("{before}«{character}»{after}");
            expect(
                &marked,
                "the file is not valid YAML: control characters are not allowed",
            );
        }
    }
}

#[test]
fn one_document() {
    for marked in [
        "a: b\n---\n«c»: d\n",
        "a: b\n...\n«c»: d\n",
        "a: b\n--- «c»\n",
        "a: b\n---\n«\"c\"»\n",
        "a: b\n--- # c\n«[»a",
        "a\n---\n---\nb",
        "---\n---\na: b",
    ] {
        let (text, places) = unmarked(marked);
        let found = refused(&text);
        assert_eq!(
            found[0].message,
            "the file holds more than one YAML document"
        );
        if let Some(place) = places.first() {
            assert_eq!(found[0].labels[0].span.bytes, *place, "{text:?}");
        }
    }
    for text in [
        "---\na: b\n...\n",
        "a: b\n...\n# c\n",
        "--- # c\na: b",
        "...\na: b",
    ] {
        let found = refused(text);
        assert!(
            found.iter().all(|it| !it.message.contains("document")),
            "{text:?}"
        );
    }
}

#[test]
fn depth_has_a_limit() {
    let deep = "the YAML is nested too deeply";
    let nested = |open: &str, levels: usize| open.repeat(levels);
    for (open, at) in [
        ("[", 128),
        ("{a: ", 4 * 128),
        ("- ", 2 * 128),
        ("? ", 2 * 128),
    ] {
        // More than the parser itself can count, too.
        for levels in [129, 200, 255, 256, 257, 5000] {
            let text = nested(open, levels) + "x";
            let found = refused(&text);
            assert_eq!(found[0].message, deep, "{open:?} {levels}");
            assert_eq!(
                found[0].labels[0].span.bytes,
                at..at + 1,
                "{open:?} {levels}"
            );
        }
        assert_ne!(
            refused(&(nested(open, 128) + "x"))[0].message,
            deep,
            "{open:?}"
        );
    }
    // By an alias: of what it stands in, or of what is deep itself.
    expect("a: &a [«*a»]", deep);
    let seventy = "[".repeat(70) + &"]".repeat(70);
    let text = format!("a: &a {seventy}\nb: {}*a{}", "[".repeat(70), "]".repeat(70));
    let found = refused(&text);
    assert_eq!(found[0].message, deep);
    assert_eq!(&text[found[0].labels[0].span.bytes.clone()], "*a");
}

#[test]
fn everything_is_counted() {
    for one in ["!t a", "\u{202e}"] {
        let found = refused(&format!("a: [{}]", vec![one; 10_000].join(", ")));
        assert_eq!(found.len(), 101);
        assert_eq!(found[100].message, "9900 more errors are not shown");
    }
}
