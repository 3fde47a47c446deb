//! A whole Envoy configuration in front of one MCP server: a shipped one with
//! a policy in its places. Its comments stay, so that a line can be understood
//! where it stands.

use std::fmt;
use std::str::FromStr;

use crate::envoy::{Place, Role, Stanza, discovered, http_filter};
use crate::yaml::quoted;

/// What ships for an Envoy that clients connect to.
pub const EDGE: &str = include_str!("../../envoy/bootstrap.yaml");
/// What ships for an Envoy behind one other proxy.
pub const BEHIND_PROXY: &str = include_str!("../../envoy/bootstrap-behind-proxy.yaml");

/// A host and a port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    host: String,
    port: u16,
}

impl Address {
    /// An address, or a name; without brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The TCP port; 0 for any that is free.
    pub fn port(&self) -> u16 {
        self.port
    }

    fn yaml(&self) -> String {
        let (host, port) = (quoted(&self.host), self.port);
        format!("socket_address: {{ address: {host}, port_value: {port} }}")
    }
}

/// Why a text is no [`Address`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// There is no colon.
    #[error("there is no port; write HOST:PORT, such as 127.0.0.1:8080")]
    NoPort,
    /// Nothing stands before it, or what is no host.
    #[error("the host is no name and no address; write it without scheme and path")]
    Host,
    /// An IPv6 address stands without brackets.
    #[error("an IPv6 address stands in brackets; write [::1]:8080")]
    Brackets,
    /// What follows is no number that ports have.
    #[error("the port is no number from 0 to 65535")]
    Port,
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let (host, port) = text.rsplit_once(':').ok_or(AddressError::NoPort)?;
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let host = match host.strip_prefix('[') {
            Some(inner) => inner
                .strip_suffix(']')
                .filter(|inner| inner.parse::<std::net::Ipv6Addr>().is_ok())
                .ok_or(AddressError::Host)?,
            None if text.parse::<std::net::Ipv6Addr>().is_ok() => {
                return Err(AddressError::Brackets);
            }
            None if !host.is_empty() && host.bytes().all(plain) => host,
            None => return Err(AddressError::Host),
        };
        let digits = port.bytes().all(|byte| byte.is_ascii_digit());
        let number = port.parse().ok().filter(|_| digits);
        Ok(Self {
            host: host.to_owned(),
            port: number.ok_or(AddressError::Port)?,
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "[{}]:{}", self.host, self.port),
            false => write!(f, "{}:{}", self.host, self.port),
        }
    }
}

/// What a configuration is made of.
#[derive(Debug, Clone)]
pub struct Bootstrap<'a> {
    /// Admit's entry; the recheck's is made of it.
    pub admit: Stanza<'a>,
    /// Where the recheck stands.
    pub recheck: Place,
    /// Where Envoy listens.
    pub listen: Address,
    /// The MCP server.
    pub upstream: Address,
    /// Envoy's admin interface.
    pub admin: Address,
    /// Whether another proxy stands before Envoy.
    pub behind_proxy: bool,
    /// The folder of files `admit.yaml` and `recheck.yaml` from which Envoy is
    /// to have the filters; in the configuration itself if absent.
    pub discover: Option<&'a str>,
}

const LISTEN: &str = "socket_address: { address: 0.0.0.0, port_value: 8080 }";
const UPSTREAM: &str = "socket_address: { address: mcp-server, port_value: 8000 }";
const ADMIN: &str = "socket_address: { address: 127.0.0.1, port_value: 9901 }";
const ADMIT: &str = "- name: mcp-boundary-admit";
const RECHECK: &str = "- name: mcp-boundary-recheck";
/// The last of the cluster's options, behind which its filters go.
const OPTIONS: &str = "explicit_http_config:";
const CODEC: &str = r#"- name: envoy.filters.http.upstream_codec
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.upstream_codec.v3.UpstreamCodec
"#;

impl Bootstrap<'_> {
    fn entry(&self, stanza: &Stanza<'_>) -> String {
        match self.discover {
            None => http_filter(stanza),
            Some(folder) => {
                let path = format!("{}/{}.yaml", folder.trim_end_matches('/'), stanza.role);
                discovered(&stanza.entry_name(), &path)
            }
        }
    }

    /// The configuration, as YAML.
    pub fn render(&self) -> String {
        let shipped = match self.behind_proxy {
            false => EDGE,
            true => BEHIND_PROXY,
        };
        let admit = self.entry(&self.admit);
        let recheck = self.entry(&Stanza {
            role: Role::Recheck,
            place: self.recheck,
            ..self.admit.clone()
        });
        let mut out = String::from(match self.discover {
            None => {
                "# Written by `mcp-policy bootstrap`. A new policy goes in by writing it anew.\n"
            }
            Some(_) => {
                "# Written by `mcp-policy bootstrap`. The filters are in files of their own, which\n# `mcp-policy envoy --resource` writes.\nnode: { id: mcp-boundary, cluster: mcp-boundary }\n"
            }
        });
        // What the file says of itself does not hold any more.
        for line in shipped.lines().skip_while(|line| line.starts_with('#')) {
            let text = line.trim_start();
            let indent = line.len().saturating_sub(text.len());
            match (text, self.recheck) {
                (ADMIN, _) => push(&mut out, indent, &self.admin.yaml()),
                (LISTEN, _) => push(&mut out, indent, &self.listen.yaml()),
                (UPSTREAM, _) => push(&mut out, indent, &self.upstream.yaml()),
                (ADMIT, _) => push(&mut out, indent, &admit),
                (RECHECK, Place::Chain) => push(&mut out, indent, &recheck),
                (RECHECK, Place::Upstream) => {}
                (OPTIONS, Place::Upstream) => {
                    push(&mut out, indent, "http_filters:");
                    push(&mut out, indent.saturating_add(2), &recheck);
                    push(&mut out, indent.saturating_add(2), CODEC);
                    push(&mut out, 0, line);
                }
                _ => push(&mut out, 0, line),
            }
        }
        out
    }
}

fn push(out: &mut String, indent: usize, text: &str) {
    for line in text.lines() {
        if !line.is_empty() {
            out.extend(std::iter::repeat_n(' ', indent));
        }
        out.push_str(line);
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_one_thing_or_refused() {
        for (text, host, port) in [
            ("127.0.0.1:8080", "127.0.0.1", 8080),
            ("my-server:1", "my-server", 1),
            ("[::1]:65535", "::1", 65535),
        ] {
            let address: Address = text.parse().unwrap();
            assert_eq!((address.host(), address.port()), (host, port));
            assert_eq!(address.to_string(), text);
        }
        for (text, error) in [
            ("localhost", AddressError::NoPort),
            (":80", AddressError::Host),
            ("http://a:80", AddressError::Host),
            ("a b:80", AddressError::Host),
            ("[x]:80", AddressError::Host),
            ("[::1:80", AddressError::Host),
            ("::1", AddressError::Brackets),
            ("a:", AddressError::Port),
            ("a:x", AddressError::Port),
            ("a:+1", AddressError::Port),
            ("a:65536", AddressError::Port),
        ] {
            assert_eq!(text.parse::<Address>(), Err(error), "{text}");
        }
    }

    /// Each is replaced where it stands, so each must stand there once.
    #[test]
    fn what_ships_has_its_places() {
        for shipped in [EDGE, BEHIND_PROXY] {
            for place in [LISTEN, UPSTREAM, ADMIN, ADMIT, RECHECK, OPTIONS] {
                let lines = shipped.lines().filter(|line| line.trim_start() == place);
                assert_eq!(lines.count(), 1, "{place}");
            }
        }
    }
}
