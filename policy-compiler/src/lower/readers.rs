//! What servers make of a path that is no longer plain. Contract section 3.
//!
//! The filter needs none of this: it refuses such paths. Only the exact paths
//! that a policy writes with escapes are let through, so these are read here
//! once, in every order.

use std::collections::BTreeSet;

use mcp_boundary_format::decode_path;

/// More readings than any sane path has.
const MOST: usize = 512;

/// Every path that one of the readers, or several of them in a row, makes of
/// this one, itself included. None if there is no end to them.
pub(super) fn readings(path: &str) -> Option<BTreeSet<Vec<u8>>> {
    let mut seen = BTreeSet::from([path.as_bytes().to_vec()]);
    let mut fresh: Vec<_> = seen.iter().cloned().collect();
    while let Some(path) = fresh.pop() {
        for reader in READERS {
            let reading = reader(&path);
            if seen.insert(reading.clone()) {
                fresh.push(reading);
            }
        }
        if seen.len() > MOST {
            return None;
        }
    }
    Some(seen)
}

type Reader = fn(&[u8]) -> Vec<u8>;

const READERS: [Reader; 10] = [
    |path| decode_path(path).into_owned(),
    |path| {
        let slash = |byte: &u8| if *byte == b'\\' { b'/' } else { *byte };
        path.iter().map(slash).collect()
    },
    |path| before(path, |byte| byte == b'?'),
    |path| before(path, |byte| byte == b'#'),
    |path| before(path, |byte| byte == 0),
    |path| before(path, |byte| byte == b';'),
    without_parameters,
    merged,
    resolved,
    |path| {
        // URL readers drop these wherever they are, and blanks at the end.
        let kept = |byte: &u8| !matches!(byte, b'\t' | b'\n' | b'\r');
        let kept: Vec<u8> = path.iter().copied().filter(kept).collect();
        without_authority(kept.trim_ascii_end())
    },
];

fn before(path: &[u8], end: impl Fn(u8) -> bool) -> Vec<u8> {
    path.iter()
        .copied()
        .take_while(|byte| !end(*byte))
        .collect()
}

/// Each segment cut at its first `;`.
fn without_parameters(path: &[u8]) -> Vec<u8> {
    let segments = path.split(|byte| *byte == b'/');
    let segments: Vec<_> = segments
        .map(|segment| before(segment, |byte| byte == b';'))
        .collect();
    segments.join(&b'/')
}

fn merged(path: &[u8]) -> Vec<u8> {
    let mut merged = path.to_vec();
    merged.dedup_by(|a, b| *a == b'/' && *b == b'/');
    merged
}

/// Dot segments resolved as URL readers do: also escaped ones.
fn resolved(path: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    let segments: Vec<_> = path.split(|byte| *byte == b'/').collect();
    let last = segments.len().saturating_sub(1);
    for (at, segment) in segments.into_iter().enumerate() {
        match &*decode_path(segment) {
            b"." if at == last => kept.push(b""),
            b"." => {}
            b".." => {
                if kept.len() > 1 {
                    kept.pop();
                }
                if at == last {
                    kept.push(b"");
                }
            }
            _ => kept.push(segment),
        }
    }
    kept.join(&b'/')
}

/// `//host/path` as a URL without scheme.
fn without_authority(path: &[u8]) -> Vec<u8> {
    let Some(rest) = path.strip_prefix(b"//") else {
        return path.to_vec();
    };
    match rest.iter().position(|byte| *byte == b'/') {
        Some(at) => rest.get(at..).unwrap_or_default().to_vec(),
        None => b"/".to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_work_in_any_order() {
        for (path, reading) in [
            ("/a%2Fb", "/a/b"),
            ("/a%252Fb", "/a/b"),
            ("/x%2F..%2Fmcp", "/mcp"),
            ("/x%5C..%5Cmcp", "/mcp"),
            ("/%2Fa/mcp", "/mcp"),
            ("/%5Ca/mcp", "/mcp"),
            ("/mcp%3Bx/y", "/mcp"),
            ("/mcp%3Bx/y", "/mcp/y"),
            ("/mcp%3Fx", "/mcp"),
            ("/mcp%2523x", "/mcp"),
            ("/mcp%00x", "/mcp"),
            ("/m%0Acp", "/mcp"),
            ("/mcp%20", "/mcp"),
            ("/x/%2e%2e/mcp", "/mcp"),
            ("/x%3B%2F..%2F..%2Fmcp", "/mcp"),
        ] {
            let all = readings(path).expect("few");
            assert!(all.contains(reading.as_bytes()), "{path} {reading}");
        }
    }
}
