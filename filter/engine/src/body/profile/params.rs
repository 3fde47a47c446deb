//! Params of one call: what of them does not fit the revision.

use serde_json::{Map, Value, json};
use tower_mcp_types::inspection::{McpDirection, McpInspector};

use super::class::Class;
use super::shape::{self, Wrong};
use super::stricter;
use crate::answer::reason::{Reason, Refusal};
use crate::answer::show::Shown;
use crate::body::envelope::Message;
use crate::body::revision::Selection;
use crate::policy::methods::tower_revision;

/// A call and the revision that its params must fit.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) message: &'a Message,
    pub(super) method: &'a str,
    pub(super) class: Class,
    pub(super) selected: Selection,
    /// Which message of a batch it is, from 0.
    pub(super) place: Option<usize>,
}

impl Call<'_> {
    /// What Tower does not check: the shape of params where serde is lax, and
    /// the `_meta` of extension requests in 2026-07-28.
    pub(super) fn check(self) -> Result<(), Refusal> {
        let carries_meta =
            self.class == Class::Extension && self.is_modern() && self.message.is_request();
        match self.message.params() {
            None if !carries_meta => return Ok(()),
            None => self.fits(&Map::new()),
            Some(params) => self.fits(params),
        }
        .map_err(|wrong| self.refusal(&wrong))?;
        if carries_meta && !self.accepted(self.meta_alone()) {
            return Err(self.refused());
        }
        Ok(())
    }

    /// Why Tower refuses the params.
    pub(super) fn refused(self) -> Refusal {
        let empty = Map::new();
        let params = self.message.params().unwrap_or(&empty);
        let shape = self.fits(params).err();
        let wrong = shape.or_else(|| match self.class {
            Class::Extension => stricter::find(params, |params| {
                self.accepted(json!({"_meta": params.get("_meta")}))
            }),
            Class::Core | Class::Response => {
                stricter::find(params, |params| self.accepted(params.clone()))
            }
        });
        self.refusal(&wrong.unwrap_or_else(|| {
            Wrong::new("have a member of a wrong type, or lack one that MCP's schema requires")
        }))
    }

    fn is_modern(self) -> bool {
        !self.selected.revision().is_legacy()
    }

    fn fits(self, params: &Map<String, Value>) -> Result<(), Wrong> {
        let revision = self.selected.revision();
        let is_request = self.message.is_request();
        shape::check(self.method, self.class, is_request, params, revision)
    }

    fn meta_alone(self) -> Value {
        json!({"_meta": self.message.param("_meta")})
    }

    /// Whether Tower takes such params. It looks at `_meta` only for core
    /// methods, so it is asked about one that has no other params in an
    /// extension's place.
    fn accepted(self, params: Value) -> bool {
        let method = match self.class {
            Class::Extension => "server/discover",
            Class::Core | Class::Response => self.method,
        };
        let mut probe = json!({"jsonrpc": "2.0", "method": method, "params": params});
        if let (true, Some(probe)) = (self.message.is_request(), probe.as_object_mut()) {
            probe.insert("id".into(), 0.into());
        }
        let inspector = McpInspector::for_revision(tower_revision(self.selected.revision()));
        let direction = Some(McpDirection::ClientToServer);
        inspector.inspect(&probe, direction).is_ok()
    }

    /// In 2026-07-28 bad `_meta` is told from bad params.
    fn refusal(self, wrong: &Wrong) -> Refusal {
        let reason = match wrong.is_in_meta() && self.is_modern() {
            true => Reason::MetaInvalid,
            false => Reason::ParamsInvalid,
        };
        let place = match self.place {
            Some(at) => format!("message {} of the batch, ", at.saturating_add(1)),
            None => String::new(),
        };
        let revision = self.selected.told_aside();
        Refusal::new(
            reason,
            format!(
                "{wrong} ({place}{} of revision {revision})",
                Shown(self.method)
            ),
        )
    }
}
