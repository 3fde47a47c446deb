//! Blob to [`Policy`].
//!
//! Checks run in this order, each so that the next can trust what it reads:
//! magic (is it a blob at all), version and feature bits (do we know the
//! layout), length (is it whole), digest (is it undamaged), every field in
//! turn, nothing left over, and last the rules that span fields. A reader that
//! skipped what it did not know would drop a restriction, so nothing is.

use std::str::FromStr;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::model::*;
use crate::text::NotA;
use crate::validate::{self, ModelError};
use crate::wire::{DIGEST_AT, FORMAT_VERSION, HEADER_LEN, MAGIC, Reader};

/// Why a blob was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// Fewer bytes than a header, or other bytes than the magic.
    #[error("not a compiled policy: the first bytes are not `\\x89MCPB\\r\\n\\x1a`")]
    NotABlob,
    /// Another layout.
    #[error(
        "compiled policy has format version {found}, this build reads version {FORMAT_VERSION}: compile it with the `mcp-policy` of the same release"
    )]
    Version {
        /// What the blob says.
        found: u16,
    },
    /// A feature this build does not know.
    #[error(
        "compiled policy needs features this build does not know (bits {bits:#06x}): update the filter"
    )]
    Features {
        /// The unknown bits.
        bits: u16,
    },
    /// The stated and the real length differ.
    #[error("compiled policy states {stated} bytes but has {actual}: it was cut or extended")]
    Length {
        /// From the header.
        stated: u32,
        /// Of the input.
        actual: usize,
    },
    /// Damaged.
    #[error("compiled policy is damaged: its digest does not match its contents")]
    Digest,
    /// A field ends after the blob.
    #[error("compiled policy ends inside {what}")]
    Truncated {
        /// What was being read.
        what: &'static str,
    },
    /// Text that is not text.
    #[error("compiled policy has invalid UTF-8 in {what}")]
    NotUtf8 {
        /// What was being read.
        what: &'static str,
    },
    /// A value with no meaning.
    #[error("compiled policy has the unknown value {value} for {what}")]
    UnknownValue {
        /// What was being read.
        what: &'static str,
        /// What it said.
        value: u8,
    },
    /// Bytes after the last field.
    #[error("compiled policy has bytes after its last field")]
    Trailing,
    /// A text that its place does not allow.
    #[error("compiled policy has a text where {place} belongs: {fault}")]
    Text {
        /// What was being read.
        place: &'static str,
        /// What is wrong with it.
        fault: NotA,
    },
    /// Every field is readable, but the whole is not a policy.
    #[error("compiled policy is not valid: {0}")]
    Model(#[from] ModelError),
}

impl Policy {
    /// Reads a blob.
    pub fn decode(blob: &[u8]) -> Result<Self, LoadError> {
        let mut reader = Reader::new(blob);
        if blob.len() < HEADER_LEN || reader.take(MAGIC.len(), "magic")? != MAGIC {
            return Err(LoadError::NotABlob);
        }
        let found = reader.u16("format version")?;
        if found != FORMAT_VERSION {
            return Err(LoadError::Version { found });
        }
        let bits = reader.u16("feature bits")?;
        if bits != 0 {
            return Err(LoadError::Features { bits });
        }
        let stated = reader.u32("total length")?;
        if usize::try_from(stated) != Ok(blob.len()) {
            return Err(LoadError::Length {
                stated,
                actual: blob.len(),
            });
        }
        let digest = digest_of(blob).ok_or(LoadError::NotABlob)?;
        if reader.take(digest.0.len(), "digest")? != digest.0 {
            return Err(LoadError::Digest);
        }

        let unmatched = unmatched(&mut reader)?;
        let endpoints = reader.list("endpoints", endpoint)?;
        if !reader.is_empty() {
            return Err(LoadError::Trailing);
        }
        validate::policy(&unmatched, &endpoints)?;
        Ok(Self {
            unmatched,
            endpoints: endpoints.into_iter().map(Arc::new).collect(),
            digest,
        })
    }
}

/// SHA-256 over everything but the digest field itself.
pub(crate) fn digest_of(blob: &[u8]) -> Option<Digest> {
    let before = blob.get(..DIGEST_AT)?;
    let after = blob.get(HEADER_LEN..)?;
    let hash = Sha256::new().chain_update(before).chain_update(after);
    Some(Digest(hash.finalize().into()))
}

fn byte<T>(
    reader: &mut Reader<'_>,
    what: &'static str,
    parse: fn(u8) -> Option<T>,
) -> Result<T, LoadError> {
    let value = reader.u8(what)?;
    parse(value).ok_or(LoadError::UnknownValue { what, value })
}

fn unmatched(reader: &mut Reader<'_>) -> Result<Unmatched, LoadError> {
    let what = "`unmatched`";
    match reader.u8(what)? {
        0 => Ok(Unmatched::Deny),
        1 => Ok(Unmatched::Pass),
        2 => {
            let entries = reader.list("`unmatched` entries", |reader| {
                Ok(PassEntry {
                    path: path(reader)?,
                    hosts: reader.list("an `unmatched` entry's hosts", host)?,
                })
            })?;
            Ok(Unmatched::Listed(entries))
        }
        value => Err(LoadError::UnknownValue { what, value }),
    }
}

