//! Any text, escaped and cut.

/// Longest part of a method or name that is shown, in bytes, once escaped.
pub(crate) const MAX_SHOWN: usize = 128;
/// The same of a revision that nobody knows: it may be anything.
pub(crate) const MAX_REVISION: usize = 32;

/// Stands for whatever is not shown. A text's own is escaped, so that this one
/// is always ours.
const LEFT_OUT: char = '…';

/// `text` without control and other invisible characters, at most `most` bytes
/// of it, and `…` after that if it was cut.
pub(crate) fn escaped(text: &str, most: usize) -> String {
    join(&[Part::Text(text)], most)
}

/// How many of a list are not shown.
pub(crate) fn and_more(count: usize) -> String {
    format!("{LEFT_OUT} {count} more")
}

/// A piece of what is shown.
pub(super) enum Part<'a> {
    Text(&'a str),
    LeftOut,
}

pub(super) fn join(parts: &[Part<'_>], most: usize) -> String {
    let mut shown = String::new();
    for part in parts {
        let Part::Text(text) = part else {
            shown.push(LEFT_OUT);
            continue;
        };
        for character in text.chars() {
            let before = shown.len();
            match character {
                '"' | '\'' => shown.push(character),
                LEFT_OUT => shown.extend(character.escape_unicode()),
                other => shown.extend(other.escape_debug()),
            }
            if shown.len() > most {
                shown.truncate(before);
                shown.push(LEFT_OUT);
                return shown;
            }
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_then_cut_between_characters() {
        for (text, most, shown) in [
            ("get_weather", 128, "get_weather"),
            ("it's \"so\"", 128, "it's \"so\""),
            ("a\nb\u{0}\u{202e}\\", 128, "a\\nb\\0\\u{202e}\\\\"),
            ("wetter_für_köln", 128, "wetter_für_köln"),
            ("abcd", 4, "abcd"),
            ("abcde", 4, "abcd…"),
            ("abcü", 4, "abc…"),
            // An escape is one piece.
            ("abc\n", 4, "abc…"),
            // The sign for what is left out cannot be forged.
            ("abc…", 128, "abc\\u{2026}"),
            ("", 4, ""),
        ] {
            assert_eq!(escaped(text, most), shown, "{text:?}");
        }
    }
}
