//! The filter that stands between admit and recheck and does what cases say.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;

use crate::corpus::{Between, Case, Place, Recorded};
use crate::envoy::Listener;
use crate::error::{Error, Result};
use crate::policy::{self, Part};
use crate::rewriter::lua;

/// The header by which the filter finds what it is to do.
pub(super) const CASE: &str = "x-case";

/// Cases that can share a listener: policy, place, and whether there is admit.
type Kind = (String, Place, bool);

/// The listeners of cases with something in between.
#[derive(Debug, Default)]
pub(super) struct Rewriting(BTreeMap<Kind, Group>);

#[derive(Debug)]
struct Group {
    name: Result<String>,
    /// What the filter does, by case.
    lua: String,
}

fn kind(case: &Case, between: &Between) -> Result<Kind> {
    let admits = between.recorded()? == Recorded::ByAdmit;
    Ok((case.policy.document()?, between.place, admits))
}

impl Rewriting {
    pub(super) fn add(&mut self, case: &Case, between: &Between) {
        let Ok(kind) = kind(case, between) else {
            return;
        };
        let name = format!("between-{}", self.0.len());
        let group = self.0.entry(kind).or_insert_with_key(|(text, ..)| Group {
            name: policy::compile(text).map(|_| name),
            lua: String::new(),
        });
        group.lua.push_str(&edits(&case.id, between));
    }

    pub(super) fn listener(&self, case: &Case, between: &Between) -> Result<String> {
        match self.0.get(&kind(case, between)?) {
            Some(group) => group.name.clone(),
            None => Err(Error::new("the case was not planned for")),
        }
    }

    pub(super) fn listeners(&self, module: &std::path::Path) -> Result<Vec<Listener>> {
        let mut listeners = Vec::new();
        for ((text, place, admits), group) in &self.0 {
            let Ok(name) = &group.name else { continue };
            let mut listener = Listener::new(name);
            if *admits {
                let own = format!("{name}-admit");
                listener.admit = Some(policy::stanza(text, Part::Admit, &own, module)?);
            }
            listener.between = vec![filter(&group.lua)];
            // The filter goes by its configuration; that the cluster's chain
            // takes it is the recheck matrix's to show.
            let part = match place {
                Place::Chain => Part::Recheck,
                Place::Upstream => Part::Upstream,
            };
            let own = format!("{name}-recheck");
            listener.recheck = Some(policy::stanza(text, part, &own, module)?);
            listeners.push(listener);
        }
        Ok(listeners)
    }
}

/// One entry of the table `edits`.
fn edits(id: &str, between: &Between) -> String {
    let mut text = format!("edits[{}] = function(handle)\n", quoted(id.as_bytes()));
    // The body first: it sets the length, and no header outlives the wait.
    if let Some(body) = &between.body {
        let body = quoted(body.as_bytes());
        let _ = writeln!(text, "  handle:body(true):setBytes({body})");
    }
    let _ = writeln!(text, "  local headers = handle:headers()");
    for (name, value) in between.set() {
        let (name, value) = (quoted(name.as_bytes()), quoted(&value));
        let _ = writeln!(text, "  headers:replace({name}, {value})");
    }
    for name in &between.headers.remove {
        let _ = writeln!(text, "  headers:remove({})", quoted(name.as_bytes()));
    }
    text.push_str("end\n");
    text
}

/// Bytes as Lua writes them.
fn quoted(bytes: &[u8]) -> String {
    let escaped: String = bytes.iter().map(|byte| format!("\\{byte:03}")).collect();
    format!("\"{escaped}\"")
}

fn filter(edits: &str) -> Value {
    let code = format!(
        "local edits = {{}}\n{edits}\nfunction envoy_on_request(handle)\n  local edit = edits[handle:headers():get(\"{CASE}\")]\n  if edit then edit(handle) end\nend\n"
    );
    lua(&code)
}
