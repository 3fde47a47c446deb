//! The fields of a serialised protobuf message, as far as claims need them.
//! <https://protobuf.dev/programming-guides/encoding/>
//!
//! Messages are walked, never built: what is inside a field is looked at only
//! if it was asked for, so depth costs nothing and nothing is allocated.

/// What a field holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Wire<'a> {
    Varint(u64),
    /// Eight bytes, little-endian: here always a double.
    Double(f64),
    /// Text, bytes, or a message.
    Bytes(&'a [u8]),
    /// Four bytes, which nothing here is made of.
    Other,
}

/// The fields of one message in order, each with its number; `None` in the
/// place of what is malformed, and then no more.
pub(crate) struct Fields<'a> {
    rest: Option<&'a [u8]>,
}

pub(crate) const fn fields(message: &[u8]) -> Fields<'_> {
    Fields {
        rest: Some(message),
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Option<(u64, Wire<'a>)>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.rest.take()?;
        if rest.is_empty() {
            return None;
        }
        let Some((number, wire, rest)) = field(rest) else {
            return Some(None);
        };
        self.rest = Some(rest);
        Some(Some((number, wire)))
    }
}

fn field(bytes: &[u8]) -> Option<(u64, Wire<'_>, &[u8])> {
    let (tag, rest) = varint(bytes)?;
    let (wire, rest) = match tag & 7 {
        0 => {
            let (value, rest) = varint(rest)?;
            (Wire::Varint(value), rest)
        }
        1 => {
            let (value, rest) = rest.split_first_chunk::<8>()?;
            (Wire::Double(f64::from_le_bytes(*value)), rest)
        }
        2 => {
            let (length, rest) = varint(rest)?;
            let (value, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            (Wire::Bytes(value), rest)
        }
        5 => {
            let (_, rest) = rest.split_first_chunk::<4>()?;
            (Wire::Other, rest)
        }
        _ => return None,
    };
    Some((tag >> 3, wire, rest))
}

/// At most ten bytes, of which the last holds one bit.
fn varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut value = 0;
    let mut rest = bytes;
    for shift in (0..64).step_by(7) {
        let (byte, tail) = rest.split_first()?;
        rest = tail;
        let part = u64::from(byte & 0x7f);
        if shift == 63 && part > 1 {
            return None;
        }
        value |= part << shift;
        if byte & 0x80 == 0 {
            return Some((value, rest));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(message: &[u8]) -> Option<Vec<(u64, Wire<'_>)>> {
        fields(message).collect()
    }

    #[test]
    fn fields_of_every_kind() {
        assert_eq!(all(b""), Some(vec![]));
        assert_eq!(
            all(b"\x08\x96\x01\x12\x02hi\x19\0\0\0\0\0\0\x20\x40\x25abcd"),
            Some(vec![
                (1, Wire::Varint(150)),
                (2, Wire::Bytes(b"hi")),
                (3, Wire::Double(8.0)),
                (4, Wire::Other),
            ])
        );
        let max = b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
        assert_eq!(all(max), Some(vec![(1, Wire::Varint(u64::MAX))]));
    }

    #[test]
    fn what_is_cut_or_unknown_is_malformed() {
        for message in [
            &b"\x08"[..],
            b"\x08\x80",
            b"\x12\x03hi",
            b"\x19\0\0\0",
            b"\x25abc",
            b"\x0b",
            b"\x0c",
            b"\x0e",
            b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
            b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
            b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        ] {
            assert_eq!(all(message), None, "{message:?}");
        }
    }
}
