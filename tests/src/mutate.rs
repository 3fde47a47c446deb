//! Requests changed at random, in the ways that attackers and sloppy clients
//! change them.

use fastrand::Rng;

use crate::readers::Tree;

/// An object's members.
type Members = Vec<(String, Tree)>;

/// One kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mutation {
    /// The same value in another spelling: members reordered, white space,
    /// escapes. Never changes a verdict.
    Respell,
    /// A member of some object a second time, with its value or another.
    Duplicate,
    /// A twin of a member whose name differs in case, or a name so changed.
    CaseFold,
    /// A value wrapped in containers, or the message in an array.
    Nest,
    /// Cut short.
    Truncate,
    /// Something after the end.
    Append,
    /// Bytes in the middle.
    Insert,
    /// Another encoding of the text.
    Reencode,
    /// A value of the protocol's members exchanged for another.
    Swap,
}

impl Mutation {
    /// Every kind.
    pub const ALL: [Self; 9] = [
        Self::Respell,
        Self::Duplicate,
        Self::CaseFold,
        Self::Nest,
        Self::Truncate,
        Self::Append,
        Self::Insert,
        Self::Reencode,
        Self::Swap,
    ];

    /// Those that only add ambiguity: they may refuse, never permit.
    pub const AMBIGUOUS: [Self; 3] = [Self::Duplicate, Self::CaseFold, Self::Append];

    /// The body so changed.
    pub fn apply(self, body: &[u8], rng: &mut Rng) -> Vec<u8> {
        match self {
            Self::Respell | Self::Duplicate | Self::CaseFold | Self::Nest | Self::Swap => {
                match Tree::read(body) {
                    Some(tree) => self.rewrite(tree, rng).into_bytes(),
                    None => body.to_vec(),
                }
            }
            Self::Truncate => body[..rng.usize(..body.len().max(1)).min(body.len())].to_vec(),
            Self::Append => {
                let tails: [&[u8]; 8] = [
                    b"{}", b"\n{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":{\"name\":\"delete_repo\"}}",
                    b",", b"]", b"\0", b"#", b"//", b"null",
                ];
                [body, tails[rng.usize(..tails.len())]].concat()
            }
            Self::Insert => {
                let bits: [&[u8]; 12] = [
                    b"\0",
                    b"\xff",
                    b"\xc0\xaf",
                    b"\xed\xa0\x80",
                    b"\\",
                    b"\"",
                    b"{",
                    b"]",
                    b",",
                    b"\\ud800",
                    b"/**/",
                    b"\xef\xbb\xbf",
                ];
                let at = rng.usize(..=body.len());
                [&body[..at], bits[rng.usize(..bits.len())], &body[at..]].concat()
            }
            Self::Reencode => reencode(body, rng),
        }
    }

    fn rewrite(self, mut tree: Tree, rng: &mut Rng) -> String {
        match self {
            Self::Respell => shuffle(&mut tree, rng),
            Self::Duplicate => at_object(&mut tree, rng, &mut |members, rng| {
                if let Some((name, value)) = pick(members, rng).cloned() {
                    let value = if rng.bool() { value } else { other_value(rng) };
                    members.insert(rng.usize(..=members.len()), (name, value));
                }
            }),
            Self::CaseFold => at_object(&mut tree, rng, &mut |members, rng| {
                if let Some((name, value)) = pick(members, rng).cloned() {
                    let value = if rng.bool() { value } else { other_value(rng) };
                    members.insert(rng.usize(..=members.len()), (refold(&name, rng), value));
                }
            }),
            Self::Nest => {
                let depth = rng.usize(1..70);
                let deeper =
                    |inner: Tree| (0..depth).fold(inner, |inner, _| Tree::Array(vec![inner]));
                if rng.u8(..4) == 0 {
                    tree = Tree::Array(vec![tree]);
                } else {
                    at_object(&mut tree, rng, &mut |members, rng| {
                        if !members.is_empty() {
                            let at = rng.usize(..members.len());
                            let value = std::mem::replace(&mut members[at].1, Tree::Null);
                            members[at].1 = deeper(value);
                        }
                    });
                }
            }
            _ => at_object(&mut tree, rng, &mut |members, rng| {
                if !members.is_empty() {
                    let at = rng.usize(..members.len());
                    members[at].1 = other_value(rng);
                }
            }),
        }
        spell(&tree, rng, self == Self::Respell)
    }
}

fn pick<'a>(members: &'a [(String, Tree)], rng: &mut Rng) -> Option<&'a (String, Tree)> {
    (!members.is_empty()).then(|| &members[rng.usize(..members.len())])
}

