//! Two policies, a request and what became of it in between: a recheck
//! forwards only what both policies permit and what changed in nothing but
//! what its own endpoint's `upstream` names. Contract section 12.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use common::{Post, endpoint, record, result, tools};
use mcp_boundary_engine::{Engine, Outcome, Role};
use mcp_boundary_format::{Endpoint, HostPattern, Mode, PathPattern, Policy, Unmatched, Upstream};
use proptest::prelude::*;

const PATHS: [&str; 7] = ["/a", "/a/x", "/b", "/b/x", "/inner", "/inner/x", "/"];
const HOSTS: [&str; 5] = [
    "one.test",
    "two.test",
    "inner.test",
    "one.test:81",
    "ONE.test",
];
const NAMES: [&str; 3] = ["first", "second", "third"];
const TOOLS: [&str; 2] = ["get", "delete"];
const TARGETS: [&str; 9] = [
    "/a",
    "/a/x",
    "/a/x?q",
    "/b",
    "/b/x?q",
    "/inner?q",
    "/inner/x?q",
    "/inner",
    "/x",
];

fn one<T: Clone + std::fmt::Debug + 'static>(of: &[T]) -> impl Strategy<Value = T> + use<T> {
    prop::sample::select(of.to_vec())
}

fn path() -> impl Strategy<Value = PathPattern> {
    (one(&PATHS), any::<bool>()).prop_map(|(path, prefix)| match prefix {
        true => PathPattern::Prefix(path.parse().unwrap()),
        false => PathPattern::Exact(path.parse().unwrap()),
    })
}

fn any_endpoint() -> impl Strategy<Value = Endpoint> {
    let hosts = prop::option::of(one(&HOSTS[..3]));
    let upstream = (prop::option::of(path()), prop::option::of(one(&HOSTS[..3])));
    let tool = one(&["get", "*"]);
    (hosts, path(), upstream, tool, any::<bool>()).prop_map(
        |(host, path, (moved, inner), tool, audit)| Endpoint {
            hosts: host
                .map(|host| HostPattern::Exact(host.parse().unwrap()))
                .into_iter()
                .collect(),
            path,
            upstream: Upstream {
                path: moved,
                hosts: inner
                    .map(|host| host.parse().unwrap())
                    .into_iter()
                    .collect(),
            },
            mode: if audit { Mode::Audit } else { Mode::Enforce },
            allow: vec![tools("a", &[tool])],
            ..endpoint()
        },
    )
}

/// Endpoints named by `names` in that order; none if two of them are equal in
/// what they are for.
fn any_policy() -> impl Strategy<Value = Option<Policy>> {
    let endpoints = prop::collection::vec(any_endpoint(), 1..4);
    (endpoints, any::<bool>(), 0..3_usize).prop_map(|(endpoints, pass, turn)| {
        let named = endpoints
            .into_iter()
            .enumerate()
            .map(|(at, endpoint)| Endpoint {
                name: NAMES[(at + turn) % 3].parse().unwrap(),
                ..endpoint
            });
        let unmatched = if pass {
            Unmatched::Pass
        } else {
            Unmatched::Deny
        };
        Policy::seal(unmatched, named.collect()).ok()
    })
}

/// Verb, host, target and tool.
type Sent = (&'static str, &'static str, &'static str, &'static str);

fn sent() -> impl Strategy<Value = Sent> {
    (
        one(&["POST", "PUT"]),
        one(&HOSTS),
        one(&TARGETS),
        one(&TOOLS),
    )
}

fn forwards(outcome: &Outcome) -> bool {
    result(outcome) == "forward"
}

fn plain(host: &str) -> String {
    host.split(':').next().unwrap().to_ascii_lowercase()
}

fn split(target: &str) -> (&str, Option<&str>) {
    match target.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (target, None),
    }
}

