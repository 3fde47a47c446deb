//! Writing YAML that every reader understands alike.

use std::fmt::Write as _;

/// A double-quoted scalar. Escapes whatever a reader could take for a line
/// end or a terminal for a command.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            ' ' => out.push(' '),
            _ if character.is_ascii_graphic() => out.push(character),
            _ if !character.is_ascii() && character.is_alphanumeric() => out.push(character),
            _ => {
                let code = u32::from(character);
                // Writing to a string cannot fail.
                let _ = if code > 0xffff {
                    write!(out, "\\U{code:08x}")
                } else {
                    write!(out, "\\u{code:04x}")
                };
            }
        }
    }
    out.push('"');
    out
}