/// Values that stand, or might stand, in protocol members.
fn other_value(rng: &mut Rng) -> Tree {
    let texts = [
        "tools/call",
        "tools/list",
        "ping",
        "initialize",
        "resources/read",
        "get_weather",
        "delete_repo",
        "DELETE_REPO",
        "2025-03-26",
        "2026-07-28",
        "2.0",
        "",
        "file:///etc/passwd",
    ];
    match rng.u8(..8) {
        0 => Tree::Null,
        1 => {
            Tree::Number(["0", "1", "-1", "1.0", "9007199254740993", "1e2"][rng.usize(..6)].into())
        }
        2 => Tree::Array(vec![]),
        3 => Tree::Object(vec![]),
        4 => Tree::Object(vec![("name".into(), Tree::Text("delete_repo".into()))]),
        5 => Tree::Flag(rng.bool()),
        _ => Tree::Text(texts[rng.usize(..texts.len())].into()),
    }
}

/// The name with some letters in another case, now and then not ASCII.
fn refold(name: &str, rng: &mut Rng) -> String {
    let change = |c: char, rng: &mut Rng| match (c, rng.u8(..4)) {
        ('s' | 'S', 0) => 'ſ',
        ('k' | 'K', 0) => '\u{212a}',
        (c, 1) => c.to_ascii_uppercase(),
        (c, 2) => c.to_ascii_lowercase(),
        (c, _) => c,
    };
    name.chars().map(|c| change(c, rng)).collect()
}

/// Runs `change` on one object of the tree, outer ones more often.
fn at_object(tree: &mut Tree, rng: &mut Rng, change: &mut dyn FnMut(&mut Members, &mut Rng)) {
    match tree {
        Tree::Array(items) if !items.is_empty() => {
            let at = rng.usize(..items.len());
            at_object(&mut items[at], rng, change);
        }
        Tree::Object(members) => {
            let inner: Vec<usize> = (0..members.len())
                .filter(|at| matches!(members[*at].1, Tree::Object(_) | Tree::Array(_)))
                .collect();
            if inner.is_empty() || rng.u8(..3) == 0 {
                change(members, rng);
            } else {
                at_object(&mut members[inner[rng.usize(..inner.len())]].1, rng, change);
            }
        }
        _ => {}
    }
}

fn shuffle(tree: &mut Tree, rng: &mut Rng) {
    match tree {
        Tree::Object(members) => {
            rng.shuffle(members);
            members
                .iter_mut()
                .for_each(|(_, value)| shuffle(value, rng));
        }
        Tree::Array(items) => items.iter_mut().for_each(|item| shuffle(item, rng)),
        _ => {}
    }
}

/// Writes the tree; `freely` adds white space and needless escapes.
fn spell(tree: &Tree, rng: &mut Rng, freely: bool) -> String {
    let mut plain = String::new();
    tree.write(&mut plain);
    if !freely {
        return plain;
    }
    let mut out = String::new();
    let mut in_string = false;
    // Characters of an escape that are still to come.
    let mut escape = 0;
    for c in plain.chars() {
        if escape > 0 {
            escape = if c == 'u' && escape == 1 && out.ends_with('\\') {
                4
            } else {
                escape - 1
            };
            out.push(c);
            continue;
        }
        if in_string {
            match c {
                '\\' => escape = 1,
                '"' => in_string = false,
                c if c.is_ascii() && rng.u8(..8) == 0 => {
                    out.push_str(&format!("\\u{:04X}", u32::from(c)));
                    continue;
                }
                _ => {}
            }
            out.push(c);
            continue;
        }
        let space = |rng: &mut Rng| ["", "", " ", "\n", "\t", "\r\n  "][rng.usize(..6)];
        if matches!(c, '{' | '}' | '[' | ']' | ',' | ':') {
            out.push_str(space(rng));
            out.push(c);
            out.push_str(space(rng));
        } else {
            in_string = c == '"';
            out.push(c);
        }
    }
    out
}

fn reencode(body: &[u8], rng: &mut Rng) -> Vec<u8> {
    let text = String::from_utf8_lossy(body).into_owned();
    match rng.u8(..5) {
        0 => [b"\xef\xbb\xbf", body].concat(),
        1 => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        2 => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
        3 => text
            .chars()
            .flat_map(|c| u32::from(c).to_le_bytes())
            .collect(),
        _ => text.chars().map(|c| c as u8).collect(),
    }
}
