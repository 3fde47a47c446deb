//! Parts to [`Policy`] to blob. Host only.

use std::sync::Arc;

use crate::decode::digest_of;
use crate::model::*;
use crate::validate::{self, ModelError};
use crate::wire::{DIGEST_AT, FORMAT_VERSION, HEADER_LEN, MAGIC, Writer};

/// Why parts do not make a policy.
pub type SealError = ModelError;

impl Policy {
    /// Brings the parts into canonical order, checks them and computes the
    /// digest. The order in which they were authored does not matter.
    pub fn seal(mut unmatched: Unmatched, mut endpoints: Vec<Endpoint>) -> Result<Self, SealError> {
        if let Unmatched::Listed(entries) = &mut unmatched {
            entries.iter_mut().for_each(|entry| entry.hosts.sort());
            entries.sort();
        }
        for endpoint in &mut endpoints {
            endpoint.hosts.sort();
            endpoint.upstream.hosts.sort();
            endpoint.set_by_filters.sort();
            endpoint.origins.sort();
            endpoint.forbidden_arguments.sort();
            for rules in [&mut endpoint.allow, &mut endpoint.deny] {
                rules.sort_by(|a, b| a.id.cmp(&b.id));
                for rule in rules {
                    rule.when.sort_by(|a, b| a.source.cmp(&b.source));
                    rule.extensions.sort();
                    let values = rule.when.iter_mut().map(|condition| &mut condition.values);
                    for names in values.chain([
                        &mut rule.methods,
                        &mut rule.tools,
                        &mut rule.prompts,
                        &mut rule.resources,
                    ]) {
                        names.exact.sort();
                        names.globs.sort();
                    }
                }
            }
        }
        endpoints.sort_by(|a, b| a.name.cmp(&b.name));
        validate::policy(&unmatched, &endpoints)?;
        let mut policy = Self {
            unmatched,
            endpoints: endpoints.into_iter().map(Arc::new).collect(),
            digest: Digest([0; 32]),
        };
        let blob = policy.write()?;
        policy.digest = digest_of(&blob).ok_or(ModelError::TooMany { what: "bytes" })?;
        Ok(policy)
    }

    /// The blob. `Policy::decode` gives back an equal policy.
    pub fn encode(&self) -> Result<Vec<u8>, SealError> {
        let mut blob = self.write()?;
        if let Some(field) = blob.get_mut(DIGEST_AT..HEADER_LEN) {
            field.copy_from_slice(&self.digest.0);
        }
        Ok(blob)
    }

    /// Everything, with a zero digest.
    fn write(&self) -> Result<Vec<u8>, ModelError> {
        let mut contents = Writer::new();
        match &self.unmatched {
            Unmatched::Deny => contents.u8(0),
            Unmatched::Pass => contents.u8(1),
            Unmatched::Listed(entries) => {
                contents.u8(2);
                contents.list(entries, "`unmatched` entries", |out, entry| {
                    path(out, &entry.path)?;
                    out.list(&entry.hosts, "hosts", host)
                })?;
            }
        }
        contents.list(&self.endpoints, "endpoints", |out, each| {
            endpoint(out, each)
        })?;
        let contents = contents.into_bytes();

        let what = "bytes";
        let total = HEADER_LEN
            .checked_add(contents.len())
            .and_then(|total| u32::try_from(total).ok())
            .ok_or(ModelError::TooMany { what })?;
        let mut blob = Writer::new();
        blob.raw(&MAGIC);
        blob.u16(FORMAT_VERSION);
        blob.u16(0);
        blob.u32(total);
        blob.raw(&[0; 32]);
        blob.raw(&contents);
        Ok(blob.into_bytes())
    }
}

fn endpoint(out: &mut Writer, endpoint: &Endpoint) -> Result<(), ModelError> {
    let Endpoint {
        name,
        hosts,
        path,
        revisions,
        mode,
        denial,
        responses,
        streams,
        sessions,
        upstream,
        tool_names,
        resource_uris,
        compat,
        limits,
        origins,
        forbidden_arguments,
        set_by_filters,
        allow,
        deny,
    } = endpoint;
    out.string(name, "bytes in an endpoint's name")?;
    out.list(hosts, "hosts", host)?;
    self::path(out, path)?;
    out.u8(revisions.bits());
    out.u8(*mode as u8);
    out.u8(*denial as u8);
    for switch in [responses, streams, sessions] {
        out.u8(*switch as u8);
    }
    out.list(upstream.path.as_slice(), "upstream paths", self::path)?;
    strings(out, &upstream.hosts, "upstream hosts")?;
    out.u8(*tool_names as u8);
    out.u8(*resource_uris as u8);
    out.u8(compat.equal_version_repeats as u8);
    out.u8(compat.stale_mirrors as u8);
    out.u32(limits.body_bytes);
    out.u8(limits.depth);
    out.u16(limits.batch_members);
    strings(out, origins, "origins")?;
    strings(out, forbidden_arguments, "forbidden arguments")?;
    strings(out, set_by_filters, "arguments set by filters")?;
    out.list(allow, "`allow` rules", rule)?;
    out.list(deny, "`deny` rules", rule)
}

fn host(out: &mut Writer, host: &HostPattern) -> Result<(), ModelError> {
    let (kind, text) = match host {
        HostPattern::Exact(text) => (0, text),
        HostPattern::Suffix(text) => (1, text),
    };
    out.u8(kind);
    out.string(text, "bytes in a host")
}

fn path(out: &mut Writer, path: &PathPattern) -> Result<(), ModelError> {
    out.u8(match path {
        PathPattern::Exact(_) => 0,
        PathPattern::Prefix(_) => 1,
    });
    out.string(path.as_str(), "bytes in a path")
}

fn rule(out: &mut Writer, rule: &Rule) -> Result<(), ModelError> {
    let Rule {
        id,
        when,
        methods,
        tools,
        prompts,
        resources,
        extensions,
    } = rule;
    out.string(id, "bytes in a rule's id")?;
    out.list(when, "conditions", |out, condition| {
        match &condition.source {
            Source::JwtClaim { payload, path } => {
                out.u8(0);
                out.string(payload, "bytes in a JWT payload key")?;
                strings(out, path, "JWT claim members")?;
            }
            Source::PeerSan => out.u8(1),
            Source::Header(name) => {
                out.u8(2);
                out.string(name, "bytes in a header name")?;
            }
        }
        names(out, &condition.values, "values of a condition")
    })?;
    names(out, methods, "methods")?;
    names(out, tools, "tools")?;
    names(out, prompts, "prompts")?;
    names(out, resources, "resources")?;
    strings(out, extensions, "extensions")
}

fn names(out: &mut Writer, names: &Names, what: &'static str) -> Result<(), ModelError> {
    strings(out, &names.exact, what)?;
    strings(out, &names.globs, what)
}

fn strings(
    out: &mut Writer,
    items: &[impl AsRef<str>],
    what: &'static str,
) -> Result<(), ModelError> {
    out.list(items, what, |out, item| out.string(item.as_ref(), what))
}