fn upstream(reader: &mut Reader<'_>) -> Result<Upstream, LoadError> {
    let what = "`upstream` paths";
    let path = match reader.u16(what)? {
        0 => None,
        1 => Some(path(reader)?),
        several => {
            let value = u8::try_from(several).unwrap_or(u8::MAX);
            return Err(LoadError::UnknownValue { what, value });
        }
    };
    Ok(Upstream {
        path,
        hosts: texts(reader, "`upstream` hosts")?,
    })
}

fn endpoint(reader: &mut Reader<'_>) -> Result<Endpoint, LoadError> {
    Ok(Endpoint {
        name: text(reader, "an endpoint's name")?,
        hosts: reader.list("an endpoint's hosts", host)?,
        path: path(reader)?,
        revisions: byte(reader, "`versions`", Revisions::from_bits)?,
        mode: byte(reader, "`mode`", Mode::from_byte)?,
        denial: byte(reader, "`denial`", Denial::from_byte)?,
        responses: byte(reader, "`responses`", Switch::from_byte)?,
        streams: byte(reader, "`streams`", Switch::from_byte)?,
        sessions: byte(reader, "`sessions`", Switch::from_byte)?,
        upstream: upstream(reader)?,
        tool_names: byte(reader, "`tool_names`", ToolNames::from_byte)?,
        resource_uris: byte(reader, "`resource_uris`", ResourceUris::from_byte)?,
        compat: Compat {
            equal_version_repeats: byte(reader, "`equal_version_repeats`", Switch::from_byte)?,
            stale_mirrors: byte(reader, "`stale_mirrors`", Switch::from_byte)?,
        },
        limits: Limits {
            body_bytes: reader.u32("`body_bytes`")?,
            depth: reader.u8("`depth`")?,
            batch_members: reader.u16("`batch_members`")?,
        },
        origins: strings(reader, "`origins`")?,
        forbidden_arguments: strings(reader, "`arguments.forbid`")?,
        set_by_filters: strings(reader, "`arguments.set_by_filters`")?,
        allow: reader.list("`allow`", rule)?,
        deny: reader.list("`deny`", rule)?,
    })
}

fn host(reader: &mut Reader<'_>) -> Result<HostPattern, LoadError> {
    let what = "a host pattern";
    match reader.u8("a host pattern's kind")? {
        0 => Ok(HostPattern::Exact(text(reader, what)?)),
        1 => Ok(HostPattern::Suffix(text(reader, what)?)),
        value => Err(LoadError::UnknownValue {
            what: "a host pattern's kind",
            value,
        }),
    }
}

fn path(reader: &mut Reader<'_>) -> Result<PathPattern, LoadError> {
    let what = "a path";
    match reader.u8("a path's kind")? {
        0 => Ok(PathPattern::Exact(text(reader, what)?)),
        1 => Ok(PathPattern::Prefix(text(reader, what)?)),
        value => Err(LoadError::UnknownValue {
            what: "a path's kind",
            value,
        }),
    }
}

fn rule(reader: &mut Reader<'_>) -> Result<Rule, LoadError> {
    Ok(Rule {
        id: text(reader, "a rule's id")?,
        when: reader.list("a rule's conditions", condition)?,
        methods: names(reader, "a rule's methods")?,
        tools: names(reader, "a rule's tools")?,
        prompts: names(reader, "a rule's prompts")?,
        resources: names(reader, "a rule's resources")?,
        extensions: texts(reader, "a rule's extensions")?,
    })
}

fn condition(reader: &mut Reader<'_>) -> Result<Condition, LoadError> {
    let what = "a condition's source";
    let source = match reader.u8(what)? {
        0 => Source::JwtClaim {
            payload: reader.string("a JWT payload key")?,
            path: strings(reader, "a JWT claim")?,
        },
        1 => Source::PeerSan,
        2 => Source::Header(reader.string("a condition's header")?),
        value => return Err(LoadError::UnknownValue { what, value }),
    };
    Ok(Condition {
        source,
        values: names(reader, "a condition's values")?,
    })
}

fn names(reader: &mut Reader<'_>, what: &'static str) -> Result<Names, LoadError> {
    Ok(Names {
        exact: texts(reader, what)?,
        globs: texts(reader, what)?,
    })
}

fn strings(reader: &mut Reader<'_>, what: &'static str) -> Result<Vec<String>, LoadError> {
    reader.list(what, |reader| reader.string(what))
}

/// A text with a grammar.
fn text<T: FromStr<Err = NotA>>(
    reader: &mut Reader<'_>,
    place: &'static str,
) -> Result<T, LoadError> {
    let text = reader.string(place)?;
    text.parse()
        .map_err(|fault| LoadError::Text { place, fault })
}

fn texts<T: FromStr<Err = NotA>>(
    reader: &mut Reader<'_>,
    place: &'static str,
) -> Result<Vec<T>, LoadError> {
    reader.list(place, |reader| text(reader, place))
}
