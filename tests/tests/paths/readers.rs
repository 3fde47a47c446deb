//! What servers make of a path, each in one step, and all of them in a row.

use std::collections::BTreeSet;

/// A path as a server reads it, and whether it compares without case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reading {
    pub(crate) path: Vec<u8>,
    pub(crate) folded: bool,
}

/// The paths that a server may route by, of a request's target.
type Reader = fn(&[u8]) -> Vec<Vec<u8>>;

/// Which readers there are, by name; a mount serves every path above too.
pub(crate) const READERS: &[(&str, Reader)] = &[
    ("decode, then split", |path| {
        vec![resolve(&merge(&decode(path)))]
    }),
    ("split, then decode", |path| {
        let segments = split(path).into_iter().map(|segment| decode(&segment));
        vec![resolve(&segments.collect::<Vec<_>>().join(&b'/'))]
    }),
    ("decode alone", |path| vec![decode(path)]),
    ("parameters first", |path| {
        let cut = |segment: &Vec<u8>| before(segment, b";");
        vec![split(path).iter().map(cut).collect::<Vec<_>>().join(&b'/')]
    }),
    ("cut at parameters", |path| vec![before(path, b";")]),
    ("path.Clean", |path| vec![clean(path)]),
    ("merge_slashes", |path| vec![merge(path)]),
    ("dot segments", |path| vec![resolve(path)]),
    ("backslash as slash", |path| {
        let slash = |byte: &u8| if *byte == b'\\' { b'/' } else { *byte };
        vec![path.iter().map(slash).collect()]
    }),
    ("authority", |path| match path.strip_prefix(b"//") {
        Some(rest) => {
            let at = rest.iter().position(|byte| *byte == b'/');
            vec![at.map_or(b"/".to_vec(), |at| rest[at..].to_vec())]
        }
        None => Vec::new(),
    }),
    ("end of a string", |path| vec![before(path, b"\0")]),
    ("query and fragment", |path| vec![before(path, b"?#")]),
    ("final slash", |path| match path.strip_suffix(b"/") {
        Some(shorter) if !shorter.is_empty() => vec![shorter.to_vec()],
        _ => Vec::new(),
    }),
    ("slash added", |path| match path.ends_with(b"/") {
        true => Vec::new(),
        false => vec![[path, b"/"].concat()],
    }),
    ("format suffix", |path| suffix(path, b'.')),
    ("verb suffix", |path| suffix(path, b':')),
    ("blanks at the end", |path| {
        vec![path.trim_ascii_end().to_vec()]
    }),
    ("mount", |path| {
        let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
        slashes
            .map(|(at, _)| path[..at].to_vec())
            .filter(|path| !path.is_empty())
            .collect()
    }),
];

/// What one reader alone makes of it, folded or not.
pub(crate) fn alone(path: &[u8], reader: fn(&[u8]) -> Vec<Vec<u8>>) -> Vec<Reading> {
    reader(path).into_iter().flat_map(both).collect()
}

/// What any number of readers in a row make of it.
pub(crate) fn combined(path: &[u8]) -> BTreeSet<Reading> {
    let mut seen = BTreeSet::from([path.to_vec()]);
    let mut fresh = vec![path.to_vec()];
    while let Some(path) = fresh.pop() {
        for reading in READERS.iter().flat_map(|(_, reader)| reader(&path)) {
            if seen.len() < 400 && seen.insert(reading.clone()) {
                fresh.push(reading);
            }
        }
    }
    seen.into_iter().flat_map(both).collect()
}

fn both(path: Vec<u8>) -> [Reading; 2] {
    [false, true].map(|folded| Reading {
        path: path.clone(),
        folded,
    })
}

pub(crate) fn decode(path: &[u8]) -> Vec<u8> {
    let digit = |at: usize| path.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let (mut at, mut decoded) = (0, Vec::with_capacity(path.len()));
    while at < path.len() {
        match (path[at], digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                decoded.push(u8::try_from(high * 16 + low).expect("two digits"));
                at += 3;
            }
            (byte, ..) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    decoded
}

fn split(path: &[u8]) -> Vec<Vec<u8>> {
    path.split(|byte| *byte == b'/')
        .map(<[u8]>::to_vec)
        .collect()
}

fn before(path: &[u8], ends: &[u8]) -> Vec<u8> {
    path.iter()
        .copied()
        .take_while(|byte| !ends.contains(byte))
        .collect()
}

fn merge(path: &[u8]) -> Vec<u8> {
    let mut merged = path.to_vec();
    merged.dedup_by(|a, b| *a == b'/' && *b == b'/');
    merged
}

/// As URL readers do: dots escaped or not, empty segments kept.
fn resolve(path: &[u8]) -> Vec<u8> {
    let segments = split(path);
    let last = segments.len() - 1;
    let mut kept: Vec<Vec<u8>> = Vec::new();
    for (at, segment) in segments.into_iter().enumerate() {
        match decode(&segment).as_slice() {
            b"." if at == last => kept.push(Vec::new()),
            b"." => {}
            b".." => {
                if kept.len() > 1 {
                    kept.pop();
                }
                if at == last {
                    kept.push(Vec::new());
                }
            }
            _ => kept.push(segment),
        }
    }
    kept.join(&b'/')
}

/// Go's `path.Clean`: dots and empty segments gone, no final slash.
fn clean(path: &[u8]) -> Vec<u8> {
    let mut kept: Vec<Vec<u8>> = Vec::new();
    for segment in split(path) {
        match segment.as_slice() {
            b"" | b"." => {}
            b".." => drop(kept.pop()),
            _ => kept.push(segment),
        }
    }
    [b"/".to_vec(), kept.join(&b'/')].concat()
}

/// The last segment without what follows the mark, if a name is before it.
fn suffix(path: &[u8], mark: u8) -> Vec<Vec<u8>> {
    let start = path.iter().rposition(|byte| *byte == b'/');
    let start = start.map_or(0, |at| at + 1);
    let end = path.iter().rposition(|byte| *byte == mark).unwrap_or(0);
    let name = path.get(start..end).unwrap_or_default();
    // Dots and blanks are no name.
    match decode(name).iter().all(|byte| b". ".contains(byte)) {
        true => Vec::new(),
        false => vec![path[..end].to_vec()],
    }
}
