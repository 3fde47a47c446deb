//! Denied resources, however their URIs are spelled. Contract section 10.
//!
//! A canonical URI can still be read in several ways: decoded once or more
//! often, without user information, port, query, fragment or parameters,
//! without final slashes, with runs of `/` as one, without the dots and blanks
//! that end a segment. A deny holds if its pattern matches any of these. They
//! are not written out: while the text is read once, what a reader may leave
//! out is a way round it.

mod head;

use std::ops::Range;

use mcp_boundary_format::Names;

use super::authority::Authority;
use super::decode;
use super::template::without_expressions;
use head::Head;
use mcp_boundary_format::glob::{Reached, Style, Token, tokens};

const SEGMENTS: Style = Style {
    segments: true,
    fold: true,
};

/// A URI as sent and at every level of decoding.
#[derive(Debug)]
pub(crate) struct Spellings(Vec<Spelling>);

impl Spellings {
    pub(crate) fn of(uri: &str) -> Self {
        let levels = decode::levels(uri.as_bytes()).texts;
        Self(levels.into_iter().map(Spelling::new).collect())
    }

    /// Of a URI template: also with each expression empty.
    pub(crate) fn of_template(template: &str) -> Self {
        let mut spellings = Self::of(template);
        let bare = without_expressions(template, "");
        if bare != template {
            spellings.0.extend(Self::of(&bare).0);
        }
        spellings
    }

    /// Whether a deny of `names` holds. `long`: nothing is tried that takes
    /// reading the text, and what may match does.
    pub(crate) fn are_denied(&self, names: &Names, long: bool) -> bool {
        let mut exact = names.exact.iter();
        let mut globs = names.globs.iter();
        exact.any(|pattern| match long {
            true => self.may_match(Head::of(pattern.as_bytes())),
            false => self.match_any(pattern),
        }) || globs.any(|pattern| long || self.match_any(pattern))
    }

    fn may_match(&self, head: Head<'_>) -> bool {
        let mut spellings = self.0.iter();
        spellings.any(|spelling| head.may_begin(&spelling.text, spelling.plain))
    }

    fn match_any(&self, pattern: &str) -> bool {
        if !self.may_match(Head::of(pattern.as_bytes())) {
            return false;
        }
        let cuts = Cuts {
            query: !pattern.contains('?'),
            fragment: !pattern.contains('#'),
        };
        let mut levels = vec![prepared(pattern)];
        while let Some(decoded) = levels.last().and_then(|last| decoded(last)) {
            levels.push(decoded);
        }
        levels.iter().any(|tokens| {
            let mut spellings = self.0.iter();
            spellings.any(|spelling| spelling.matches(tokens, cuts))
        })
    }
}

/// What readers may cut off that the pattern does not name.
#[derive(Debug, Clone, Copy)]
struct Cuts {
    query: bool,
    fragment: bool,
}

/// The pattern without final slashes, which the text may have or not.
fn prepared(pattern: &str) -> Vec<Token> {
    let mut tokens = tokens(pattern.as_bytes(), SEGMENTS);
    while let [.., Token::Literal(_), Token::Literal(b'/')] = tokens.as_slice() {
        tokens.pop();
    }
    tokens
}

/// Escapes of the literal text decoded: `%2A` becomes a character, never a
/// star. `None` if it has none.
fn decoded(tokens: &[Token]) -> Option<Vec<Token>> {
    let mut made = Vec::with_capacity(tokens.len());
    let mut rest = tokens;
    while let Some((first, tail)) = rest.split_first() {
        let escaped = match rest {
            [
                Token::Literal(b'%'),
                Token::Literal(high),
                Token::Literal(low),
                after @ ..,
            ] => decode::byte(Some(*high), Some(*low)).map(|byte| (Token::Literal(byte), after)),
            _ => None,
        };
        let (token, after) = escaped.unwrap_or((*first, tail));
        made.push(token);
        rest = after;
    }
    (made.len() < tokens.len()).then_some(made)
}

/// One text, and what readers may leave out of it.
#[derive(Debug)]
struct Spelling {
    text: Vec<u8>,
    authority: Option<Authority>,
    /// For each byte whether it may be left out alone: a slash after which
    /// nothing stays of a segment, one that ends the path, a dot or blank that
    /// ends a segment.
    idle: Vec<bool>,
    /// How much of the text, in bytes, nothing is left out of but slashes at
    /// its beginning.
    plain: usize,
}