/// Whether the endpoint's `upstream` names this path for that one: written
/// down once more, in other words than the engine's.
fn names_path(endpoint: &Endpoint, from: &str, to: &str) -> bool {
    let candidates: Vec<String> = match (&endpoint.path, &endpoint.upstream.path) {
        (_, None) => vec![],
        (_, Some(PathPattern::Exact(path))) => vec![path.to_string()],
        (PathPattern::Exact(_), Some(PathPattern::Prefix(prefix))) => vec![prefix.to_string()],
        (PathPattern::Prefix(own), Some(PathPattern::Prefix(prefix))) => {
            let own = own.trim_end_matches('/');
            let rest = &from[own.len()..];
            match rest {
                "" => vec![prefix.to_string()],
                rest => vec![format!("{}{rest}", prefix.trim_end_matches('/'))],
            }
        }
    };
    candidates.iter().any(|candidate| candidate == to)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn nothing_is_widened(
        old in any_policy(),
        new in any_policy(),
        same: bool,
        before in sent(),
        after in sent(),
        changes in prop::array::uniform4(prop::bool::weighted(0.3)),
        upstream: bool,
    ) {
        let (Some(old), Some(new)) = (old, new) else { return Ok(()) };
        let new = if same { Policy::decode(&old.encode().unwrap()).unwrap() } else { new };
        let after: Sent = (
            if changes[0] { after.0 } else { before.0 },
            if changes[1] { after.1 } else { before.1 },
            if changes[2] { after.2 } else { before.2 },
            if changes[3] { after.3 } else { before.3 },
        );
        let ask = |engine: &Engine, (verb, host, target, tool): Sent, record| {
            let body = common::call(tool);
            Post { verb, host, target, record, ..Post::new(&body) }.to(engine)
        };
        let admit = Engine::new(old, Role::Admit);
        let admitted = ask(&admit, before, None);
        if !forwards(&admitted) {
            return Ok(());
        }
        let kept = record(&admitted);
        let name = |engine: &Engine, at: Option<usize>| {
            at.map(|at| engine.policy().endpoints()[at].name.clone())
        };
        let recorded = name(&admit, admitted.verdict.endpoint);
        let recheck = Engine::new(new.clone(), Role::Recheck);
        let recheck = if upstream { recheck.upstream() } else { recheck };
        let outcome = ask(&recheck, after, Some(&kept));
        if !forwards(&outcome) {
            // What nobody changed is only refused by the newer policy.
            if before == after && same {
                prop_assert!(false, "refused: {}", result(&outcome));
            }
            return Ok(());
        }
        prop_assert_eq!(&name(&recheck, outcome.verdict.endpoint), &recorded);
        let own = outcome.verdict.endpoint.map(|at| &new.endpoints()[at]);
        prop_assert_eq!(after.0, before.0);
        let ((from, q1), (to, q2)) = (split(before.2), split(after.2));
        prop_assert_eq!(q1, q2);
        let names = |named: &dyn Fn(&Endpoint) -> bool| upstream && own.is_some_and(|own| named(own));
        prop_assert!(from == to || names(&|own| names_path(own, from, to)));
        let host = plain(after.1);
        prop_assert!(
            before.1 == after.1
                || upstream && plain(before.1) == host
                || names(&|own| own.upstream.hosts.iter().any(|own| *own == host))
        );
        // The newer policy by itself takes the head as admit saw it, with the
        // body as it is now, for the same endpoint.
        let alone = Engine::new(new.clone(), Role::Admit);
        let again = ask(&alone, (before.0, before.1, before.2, after.3), None);
        prop_assert!(forwards(&again));
        prop_assert_eq!(again.verdict.endpoint, outcome.verdict.endpoint);
    }

    /// A record with a bit changed, cut or prolonged permits nothing that the
    /// policy denies, and no panic.
    #[test]
    fn a_damaged_record_grants_nothing(
        policy in any_policy(),
        before in sent(),
        at in any::<prop::sample::Index>(),
        with in any::<u8>(),
        cut in any::<prop::sample::Index>(),
        shorter: bool,
        upstream: bool,
    ) {
        let Some(policy) = policy else { return Ok(()) };
        let ask = |engine: &Engine, tool, record| {
            let body = common::call(tool);
            let (verb, host, target, _) = before;
            Post { verb, host, target, record, ..Post::new(&body) }.to(engine)
        };
        let admit = Engine::new(policy.clone(), Role::Admit);
        let admitted = ask(&admit, "get", None);
        if !forwards(&admitted) {
            return Ok(());
        }
        let mut kept = record(&admitted);
        let place = at.index(kept.len());
        kept[place] ^= with;
        if shorter {
            kept.truncate(cut.index(kept.len()));
        }
        let recheck = Engine::new(policy, Role::Recheck);
        let recheck = if upstream { recheck.upstream() } else { recheck };
        let outcome = ask(&recheck, "delete", Some(&kept));
        let passes = forwards(&outcome);
        if passes && !upstream {
            let directly = ask(&admit, "delete", None);
            prop_assert!(forwards(&directly));
        }
    }
}
