//! The order in which a policy is written never matters, and what was
//! compiled is what `inspect` prints.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unreachable,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use mcp_boundary_format::{Policy, Revision, Revisions};
use mcp_policy::to_yaml;
use proptest::prelude::*;
use proptest::sample::{Index, subsequence};

/// A policy before it is text.
#[derive(Debug, Clone)]
enum Tree {
    Text(String),
    Bare(&'static str),
    /// A list whose order means nothing.
    Set(Vec<Tree>),
    /// A list whose order means something.
    Sequence(Vec<Tree>),
    Map(Vec<(&'static str, Tree)>),
}

impl Tree {
    fn set(words: &[&str]) -> Self {
        Self::Set(
            words
                .iter()
                .map(|word| Self::Text((*word).into()))
                .collect(),
        )
    }

    /// JSON, which is YAML, with entries in the order that `pick` chooses.
    fn write(&self, pick: &mut impl FnMut(usize) -> usize) -> String {
        match self {
            Self::Text(text) => serde_json::to_string(text).unwrap(),
            Self::Bare(word) => (*word).to_owned(),
            Self::Set(items) => {
                let written = items.iter().map(|item| item.write(pick)).collect();
                format!("[{}]", shuffle(written, pick))
            }
            Self::Sequence(items) => {
                let written: Vec<_> = items.iter().map(|item| item.write(pick)).collect();
                format!("[{}]", written.join(", "))
            }
            Self::Map(entries) => {
                let written = entries
                    .iter()
                    .map(|(key, value)| format!("{key}: {}", value.write(pick)))
                    .collect();
                format!("{{{}}}", shuffle(written, pick))
            }
        }
    }
}

fn shuffle(mut items: Vec<String>, pick: &mut impl FnMut(usize) -> usize) -> String {
    for end in (1..items.len()).rev() {
        items.swap(end, pick(end + 1));
    }
    items.join(", ")
}

/// A non-empty part of `all`.
fn some(all: &'static [&'static str]) -> impl Strategy<Value = Tree> {
    subsequence(all, 1..=all.len()).prop_map(|words| Tree::set(&words))
}

fn maybe(
    key: &'static str,
    value: impl Strategy<Value = Tree>,
) -> impl Strategy<Value = Vec<(&'static str, Tree)>> {
    prop::option::of(value)
        .prop_map(move |value| value.map(|value| (key, value)).into_iter().collect())
}

fn word(words: &'static [&'static str]) -> impl Strategy<Value = Tree> {
    prop::sample::select(words).prop_map(Tree::Bare)
}

const REVISIONS: &[&str] = &["2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"];
const NAMES: &[&str] = &["get", "put", "no", "1.0", "a*", "*b", "Zürich", "a b\"\\"];
const SWITCH: &[&str] = &["allow", "deny"];
const FLAG: &[&str] = &["true", "false"];

fn condition() -> impl Strategy<Value = Tree> {
    let values = || some(&["guest", "admin-*", "no", "*"]);
    let jwt = (values(), some(&["realm", "roles", "a.b"])).prop_map(|(values, claim)| {
        // The names of a claim are a path.
        let Tree::Set(members) = claim else {
            unreachable!()
        };
        let entries = vec![
            ("payload", Tree::Text("jwt".into())),
            ("claim", Tree::Sequence(members)),
            ("in", values),
        ];
        ("jwt", Tree::Map(entries))
    });
    let peer = values().prop_map(|values| {
        let first_san = ("first_san", Tree::Bare("acknowledged"));
        ("peer", Tree::Map(vec![("in", values), first_san]))
    });
    let header = values().prop_map(|values| {
        let entries = vec![("name", Tree::Text("x-role".into())), ("in", values)];
        ("header", Tree::Map(entries))
    });
    (
        prop::option::of(jwt),
        prop::option::of(peer),
        prop::option::of(header),
    )
        .prop_filter_map("a condition", |(jwt, peer, header)| {
            let conditions: Vec<_> = [jwt, peer, header]
                .into_iter()
                .flatten()
                .map(|(key, value)| Tree::Map(vec![(key, value)]))
                .collect();
            (!conditions.is_empty()).then_some(Tree::Set(conditions))
        })
}

/// The body of a rule; with `tools`, so that it selects something.
fn rule() -> impl Strategy<Value = Vec<(&'static str, Tree)>> {
    (
        some(NAMES),
        maybe("methods", some(&["ping", "tools/list", "notifications/*"])),
        maybe("prompts", some(NAMES)),
        maybe(
            "resources",
            some(&["file:///a", "file:///a/*", "file:///**"]),
        ),
        maybe("extensions", some(&["v.example/a", "v.example/b"])),
        maybe("when", condition()),
    )
        .prop_map(|(tools, methods, prompts, resources, extensions, when)| {
            let mut entries = vec![("tools", tools)];
            for part in [methods, prompts, resources, extensions, when] {
                entries.extend(part);
            }
            entries
        })
}

/// `prefix` keeps ids unique over `allow` and `deny`.
fn rules(prefix: &'static str) -> impl Strategy<Value = Tree> {
    prop_oneof![
        rule().prop_map(Tree::Map),
        prop::collection::vec(rule(), 0..3).prop_map(move |rules| {
            let listed = rules.into_iter().enumerate().map(|(index, mut entries)| {
                entries.push(("id", Tree::Text(format!("{prefix}{index}"))));
                Tree::Map(entries)
            });
            Tree::Set(listed.collect())
        }),
    ]
}

fn endpoint() -> impl Strategy<Value = Vec<(&'static str, Tree)>> {
    let words = (
        maybe("mode", word(&["enforce", "audit"])),
        maybe("denial", word(&["http", "rpc"])),
        maybe("responses", word(SWITCH)),
        maybe("streams", word(SWITCH)),
        maybe("sessions", word(SWITCH)),
        maybe(
            "upstream",
            some(&["inner.example", "10.0.0.2"]).prop_map(|hosts| {
                Tree::Map(vec![
                    ("path_prefix", Tree::Text("/inner".into())),
                    ("hosts", hosts),
                ])
            }),
        ),
        maybe("tool_names", word(&["strict", "any"])),
    )
        .prop_map(|(a, b, c, d, e, f, g)| [a, b, c, d, e, f, g].concat());
    let lists = (
        maybe(
            "hosts",
            some(&["a.example", "*.b.example", "C.example", "10.0.0.1", "[::1]"]),
        ),
        maybe("versions", some(REVISIONS)),
        maybe(
            "origins",
            some(&["https://a.example", "http://localhost:1"]),
        ),
        maybe(
            "arguments",
            some(&["_owner", "x"]).prop_map(|names| {
                let entries = vec![("forbid", names.clone()), ("set_by_filters", names)];
                Tree::Map(entries)
            }),
        ),
    )
        .prop_map(|(a, b, c, d)| [a, b, c, d].concat());
    let maps = (
        maybe(
            "limits",
            (
                word(&["1", "64KiB", "\"64MiB\""]),
                word(&["1", "128"]),
                word(&["1", "1024"]),
            )
                .prop_map(|(bytes, depth, members)| {
                    Tree::Map(vec![
                        ("body_bytes", bytes),
                        ("depth", depth),
                        ("batch_members", members),
                    ])
                }),
        ),
        maybe(
            "compat",
            (word(FLAG), word(FLAG)).prop_map(|(a, b)| {
                Tree::Map(vec![("equal_version_repeats", a), ("stale_mirrors", b)])
            }),
        ),
        maybe("allow", rules("a")),
        maybe("deny", rules("d")),
    )
        .prop_map(|(a, b, c, d)| [a, b, c, d].concat());
    (words, lists, maps).prop_map(|(a, b, c)| [a, b, c].concat())
}

fn policy() -> impl Strategy<Value = Tree> {
    (
        prop::collection::vec((endpoint(), any::<bool>(), any::<bool>()), 1..4),
        maybe(
            "unmatched",
            prop_oneof![
                word(&["deny", "pass"]),
                subsequence(&["/a", "/b", "/c"], 1..=3).prop_map(|paths| {
                    let entry = |path: &str| {
                        Tree::Map(vec![
                            ("path", Tree::Text(path.into())),
                            ("hosts", Tree::set(&["b.example", "a.example"])),
                        ])
                    };
                    let entries = paths.into_iter().map(entry).collect();
                    Tree::Map(vec![("pass", Tree::Set(entries))])
                }),
            ],
        ),
    )
        .prop_map(|(endpoints, unmatched)| {
            let endpoints =
                endpoints
                    .into_iter()
                    .enumerate()
                    .map(|(index, (mut entries, named, prefix))| {
                        let path = Tree::Text(format!("/p{index}"));
                        entries.push((if prefix { "path_prefix" } else { "path" }, path));
                        if named {
                            entries.push(("name", Tree::Text(format!("n{index}"))));
                        }
                        Tree::Map(entries)
                    });
            let mut entries = vec![
                ("mcp_policy", Tree::Bare("1")),
                ("endpoints", Tree::Set(endpoints.collect())),
            ];
            entries.extend(unmatched);
            Tree::Map(entries)
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn authoring_order_does_not_matter(
        policy in policy(),
        picks in prop::collection::vec(any::<Index>(), 64),
    ) {
        let written = common::compile(&policy.write(&mut |count| count - 1));
        let mut picks = picks.iter().cycle();
        let shuffled = policy.write(&mut |count| picks.next().unwrap().index(count));
        prop_assert_eq!(common::compile(&shuffled).digest(), written.digest());
    }

    #[test]
    fn what_inspect_prints_compiles_to_the_same(policy in policy()) {
        let policy = common::compile(&policy.write(&mut |count| count - 1));
        let blob = policy.encode().unwrap();
        let loaded = Policy::decode(&blob).unwrap();
        prop_assert_eq!(&loaded, &policy);
        let again = common::compile(&to_yaml(&loaded));
        prop_assert_eq!(again.digest(), policy.digest());
        prop_assert_eq!(again.encode().unwrap(), blob);
    }

    #[test]
    fn any_name_survives(name in "\\PC{1,40}") {
        prop_assume!(!name.chars().any(char::is_control));
        let written: String = name
            .chars()
            .map(|character| format!("\\U{:08x}", u32::from(character)))
            .collect();
        let policy = common::compile(&format!(
            "mcp_policy: 1\nendpoints: [{{path: /mcp, tool_names: any, allow: {{tools: [\"{written}\"]}}}}]\n"
        ));
        let again = common::compile(&to_yaml(&policy));
        prop_assert!(again.endpoints()[0].allow[0].tools.iter().eq([name.as_str()]));
    }
}

#[test]
fn the_default_is_exactly_one_pinned_revision() {
    let policy =
        common::compile("{mcp_policy: 1, endpoints: [{path: /mcp, allow: {methods: [ping]}}]}");
    let revisions = policy.endpoints()[0].revisions;
    assert_eq!(revisions, Revisions::new([Revision::V2025_11_25]).unwrap());
    assert_eq!(Revision::V2025_11_25.as_str(), "2025-11-25");
    let explicit = common::compile(
        "{mcp_policy: 1, endpoints: [{path: /mcp, versions: [2025-11-25], allow: {methods: [ping]}}]}",
    );
    assert_eq!(explicit.digest(), policy.digest());
}

#[test]
fn every_set_of_revisions_survives() {
    for bits in 1..1 << REVISIONS.len() {
        let chosen: Vec<_> = REVISIONS
            .iter()
            .enumerate()
            .filter(|(index, _)| bits & (1 << index) != 0)
            .map(|(_, revision)| *revision)
            .collect();
        // Authored newest first, stored in date order.
        let authored: Vec<_> = chosen.iter().rev().copied().collect();
        let policy = common::compile(&format!(
            "{{mcp_policy: 1, endpoints: [{{path: /mcp, versions: {authored:?}, allow: {{tools: [x]}}}}]}}"
        ));
        let loaded = Policy::decode(&policy.encode().unwrap()).unwrap();
        let again = common::compile(&to_yaml(&loaded));
        let stored: Vec<_> = again.endpoints()[0]
            .revisions
            .iter()
            .map(Revision::as_str)
            .collect();
        assert_eq!(stored, chosen);
        assert_eq!(again.digest(), policy.digest());
    }
}
