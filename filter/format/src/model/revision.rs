//! Revisions, and sets of them.

use std::fmt;

/// One MCP revision this project can check.
///
/// There is no "latest" and no default: adding one here never widens a policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Revision {
    /// 2025-03-26, the only revision with batches.
    V2025_03_26 = 0,
    /// 2025-06-18.
    V2025_06_18 = 1,
    /// 2025-11-25.
    V2025_11_25 = 2,
    /// 2026-07-28, stateless, with mirrored headers.
    V2026_07_28 = 3,
}

impl Revision {
    /// Every revision in date order.
    pub const ALL: [Self; 4] = [
        Self::V2025_03_26,
        Self::V2025_06_18,
        Self::V2025_11_25,
        Self::V2026_07_28,
    ];

    /// The date string used on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// The revision whose date string is exactly `bytes`.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|revision| revision.as_str().as_bytes() == bytes)
    }

    /// Whether this revision has sessions, `initialize` and GET streams.
    pub const fn is_legacy(self) -> bool {
        !matches!(self, Self::V2026_07_28)
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A non-empty set of exact revisions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Revisions(u8);

impl Revisions {
    /// What a policy that names no revision permits. Pinned: it never moves.
    pub const DEFAULT: Self = Self(Revision::V2025_11_25.bit());

    /// The set of the given revisions, or `None` when there are none.
    pub fn new(revisions: impl IntoIterator<Item = Revision>) -> Option<Self> {
        Self::from_bits(revisions.into_iter().fold(0, |bits, r| bits | r.bit()))
    }

    pub(crate) fn from_bits(bits: u8) -> Option<Self> {
        (bits != 0 && bits < 1 << Revision::ALL.len()).then_some(Self(bits))
    }

    #[cfg(feature = "encode")]
    pub(crate) const fn bits(self) -> u8 {
        self.0
    }

    /// Whether `revision` is in the set.
    pub const fn contains(self, revision: Revision) -> bool {
        self.0 & revision.bit() != 0
    }

    /// The members in date order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Revision> {
        Revision::ALL.into_iter().filter(move |r| self.contains(*r))
    }

    /// The members that still have sessions and `initialize`, in date order.
    pub fn legacy(self) -> impl DoubleEndedIterator<Item = Revision> {
        self.iter().filter(|r| r.is_legacy())
    }
}

impl fmt::Debug for Revisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set()
            .entries(self.iter().map(Revision::as_str))
            .finish()
    }
}
