//! What gives another pattern language away.

use super::Language;

/// How freely a name may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::lower) enum Strictness {
    /// `A-Z a-z 0-9 _ - .`, so any sign is a sign of a pattern.
    Strict,
    /// Any characters, so signs count where they stand as in a pattern.
    Free,
}

type Sign<'a> = (Language, &'a str);

pub(super) fn of_name(name: &str, strictness: Strictness) -> Option<Sign<'_>> {
    // Who writes words with blanks writes for people.
    let prose = name.contains(' ');
    let strict = strictness == Strictness::Strict && !prose;
    first(&[
        &|| name.contains("(?").then_some((Language::Regex, "(?")),
        &|| any_run(name, "."),
        &|| escape(name),
        &|| anchor(name, prose),
        &|| class(name, strict),
        &|| alternation(name, strict),
        &|| braces(name, prose),
        &|| single(name, strict, prose),
        &|| repetition(name, strict),
        &|| (strict && name.starts_with('!')).then_some((Language::Negation, "!")),
        &|| (strict && name.contains('%')).then_some((Language::Sql, "%")),
        &|| (strict && name.contains(',')).then_some((Language::List, ",")),
        &|| strict_rest(name, strict),
    ])
}

pub(super) fn of_uri(uri: &str) -> Option<Sign<'_>> {
    let path = after_authority(uri);
    first(&[
        &|| uri.starts_with('!').then_some((Language::Negation, "!")),
        &|| uri.contains("(?").then_some((Language::Regex, "(?")),
        &|| match uri.starts_with('.') {
            true => any_run(uri, "."),
            false => any_run(path, "/."),
        },
        &|| escape(uri).filter(|_| !is_drive(uri)),
        &|| anchor(uri, false),
        &|| class(path, false),
        &|| alternation(uri, true),
        &|| uri.contains('{').then_some((Language::Template, "{")),
        &|| question(path),
    ])
}

/// Whether it begins like a path of Windows.
pub(in crate::lower) fn is_drive(text: &str) -> bool {
    let mut characters = text.chars();
    let letter = characters.next().is_some_and(|c| c.is_ascii_alphabetic());
    letter
        && characters.next() == Some(':')
        && matches!(characters.next(), Some('/' | '\\'))
        && characters.next() != Some('/')
}

fn first<'a>(tries: &[&dyn Fn() -> Option<Sign<'a>>]) -> Option<Sign<'a>> {
    tries.iter().find_map(|found| found())
}

/// `.*`, `.+`, after `before`. Two stars are meant as stars.
fn any_run<'a>(text: &str, before: &str) -> Option<Sign<'a>> {
    let mut rest = text;
    while let Some((_, tail)) = rest.split_once(before) {
        let mut next = tail.chars();
        let (one, two) = (next.next(), next.next());
        let run = match one {
            Some('*') => two != Some('*'),
            Some('+') => true,
            _ => false,
        };
        if run {
            return Some((Language::Regex, "."));
        }
        rest = tail;
    }
    None
}

/// A backslash before what regular expressions escape.
fn escape<'a>(text: &str) -> Option<Sign<'a>> {
    let (_, tail) = text.split_once('\\')?;
    let next = tail.chars().next()?;
    (r"dDwWsSbB.*+?()[]{}|^$/\-_".contains(next)).then_some((Language::Regex, "\\"))
}

fn anchor<'a>(text: &str, prose: bool) -> Option<Sign<'a>> {
    if text.starts_with('^') || text.contains("(^") {
        return Some((Language::Regex, "^"));
    }
    (!prose && (text.ends_with('$') || text.contains("$)"))).then_some((Language::Regex, "$"))
}

/// `[a-z]`, `[^x]`, `[!x]`, `[x]+`.
fn class<'a>(text: &str, strict: bool) -> Option<Sign<'a>> {
    let (_, tail) = text.split_once('[')?;
    let (inside, after) = tail.split_once(']').unwrap_or((tail, ""));
    let bytes = inside.as_bytes();
    let range = bytes.windows(3).any(|window| {
        matches!(window, [from, b'-', to]
            if from.is_ascii_alphanumeric() && to.is_ascii_alphanumeric()
                && from < to && from.is_ascii_digit() == to.is_ascii_digit())
    });
    let range = range && inside.len() <= 12;
    let repeated = after.starts_with(['+', '?', '{']);
    if inside.starts_with('!') {
        return Some((Language::Shell, "["));
    }
    (strict || range || repeated || inside.starts_with('^')).then_some((Language::Regex, "["))
}

/// `a|b` and `(a | b)`, but not `a | b`.
fn alternation<'a>(text: &str, strict: bool) -> Option<Sign<'a>> {
    let (before, after) = text.split_once('|')?;
    let grouped = before.contains('(') && after.contains(')');
    let tight = grouped || (!before.ends_with(' ') && !after.starts_with(' '));
    (strict || tight).then_some((Language::Regex, "|"))
}

/// `{a,b}`, `{2,3}`, `{name}`.
fn braces<'a>(text: &str, prose: bool) -> Option<Sign<'a>> {
    let (_, tail) = text.split_once('{').filter(|_| !prose)?;
    let (inside, _) = tail.split_once('}').unwrap_or((tail, ""));
    let count = !inside.is_empty() && inside.bytes().all(|b| b.is_ascii_digit() || b == b',');
    let language = match (count, inside.contains(',')) {
        (true, _) => Language::Regex,
        (false, true) => Language::Shell,
        (false, false) => Language::Template,
    };
    Some((language, "{"))
}

/// `?` for one character or for what may be missing; free names may ask.
fn single<'a>(text: &str, strict: bool, prose: bool) -> Option<Sign<'a>> {
    let (before, after) = text.split_once('?').filter(|_| !prose)?;
    let word = |c: char| c.is_alphanumeric();
    let asks = (after.is_empty() && before.ends_with(word)) || after.contains('=');
    let language = match before.ends_with([')', ']', '.', '*']) {
        true => Language::Regex,
        false => Language::Shell,
    };
    (strict || !asks).then_some((language, "?"))
}

fn repetition<'a>(text: &str, strict: bool) -> Option<Sign<'a>> {
    let (before, _) = text.split_once('+')?;
    let repeats = before.ends_with([')', ']', '.']) || (strict && !text.contains("++"));
    repeats.then_some((Language::Regex, "+"))
}

/// What is left of the signs where none can be part of a name.
fn strict_rest<'a>(text: &str, strict: bool) -> Option<Sign<'a>> {
    let signs = ["^", "$", "(", ")", "]", "}", "\\"];
    let mut found = signs.into_iter().filter(|sign| text.contains(*sign));
    found
        .next()
        .filter(|_| strict)
        .map(|sign| (Language::Regex, sign))
}

/// A query begins with `?`; what is no query may be meant for one character.
fn question<'a>(path: &str) -> Option<Sign<'a>> {
    let (before, after) = path.split_once('?')?;
    let ends = after.is_empty() || after.starts_with(['.', '/', '-', '_', '?']);
    (ends && !before.ends_with("**")).then_some((Language::Shell, "?"))
}

/// What follows the authority, which may hold brackets.
fn after_authority(uri: &str) -> &str {
    let Some((_, rest)) = uri.split_once("://") else {
        return uri;
    };
    rest.find('/').and_then(|at| rest.get(at..)).unwrap_or("")
}
