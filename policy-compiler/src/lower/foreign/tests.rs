use super::*;

fn of_name(text: &str, strictness: Strictness) -> String {
    name(text, strictness).map_or("-".into(), |found| found.help)
}

#[test]
fn names_in_another_language() {
    for (text, help) in [
        ("delete_.*", "write `delete_*`"),
        ("delete_.+", "write `delete_*`"),
        ("^delete", "write `delete*`"),
        ("secret$", "write `*secret`"),
        ("/^delete/", "write `delete*`"),
        ("/delete_.*/i", "write `delete_*`"),
        ("(rm | del)_*", "list each name, with `*` for what varies"),
        ("^delete_all$", "write `delete_all`"),
        ("drop_?", "write `drop_*`"),
        ("(rm|del)_*", "list `rm_*` and `del_*`"),
        ("(?:rm|del)_.*", "list `rm_*` and `del_*`"),
        ("(?i)delete.*", "write `delete*`"),
        ("rm|del", "list `rm` and `del`"),
        ("{rm,del}_*", "list `rm_*` and `del_*`"),
        ("get_[a-c]", "write `get_*`"),
        ("get_[!a]*", "write `get_*`"),
        ("x_[0-9]+", "write `x_*`"),
        ("x_[0-9]{2,3}", "write `x_*`"),
        (r"x_\d+", "write `x_*`"),
        (r"a\.b", "write `a.b`"),
        ("get_{owner}", "write `get_*`"),
        ("drop+", "write `drop*`"),
        (
            "!delete_*",
            "nothing here negates: `allow` only what may, or `deny` what may not",
        ),
        ("delete_%", "write `delete_*`"),
        ("rm,del", "list `rm` and `del`"),
        (
            "github.*",
            "write `github*`; if the names do have a dot there, write `github.**`",
        ),
        (".*", "list each name, with `*` for what varies"),
        ("(", "list each name, with `*` for what varies"),
        ("a[", "list each name, with `*` for what varies"),
        (
            "(a|b)(c|d)(e|f)",
            "list each name, with `*` for what varies",
        ),
    ] {
        assert_eq!(of_name(text, Strictness::Strict), help, "{text}");
    }
}

#[test]
fn names_and_patterns() {
    for text in [
        "get.v2",
        "list_items",
        "a.b",
        "*",
        "get_*",
        "*.v2",
        "github.**",
        "a-b",
        "C++",
    ] {
        assert_eq!(of_name(text, Strictness::Strict), "-", "{text}");
        assert_eq!(of_name(text, Strictness::Free), "-", "{text}");
    }
    for text in [
        "What's new?",
        "why?",
        "C++",
        "a | b",
        "review (strict)",
        "review [draft]",
        "costs in $",
        "search/*",
        "Summarize {topic} for me",
        "team: ask",
        "50%",
        "a,b",
        r"DOMAIN\user",
        "search?q=1",
        "!ban",
    ] {
        assert_eq!(of_name(text, Strictness::Free), "-", "{text}");
    }
}

#[test]
fn uris_in_another_language() {
    for (text, help) in [
        ("^file:///x", "write `file:///x**`"),
        ("file:///docs/x$", "write `**file:///docs/x`"),
        (
            "file:///docs/.+",
            "write `file:///docs/**`; for names that begin with a dot, write `/.**`",
        ),
        ("file:///docs/[^/]+", "write `file:///docs/*`"),
        ("file:///docs/[a-z]*/x", "write `file:///docs/*/x`"),
        (r"file:///docs/\w+", "write `file:///docs/*`"),
        (r"file:///docs/a\.md", "write `file:///docs/a.md`"),
        ("file:///(a|b)/**", "list `file:///a/**` and `file:///b/**`"),
        ("repo://{owner}/{repo}/x", "write `repo://*/*/x`"),
        ("file:///{+path}", "write `file:///**`"),
        ("file:///{path*}", "write `file:///**`"),
        ("file:///{a,b}.md", "write `file:///*.md`"),
        ("file:///report-?.md", "write `file:///report-*.md`"),
    ] {
        let found = uri(text).map_or("-".into(), |found| found.help);
        assert_eq!(found, help, "{text}");
    }
    for text in [
        "file:///docs/**",
        "file:///docs/*.md",
        "file:///docs/report.*",
        "file:///**/.git/**",
        "file:///**/.env",
        "file:///repo/.**",
        "file:///plan(secret).md",
        "file:///a[1].txt",
        "http://[2001:db8:*]/x",
        "http://[::1]/x",
        "https://h/x?id=*",
        "https://h/x?**",
        "docs://a/**?**#**",
        "git+ssh://git@h/c++.md",
        "data:text/plain;base64,*",
        "urn:isbn:*",
    ] {
        assert!(uri(text).is_none(), "{text}: {:?}", uri(text));
    }
}
