//! Just enough HTTP/1.1 to find where a request ends.

/// One complete request as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// The connection it came on, counted from 1.
    pub connection: usize,
    /// The request line's verb.
    pub method: String,
    /// The request line's target.
    pub path: String,
    /// Headers in order, names in lower case.
    pub headers: Vec<(String, Vec<u8>)>,
    /// The body without its framing.
    pub body: Vec<u8>,
    /// Trailers of a chunked body.
    pub trailers: Vec<(String, Vec<u8>)>,
    /// Every byte of it.
    pub raw: Vec<u8>,
}

impl Exchange {
    /// The first value of the header `name` (lower case).
    pub fn header(&self, name: &str) -> Option<&[u8]> {
        let (_, value) = self.headers.iter().find(|(listed, _)| listed == name)?;
        Some(value)
    }

    /// The header `name` (lower case) as text, for messages.
    pub fn header_text(&self, name: &str) -> Option<String> {
        self.header(name)
            .map(|value| String::from_utf8_lossy(value).into_owned())
    }
}

/// What the bytes received so far amount to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Progress {
    Complete(Exchange),
    Partial,
    Malformed,
}

type Fields = Vec<(String, Vec<u8>)>;

/// Reads the first request of `bytes`.
pub(super) fn parse(bytes: &[u8], connection: usize) -> Progress {
    let Some((head, mut at)) = block(bytes) else {
        return Progress::Partial;
    };
    let mut lines = head.split(|b| *b == b'\n').map(<[u8]>::trim_ascii_end);
    let start = String::from_utf8_lossy(lines.next().unwrap_or_default()).into_owned();
    let mut words = start.split(' ');
    let (Some(method), Some(path), Some("HTTP/1.1")) = (words.next(), words.next(), words.next())
    else {
        return Progress::Malformed;
    };
    let Some(headers) = fields(lines) else {
        return Progress::Malformed;
    };
    let value = |name: &str| headers.iter().find(|(listed, _)| listed == name);
    let mut trailers = Vec::new();
    let body = if value("transfer-encoding").is_some() {
        match chunked(&bytes[at..]) {
            Some(Some(whole)) => {
                at += whole.length;
                trailers = whole.trailers;
                whole.body
            }
            Some(None) => return Progress::Partial,
            None => return Progress::Malformed,
        }
    } else {
        let length = value("content-length").map(|(_, text)| number(text, 10));
        let Some(length) = length.unwrap_or(Some(0)) else {
            return Progress::Malformed;
        };
        let Some(body) = bytes.get(at..at + length) else {
            return Progress::Partial;
        };
        at += length;
        body.to_vec()
    };
    Progress::Complete(Exchange {
        connection,
        method: method.to_owned(),
        path: path.to_owned(),
        headers,
        body,
        trailers,
        raw: bytes[..at].to_vec(),
    })
}

struct Chunked {
    body: Vec<u8>,
    trailers: Fields,
    length: usize,
}

/// `None` if malformed, `Some(None)` if incomplete.
fn chunked(bytes: &[u8]) -> Option<Option<Chunked>> {
    let mut body = Vec::new();
    let mut at = 0;
    loop {
        let Some(end) = find(&bytes[at..], b"\r\n") else {
            return Some(None);
        };
        let size = number(&bytes[at..at + end], 16)?;
        at += end + 2;
        if size == 0 {
            break;
        }
        let Some(chunk) = bytes.get(at..at + size + 2) else {
            return Some(None);
        };
        body.extend_from_slice(chunk.strip_suffix(b"\r\n")?);
        at += size + 2;
    }
    // Without trailers the block is one empty line.
    if bytes[at..].starts_with(b"\r\n") {
        let length = at + 2;
        return Some(Some(Chunked {
            body,
            trailers: Vec::new(),
            length,
        }));
    }
    let Some((block, length)) = block(&bytes[at..]) else {
        return Some(None);
    };
    let lines = block.split(|b| *b == b'\n').map(<[u8]>::trim_ascii_end);
    let trailers = fields(lines)?;
    let length = at + length;
    Some(Some(Chunked {
        body,
        trailers,
        length,
    }))
}

/// The bytes up to the first empty line, and where what follows begins.
fn block(bytes: &[u8]) -> Option<(&[u8], usize)> {
    let end = find(bytes, b"\r\n\r\n")?;
    Some((&bytes[..end], end + 4))
}

fn fields<'a>(lines: impl Iterator<Item = &'a [u8]>) -> Option<Fields> {
    lines
        .map(|line| {
            let colon = line.iter().position(|b| *b == b':')?;
            let name = String::from_utf8_lossy(&line[..colon]).to_ascii_lowercase();
            Some((name, line[colon + 1..].trim_ascii().to_vec()))
        })
        .collect()
}

fn number(text: &[u8], radix: u32) -> Option<usize> {
    usize::from_str_radix(str::from_utf8(text).ok()?, radix).ok()
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes
        .windows(needle.len())
        .position(|window| window == needle)
}
