//! What admit leaves for the recheck. Contract section 12.
//!
//! The record fixes what must still be equal; it never grants anything. It
//! lives in Envoy's filter state, which clients cannot write.

use mcp_boundary_format::Digest;

/// First byte of a record.
const LAYOUT: u8 = 3;
/// Where the flags are: behind layout and digest.
const FLAGS: usize = 33;
/// There is an endpoint.
const NAMED: u8 = 1;
/// Audit let through what the rules deny, and the log says so.
const WOULD_DENY: u8 = 2;

/// Which policy admitted a request, for which endpoint, and the head it had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Record<'a> {
    /// The digest of the policy that admitted, for the log alone: during a
    /// roll-out it is another one than the recheck's.
    pub(crate) digest: [u8; 32],
    /// The endpoint's name; none for a request that none matched.
    pub(crate) endpoint: Option<&'a str>,
    pub(crate) verb: &'a [u8],
    /// `:path` with its query.
    pub(crate) target: &'a [u8],
    /// `:authority` as it was sent.
    pub(crate) host: &'a [u8],
    /// Fingerprints of what was known before the body, see [`super::since`].
    pub(crate) head: &'a [u8],
    /// Fingerprints of the operations, likewise.
    pub(crate) calls: &'a [u8],
}

impl<'a> Record<'a> {
    pub(crate) fn new(digest: Digest, endpoint: Option<&'a str>) -> Self {
        Self {
            digest: *digest.as_bytes(),
            endpoint,
            verb: b"",
            target: b"",
            host: b"",
            head: b"",
            calls: b"",
        }
    }

    /// Layout, digest, flags, then name, verb, target, host and head, each
    /// behind its length; the operations are known later, and [`complete`]
    /// adds them. None if a length does not fit: a record is never cut.
    pub(crate) fn encode(&self) -> Option<Vec<u8>> {
        let mut bytes = vec![LAYOUT];
        bytes.extend_from_slice(&self.digest);
        bytes.push(if self.endpoint.is_some() { NAMED } else { 0 });
        let name = self.endpoint.unwrap_or_default().as_bytes();
        for part in [name, self.verb, self.target, self.host, self.head] {
            push(&mut bytes, part)?;
        }
        Some(bytes)
    }

    /// The record, if these bytes are exactly one.
    pub(crate) fn decode(bytes: &'a [u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(&[LAYOUT])?;
        let (digest, rest) = rest.split_first_chunk::<32>()?;
        let ([flags], rest) = rest.split_first_chunk::<1>()?;
        let (name, rest) = part(rest)?;
        let (verb, rest) = part(rest)?;
        let (target, rest) = part(rest)?;
        let (host, rest) = part(rest)?;
        let (head, rest) = part(rest)?;
        let (calls, rest) = part(rest)?;
        let endpoint = match *flags & !WOULD_DENY {
            0 if name.is_empty() => None,
            NAMED => Some(std::str::from_utf8(name).ok()?),
            _ => return None,
        };
        rest.is_empty().then_some(Self {
            digest: *digest,
            endpoint,
            verb,
            target,
            host,
            head,
            calls,
        })
    }
}

/// The whole record: `encoded` with the fingerprints of the operations.
pub(crate) fn complete(mut encoded: Vec<u8>, calls: &[u8]) -> Option<Vec<u8>> {
    push(&mut encoded, calls)?;
    Some(encoded)
}

fn push(bytes: &mut Vec<u8>, part: &[u8]) -> Option<()> {
    bytes.extend_from_slice(&u32::try_from(part.len()).ok()?.to_le_bytes());
    bytes.extend_from_slice(part);
    Some(())
}

/// The digest of the policy that admitted a request, in hexadecimal as logs
/// show it; `None` if these bytes are no record. For the log alone.
pub(crate) fn admitted_by(record: &[u8]) -> Option<String> {
    let digest = Record::decode(record)?.digest;
    Some(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Notes in a record that admit told of a would-be denial. For the log alone:
/// whoever else sets it silences a recheck under audit, which lets the request
/// through either way.
pub(crate) fn mark_would_deny(record: &mut [u8]) {
    if let Some(flags) = record.get_mut(FLAGS) {
        *flags |= WOULD_DENY;
    }
}

/// Whether admit noted that.
pub(crate) fn is_would_deny(record: &[u8]) -> bool {
    record
        .get(FLAGS)
        .is_some_and(|flags| flags & WOULD_DENY != 0)
}

fn part(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(usize::try_from(u32::from_le_bytes(*length)).ok()?)
}
