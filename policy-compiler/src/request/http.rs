//! A request written out as HTTP/1.1, as a text editor has it.

use std::fmt;

use super::Request;

/// What is wrong with it, and in which line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HttpError {
    /// From 1.
    pub line: usize,
    /// What to write there.
    pub help: &'static str,
}

impl fmt::Display for HttpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.help)
    }
}

impl std::error::Error for HttpError {}

impl Request {
    /// Reads `POST /mcp HTTP/1.1`, header lines, an empty line and a body. Lines
    /// may end with CR and LF or with LF alone; the body is taken as it stands,
    /// but for one line end at its end, which editors add.
    ///
    /// # Errors
    /// If it is no such text.
    pub fn from_http(text: &[u8]) -> Result<Self, HttpError> {
        let (mut line, mut rest) = (0_usize, text);
        let mut next = || {
            line = line.saturating_add(1);
            let end = rest.iter().position(|byte| *byte == b'\n')?;
            let (one, more) = rest.split_at_checked(end)?;
            rest = more.get(1..).unwrap_or_default();
            Some((line, one.strip_suffix(b"\r").unwrap_or(one)))
        };
        let fault = |line, help| HttpError { line, help };
        let start = "write `POST /mcp HTTP/1.1`, or another verb and path";
        let (_, first) = next().ok_or(fault(1, start))?;
        let mut words = first.split(|byte| *byte == b' ');
        let (Some(verb), Some(path), Some(version), None) =
            (words.next(), words.next(), words.next(), words.next())
        else {
            return Err(fault(1, start));
        };
        if !version.starts_with(b"HTTP/") || verb.is_empty() {
            return Err(fault(1, start));
        }
        let mut host = Vec::new();
        let mut headers = Vec::new();
        loop {
            let end = "write an empty line behind the headers";
            let (line, header) = next().ok_or(fault(line_of(text), end))?;
            if header.is_empty() {
                break;
            }
            let colon = header.iter().position(|byte| *byte == b':');
            let (name, value) = colon
                .and_then(|at| header.split_at_checked(at))
                .ok_or(fault(line, "write a header as `name: value`"))?;
            let name = std::str::from_utf8(name)
                .map_err(|_| fault(line, "write the header's name in ASCII"))?
                .to_ascii_lowercase();
            let value = value.get(1..).unwrap_or_default().trim_ascii().to_vec();
            match name.as_str() {
                "host" => host = value,
                _ => headers.push((name, value)),
            }
        }
        let body = rest.strip_suffix(b"\n").unwrap_or(rest);
        let body = body.strip_suffix(b"\r").unwrap_or(body);
        let mut all = vec![
            (":method".to_owned(), verb.to_vec()),
            (":authority".to_owned(), host),
            (":path".to_owned(), path.to_vec()),
            (":scheme".to_owned(), b"http".to_vec()),
        ];
        all.extend(headers);
        Ok(Self {
            headers: all,
            body: (!body.is_empty()).then(|| body.to_vec()),
            ..Self::default()
        })
    }
}

/// How many lines a text has.
fn line_of(text: &[u8]) -> usize {
    text.split(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_what_is_sent() {
        let text = b"POST /mcp?a HTTP/1.1\r\nHost: a.test\r\nX-Role:  admin \r\n\r\n{\"a\":\n1}\n";
        let request = Request::from_http(text).unwrap();
        assert_eq!(request.header(":authority"), Some(&b"a.test"[..]));
        assert_eq!(request.header(":path"), Some(&b"/mcp?a"[..]));
        assert_eq!(request.header("x-role"), Some(&b"admin"[..]));
        assert_eq!(request.body.as_deref(), Some(&b"{\"a\":\n1}"[..]));
        let bare = Request::from_http(b"GET / HTTP/1.1\nhost: a\n\n").unwrap();
        assert_eq!(bare.body, None);
    }

    #[test]
    fn what_is_none_is_refused_with_its_line() {
        for (text, line) in [
            (&b""[..], 1),
            (b"POST /mcp\nhost: a\n\n", 1),
            (b"POST /mcp a HTTP/1.1\n\n", 1),
            (b"POST /mcp HTTP/1.1\nhost a\n\n", 2),
            (b"POST /mcp HTTP/1.1\nhost: a\n\xff: b\n\n", 3),
            (b"POST /mcp HTTP/1.1\nhost: a\n", 3),
        ] {
            let error = Request::from_http(text).unwrap_err();
            assert_eq!(error.line, line, "{error}");
        }
    }
}
