//! Scalars in every style, and lists and maps in brackets.

use std::ops::Range;

use super::super::piece::{Kind, Piece};
use super::Writer;

impl Writer {
    pub(super) fn text(&mut self, text: &str, indent: usize, flow: bool) -> (Range<usize>, String) {
        let next = format!("{}{}", self.line_end, " ".repeat(indent + 2));
        let two = format!("{text} {text}");
        match self.choices.below(if flow { 7 } else { 9 }) {
            0 => (self.push(text), text.to_owned()),
            1 => (self.push(&format!("'{text}'")), text.to_owned()),
            2 => (self.push(&format!("\"{text}\"")), text.to_owned()),
            3 if text != "last" && !text.starts_with("tool") => {
                (self.push(&format!("{text}{next}{text}")), two)
            }
            4 if text != "last" => (
                self.push(&format!("\"{text}\\\" # \\\\{next}{text}\"")),
                format!("{text}\" # \\ {text}"),
            ),
            5 if text != "last" => (
                self.push(&format!("'{text}''{next}{text}'")),
                format!("{text}' {text}"),
            ),
            7 => {
                self.verbatim = true;
                self.push(&format!("|-{next}"));
                (self.push(text), text.to_owned())
            }
            8 => {
                self.verbatim = true;
                self.push(&format!(">- # c{next}"));
                (self.push(text), text.to_owned())
            }
            _ => {
                let escaped = text.replace('é', "\\u00e9");
                (self.push(&format!("\"{escaped}\"")), text.to_owned())
            }
        }
    }

    pub(super) fn in_brackets(&mut self, piece: &Piece, indent: usize) -> Range<usize> {
        let (open, close) = match piece.kind {
            Kind::Map(_) => ("{", "}"),
            _ => ("[", "]"),
        };
        let place = self.push(open);
        match &piece.kind {
            Kind::Map(entries) => {
                for (key, value) in entries {
                    self.space(indent);
                    self.key(key);
                    self.push(":");
                    self.value(value, indent, true, " ");
                    self.space(indent);
                    self.push(", ");
                }
            }
            Kind::List(items) => {
                for item in items {
                    self.space(indent);
                    // Only in blocks can an item be nothing without a word for it.
                    let before = self.text.len();
                    self.value(item, indent, true, "");
                    if matches!(item.kind, Kind::Nothing) {
                        self.places.push(before..before + 1);
                        if item.complaint.is_some() {
                            self.expected.last_mut().unwrap().1 = before..before + 1;
                        }
                        self.push("~");
                    }
                    self.space(indent);
                    self.push(", ");
                }
            }
            _ => unreachable!(),
        }
        self.push(close);
        place
    }

    /// Nothing, a blank, or a new line.
    fn space(&mut self, indent: usize) {
        match self.choices.below(6) {
            0 | 1 => {}
            2 | 3 => self.text.push(' '),
            4 => self.text.push('\t'),
            _ => {
                self.end_line();
                self.indent(indent + 2);
            }
        }
    }
}
