//! From another pattern language to `*`, for the help of a warning. What it
//! makes may match more than was meant, never less.

use super::Strictness;
use super::signs;

/// With more ways than this, nobody wants to see them all.
const MAX_WAYS: usize = 6;

/// The patterns that say what `name` means, if that can be said.
pub(super) fn name(name: &str, strictness: Strictness) -> Option<Vec<String>> {
    let name = without_delimiters(name);
    let mut reader = Reader::of(name, "*", "*");
    reader.lists = strictness == Strictness::Strict;
    written(reader, name)?
        .into_iter()
        .map(|pattern| {
            let plain = |c: char| c.is_ascii_alphanumeric() || "_-./*".contains(c);
            let fits = strictness == Strictness::Free || pattern.chars().all(plain);
            let fine = fits && signs::of_name(&pattern, strictness).is_none();
            fine.then_some(pattern)
        })
        .collect()
}

/// What is between the slashes of `/…/` and `/…/i`.
fn without_delimiters(name: &str) -> &str {
    let inner = name
        .strip_prefix('/')
        .and_then(|rest| rest.strip_suffix("/i").or(rest.strip_suffix('/')));
    inner.unwrap_or(name)
}

/// The same of a URI. An expression may stand for several segments.
pub(super) fn uri(uri: &str) -> Option<Vec<String>> {
    let reader = Reader::of(uri, "**", "*");
    let patterns = written(reader, uri)?;
    let fine = |pattern: &String| {
        signs::of_uri(pattern).is_none() && super::super::uris::fault(pattern).is_none()
    };
    patterns.iter().all(fine).then_some(patterns)
}

fn written(mut reader: Reader, text: &str) -> Option<Vec<String>> {
    let ways = reader.choice()?;
    if reader.at < reader.text.len() {
        return None;
    }
    let (start, end) = (text.starts_with('^'), text.ends_with('$'));
    let mut patterns: Vec<String> = ways
        .into_iter()
        .map(|way| match (start, end) {
            (true, false) => format!("{way}{}", reader.any),
            (false, true) => format!("{}{way}", reader.any),
            _ => way,
        })
        .map(|way| joined(&way, reader.any))
        .collect();
    patterns.dedup();
    let whole = |pattern: &String| pattern.is_empty() || pattern == "*" || pattern == "**";
    (!patterns.iter().any(whole)).then_some(patterns)
}

/// Stars side by side as one.
fn joined(way: &str, any: &str) -> String {
    let mut way = way.to_owned();
    let (longest, shorter) = (format!("{any}*"), any);
    while way.contains(&longest) {
        way = way.replace(&longest, shorter);
    }
    way
}

struct Reader {
    text: Vec<char>,
    at: usize,
    /// What stands for any text, and for any within a segment.
    any: &'static str,
    some: &'static str,
    /// Whether `,` parts names.
    lists: bool,
}

impl Reader {
    fn of(text: &str, any: &'static str, some: &'static str) -> Self {
        Self {
            text: text.chars().collect(),
            at: 0,
            any,
            some,
            lists: false,
        }
    }

    fn peek(&self) -> Option<char> {
        self.text.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at = self.at.saturating_add(1);
        Some(next)
    }

    fn eat(&mut self, wanted: &[char]) -> Option<char> {
        self.peek().filter(|c| wanted.contains(c))?;
        self.next()
    }

    /// Up to the `end` that closes what is open.
    fn until(&mut self, end: char) -> Option<String> {
        let mut inside = String::new();
        loop {
            match self.next()? {
                c if c == end => return Some(inside),
                c => inside.push(c),
            }
        }
    }

    /// `a|b`, up to the end or a `)`.
    fn choice(&mut self) -> Option<Vec<String>> {
        let mut ways = self.sequence()?;
        while self.eat(&['|']).is_some() || (self.lists && self.eat(&[',']).is_some()) {
            ways.extend(self.sequence()?);
        }
        (ways.len() <= MAX_WAYS).then_some(ways)
    }

    fn sequence(&mut self) -> Option<Vec<String>> {
        let mut ways = vec![String::new()];
        while let Some(c) = self.peek() {
            if matches!(c, '|' | ')') || (self.lists && c == ',') {
                break;
            }
            let item = self.item()?;
            ways = ways
                .iter()
                .flat_map(|way| item.iter().map(move |part| format!("{way}{part}")))
                .collect();
            if ways.len() > MAX_WAYS {
                return None;
            }
        }
        Some(ways)
    }

    /// The next part with what repeats it, in all ways that it may read.
    fn item(&mut self) -> Option<Vec<String>> {
        let one = |text: &str| Some(vec![text.to_owned()]);
        match self.next()? {
            '^' | '$' => one(""),
            '*' => one("*"),
            '.' => match self.repeated() {
                true => one(self.any),
                false => one("."),
            },
            '%' if self.any == "*" => one("*"),
            '+' => one(self.some),
            '?' => one(self.some),
            '[' => {
                let first = self.next()?;
                self.until(']').filter(|_| first != ']')?;
                self.repeated();
                one(self.some)
            }
            '(' => {
                self.group_flags();
                let ways = self.choice()?;
                self.eat(&[')'])?;
                match self.repeated() {
                    true => one(self.any),
                    false => Some(ways),
                }
            }
            '{' => self.braces(),
            '\\' => {
                let escaped = self.next()?;
                match escaped {
                    'd' | 'D' | 'w' | 'W' | 's' | 'S' => {
                        self.repeated();
                        one(self.some)
                    }
                    'b' | 'B' => one(""),
                    '*' | '\\' => None,
                    other => one(&other.to_string()),
                }
            }
            other => one(&other.to_string()),
        }
    }

    /// Takes what repeats: `*`, `+`, `?`, `{2,3}`, and a `?` behind.
    fn repeated(&mut self) -> bool {
        let quantifier = self.eat(&['*', '+', '?']).is_some();
        let counted = self.peek() == Some('{')
            && self
                .text
                .get(self.at.saturating_add(1))
                .is_some_and(char::is_ascii_digit)
            && self.until('}').is_some();
        if quantifier || counted {
            self.eat(&['?']);
        }
        quantifier || counted
    }

    /// `?:`, `?i)`: takes what says how the group counts.
    fn group_flags(&mut self) {
        if self.eat(&['?']).is_none() {
            return;
        }
        while self
            .eat(&['i', 'm', 's', 'x', 'u', 'P', ':', '=', '!', '-'])
            .is_some()
        {}
    }

    /// After the `{`: `{2}` repeats, `{a,b}` lists, `{name}` is any value.
    fn braces(&mut self) -> Option<Vec<String>> {
        let inside = self.until('}')?;
        let count = inside.chars().all(|c| c.is_ascii_digit() || c == ',');
        if !count && inside.contains(',') && self.any == "*" {
            return Some(inside.split(',').map(str::to_owned).collect());
        }
        let several = inside.starts_with(['+', '/', '?', '&', '#']) || inside.ends_with('*');
        let star = if several { self.any } else { self.some };
        Some(vec![star.to_owned()])
    }
}
