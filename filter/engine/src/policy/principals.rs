//! Who sent a request, and whether a rule's `when` holds for them.
//! Contract section 10.

use mcp_boundary_format::{Condition, Names, Rule, Source};

use super::claims::{self, Scalar};
use super::names::contains;
use crate::head::fields::Fields;
use mcp_boundary_format::glob::Style;

/// What the host must look up for [`Head::attributes`](crate::Head::attributes).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Attribute {
    /// All dynamic metadata, as a serialised `envoy.config.core.v3.Metadata`.
    Metadata,
    /// The first URI among the names of the client's certificate.
    PeerUri,
    /// The first DNS name among them.
    PeerDns,
}

impl Attribute {
    /// The path by which Envoy knows it.
    pub const fn path(self) -> &'static [&'static str] {
        match self {
            Self::Metadata => &["metadata"],
            Self::PeerUri => &["connection", "uri_san_peer_certificate"],
            Self::PeerDns => &["connection", "dns_san_peer_certificate"],
        }
    }

    /// What these sources are read from, each once.
    pub(crate) fn of(sources: &[Source]) -> Vec<Self> {
        let of = |source: &Source| match source {
            Source::JwtClaim { .. } => &[Self::Metadata][..],
            Source::PeerSan => &[Self::PeerUri, Self::PeerDns],
            // Read with the other headers.
            Source::Header(_) => &[],
        };
        let mut attributes: Vec<Self> = sources.iter().flat_map(of).copied().collect();
        attributes.sort();
        attributes.dedup();
        attributes
    }
}

/// The values of each source; `None` where they are not known.
pub(crate) type Known = Vec<Option<Vec<Scalar>>>;

/// Reads `sources` from what the host found of `attributes`. It shows the same
/// of what is empty and of what is not there.
pub(crate) fn read(
    sources: &[Source],
    attributes: &[Attribute],
    found: &[Option<Vec<u8>>],
) -> Known {
    let bytes = |wanted: Attribute| {
        let mut pairs = attributes.iter().zip(found);
        let (_, bytes) = pairs.find(|(attribute, _)| **attribute == wanted)?;
        bytes.as_deref().filter(|bytes| !bytes.is_empty())
    };
    let values = |source: &Source| match source {
        Source::JwtClaim { payload, path } => {
            claims::claim(bytes(Attribute::Metadata)?, payload, path)
        }
        Source::PeerSan => claims::peer(bytes(Attribute::PeerUri), bytes(Attribute::PeerDns)),
        Source::Header(_) => None,
    };
    sources.iter().map(values).collect()
}

/// What is known about who sent the request.
#[derive(Debug)]
pub(crate) struct Principals<'a> {
    /// What the rules of the policy ask for, headers aside.
    pub(crate) sources: &'a [Source],
    /// Their values.
    pub(crate) known: &'a Known,
    /// Headers that rules name.
    pub(crate) fields: &'a Fields,
}

/// Whether a condition holds; the two unequal answers to "not known" are the
/// caller's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Met {
    /// One of its values is there.
    Yes,
    /// Others are there.
    No,
    /// There is none that can be read: it allows nothing and denies all.
    Unknown,
}

impl Principals<'_> {
    /// As everywhere, denies compare without case and take what is too long to
    /// be tried for a match.
    pub(crate) fn met(&self, condition: &Condition, deny: bool) -> Met {
        let style = Style {
            segments: condition.source == Source::PeerSan,
            fold: deny,
        };
        let known = |holds: bool| if holds { Met::Yes } else { Met::No };
        if let Source::Header(name) = &condition.source {
            return match self.fields.get(name).one() {
                Ok(Some(value)) => known(contains(&condition.values, value, style, deny)),
                Ok(None) | Err(_) => Met::Unknown,
            };
        }
        let mut sources = self.sources.iter().zip(self.known);
        match sources.find(|(source, _)| **source == condition.source) {
            Some((_, Some(values))) => known(
                values
                    .iter()
                    .any(|value| is_wanted(&condition.values, value, style, deny)),
            ),
            _ => Met::Unknown,
        }
    }

    /// Whether all conditions of an allow rule certainly hold.
    pub(crate) fn permits(&self, rule: &Rule) -> bool {
        rule.when
            .iter()
            .all(|condition| self.met(condition, false) == Met::Yes)
    }

    /// Whether all conditions of a deny rule may hold.
    pub(crate) fn forbids(&self, rule: &Rule) -> bool {
        rule.when
            .iter()
            .all(|condition| self.met(condition, true) != Met::No)
    }
}

/// Policies write every value as text; a number or a flag is compared with the
/// text that JSON writes for it. A number also equals whatever else JSON may
/// write for it: `8`, `8.0` and `8e0` are one number.
fn is_wanted(wanted: &Names, value: &Scalar, style: Style, deny: bool) -> bool {
    match value {
        Scalar::Text(text) => contains(wanted, text, style, deny),
        Scalar::Flag(flag) => contains(wanted, if *flag { "true" } else { "false" }, style, deny),
        Scalar::Number(number) => {
            let mut exact = wanted.exact.iter();
            exact.any(|text| as_number(text) == Some(*number))
                || contains(wanted, &written(*number), style, deny)
        }
    }
}

/// A number as JSON has it: `8`, not `8.0`. Claims hold no whole number that
/// an `i64` cannot.
fn written(number: f64) -> String {
    if number.fract() == 0.0 {
        return (number as i64).to_string();
    }
    serde_json::Number::from_f64(number).map_or_else(String::new, |number| number.to_string())
}

/// The number that `text` is in JSON; none if it is none.
fn as_number(text: &str) -> Option<f64> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let whole = whole.strip_prefix('-').unwrap_or(whole);
    let is_number = digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && digits(fraction)
        && digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent));
    let number: f64 = is_number.then(|| text.parse().ok()).flatten()?;
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_json() {
        for (text, number) in [
            ("8", Some(8.0)),
            ("-8", Some(-8.0)),
            ("8.0", Some(8.0)),
            ("8e0", Some(8.0)),
            ("0.1", Some(0.1)),
            ("-0", Some(0.0)),
            ("08", None),
            ("+8", None),
            (" 8", None),
            ("8.", None),
            (".5", None),
            ("0x8", None),
            ("inf", None),
            ("nan", None),
            ("1e400", None),
            ("", None),
        ] {
            assert_eq!(as_number(text), number, "{text:?}");
        }
    }

    #[test]
    fn numbers_are_written_as_in_json() {
        for (number, text) in [
            (8.0, "8"),
            (-3.0, "-3"),
            (-0.0, "0"),
            (1.5, "1.5"),
            (1e-9, "1e-9"),
        ] {
            assert_eq!(written(number), text);
            assert_eq!(as_number(text), Some(number));
        }
    }

    #[test]
    fn attributes_are_looked_up_once() {
        let claim = |name: &str| Source::JwtClaim {
            payload: "p".into(),
            path: vec![name.into()],
        };
        let header = Source::Header("x".into());
        assert_eq!(Attribute::of(&[header]), []);
        assert_eq!(
            Attribute::of(&[claim("a"), claim("b"), Source::PeerSan]),
            [Attribute::Metadata, Attribute::PeerUri, Attribute::PeerDns]
        );
    }
}
