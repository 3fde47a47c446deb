//! Denied names that can be written in another Unicode form. The filter
//! compares bytes: `é` as one character (NFC) and as a letter with an accent
//! (NFD) are two names for it, and one name for many servers.

use unicode_normalization::UnicodeNormalization as _;

use super::globs::{Stars, comparable, covers};
use crate::report::{Finding, Report};
use crate::schema::{Rule, Text};
use crate::show::{Shown, one_of};

/// Warns about entries of a deny whose other form the same rule leaves out.
/// Under `strict`, tool names are ASCII.
pub(super) fn check(rule: &Rule, strict: bool, report: &mut Report<'_>) {
    let selectors = &rule.selectors;
    let names = |texts: &[Text], report: &mut Report<'_>| check_list(texts, NAMES, report);
    if !strict {
        names(&selectors.tools, report);
    }
    names(&selectors.prompts, report);
    names(&selectors.extensions, report);
    check_list(&selectors.resources, URIS, report);
}

/// How a list's entries are read and written, and what a star is in it.
#[derive(Clone, Copy)]
struct Writing {
    stars: Stars,
    escaped: bool,
}

const NAMES: Writing = Writing {
    stars: Stars::Any,
    escaped: false,
};
const URIS: Writing = Writing {
    stars: Stars::Segments,
    escaped: true,
};

fn check_list(texts: &[Text], writing: Writing, report: &mut Report<'_>) {
    let read: Vec<_> = texts.iter().map(|text| writing.read(&text.value)).collect();
    let beyond = read.iter().filter(|value| !value.is_ascii()).count();
    if !comparable(beyond, read.len()) {
        return;
    }
    for (text, value) in texts.iter().zip(&read) {
        if value.is_ascii() {
            continue;
        }
        let forms = [value.nfc().collect::<String>(), value.nfd().collect()];
        let missing: Vec<_> = forms
            .iter()
            .filter(|form| !read.iter().any(|other| covers(other, form, writing.stars)))
            .map(|form| writing.write(form))
            .collect();
        if missing.is_empty() {
            continue;
        }
        let words: Vec<_> = missing.iter().map(String::as_str).collect();
        report.push(
            Finding::warning(format!(
                "denying {} leaves another form of the same letters",
                Shown(&text.value)
            ))
            .at(
                &text.at,
                "for the filter, another Unicode form is another name",
            )
            .help(format!(
                "add {}, or write `*` for these letters",
                one_of(&words, "and")
            )),
        );
    }
}

impl Writing {
    /// The text, with escapes beyond ASCII decoded if it is a URI.
    fn read(self, text: &str) -> String {
        if !self.escaped {
            return text.to_owned();
        }
        let mut bytes = Vec::new();
        let mut rest = text.as_bytes();
        while let Some((first, tail)) = rest.split_first() {
            let digits = tail
                .get(..2)
                .and_then(|digits| std::str::from_utf8(digits).ok());
            let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
            match byte.filter(|byte| *first == b'%' && !byte.is_ascii()) {
                Some(byte) => {
                    bytes.push(byte);
                    rest = tail.get(2..).unwrap_or_default();
                }
                None => {
                    bytes.push(*first);
                    rest = tail;
                }
            }
        }
        String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
    }

    /// The text so that its form can be seen: in YAML's double quotes, or with
    /// the escapes of URIs.
    fn write(self, text: &str) -> String {
        if self.escaped {
            let byte = |byte: u8| match byte.is_ascii() {
                true => char::from(byte).to_string(),
                false => format!("%{byte:02X}"),
            };
            return text.bytes().map(byte).collect();
        }
        let character = |character: char| match u32::from(character) {
            0..0x80 => character.to_string(),
            code @ 0x80..0x1_0000 => format!("\\u{code:04x}"),
            code => format!("\\U{code:08x}"),
        };
        format!("\"{}\"", text.chars().map(character).collect::<String>())
    }
}
