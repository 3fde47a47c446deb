//! What stands between `//` and the path: user information, host, port.

use std::net::{Ipv4Addr, Ipv6Addr};

/// What is wrong with a URI and, where there is a way, how to write it: goes
/// on after "URI … ".
pub type UriFault = &'static str;

/// Where the authority of a text stands, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Authority {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Authority {
    /// `None` if no `//` follows the first `:`.
    pub(crate) fn find(text: &[u8]) -> Option<Self> {
        let colon = text.iter().position(|byte| *byte == b':')?;
        let start = colon.checked_add(3)?;
        let (before, after) = text.split_at_checked(start)?;
        before.ends_with(b"://").then_some(())?;
        let length = after.iter().position(|byte| b"/?#".contains(byte));
        let end = start.checked_add(length.unwrap_or(after.len()))?;
        Some(Self { start, end })
    }

    fn text(self, text: &[u8]) -> &[u8] {
        text.get(self.start..self.end).unwrap_or_default()
    }

    /// The bytes of the user information and its `@`, if there are any.
    pub(crate) fn user(self, text: &[u8]) -> std::ops::Range<usize> {
        let at = self.text(text).iter().rposition(|byte| *byte == b'@');
        self.start..at.map_or(self.start, |at| {
            self.start.saturating_add(at).saturating_add(1)
        })
    }

    /// Without user information and port.
    pub(super) fn host(self, text: &[u8]) -> &[u8] {
        let host = text.get(self.user(text).end..self.end).unwrap_or_default();
        host.split(|byte| *byte == b':').next().unwrap_or_default()
    }

    /// Readers write every IPv6 address in its shortest form, and refuse
    /// brackets about anything else.
    pub(super) fn check_brackets(self, text: &[u8]) -> Result<(), UriFault> {
        let authority = self.text(text);
        if !authority.iter().any(|byte| b"[]".contains(byte)) {
            return Ok(());
        }
        let host = text.get(self.user(text).end..self.end).unwrap_or_default();
        let address = std::str::from_utf8(host)
            .ok()
            .and_then(|host| host.strip_prefix('['))
            .and_then(|host| host.split_once(']'));
        match address {
            Some((address, port))
                if is_shortest(address) && (port.is_empty() || port.starts_with(':')) =>
            {
                Ok(())
            }
            _ => Err(
                "has brackets around what is no IPv6 address in its shortest form: write that form",
            ),
        }
    }
}

/// Host and port of `http`, `https`, `ws`, `wss` and `ftp`.
pub(super) fn check_network(scheme: &str, authority: &str) -> Result<(), UriFault> {
    if authority.contains('@') {
        return Err("has user information: leave it out");
    }
    let (host, port) = host_and_port(authority);
    if host.is_empty() {
        return Err("has no host after `//`: write one");
    }
    if host.contains('%') {
        return Err("has an escape in its host: write the characters, or punycode");
    }
    if !host.starts_with('[') {
        check_name(host)?;
    } else if !host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .is_some_and(is_shortest)
    {
        return Err("has a host that is no IPv6 address in its shortest form: write that form");
    }
    let Some(port) = port else {
        return Ok(());
    };
    let default = match scheme {
        "http" | "ws" => "80",
        "https" | "wss" => "443",
        _ => "21",
    };
    match port {
        "" => Err("has an empty port: leave out the `:`"),
        _ if port == default => Err("has the default port of its scheme: leave it out"),
        _ if port.starts_with('0') => {
            Err("has a port that is 0 or begins with 0: write it without, or leave it out")
        }
        _ if !port.bytes().all(|byte| byte.is_ascii_digit()) || port.parse::<u16>().is_err() => {
            Err("has a port that is no number from 1 to 65535: write the server's, or leave it out")
        }
        _ => Ok(()),
    }
}

/// The authority of any other scheme, which readers mostly leave alone.
pub(super) fn check_other(authority: &str) -> Result<(), UriFault> {
    let (user, rest) = match authority.rsplit_once('@') {
        Some((user, rest)) => (Some(user), rest),
        None => (None, authority),
    };
    if let Some(user) = user {
        if user.is_empty() || user.ends_with(':') {
            return Err("has empty user information: leave out the `@`, or the `:` before it");
        }
        if user.contains([';', '=', '@', '[', ']'])
            || user.bytes().filter(|byte| *byte == b':').count() > 1
        {
            return Err("has `;`, `=`, `@` or a second `:` in its user information: escape it");
        }
    }
    match host_and_port(rest).1 {
        Some("") => Err("has an empty port: leave out the `:`"),
        Some(port) if port.starts_with('0') => {
            Err("has a port that is 0 or begins with 0: write it without, or leave it out")
        }
        _ => Ok(()),
    }
}

fn host_and_port(text: &str) -> (&str, Option<&str>) {
    let address = text.find(']').map_or(0, |at| at.saturating_add(1));
    let (address, rest) = text.split_at_checked(address).unwrap_or(("", text));
    match rest.split_once(':') {
        Some((host, port)) if address.is_empty() => (host, Some(port)),
        Some(("", port)) => (address, Some(port)),
        // Without a port, or wrong: the address check says so.
        _ => (text, None),
    }
}

fn check_name(host: &str) -> Result<(), UriFault> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    if host.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return Err("has capitals in its host: write it in lower case");
    }
    if !host
        .bytes()
        .all(|byte| plain(byte) || b"._-".contains(&byte))
    {
        return Err("has a host that is not of `a-z 0-9 . _ -`: write the name so, or as punycode");
    }
    if host.split('.').any(str::is_empty) {
        return Err("has an empty label in its host: leave out the dot");
    }
    let last = host.rsplit('.').next().unwrap_or_default();
    let hex = last.strip_prefix("0x");
    let number = last.bytes().all(|byte| byte.is_ascii_digit())
        || hex.is_some_and(|hex| hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
    if number && host.parse::<Ipv4Addr>().is_err() {
        return Err("has a number for a host: write four decimal numbers, as in `192.0.2.1`");
    }
    Ok(())
}

/// Whether this is an IPv6 address as WHATWG readers write it: RFC 5952, but
/// for the dotted form, which they do not know.
fn is_shortest(address: &str) -> bool {
    let Ok(parsed) = address.parse::<Ipv6Addr>() else {
        return false;
    };
    let pieces = parsed.segments().map(|piece| format!("{piece:x}"));
    let (mut longest, mut at) = (1, None);
    let mut run = 0_usize;
    for (index, piece) in pieces.iter().enumerate() {
        run = if piece == "0" {
            run.saturating_add(1)
        } else {
            0
        };
        if run > longest {
            (longest, at) = (run, Some(index.saturating_add(1).saturating_sub(run)));
        }
    }
    let written = match at {
        Some(at) => {
            let (head, _) = pieces.split_at_checked(at).unwrap_or_default();
            let (_, tail) = pieces
                .split_at_checked(at.saturating_add(longest))
                .unwrap_or_default();
            format!("{}::{}", head.join(":"), tail.join(":"))
        }
        None => pieces.join(":"),
    };
    written == address
}
