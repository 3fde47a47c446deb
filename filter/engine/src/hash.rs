//! A cheap hash. Nothing is decided by it alone: who can choose what is hashed
//! can make hashes equal.

/// FNV-1a over eight bytes at a time.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    let mut state: u64 = 0xcbf2_9ce4_8422_2325;
    let mut mix = |word: u64| {
        state = (state ^ word).wrapping_mul(0x0000_0100_0000_01b3);
        state ^= state >> 32;
    };
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        if let Some(word) = chunk.first_chunk::<8>() {
            mix(u64::from_le_bytes(*word));
        }
    }
    let tail = chunks.remainder();
    mix(tail
        .iter()
        .fold(0, |word, byte| word << 8 | u64::from(*byte)));
    mix(bytes.len() as u64);
    state
}
