//! Whether the names of one object repeat.

use std::borrow::Cow;

/// Up to this many names are compared pair by pair.
const FEW: usize = 12;

/// Whether two of `names` are equal. May reorder them.
///
/// Above [`FEW`], names are sorted by a cheap hash and only equal hashes are
/// compared. An attacker who makes every hash equal buys a plain sort, still
/// n log n; there is no table to degrade.
pub(super) fn any(names: &mut [Cow<'_, str>]) -> bool {
    if names.len() <= FEW {
        let mut rest: &[Cow<'_, str>] = names;
        while let Some((first, others)) = rest.split_first() {
            if others.contains(first) {
                return true;
            }
            rest = others;
        }
        return false;
    }
    let mut hashed: Vec<(u64, &str)> = names.iter().map(|name| (hash(name), &**name)).collect();
    hashed.sort_unstable();
    hashed
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a == b))
}

/// FNV-1a over eight bytes at a time.
fn hash(name: &str) -> u64 {
    let mut state: u64 = 0xcbf2_9ce4_8422_2325;
    let mut mix = |word: u64| {
        state = (state ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        state ^= state >> 32;
    };
    let mut chunks = name.as_bytes().chunks_exact(8);
    for chunk in &mut chunks {
        if let Some(word) = chunk.first_chunk::<8>() {
            mix(u64::from_le_bytes(*word));
        }
    }
    let tail = chunks.remainder();
    mix(tail
        .iter()
        .fold(0, |word, byte| word << 8 | u64::from(*byte)));
    mix(name.len() as u64);
    state
}
