//! Text of a policy, made safe and short enough to show in a message.

use std::fmt;

/// Longest text that is shown, in characters.
const MAX_SHOWN: usize = 80;

/// A text in backticks, escaped and cut.
pub(crate) struct Shown<'a>(pub(crate) &'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut characters = self.0.chars();
        f.write_str("`")?;
        for character in characters.by_ref().take(MAX_SHOWN) {
            if matches!(character, '"' | '\'') {
                write!(f, "{character}")?;
            } else {
                write!(f, "{}", character.escape_debug())?;
            }
        }
        if characters.next().is_some() {
            f.write_str("…")?;
        }
        f.write_str("`")
    }
}

/// `` `a`, `b` and `c` ``
pub(crate) fn one_of(words: &[&str], conjunction: &str) -> String {
    let quoted: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} {conjunction} {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// What may be written instead of a key that there is not.
pub(crate) fn keys_here(known: &[&str]) -> String {
    match known {
        [only] => format!("the only key here is `{only}`"),
        _ => format!("the keys here are {}", one_of(known, "and")),
    }
}

/// The word that `name` was probably meant to be.
pub(crate) fn suggestion<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let name = name.to_lowercase().replace('-', "_");
    known
        .iter()
        .map(|word| (strsim::damerau_levenshtein(&name, word), *word))
        .filter(|(distance, word)| *distance <= word.len().div_ceil(3).min(3))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}
