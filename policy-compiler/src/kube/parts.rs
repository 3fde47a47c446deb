//! Words of the command line that name things of Kubernetes.

use std::fmt;
use std::str::FromStr;

/// Where a module is fetched from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Image {
    /// An OCI image, by its digest.
    Oci {
        /// Registry and name.
        name: String,
        /// SHA-256 of its manifest, 64 hexadecimal digits.
        sha256: String,
    },
    /// A file on the proxy's machine.
    File(String),
}

/// Why a text is no [`Image`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// Another scheme, or none.
    #[error(
        "it begins with neither `oci://` nor `file:///`; write oci://REGISTRY/NAME@sha256:DIGEST"
    )]
    Scheme,
    /// A tag, or nothing at all.
    #[error(
        "it names no digest; write oci://REGISTRY/NAME@sha256:DIGEST, since a tag may come to mean another module"
    )]
    Digest,
    /// A character that no image has.
    #[error("it has a character that no image's name has; write oci://REGISTRY/NAME@sha256:DIGEST")]
    Name,
}

impl FromStr for Image {
    type Err = ImageError;

    fn from_str(text: &str) -> Result<Self, ImageError> {
        let plain = |text: &str, more: &[u8]| {
            let mut bytes = text.bytes();
            !text.is_empty()
                && bytes.all(|byte| byte.is_ascii_alphanumeric() || more.contains(&byte))
        };
        if let Some(path) = text.strip_prefix("file://") {
            let is_path = path.starts_with('/') && plain(path, b"/._-");
            return is_path
                .then(|| Self::File(path.to_owned()))
                .ok_or(ImageError::Name);
        }
        let image = text.strip_prefix("oci://").ok_or(ImageError::Scheme)?;
        let (name, sha256) = image.split_once("@sha256:").ok_or(ImageError::Digest)?;
        let is_digest = sha256.len() == 64
            && sha256
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if !is_digest {
            return Err(ImageError::Digest);
        }
        match plain(name, b"/._-:") && name.contains('/') {
            true => Ok(Self::Oci {
                name: name.to_owned(),
                sha256: sha256.to_owned(),
            }),
            false => Err(ImageError::Name),
        }
    }
}

impl fmt::Display for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Oci { name, sha256 } => write!(f, "oci://{name}@sha256:{sha256}"),
            Self::File(path) => write!(f, "file://{path}"),
        }
    }
}

/// What kind of proxy of Istio runs the filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum At {
    /// The sidecar of the MCP server
    #[default]
    Sidecar,
    /// A gateway
    Gateway,
    /// A waypoint
    Waypoint,
}

/// Labels of pods, each key once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Labels(Vec<(String, String)>);

/// Why a text is no [`Labels`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is no list of labels; write KEY=VALUE, several with commas")]
pub struct LabelsError;

impl Labels {
    /// Key and value of each.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(key, value)| (key.as_str(), value.as_str()))
    }
}

impl FromStr for Labels {
    type Err = LabelsError;

    fn from_str(text: &str) -> Result<Self, LabelsError> {
        let mut labels: Vec<(String, String)> = Vec::new();
        for label in text.split(',') {
            let (key, value) = label.split_once('=').ok_or(LabelsError)?;
            let plain = |text: &str, more: &[u8]| {
                let mut bytes = text.bytes();
                bytes.all(|byte| byte.is_ascii_alphanumeric() || more.contains(&byte))
            };
            let is_new = labels.iter().all(|(other, _)| other != key);
            if key.is_empty() || !plain(key, b"-_./") || !plain(value, b"-_.") || !is_new {
                return Err(LabelsError);
            }
            labels.push((key.to_owned(), value.to_owned()));
        }
        Ok(Self(labels))
    }
}

/// A resource that a policy is attached to, as `KIND/NAME`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// Its API group, empty for the core one.
    pub group: &'static str,
    /// Its kind.
    pub kind: &'static str,
    /// Its name.
    pub name: String,
}

impl Reference {
    /// The kinds that control planes take, with their groups.
    const KINDS: [(&'static str, &'static str); 5] = [
        ("gateway.networking.k8s.io", "Gateway"),
        ("gateway.networking.k8s.io", "GatewayClass"),
        ("gateway.networking.k8s.io", "HTTPRoute"),
        ("", "Service"),
        ("networking.istio.io", "ServiceEntry"),
    ];
}

