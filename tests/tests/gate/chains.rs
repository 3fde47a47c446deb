//! Chains in which the gate stands right.

use mcp_boundary_tests::client::Request;
use mcp_boundary_tests::load::call;
use mcp_boundary_tests::policy::Part;
use mcp_policy::envoy::Role;

use crate::scene::{judges_http2, permitted, serves, start};
use crate::{BOTH, gate, held, holder, of_a_plugin};

/// Every chain that there is to hold the headers, cold and warm connections to
/// the server, bodies in one piece and in many, trailers.
#[test]
fn nothing_of_a_refused_request_is_sent() {
    let chains = [
        ("admit", vec![held(Part::Admit), gate(&[Role::Admit])]),
        (
            "both",
            vec![held(Part::Admit), held(Part::Recheck), gate(BOTH)],
        ),
        (
            "plugins",
            [held(Part::Admit), held(Part::Recheck), gate(BOTH)]
                .map(of_a_plugin)
                .to_vec(),
        ),
        (
            "last",
            vec![held(Part::Admit), gate(&[Role::Admit]), holder()],
        ),
        // Whoever holds the headers in between, the gate sees them later.
        (
            "holder",
            vec![held(Part::Admit), holder(), gate(&[Role::Admit])],
        ),
        (
            "holder before the recheck",
            vec![held(Part::Admit), holder(), held(Part::Recheck), gate(BOTH)],
        ),
    ];
    let names: Vec<&str> = chains.iter().map(|(name, _)| *name).collect();
    let Some(scene) = start("chains with a gate", chains.to_vec()) else {
        return;
    };
    let mut tried = 0;
    for name in names {
        for warm in [false, true] {
            for body in [0, 100_000] {
                for chunks in [vec![], vec![1, 40, 3000]] {
                    for trailers in [vec![], vec![(b"x-end".to_vec(), b"1".to_vec())]] {
                        // Trailers need chunks.
                        if chunks.is_empty() && !trailers.is_empty() {
                            continue;
                        }
                        let shaped = |tool| Request {
                            chunk_sizes: chunks.clone(),
                            trailers: trailers.clone(),
                            ..call(tool, body)
                        };
                        scene.refused(name, &shaped("delete_repo"), 403);
                        if warm {
                            serves(&scene, name, &shaped("get_weather"));
                        }
                        tried += 1;
                    }
                }
            }
        }
        judges_http2(&scene, name);
    }
    println!("{tried} refused requests, 0 bytes at the server");
}

#[test]
fn what_compat_asks_for_is_done_at_the_gate() {
    let chain = vec![held(Part::Admit), held(Part::Recheck), gate(BOTH)];
    let Some(scene) = start("edits at the gate", vec![("both", chain)]) else {
        return;
    };
    let request = permitted()
        .header("mcp-protocol-version", "2025-11-25")
        .header("mcp-method", "tools/list")
        .header("mcp-name", "other");
    let answer = scene.ask("both", &request);
    assert_eq!(answer.status, 200, "{answer:?}");
    let arrived = scene.recorder.take();
    let headers = &arrived.exchanges[0].headers;
    let count = |name: &str| {
        let lines = headers.iter();
        lines
            .filter(|(listed, _)| listed.eq_ignore_ascii_case(name))
            .count()
    };
    assert_eq!(count("mcp-protocol-version"), 1, "{headers:?}");
    assert_eq!(count("mcp-method") + count("mcp-name"), 0, "{headers:?}");
}
