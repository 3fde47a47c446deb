//! A policy with mistakes, before it is text.

/// Answers questions from random bytes; at their end, always with the first.
pub(crate) struct Choices {
    bytes: std::vec::IntoIter<u8>,
}

impl Choices {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self {
            bytes: bytes.into_iter(),
        }
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::from(self.bytes.next().unwrap_or(0)) % end
    }

    pub(crate) fn one<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    pub(crate) fn often(&mut self) -> bool {
        self.below(3) > 0
    }

    pub(crate) fn rarely(&mut self) -> bool {
        self.below(5) == 4
    }
}

/// What `check` says of it; given the value as it is read.
pub(crate) type Complaint = Option<fn(&str) -> String>;

pub(crate) enum Kind {
    /// A text, in any style.
    Text(String),
    /// A scalar that has to be written like this.
    Plain(String),
    Nothing,
    List(Vec<Piece>),
    Map(Vec<(Piece, Piece)>),
    /// The piece with this anchor once more.
    Alias(String),
}

pub(crate) struct Piece {
    pub(crate) kind: Kind,
    pub(crate) anchor: Option<String>,
    pub(crate) complaint: Complaint,
}

impl Piece {
    fn new(kind: Kind, complaint: Complaint) -> Self {
        Self {
            kind,
            anchor: None,
            complaint,
        }
    }

    fn text(text: impl Into<String>) -> Self {
        Self::new(Kind::Text(text.into()), None)
    }

    fn plain(text: impl Into<String>) -> Self {
        Self::new(Kind::Plain(text.into()), None)
    }

    fn says(mut self, complaint: fn(&str) -> String) -> Self {
        self.complaint = Some(complaint);
        self
    }
}

pub(crate) fn policy(choices: &mut Choices) -> Piece {
    let endpoints = (0..=choices.below(3)).map(|index| endpoint(index, choices));
    let entries = vec![
        (Piece::text("mcp_policy"), Piece::plain("1")),
        (
            Piece::text("endpoints"),
            Piece::new(Kind::List(endpoints.collect()), None),
        ),
    ];
    Piece::new(Kind::Map(entries), None)
}

fn endpoint(index: usize, choices: &mut Choices) -> Piece {
    let path = Piece::plain(format!("/p{index}"));
    let mut entries = vec![(Piece::text("path"), path)];
    if choices.often() {
        let word = choices.one(&["loud", "Enforce", "é", "straße"]);
        let mode = Piece::text(word).says(|word| {
            let word = word.replace('\\', "\\\\");
            format!("expected `enforce` or `audit`, found `{word}`")
        });
        entries.push((Piece::text("mode"), mode));
    }
    if choices.often() {
        let denial = Piece::new(Kind::Nothing, None)
            .says(|_| "expected `http` or `rpc`, found nothing".into());
        entries.push((Piece::text("denial"), denial));
    }
    if choices.often() {
        let key = Piece::text(choices.one(&["colour", "größe"]))
            .says(|word| format!("an endpoint has no key `{word}`"));
        entries.push((key, anything(choices, 2)));
    }
    if choices.often() {
        let kind = Kind::Map(vec![(Piece::text("a"), anything(choices, 1))]);
        let hosts = Piece::new(kind, None)
            .says(|_| "expected a list, each item a host, found a map".into());
        entries.push((Piece::text("hosts"), hosts));
    }
    if choices.often() {
        let name = Piece::new(Kind::List(vec![anything(choices, 1)]), None)
            .says(|_| "expected an endpoint name, found a list".into());
        entries.push((Piece::text("name"), name));
    }
    let mut allow = Piece::new(
        Kind::Map(vec![(Piece::text("tools"), tools(choices))]),
        None,
    );
    if choices.often() {
        let anchor = format!("rules{index}");
        allow.anchor = Some(anchor.clone());
        entries.push((Piece::text("allow"), allow));
        entries.push((Piece::text("deny"), Piece::new(Kind::Alias(anchor), None)));
    } else {
        entries.push((Piece::text("allow"), allow));
    }
    if choices.rarely() {
        let key = Piece::text("path").says(|_| "key `path` is repeated".into());
        entries.push((key, anything(choices, 1)));
    }
    Piece::new(Kind::Map(entries), None)
}

fn tools(choices: &mut Choices) -> Piece {
    let items = (0..=choices.below(5)).map(|index| match choices.below(5) {
        0 => Piece::text(format!("tool{index}")),
        1 => Piece::plain(choices.one(&["no", "On", "1_000", "12:30", "007"]))
            .says(|raw| format!("expected a tool name, found `{raw}` without quotes")),
        2 => Piece::plain(choices.one(&["1.5", "0x1F", "-3", ".inf"]))
            .says(|raw| format!("expected a tool name, found the number `{raw}`")),
        3 => Piece::new(Kind::Nothing, None).says(|_| "expected a tool name, found nothing".into()),
        _ => Piece::new(Kind::List(vec![anything(choices, 1)]), None)
            .says(|_| "expected a tool name, found a list".into()),
    });
    let mut items: Vec<_> = items.collect();
    // Alone it would be an empty list of names, which is another mistake.
    items.push(Piece::text("last"));
    if choices.rarely() {
        items.push(Piece::text("last").says(|_| "`last` is listed twice".into()));
    }
    Piece::new(Kind::List(items), None)
}

/// What no finding is about.
fn anything(choices: &mut Choices, depth: usize) -> Piece {
    let kinds = if depth == 0 { 3 } else { 5 };
    let kind = match choices.below(kinds) {
        0 => Kind::Text(choices.one(&["x", "ü", "z-z"]).into()),
        1 => Kind::Plain(choices.one(&["~", "true", "3", "a#b", "a:b"]).into()),
        2 => Kind::Nothing,
        3 => {
            let items = (0..=choices.below(2)).map(|_| anything(choices, depth - 1));
            Kind::List(items.collect())
        }
        _ => {
            let keys = ["k", "l"].into_iter().take(choices.below(2) + 1);
            let entries = keys.map(|key| (Piece::text(key), anything(choices, depth - 1)));
            Kind::Map(entries.collect())
        }
    };
    Piece::new(kind, None)
}