impl FromStr for Reference {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, name) = text.split_once('/').unwrap_or((text, ""));
        let mut kinds = Self::KINDS.into_iter();
        let found = kinds.find(|(_, known)| *known == kind);
        let (group, kind) = found.ok_or(
            "its kind is none of `Gateway`, `GatewayClass`, `HTTPRoute`, `Service` and `ServiceEntry`; write KIND/NAME",
        )?;
        match is_name(name) {
            true => Ok(Self {
                group,
                kind,
                name: name.to_owned(),
            }),
            false => Err("it names no resource; write KIND/NAME".to_owned()),
        }
    }
}

/// Whether it can name an object: a DNS label, as RFC 1123 has it, with room
/// for what is appended.
pub(crate) fn is_name(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=50).contains(&text.len())
        && text.bytes().all(inner)
        && !text.starts_with('-')
        && !text.ends_with('-')
}

/// What an object is attached to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// Pods with these labels.
    Selector(Labels),
    /// A resource.
    Reference(Reference),
}

/// A release of Istio: the minor version behind `1.`
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Minor(pub u32);

/// Why a text is no [`Minor`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is no release of Istio; write one such as 1.30")]
pub struct MinorError;

impl FromStr for Minor {
    type Err = MinorError;

    fn from_str(text: &str) -> Result<Self, MinorError> {
        let mut numbers = text.split('.').map(|number| {
            let digits = number.bytes().all(|byte| byte.is_ascii_digit());
            number.parse::<u32>().ok().filter(|_| digits)
        });
        match (
            numbers.next(),
            numbers.next(),
            numbers.next(),
            numbers.next(),
        ) {
            (Some(Some(1)), Some(Some(minor)), None | Some(Some(_)), None) => Ok(Self(minor)),
            _ => Err(MinorError),
        }
    }
}

impl fmt::Display for Minor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "1.{}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_are_named_by_digest() {
        let digest = "0".repeat(64);
        for good in [
            format!("oci://registry.example:5000/team/mcp-boundary@sha256:{digest}"),
            "file:///etc/istio/mcp_boundary.wasm".to_owned(),
        ] {
            assert_eq!(good.parse::<Image>().unwrap().to_string(), good);
        }
        for (wrong, error) in [
            ("registry.example/a".to_owned(), ImageError::Scheme),
            ("https://registry.example/a".to_owned(), ImageError::Scheme),
            (
                "oci://registry.example/a:1.0".to_owned(),
                ImageError::Digest,
            ),
            (
                "oci://registry.example/a@sha256:00".to_owned(),
                ImageError::Digest,
            ),
            (
                format!("oci://registry.example/a@sha256:{}", "A".repeat(64)),
                ImageError::Digest,
            ),
            (format!("oci://a@sha256:{digest}"), ImageError::Name),
            (format!("oci://r/a\"b@sha256:{digest}"), ImageError::Name),
            ("file://etc/a.wasm".to_owned(), ImageError::Name),
        ] {
            assert_eq!(wrong.parse::<Image>(), Err(error), "{wrong}");
        }
    }

    #[test]
    fn labels_and_references_are_what_kubernetes_takes() {
        let labels: Labels = "app=mcp,example.com/tier=back-end,empty=".parse().unwrap();
        let listed: Vec<_> = labels.iter().collect();
        let expected = [
            ("app", "mcp"),
            ("example.com/tier", "back-end"),
            ("empty", ""),
        ];
        assert_eq!(listed, expected);
        for wrong in ["", "app", "=a", "a=b,a=c", "a=b c", "a=b,", "a=\"b\""] {
            assert_eq!(wrong.parse::<Labels>(), Err(LabelsError), "{wrong}");
        }
        let reference: Reference = "Service/mcp".parse().unwrap();
        assert_eq!((reference.group, reference.kind), ("", "Service"));
        for wrong in [
            "",
            "mcp",
            "Service/",
            "Pod/mcp",
            "Service/MCP",
            "Service/-a",
        ] {
            assert!(wrong.parse::<Reference>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn releases_are_numbers() {
        assert_eq!("1.30".parse(), Ok(Minor(30)));
        assert_eq!("1.27.3".parse(), Ok(Minor(27)));
        for wrong in ["", "1", "2.0", "1.x", "1.+3", "1.2.3.4", "1.30-rc"] {
            assert_eq!(wrong.parse::<Minor>(), Err(MinorError), "{wrong}");
        }
    }
}
