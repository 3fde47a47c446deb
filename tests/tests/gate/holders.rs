//! `hold: body`: filters of Envoy that hold the headers, and what becomes of a
//! chain in which none does.

use mcp_boundary_tests::client::Request;
use mcp_boundary_tests::load::call;
use mcp_boundary_tests::policy::{self, Part};
use mcp_policy::envoy::{Hold, Holder};
use serde_json::Value;

use crate::scene::{denied, judges_http2, passes_one_head, serves, start};
use crate::{entry, holder};

const PLAIN: &str = "
mcp_policy: 1
endpoints:
  - { path: /mcp, denial: http, allow: { tools: [get_weather] } }
";

fn by(holder: Holder, part: Part) -> Value {
    entry(PLAIN, part, Hold::Body(holder))
}

/// Both instances, and whoever holds headers behind them.
fn chain(by_whom: Holder) -> Vec<Value> {
    let [admit, recheck] = [Part::Admit, Part::Recheck].map(|part| by(by_whom, part));
    let holder = policy::holder(Some(&admit), Some(&recheck)).expect("a filter");
    vec![admit, recheck, holder.expect("a holder")]
}

#[test]
fn nothing_of_a_refused_request_passes_a_holder() {
    let chains = vec![
        ("buffer", chain(Holder::Buffer)),
        ("lua", chain(Holder::Lua)),
        (
            "lua between",
            vec![
                by(Holder::Lua, Part::Admit),
                holder(),
                by(Holder::Lua, Part::Recheck),
                holder(),
            ],
        ),
    ];
    let names: Vec<_> = chains.iter().map(|(name, _)| *name).collect();
    let Some(scene) = start("holders", chains) else {
        return;
    };
    for name in names {
        for body in [0, 100_000, 900_000] {
            for chunk_sizes in [vec![], vec![1, 40, 3000]] {
                let shaped = |tool| Request {
                    chunk_sizes: chunk_sizes.clone(),
                    ..call(tool, body)
                };
                scene.refused(name, &shaped("delete_repo"), 403);
                serves(&scene, name, &shaped("get_weather"));
            }
        }
        let mut trailing = denied();
        trailing.chunk_sizes = vec![9];
        trailing.trailers = vec![(b"x-end".to_vec(), b"1".to_vec())];
        scene.refused(name, &trailing, 403);
        judges_http2(&scene, name);
    }
}

/// Whoever vouched for a holder was wrong: the headers of one request are sent
/// on before that is found out, no body ever is, and that request was the last.
#[test]
fn where_nobody_holds_only_one_head_passes() {
    let chains = vec![
        ("admit", vec![by(Holder::Buffer, Part::Admit)]),
        ("both", chain(Holder::Lua)[..2].to_vec()),
    ];
    for chain in chains {
        passes_one_head(
            "no holder",
            chain,
            "since nobody behind admit held them",
            "nobody held the headers of one before",
        );
    }
}