impl Spelling {
    fn new(text: Vec<u8>) -> Self {
        let authority = Authority::find(&text);
        let ports = authority.map_or(0..0, |authority| authority.start..authority.end);
        let mut idle = Vec::with_capacity(text.len());
        // Seen from the end: whether only what may be left out follows, up to
        // the end of the segment or of the path.
        let (mut ends_segment, mut ends_path, mut segment_ends_path) = (true, true, true);
        for (at, byte) in text.iter().enumerate().rev() {
            idle.push(match byte {
                b'/' => ends_path,
                b'.' | b' ' => ends_segment,
                _ => false,
            });
            (ends_segment, ends_path) = match byte {
                b'/' => {
                    segment_ends_path = ends_path;
                    (true, ends_path)
                }
                b'?' | b'#' => {
                    segment_ends_path = true;
                    (true, true)
                }
                b';' => (true, segment_ends_path),
                b':' if ports.contains(&at) => (true, segment_ends_path),
                b'.' | b' ' if ends_segment => (true, ends_path),
                _ => (false, false),
            };
        }
        idle.reverse();
        leave_out_slashes(&text, ports, &mut idle);
        let plain = head::plain(&text, authority, &idle);
        Self {
            text,
            authority,
            idle,
            plain,
        }
    }

    /// Time is at most proportional to the product of both lengths.
    fn matches(&self, tokens: &[Token], cuts: Cuts) -> bool {
        let all = tokens.len();
        let mut now = Reached::new(all);
        let mut next = Reached::new(all);
        now.add(0, tokens);
        // What was reached where something begins that may be left out.
        let mut users = Reached::new(all);
        let mut ports = Reached::new(all);
        let mut parameters = Reached::new(all);
        let mut queries = Reached::new(all);
        let (start, end) = match self.authority {
            Some(authority) => (authority.start, authority.end),
            None => (usize::MAX, usize::MAX),
        };
        let mut before = 0;
        for (at, (byte, idle)) in self.text.iter().zip(&self.idle).enumerate() {
            // Ways that end here.
            if before == b'@' && at <= end {
                now.join(&users, tokens);
            }
            if at == end {
                now.join(&ports, tokens);
                ports.clear();
            }
            if at > end {
                users.clear();
            }
            if matches!(byte, b'/' | b'?' | b'#') {
                now.join(&parameters, tokens);
                parameters.clear();
            }
            if *byte == b'#' {
                now.join(&queries, tokens);
                queries.clear();
            }
            // Ways that begin here.
            match byte {
                b'#' if cuts.fragment && now.has(all) => return true,
                b'?' if cuts.query && now.has(all) => return true,
                b'?' if cuts.query => queries.join(&now, tokens),
                b';' => parameters.join(&now, tokens),
                b':' if (start..end).contains(&at) => ports.join(&now, tokens),
                _ => {}
            }
            if at == start {
                users.join(&now, tokens);
            }
            // The byte itself.
            if now.is_taking_all(tokens) {
                return true;
            }
            for token in now.list() {
                match tokens.get(*token) {
                    Some(Token::Any) => next.add(*token, tokens),
                    Some(Token::InSegment) if *byte != b'/' => next.add(*token, tokens),
                    Some(Token::Literal(wanted)) if wanted.eq_ignore_ascii_case(byte) => {
                        next.add(token.saturating_add(1), tokens);
                        if *byte == b'/' {
                            add_after_slashes(&mut next, token.saturating_add(1), tokens);
                        }
                    }
                    _ => {}
                }
            }
            if *idle {
                next.join(&now, tokens);
            }
            std::mem::swap(&mut now, &mut next);
            next.clear();
            before = *byte;
            let ways = [&now, &users, &ports, &parameters, &queries];
            if ways.iter().all(|reached| reached.list().is_empty()) {
                return false;
            }
        }
        if before == b'@' && self.text.len() == end {
            now.join(&users, tokens);
        }
        if self.text.len() == end {
            now.join(&ports, tokens);
        }
        [&now, &parameters, &queries]
            .iter()
            .any(|reached| reached.has(all))
    }
}

/// Where nothing of a segment stays, since it is empty, a parameter, or dots
/// and blanks, the slash behind it makes a run.
fn leave_out_slashes(text: &[u8], authority: Range<usize>, idle: &mut [bool]) {
    let (mut nothing, mut parameter) = (false, false);
    for ((at, byte), idle) in text.iter().enumerate().zip(idle) {
        match byte {
            b'/' => {
                *idle |= nothing;
                (nothing, parameter) = (true, false);
            }
            b'@' if authority.contains(&at) => (nothing, parameter) = (true, false),
            b'?' | b'#' => nothing = false,
            b';' => parameter = true,
            b':' if authority.contains(&at) => parameter = true,
            _ => nothing &= *idle || parameter,
        }
    }
}

/// One slash of the text stands for a run of them in the pattern.
fn add_after_slashes(reached: &mut Reached, from: usize, tokens: &[Token]) {
    let rest = tokens.iter().enumerate().skip(from);
    for (at, _) in rest.take_while(|(_, token)| matches!(token, Token::Literal(b'/'))) {
        reached.add(at.saturating_add(1), tokens);
    }
}

#[cfg(test)]
#[allow(
    clippy::arithmetic_side_effects,
    clippy::string_slice,
    reason = "a test fails by panicking"
)]
mod tests;
