//! The grammar of hosts, for blob, compiler and filter alike. Contract section 3.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Whether a host, without port, is in the one form that is compared: lower
/// case, no final dot, an IPv4 address as four decimal numbers, an IPv6
/// address in brackets as WHATWG writes it.
pub fn is_host(host: &str) -> bool {
    if host.starts_with('[') {
        return canonical_ipv6(host).is_some_and(|canonical| canonical == host);
    }
    let plain = |byte: u8| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-' || byte == b'_'
    };
    let label = |label: &str| !label.is_empty() && label.bytes().all(plain);
    host.split('.').all(label) && (!ends_in_number(host) || is_ipv4(host))
}

/// An IPv6 address in brackets as WHATWG writes it: lower case, shortest form,
/// no IPv4 address inside. None if it is no address.
pub fn canonical_ipv6(host: &str) -> Option<String> {
    let inner = host.strip_prefix('[')?.strip_suffix(']')?;
    let address: Ipv6Addr = inner.parse().ok()?;
    // The one kind that `Display` writes in another way.
    Some(match address.segments() {
        [0, 0, 0, 0, 0, 0xffff, high, low] => format!("[::ffff:{high:x}:{low:x}]"),
        _ => format!("[{address}]"),
    })
}

/// Whether URL readers take the host for an IPv4 address, well-formed or not:
/// they do if its last label is a decimal or a hexadecimal number.
pub fn ends_in_number(host: &str) -> bool {
    let last = host.rsplit('.').next().unwrap_or_default();
    let hexadecimal = last
        .strip_prefix("0x")
        .or_else(|| last.strip_prefix("0X"))
        .is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let decimal = !last.is_empty() && last.bytes().all(|byte| byte.is_ascii_digit());
    decimal || hexadecimal
}

/// Whether it is four decimal numbers without leading zeros.
fn is_ipv4(host: &str) -> bool {
    host.parse::<Ipv4Addr>()
        .is_ok_and(|address| address.to_string() == host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_one_form() {
        for host in [
            "a",
            "mcp.example.com",
            "a-b_c.d",
            "xn--bcher-kva.example",
            "127.0.0.1",
            "1a",
            "1.2.3.4.com",
            "0xg",
            "[::1]",
            "[::]",
            "[2001:db8::1]",
            "[2001:db8:0:1:1:1:1:1]",
            "[2001:0:0:1::1]",
            "[::ffff:102:304]",
            "[::102:304]",
        ] {
            assert!(is_host(host), "{host}");
        }
        for host in [
            "",
            ".",
            "A",
            "a.",
            ".a",
            "a..b",
            "a:1",
            "a/b",
            "a b",
            "ä",
            "a%41",
            "u@a",
            "1",
            "1.2.3",
            "1.2.3.4.5",
            "01.2.3.4",
            "256.1.1.1",
            "0x7f.0.0.1",
            "0x",
            "a.0x1",
            "a.1",
            "127.1",
            "[A::1]",
            "[::1",
            "[x]",
            "[]",
            "::1",
            "[::0001]",
            "[0:0:0:0:0:0:0:1]",
            "[::ffff:1.2.3.4]",
            "[1:0:0:2:3:4:5:6]",
            "[fe80::1%25eth0]",
            "[::1].",
        ] {
            assert!(!is_host(host), "{host}");
        }
        assert_eq!(canonical_ipv6("[0:0:0::0:1]").as_deref(), Some("[::1]"));
        assert_eq!(
            canonical_ipv6("[::FFFF:1.2.3.4]").as_deref(),
            Some("[::ffff:102:304]")
        );
    }
}
