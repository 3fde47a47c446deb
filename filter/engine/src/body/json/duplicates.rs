//! Whether the names of one object repeat.

use std::borrow::Cow;

use crate::hash::hash;

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
    let mut hashed: Vec<(u64, &str)> = names
        .iter()
        .map(|name| (hash(name.as_bytes()), &**name))
        .collect();
    hashed.sort_unstable();
    hashed
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a == b))
}
