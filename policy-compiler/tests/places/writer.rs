//! Writes a policy in one of many styles and notes where each piece stands.

#[path = "styles.rs"]
mod styles;

use std::collections::BTreeMap;
use std::ops::Range;

use super::piece::{Choices, Kind, Piece};

type Expected = Vec<(String, Range<usize>)>;

pub(crate) struct Writer {
    pub(crate) text: String,
    /// Messages with the places they are about.
    pub(crate) expected: Expected,
    /// Where any piece stands.
    pub(crate) places: Vec<Range<usize>>,
    anchors: BTreeMap<String, (Range<usize>, Expected)>,
    choices: Choices,
    line_end: &'static str,
    unused: usize,
    /// Whether blanks and comments would be part of the text before.
    verbatim: bool,
}

impl Writer {
    pub(crate) fn write(policy: &Piece, mut choices: Choices) -> Self {
        let line_end = if choices.rarely() { "\r\n" } else { "\n" };
        let mark = if choices.rarely() { "\u{feff}" } else { "" };
        let mut writer = Self {
            text: mark.to_owned(),
            expected: Vec::new(),
            places: Vec::new(),
            anchors: BTreeMap::new(),
            choices,
            line_end,
            unused: 0,
            verbatim: false,
        };
        writer.comments();
        writer.value(policy, 0, false, "");
        writer.end_line();
        writer
    }

    fn push(&mut self, text: &str) -> Range<usize> {
        let start = self.text.len();
        self.text.push_str(text);
        start..self.text.len()
    }

    fn indent(&mut self, by: usize) {
        self.text.push_str(&" ".repeat(by));
    }

    /// Ends the line, perhaps after a comment; more such lines may follow.
    fn end_line(&mut self) {
        if std::mem::take(&mut self.verbatim) {
            self.text.push_str(self.line_end);
            return;
        }
        let behind = [
            "",
            "",
            " ",
            "\t",
            " # no",
            "\t# é: [\"a",
            " \t# - x",
            "   # &a *b 'c",
        ];
        let behind = self.choices.one(&behind);
        self.push(behind);
        self.text.push_str(self.line_end);
        self.comments();
    }

    fn comments(&mut self) {
        while self.choices.rarely() {
            let line = self
                .choices
                .one(&["", "# c", "  # é", "\t", "\t# : - c", "   "]);
            self.push(line);
            self.text.push_str(self.line_end);
        }
    }

    /// Writes a piece where the line has been begun; in blocks, `indent` is
    /// that of its own lines. `before` goes before it unless it is nothing.
    fn value(&mut self, piece: &Piece, indent: usize, flow: bool, before: &str) -> Range<usize> {
        let noted = self.expected.len();
        let (place, value) = match &piece.kind {
            Kind::Nothing => (self.text.len()..self.text.len(), String::new()),
            Kind::Alias(name) => {
                self.push(before);
                self.push(&format!("*{name}"));
                let (place, expected) = self.anchors[name].clone();
                self.expected.extend(expected);
                (place, String::new())
            }
            Kind::Text(text) => {
                self.push(before);
                self.anchor(piece, Some(indent).filter(|_| !flow));
                self.text(text, indent, flow)
            }
            Kind::Plain(text) => {
                self.push(before);
                self.anchor(piece, Some(indent).filter(|_| !flow));
                (self.push(text), text.clone())
            }
            Kind::List(_) | Kind::Map(_) => {
                (self.collection(piece, indent, flow, before), String::new())
            }
        };
        if let Some(complaint) = piece.complaint {
            self.expected.push((complaint(&value), place.clone()));
        }
        self.places.push(place.clone());
        if let Some(anchor) = &piece.anchor {
            let expected = self.expected[noted..].to_vec();
            self.anchors
                .insert(anchor.clone(), (place.clone(), expected));
        }
        place
    }

    /// The piece's anchor or one that nobody uses, perhaps on a line of its own
    /// if there is an indentation for the next.
    fn anchor(&mut self, piece: &Piece, indent: Option<usize>) {
        match indent {
            Some(indent) if indent > 0 && self.choices.rarely() => {
                self.push("&own");
                self.end_line();
                self.indent(indent + 1);
            }
            _ => self.anchor_alone(piece),
        }
    }

    fn anchor_alone(&mut self, piece: &Piece) {
        if let Some(anchor) = &piece.anchor {
            self.push(&format!("&{anchor} "));
        } else if self.choices.rarely() {
            self.unused += 1;
            self.push(&format!("&é{} ", self.unused));
        }
    }

    fn collection(
        &mut self,
        piece: &Piece,
        indent: usize,
        flow: bool,
        before: &str,
    ) -> Range<usize> {
        if flow || (indent > 0 && self.choices.below(3) == 0) {
            self.push(before);
            self.anchor_alone(piece);
            return self.in_brackets(piece, indent);
        }
        // Behind a key, a block begins on a line of its own.
        if before == " " || piece.anchor.is_some() {
            self.push(before);
            self.anchor_alone(piece);
            self.end_line();
            self.indent(indent);
        } else {
            self.push(before);
        }
        match &piece.kind {
            Kind::List(items) => self.block_list(items, indent),
            Kind::Map(entries) => self.block_map(entries, indent),
            _ => unreachable!(),
        }
    }

    fn block_list(&mut self, items: &[Piece], indent: usize) -> Range<usize> {
        let mut all: Option<Range<usize>> = None;
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.end_line();
                self.indent(indent);
            }
            let dash = self.push("-");
            let nested = matches!(item.kind, Kind::List(_) | Kind::Map(_));
            let blank = if nested { "  " } else { " " };
            let place = self.value(item, indent + if nested { 3 } else { 1 }, false, blank);
            all.get_or_insert_with(|| self.entry(dash, place));
        }
        all.expect("no list is empty")
    }

    /// A dash with what stands behind it on its line.
    fn entry(&self, dash: Range<usize>, item: Range<usize>) -> Range<usize> {
        let same_line = item.start >= dash.end && !self.text[dash.start..item.start].contains('\n');
        if !same_line || item.is_empty() {
            return dash;
        }
        let line = self.text[dash.start..item.end].lines().next().unwrap();
        dash.start..dash.start + line.len()
    }

    fn block_map(&mut self, entries: &[(Piece, Piece)], indent: usize) -> Range<usize> {
        let mut first = None;
        for (index, (key, value)) in entries.iter().enumerate() {
            if index > 0 {
                self.end_line();
                self.indent(indent);
            }
            if self.choices.rarely() {
                self.push("? ");
                let place = self.key(key);
                first.get_or_insert(place);
                self.end_line();
                self.indent(indent);
            } else {
                let place = self.key(key);
                first.get_or_insert(place);
            }
            self.push(":");
            self.value(value, indent + 2, false, " ");
        }
        first.expect("no map is empty")
    }

    fn key(&mut self, key: &Piece) -> Range<usize> {
        let Kind::Text(text) = &key.kind else {
            unreachable!()
        };
        self.anchor_alone(key);
        let place = match self.choices.below(4) {
            0 => self.push(&format!("'{text}'")),
            1 => self.push(&format!("\"{text}\"")),
            _ => self.push(text),
        };
        if let Some(complaint) = key.complaint {
            self.expected.push((complaint(text), place.clone()));
        }
        self.places.push(place.clone());
        place
    }
}
