//! Bytes in, bytes out: little-endian numbers, length-prefixed strings and
//! lists. Every read is bounded and says what it was reading.

use crate::decode::LoadError;

/// First bytes of a blob. The high bit and the line ends catch a file that
/// was sent as text.
pub const MAGIC: [u8; 8] = *b"\x89MCPB\r\n\x1a";
/// The layout this build reads and writes; any other is refused.
pub const FORMAT_VERSION: u16 = 2;
/// magic, version, feature bits, total length, digest
pub(crate) const HEADER_LEN: usize = 8 + 2 + 2 + 4 + 32;
/// Offset of the digest, which covers everything before and after itself.
pub(crate) const DIGEST_AT: usize = 16;

pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub(crate) fn take(&mut self, len: usize, what: &'static str) -> Result<&'a [u8], LoadError> {
        let (head, rest) = self
            .rest
            .split_at_checked(len)
            .ok_or(LoadError::Truncated { what })?;
        self.rest = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], LoadError> {
        let bytes = self.take(N, what)?;
        bytes.try_into().map_err(|_| LoadError::Truncated { what })
    }

    pub(crate) fn u8(&mut self, what: &'static str) -> Result<u8, LoadError> {
        Ok(u8::from_le_bytes(self.array(what)?))
    }

    pub(crate) fn u16(&mut self, what: &'static str) -> Result<u16, LoadError> {
        Ok(u16::from_le_bytes(self.array(what)?))
    }

    pub(crate) fn u32(&mut self, what: &'static str) -> Result<u32, LoadError> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    pub(crate) fn string(&mut self, what: &'static str) -> Result<String, LoadError> {
        let len = usize::from(self.u16(what)?);
        let bytes = self.take(len, what)?;
        std::str::from_utf8(bytes)
            .map(str::to_owned)
            .map_err(|_| LoadError::NotUtf8 { what })
    }

    /// A count, then that many items. The count is not trusted for allocation.
    pub(crate) fn list<T>(
        &mut self,
        what: &'static str,
        mut item: impl FnMut(&mut Self) -> Result<T, LoadError>,
    ) -> Result<Vec<T>, LoadError> {
        let count = self.u16(what)?;
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(item(self)?);
        }
        Ok(items)
    }
}

#[cfg(feature = "encode")]
pub(crate) use writer::Writer;

#[cfg(feature = "encode")]
mod writer {
    use crate::validate::ModelError;

    pub(crate) struct Writer {
        bytes: Vec<u8>,
    }

    impl Writer {
        pub(crate) fn new() -> Self {
            Self { bytes: Vec::new() }
        }

        pub(crate) fn into_bytes(self) -> Vec<u8> {
            self.bytes
        }

        pub(crate) fn raw(&mut self, bytes: &[u8]) {
            self.bytes.extend_from_slice(bytes);
        }

        pub(crate) fn u8(&mut self, value: u8) {
            self.bytes.push(value);
        }

        pub(crate) fn u16(&mut self, value: u16) {
            self.raw(&value.to_le_bytes());
        }

        pub(crate) fn u32(&mut self, value: u32) {
            self.raw(&value.to_le_bytes());
        }

        fn len(&mut self, len: usize, what: &'static str) -> Result<(), ModelError> {
            let len = u16::try_from(len).map_err(|_| ModelError::TooMany { what })?;
            self.u16(len);
            Ok(())
        }

        pub(crate) fn string(&mut self, text: &str, what: &'static str) -> Result<(), ModelError> {
            self.len(text.len(), what)?;
            self.raw(text.as_bytes());
            Ok(())
        }

        pub(crate) fn list<T>(
            &mut self,
            items: &[T],
            what: &'static str,
            mut item: impl FnMut(&mut Self, &T) -> Result<(), ModelError>,
        ) -> Result<(), ModelError> {
            self.len(items.len(), what)?;
            items.iter().try_for_each(|value| item(self, value))
        }
    }
}
