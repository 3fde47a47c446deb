//! Bytes for a person: JSON with line breaks, other text as it is, the rest in
//! hexadecimal.

use std::fmt::Write as _;

use serde::de::IgnoredAny;

/// Longer texts are cut here, in characters, and dumps in bytes.
const MOST: usize = 4096;
/// Bytes in a line of a dump.
const LINE: usize = 16;

/// A body or a whole raw request.
pub(super) fn shown(bytes: &[u8]) -> String {
    let plain = |c: char| c == '\n' || c == '\t' || !c.is_control();
    match std::str::from_utf8(bytes) {
        Ok(text) if serde_json::from_str::<IgnoredAny>(text).is_ok() => cut(&broken(text)),
        Ok(text) if text.chars().all(plain) => cut(text),
        _ => dump(bytes),
    }
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{}\n… {} bytes more", &text[..at], text.len() - at),
        None => text.to_owned(),
    }
}

/// JSON with line breaks between its tokens. The tokens stay as they are
/// written: a name that is there twice is shown twice.
fn broken(json: &str) -> String {
    let mut text = String::new();
    let mut depth = 0_usize;
    let (mut inside, mut escaped) = (false, false);
    let mut tokens = json
        .chars()
        .filter({
            // Space between tokens says nothing.
            let (mut inside, mut escaped) = (false, false);
            move |c| {
                let kept = inside || !c.is_ascii_whitespace();
                (inside, escaped) = after(*c, inside, escaped);
                kept
            }
        })
        .peekable();
    while let Some(c) = tokens.next() {
        let was_inside = inside;
        (inside, escaped) = after(c, inside, escaped);
        if was_inside || inside {
            text.push(c);
            continue;
        }
        match c {
            '{' | '[' => {
                text.push(c);
                if tokens.peek().is_some_and(|next| !matches!(next, '}' | ']')) {
                    depth += 1;
                    new_line(&mut text, depth);
                } else {
                    text.extend(tokens.next());
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut text, depth);
                text.push(c);
            }
            ',' => {
                text.push(c);
                new_line(&mut text, depth);
            }
            ':' => text.push_str(": "),
            _ => text.push(c),
        }
    }
    text
}

/// Whether what follows `c` is inside a string, and whether it is escaped.
const fn after(c: char, inside: bool, escaped: bool) -> (bool, bool) {
    match c {
        _ if escaped => (inside, false),
        '\\' if inside => (true, true),
        '"' => (!inside, false),
        _ => (inside, false),
    }
}

fn new_line(text: &mut String, depth: usize) {
    // Deep nesting is told by its brackets, not by a margin without end.
    let margin = "  ".repeat(depth.min(20));
    let _ = write!(text, "\n{margin}");
}

fn dump(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(MOST)];
    let mut text = String::new();
    for (index, line) in shown.chunks(LINE).enumerate() {
        let hex: Vec<String> = line.iter().map(|byte| format!("{byte:02x}")).collect();
        let readable = |byte: &u8| {
            if matches!(byte, 0x20..0x7f) {
                char::from(*byte)
            } else {
                '.'
            }
        };
        let ascii: String = line.iter().map(readable).collect();
        let _ = writeln!(text, "{:06x}  {:48} {ascii}", index * LINE, hex.join(" "));
    }
    if shown.len() < bytes.len() {
        let _ = writeln!(text, "… {} bytes more", bytes.len() - shown.len());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn json_is_broken_into_lines_and_nothing_is_lost() {
        let twice = br#"{"a": [1,{}],"a":"{\"x\": [] }"}"#;
        let lines = "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"a\": \"{\\\"x\\\": [] }\"\n}";
        assert_eq!(shown(twice), lines);
        assert_eq!(shown(b"[ ]"), "[]");
    }

    #[test]
    fn what_is_no_json_stays_as_it_is() {
        assert_eq!(shown(b"{a: 1}"), "{a: 1}");
    }

    #[test]
    fn what_is_no_text_is_dumped() {
        let dumped = shown(b"\xff{\0}");
        assert!(dumped.starts_with("000000  ff 7b 00 7d "), "{dumped}");
        assert!(dumped.trim_end().ends_with(".{.}"), "{dumped}");
    }

    #[test]
    fn long_ones_are_cut() {
        let long = "é".repeat(5000);
        assert!(shown(long.as_bytes()).ends_with("… 1808 bytes more"));
        assert!(shown(&[0; 5000]).trim_end().ends_with("… 904 bytes more"));
    }
}
