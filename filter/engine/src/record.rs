//! What admit leaves for the recheck. Contract section 12.
//!
//! The record fixes what must still be equal; it never grants anything. It
//! lives in Envoy's filter state, which clients cannot write.

use mcp_boundary_format::Digest;

/// First byte of a record.
const LAYOUT: u8 = 1;

/// Verb, target and endpoint of an admitted request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    digest: [u8; 32],
    /// Index in the policy's endpoints; none for an unmatched request.
    pub(crate) endpoint: Option<u16>,
    pub(crate) verb: Vec<u8>,
    /// `:path` with its query.
    pub(crate) target: Vec<u8>,
}

impl Record {
    pub(crate) fn new(digest: Digest, endpoint: Option<usize>, verb: &[u8], target: &[u8]) -> Self {
        Self {
            digest: *digest.as_bytes(),
            endpoint: endpoint.and_then(|index| u16::try_from(index).ok()),
            verb: verb.to_vec(),
            target: target.to_vec(),
        }
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![LAYOUT];
        bytes.extend_from_slice(&self.digest);
        bytes.push(u8::from(self.endpoint.is_some()));
        bytes.extend_from_slice(&self.endpoint.unwrap_or_default().to_le_bytes());
        let verb = self.verb.get(..usize::from(u8::MAX)).unwrap_or(&self.verb);
        bytes.push(u8::try_from(verb.len()).unwrap_or_default());
        bytes.extend_from_slice(verb);
        bytes.extend_from_slice(&self.target);
        bytes
    }

    /// The record, if it is one and was made under the policy of this digest.
    pub(crate) fn decode(bytes: &[u8], digest: Digest) -> Option<Self> {
        let rest = bytes.strip_prefix(&[LAYOUT])?;
        let (recorded, rest) = rest.split_first_chunk::<32>()?;
        let ([flag], rest) = rest.split_first_chunk::<1>()?;
        let (index, rest) = rest.split_first_chunk::<2>()?;
        let ([verb_len], rest) = rest.split_first_chunk::<1>()?;
        let (verb, target) = rest.split_at_checked(usize::from(*verb_len))?;
        let endpoint = match flag {
            0 => None,
            1 => Some(u16::from_le_bytes(*index)),
            _ => return None,
        };
        (recorded == digest.as_bytes()).then(|| Self {
            digest: *recorded,
            endpoint,
            verb: verb.to_vec(),
            target: target.to_vec(),
        })
    }
}
