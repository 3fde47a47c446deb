//! JSON strings and numbers: scanning and unescaping.

use std::borrow::Cow;

use super::fault::{Error, Fault};

/// Length of the run of bytes that need no attention inside a string: not a
/// quote, a backslash or a control character. Eight bytes a step.
pub(super) fn plain_run(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGHS: u64 = ONES << 7;
    let mut run = 0_usize;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let Some(word) = chunk.first_chunk::<8>() else {
            break;
        };
        let word = u64::from_le_bytes(*word);
        // A byte of `zero(x)` has its high bit set where x has a zero byte,
        // and perhaps above the first such byte, which only ends the run early.
        let zero = |x: u64| x.wrapping_sub(ONES) & !x & HIGHS;
        let quote = zero(word ^ (ONES * 0x22));
        let backslash = zero(word ^ (ONES * 0x5c));
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let stop = quote | backslash | control;
        if stop != 0 {
            return run.saturating_add((stop.trailing_zeros() / 8) as usize);
        }
        run = run.saturating_add(8);
    }
    let plain = |byte: &&u8| !matches!(byte, b'"' | b'\\' | 0..=0x1f);
    run.saturating_add(chunks.remainder().iter().take_while(plain).count())
}

/// Where a string ends and whether it has escapes, given the bytes after its
/// opening quote. Every escape is checked, surrogates must come in pairs.
pub(super) fn scan(bytes: &[u8]) -> Result<(usize, bool), Error> {
    let mut at = 0_usize;
    let mut escaped = false;
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        at = at.saturating_add(plain_run(rest));
        match bytes.get(at) {
            Some(b'"') => return Ok((at, escaped)),
            Some(b'\\') => {
                escaped = true;
                let (_, len) = escape(bytes.get(at..).unwrap_or_default())
                    .map_err(|fault| Error { fault, at })?;
                at = at.saturating_add(len);
            }
            _ => {
                return Err(Error {
                    fault: Fault::Syntax,
                    at,
                });
            }
        }
    }
}

/// The character that an escape at the start of `bytes` stands for, and the
/// escape's length.
fn escape(bytes: &[u8]) -> Result<(char, usize), Fault> {
    let simple = match bytes.get(1) {
        Some(b'u') => return unicode_escape(bytes),
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        _ => return Err(Fault::Syntax),
    };
    Ok((simple, 2))
}

fn unicode_escape(bytes: &[u8]) -> Result<(char, usize), Fault> {
    let unit = |at: usize| -> Option<u32> {
        let (prefix, digits) = bytes.get(at..at.checked_add(6)?)?.split_at_checked(2)?;
        if prefix != b"\\u" {
            return None;
        }
        digits.iter().try_fold(0, |unit, digit| {
            Some(unit << 4 | char::from(*digit).to_digit(16)?)
        })
    };
    let high = unit(0).ok_or(Fault::Syntax)?;
    if let Some(c) = char::from_u32(high) {
        return Ok((c, 6));
    }
    let low = unit(6).ok_or(Fault::LoneSurrogate)?;
    if !(0xd800..0xdc00).contains(&high) || !(0xdc00..0xe000).contains(&low) {
        return Err(Fault::LoneSurrogate);
    }
    // Ten bits of each, above the plane that needs no pair.
    let code = ((high & 0x3ff) << 10 | low & 0x3ff).saturating_add(0x10000);
    let c = char::from_u32(code).ok_or(Fault::LoneSurrogate)?;
    Ok((c, 12))
}

/// The value of a string whose escapes [`scan`] has checked.
pub(super) fn unescape(raw: &str, escaped: bool) -> Cow<'_, str> {
    if !escaped {
        return Cow::Borrowed(raw);
    }
    let mut value = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        let (plain, tail) = rest.split_at_checked(at).unwrap_or((rest, ""));
        value.push_str(plain);
        let Ok((c, len)) = escape(tail.as_bytes()) else {
            break;
        };
        value.push(c);
        rest = tail.get(len..).unwrap_or_default();
    }
    value.push_str(rest);
    Cow::Owned(value)
}

/// Length of the number at the start of `bytes`, and whether it is an integer
/// token (no fraction, no exponent).
pub(super) fn number(bytes: &[u8]) -> Result<(usize, bool), Error> {
    let digits = |at: usize| {
        let rest = bytes.get(at..).unwrap_or_default();
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let require = |at: usize| match digits(at) {
        0 => Err(Error {
            fault: Fault::Syntax,
            at,
        }),
        count => Ok(at.saturating_add(count)),
    };
    let start = usize::from(bytes.first() == Some(&b'-'));
    let mut at = match bytes.get(start) {
        Some(b'0') => start.saturating_add(1),
        _ => require(start)?,
    };
    let mut integer = true;
    if bytes.get(at) == Some(&b'.') {
        integer = false;
        at = require(at.saturating_add(1))?;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        integer = false;
        let sign = usize::from(matches!(bytes.get(at.saturating_add(1)), Some(b'+' | b'-')));
        at = require(at.saturating_add(1).saturating_add(sign))?;
    }
    Ok((at, integer))
}
