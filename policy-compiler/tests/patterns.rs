//! Entries of rules that match nothing, or less than they seem to: each is
//! told at its very place. And those that are right, of which nothing is said.
#![allow(
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use mcp_policy::{Diagnostic, compile};

/// A policy with `entry` in a list, beside what makes good entries useful.
fn policy(side: &str, list: &str, entry: &str) -> String {
    let entry = serde_json::to_string(entry).unwrap();
    let other = match side {
        "allow" => "deny: {tools: [spare]}",
        _ => {
            "allow: {methods: [initialize, ping, tools/list], tools: [\"*\"], prompts: [\"*\"], \
             resources: [\"**\"], extensions: [vendor.example/rotate]}"
        }
    };
    format!(
        "mcp_policy: 1\nendpoints:\n  - path: /mcp\n    tool_names: strict\n    \
         {other}\n    {side}: {{{list}: [{entry}]}}\n"
    )
}

fn found(text: &str) -> Vec<Diagnostic> {
    match compile(text) {
        Ok(compiled) => compiled.warnings,
        Err(errors) => errors,
    }
}

const WRONG: &[(&str, &str, &str)] = &[
    ("tools", "delete_.*", "write `delete_*`"),
    ("tools", "^delete", "write `delete*`"),
    ("tools", "delete$", "write `*delete`"),
    ("tools", "drop_?", "write `drop_*`"),
    ("tools", "(rm|del)_*", "list `rm_*` and `del_*`"),
    ("tools", "{rm,del}_*", "list `rm_*` and `del_*`"),
    ("tools", "rm|del", "list `rm` and `del`"),
    ("tools", "get_[a-z]+", "write `get_*`"),
    ("tools", "get_[!x]", "write `get_*`"),
    ("tools", r"get_\w+", "write `get_*`"),
    ("tools", r"a\.b", "write `a.b`"),
    ("tools", "get_{id}", "write `get_*`"),
    ("tools", "drop+", "write `drop*`"),
    ("tools", "delete_%", "write `delete_*`"),
    ("tools", "rm,del", "list `rm` and `del`"),
    ("tools", "!delete", "nothing here negates"),
    ("tools", ".*", "list each name"),
    (
        "tools",
        "github.*",
        "write `github*`; if the names do have a dot",
    ),
    ("tools", "tools/call", "list it under `methods`"),
    ("prompts", "secret_.*", "write `secret_*`"),
    ("prompts", "^secret", "write `secret*`"),
    ("prompts", "(a|b)_c", "list `a_c` and `b_c`"),
    ("prompts", "x_[0-9]", "write `x_*`"),
    ("prompts", r"x_\d", "write `x_*`"),
    ("prompts", "prompts/get", "list it under `methods`"),
    ("methods", "tool/*", "did you mean `tools/*`?"),
    ("methods", "tools/.*", "did you mean `tools/*`?"),
    ("methods", "tools", "did you mean `tools/*`?"),
    ("methods", "tools/lst", "did you mean `tools/list`?"),
    (
        "methods",
        "notification/*",
        "did you mean `notifications/*`?",
    ),
    (
        "methods",
        "(tools|prompts)/list",
        "list `tools/list` and `prompts/list`",
    ),
    ("methods", "^ping", "did you mean `ping`?"),
    ("methods", "tools/call/delete_x", "list it under `tools`"),
    ("methods", "nothing*", "check the name"),
    ("methods", "other.example/*", ""),
    ("resources", "secrets/**", "write `file:///secrets/**`"),
    ("resources", "/etc/**", "write `file:///etc/**`"),
    ("resources", "~/.ssh/**", "write `**/.ssh/**`"),
    ("resources", "file://docs/**", "write `file:///docs/**`"),
    ("resources", r"C:\docs\**", "write `file:///C:/docs/**`"),
    ("resources", "c:/docs/**", "write `file:///c:/docs/**`"),
    ("resources", "repo://{owner}/x", "write `repo://*/x`"),
    ("resources", "repo://{owner}/{path*}", "write `repo://*/**`"),
    ("resources", "file:///docs/.*", "write `file:///docs/**`"),
    ("resources", "file:///docs/[^/]+", "write `file:///docs/*`"),
    (
        "resources",
        "file:///(a|b)/**",
        "list `file:///a/**` and `file:///b/**`",
    ),
    ("resources", "^file:///x/**", "write `file:///x/**`"),
    (
        "resources",
        "file:///report-?.md",
        "write `file:///report-*.md`",
    ),
    ("resources", "!file:///x", "nothing here negates"),
    ("resources", "*.md", "write `**.md`"),
    ("resources", "*", "write `**`"),
    ("resources", "resources/read", "list it under `methods`"),
    ("extensions", "vendor.example/*", "exact name"),
    ("extensions", "vendor.example/(a|b)", "exact name"),
    ("extensions", "^vendor.example/rotate", "exact name"),
    ("extensions", "tools/list", "list it under `methods`"),
];

