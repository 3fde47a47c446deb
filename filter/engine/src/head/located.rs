//! Stages: a [`Head`] to [`Arrived`], the headers that are read; to [`Located`],
//! the endpoint whose rules hold, by host and path at admit, by the record at a
//! recheck; and who asks there. Contract sections 3, 10 and 12.

use std::sync::Arc;

use mcp_boundary_format::{Revision, Role};

use super::endpoint::{Place, select};
use super::fields::{Fields, Head, VERSION_HEADER};
use super::recheck::rechecked;
use super::record::{self, Record};
use super::since::{self, Since};
use crate::answer::audit::principals::told;
use crate::answer::reason::{Reason, Refusal};
use crate::engine::Core;
use crate::policy::principals;
use crate::request::{Refused, Request, Stage};

/// A request of which no endpoint is known yet.
#[derive(Debug)]
pub(crate) struct Arrived<'a> {
    core: &'a Arc<Core>,
    head: &'a Head<'a>,
    fields: Fields,
}

impl<'a> Arrived<'a> {
    pub(crate) fn read(core: &'a Arc<Core>, head: &'a Head<'a>) -> Self {
        Self {
            core,
            head,
            fields: Fields::collect(head, &core.principals),
        }
    }

    /// Ends the way.
    fn refused(&self, refusal: Refusal) -> Box<Refused> {
        let claimed = self.fields.get(VERSION_HEADER).one();
        let modern = Revision::V2026_07_28.as_str();
        Refused::outside(claimed.is_ok_and(|value| value == Some(modern)), refusal)
    }
}

/// Where a request belongs.
#[derive(Debug)]
pub(crate) enum Located<'a> {
    /// An endpoint's.
    Endpoint(Seated<'a>),
    /// Nobody's, and the policy lets it pass.
    Nowhere(Unmatched),
}

/// A request to an endpoint.
#[derive(Debug)]
pub(crate) struct Seated<'a> {
    request: Box<Request>,
    head: &'a Head<'a>,
    /// Fingerprints for the record.
    seen: Vec<u8>,
}

/// The policy passes what no endpoint matches, and this is such a request.
#[derive(Debug)]
pub(crate) struct Unmatched {
    record: Option<Vec<u8>>,
}

impl Unmatched {
    /// What a recheck must find.
    pub(crate) fn into_record(self) -> Option<Vec<u8>> {
        self.record
    }
}

impl<'a> Located<'a> {
    pub(crate) fn find(arrived: Arrived<'a>) -> Stage<Self> {
        let (core, head) = (arrived.core, arrived.head);
        let place = match core.role {
            Role::Admit => {
                let (host, path) = (head.pseudo(b":authority"), head.pseudo(b":path"));
                select(&core.policy, host, path).map(|place| (place, None))
            }
            Role::Recheck => rechecked(core, head).map(|(place, record)| (place, Some(record))),
        };
        let (place, admitted) = place.map_err(|refusal| arrived.refused(refusal))?;
        let Place::Endpoint(seat) = place else {
            let record = record(core, head, None, &[]);
            let record = record.map_err(|refusal| arrived.refused(refusal))?;
            let record = record.and_then(|bytes| record::complete(bytes, &[]));
            return Ok(Self::Nowhere(Unmatched { record }));
        };
        let known = principals::read(&core.sources, &core.attributes, head.attributes);
        let mut request = Box::new(Request::at(core, seat, arrived.fields, known));
        let who = request.who();
        let named = told(request.endpoint(), &who);
        let seen = since::head(&who, &core.principals);
        let would_deny = head.record.is_some_and(record::is_would_deny);
        let digest = core.policy.digest();
        let since = admitted.map(|record| Since::new(&record, digest.as_bytes(), &seen));
        request.is_from(named, since, would_deny);
        Ok(Self::Endpoint(Seated {
            request,
            head,
            seen,
        }))
    }
}

impl<'a> Seated<'a> {
    pub(crate) fn head(&self) -> &'a Head<'a> {
        self.head
    }

    pub(crate) fn request(&self) -> &Request {
        &self.request
    }

    /// Goes on with what was found about the head, once it is recorded.
    pub(crate) fn then<T>(self, found: Result<T, Refusal>) -> Stage<(Box<Request>, T)> {
        let (mut request, found) = self.request.then(found)?;
        let name = &request.endpoint().name;
        let record = record(request.core(), self.head, Some(name), &self.seen);
        match record {
            Ok(record) => request.is_recorded(record),
            Err(refusal) => return Err(request.refused(refusal)),
        }
        Ok((request, found))
    }
}

/// What a later recheck must find, if this is not one.
fn record(
    core: &Core,
    head: &Head<'_>,
    endpoint: Option<&str>,
    seen: &[u8],
) -> Result<Option<Vec<u8>>, Refusal> {
    if core.role == Role::Recheck {
        return Ok(None);
    }
    let record = Record {
        verb: head.pseudo(b":method"),
        target: head.pseudo(b":path"),
        host: head.pseudo(b":authority"),
        head: seen,
        ..Record::new(core.policy.digest(), endpoint)
    };
    match record.encode() {
        Some(bytes) => Ok(Some(bytes)),
        None => Err(Refusal::new(
            Reason::Internal,
            "the request's path, host or verb is too long to be recorded for the recheck; send a shorter one",
        )),
    }
}
