//! Escapes, decoded until nothing changes.

/// A decoding that changes something beyond this many is not followed.
const MAX_DECODINGS: usize = 4;

/// A URI as sent and at every level of decoding.
#[derive(Debug)]
pub(crate) struct Levels {
    /// As sent first.
    pub(crate) texts: Vec<Vec<u8>>,
    /// Whether another decoding would change the last one.
    pub(crate) too_deep: bool,
}

/// At most five texts, none longer than the first.
pub(crate) fn levels(text: &[u8]) -> Levels {
    let mut levels = Levels {
        texts: vec![text.to_vec()],
        too_deep: false,
    };
    while let Some(next) = levels.texts.last().and_then(|last| once(last)) {
        if levels.texts.len() > MAX_DECODINGS {
            levels.too_deep = true;
            break;
        }
        levels.texts.push(next);
    }
    levels
}

/// `text` with its escapes decoded; `None` if it has none.
fn once(text: &[u8]) -> Option<Vec<u8>> {
    let mut made = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((first, tail)) = rest.split_first() {
        let escaped = match (first, tail) {
            (b'%', [high, low, after @ ..]) => {
                byte(Some(*high), Some(*low)).map(|byte| (byte, after))
            }
            _ => None,
        };
        let (byte, after) = escaped.unwrap_or((*first, tail));
        made.push(byte);
        rest = after;
    }
    (made.len() < text.len()).then_some(made)
}

/// The byte that two hex digits stand for.
pub(crate) fn byte(high: Option<u8>, low: Option<u8>) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high?)?.checked_mul(16)?.checked_add(digit(low?)?)?).ok()
}