/// Wrong where they deny, fine or of no harm where they allow.
const WRONG_IN_DENY: &[(&str, &str, &str)] = &[
    ("resources", "file:///docs/*", "write `file:///docs/**`"),
    (
        "resources",
        "https://h/private/",
        "write `https://h/private/**`",
    ),
    (
        "resources",
        "file:///caf%C3%A9/**",
        "add `file:///cafe%CC%81/**`",
    ),
    ("prompts", "caf\u{e9}", r#"add `"cafe\u0301"`"#),
    (
        "extensions",
        "vendor.example/rotat",
        "did you mean `vendor.example/rotate`?",
    ),
    (
        "extensions",
        "vendor.example/other",
        "what is not allowed is denied",
    ),
];

const RIGHT: &[(&str, &str)] = &[
    ("tools", "get.v2"),
    ("tools", "list_items"),
    ("tools", "a.b"),
    ("tools", "a.b.c"),
    ("tools", "*"),
    ("tools", "delete_*"),
    ("tools", "*_secret"),
    ("tools", "*delete*"),
    ("tools", "get-weather"),
    ("tools", "GetWeather"),
    ("tools", "github.**"),
    ("tools", "*.v2"),
    ("tools", "mcp__server__tool"),
    ("tools", "ping"),
    ("prompts", "review"),
    ("prompts", "What's new?"),
    ("prompts", "why?"),
    ("prompts", "C++"),
    ("prompts", "review (strict)"),
    ("prompts", "a | b"),
    ("prompts", "team/*"),
    ("prompts", "50%"),
    ("prompts", "\u{65e5}\u{672c}"),
    ("methods", "ping"),
    ("methods", "*"),
    ("methods", "notifications/*"),
    ("methods", "*/list"),
    ("methods", "tools/*"),
    ("methods", "resources/templates/list"),
    ("methods", "logging/*"),
    ("methods", "**"),
    ("resources", "file:///docs/**"),
    ("resources", "file:///docs/plan.md"),
    ("resources", "file:///docs/plan(secret).md"),
    ("resources", "file:///docs/report.*"),
    ("resources", "file:///**/.git/**"),
    ("resources", "file:///**/.env"),
    ("resources", "**/secrets/**"),
    ("resources", "**.pem"),
    ("resources", "*://internal/**"),
    ("resources", "https://*.example.com/**"),
    ("resources", "https://h/x?id=*"),
    ("resources", "http://[::1]/x"),
    ("resources", "file:///a%5B1%5D.txt"),
    ("resources", "file:///a[1].txt"),
    ("resources", "file:///%E6%97%A5/**"),
    ("resources", "urn:isbn:*"),
    ("resources", "git+ssh://git@h/c++.md"),
    ("extensions", "vendor.example/rotate"),
];

#[test]
fn wrong_entries_are_told_at_their_place() {
    let both = ["allow", "deny"].map(|side| WRONG.iter().map(move |case| (side, case)));
    let deny = WRONG_IN_DENY.iter().map(|case| ("deny", case));
    for (side, (list, entry, help)) in both.into_iter().flatten().chain(deny) {
        let text = policy(side, list, entry);
        let found = found(&text);
        let [only] = found.as_slice() else {
            panic!("{side} {list} {entry}: {found:#?}");
        };
        let place = only.labels[0].span.bytes.clone();
        let written = serde_json::to_string(entry).unwrap();
        assert_eq!(&text[place], written, "{side} {list} {entry}");
        assert_eq!(
            only.labels[0].route,
            format!("endpoints[0].{side}.{list}[0]")
        );
        let said = only.help.as_deref().unwrap();
        assert!(said.contains(help), "{side} {list} {entry}: {said}");
        assert!(!said.contains("tool_names: any"), "{entry}: {said}");
    }
}

#[test]
fn right_entries_are_not() {
    for side in ["allow", "deny"] {
        for (list, entry) in RIGHT {
            let found = found(&policy(side, list, entry));
            assert!(found.is_empty(), "{side} {list} {entry}: {found:#?}");
        }
    }
}

/// Free tool names may hold what patterns of others do.
#[test]
fn free_tool_names() {
    let policy = |entry: &str| {
        policy("deny", "tools", entry).replace("tool_names: strict", "tool_names: any")
    };
    for entry in [
        "delete_.*",
        "^delete",
        "drop_?",
        "(rm|del)_*",
        r"x_\d+",
        "caf\u{e9}",
    ] {
        assert_eq!(found(&policy(entry)).len(), 1, "{entry}");
    }
    for entry in [
        "C++",
        "search/*",
        "has space",
        "search (beta)",
        "a,b",
        "why?",
    ] {
        assert_eq!(found(&policy(entry)), [], "{entry}");
    }
}

/// What is below may be denied by another entry, or not be permitted at all.
#[test]
fn a_deny_of_one_level_is_told_where_an_allow_goes_deeper() {
    for (allow, deny, told) in [
        (r#"resources: ["file:///**"]"#, r#"["file:///a/*"]"#, true),
        (r#"resources: ["file:///a/**"]"#, r#"["file:///a/*"]"#, true),
        (
            r#"resources: ["file:///a/b/c"]"#,
            r#"["file:///a/*"]"#,
            true,
        ),
        (
            r#"resources: ["file:///*/b/c"]"#,
            r#"["file:///a/*"]"#,
            true,
        ),
        ("methods: [resources/read]", r#"["file:///a/*"]"#, true),
        (r#"resources: ["file:///a/**"]"#, r#"["file:///a/"]"#, true),
        (r#"resources: ["file:///a/*"]"#, r#"["file:///a/*"]"#, false),
        (r#"resources: ["file:///a/b"]"#, r#"["file:///a/*"]"#, false),
        (
            r#"resources: ["file:///b/**"]"#,
            r#"["file:///a/*"]"#,
            false,
        ),
        (
            r#"resources: ["file:///a/*/**"]"#,
            r#"["file:///a/*"]"#,
            false,
        ),
        (r#"resources: ["file:///**"]"#, r#"["file:///a/**"]"#, false),
        (
            r#"resources: ["file:///**"]"#,
            r#"["file:///a/*", "file:///a/*/**"]"#,
            false,
        ),
        (
            r#"resources: ["file:///**"]"#,
            r#"["file:///a/**/*"]"#,
            false,
        ),
    ] {
        let text = format!(
            "mcp_policy: 1\nendpoints:\n  - {{path: /mcp, allow: {{{allow}}}, deny: {{resources: {deny}}}}}\n"
        );
        let found = found(&text);
        assert_eq!(!found.is_empty(), told, "{text}{found:#?}");
    }
}

#[test]
fn both_forms_of_a_letter_are_enough() {
    for entries in [
        r#"["file:///caf%C3%A9/**", "file:///cafe%CC%81/**"]"#,
        r#"["file:///caf*/**"]"#,
        r#"["file:///caf%C3%A9/**", "file:///c*/**"]"#,
    ] {
        let text = format!(
            "mcp_policy: 1\nendpoints:\n  - {{path: /mcp, allow: {{resources: [\"file:///**\"]}}, deny: {{resources: {entries}}}}}\n"
        );
        assert_eq!(found(&text), [], "{entries}");
    }
}

/// A template is what `completion/complete` names.
#[test]
fn a_template_may_be_allowed_for_completion() {
    let text = |methods: &str, side: &str| {
        format!(
            "mcp_policy: 1\nendpoints:\n  - path: /mcp\n    allow: {{methods: [{methods}], tools: [x]}}\n    \
             {side}: {{resources: [\"repo://{{owner}}/x\"]}}\n"
        )
        .replace(
            ", tools: [x]}\n    allow: {",
            ", ",
        )
    };
    assert_eq!(found(&text("completion/complete", "allow")), []);
    assert_eq!(found(&text("ping", "allow")).len(), 1);
    assert_eq!(found(&text("completion/complete", "deny")).len(), 1);
}
