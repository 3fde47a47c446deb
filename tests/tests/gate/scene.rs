//! An Envoy with chains of filters, and what is asked of it.

use mcp_boundary_tests::client::{Request, Response};
use mcp_boundary_tests::load::call;
use mcp_boundary_tests::scene::Scene;
use serde_json::Value;

use crate::listener;

pub(crate) fn start(test: &str, chains: Vec<(&str, Vec<Value>)>) -> Option<Scene> {
    let listeners = chains.into_iter();
    let listeners = listeners.map(|(name, filters)| listener(name, filters));
    Scene::of(test, listeners.collect(), |_| ())
}

/// Sends a request that must reach the server as it is.
pub(crate) fn serves(scene: &Scene, listener: &str, request: &Request) {
    let exchange = scene.forwarded(listener, request);
    let body = request.body.clone().unwrap_or_default();
    assert_eq!(exchange.body, body, "{listener}");
}

/// Over HTTP/2, what is permitted is served and what is denied arrives nowhere.
pub(crate) fn judges_http2(scene: &Scene, listener: &str) {
    for (request, expected) in [(permitted(), 200), (denied(), 403)] {
        let to = scene.envoy.listener(listener);
        let answer = request.send_h2(to).expect("an answer");
        assert_eq!(answer.status, expected, "{listener}: {answer:?}");
        assert_eq!(scene.arrived().bytes > 0, expected == 200, "{listener}");
    }
}

/// Where nobody holds headers although an instance leaves them, those of one
/// request are sent on before that is found out, no body ever is, and that
/// request was the last. `first` and `then` is what the log says of it.
pub(crate) fn passes_one_head(test: &str, filters: (&str, Vec<Value>), first: &str, then: &str) {
    let name = filters.0;
    let Some(scene) = start(test, vec![filters]) else {
        return;
    };
    let answer = scene.ask(name, &permitted());
    assert_eq!(answer.status, 503, "{answer:?}");
    is_ours(&answer);
    scene.says(first);
    let arrived = scene.arrived();
    assert!(arrived.exchanges.is_empty(), "the whole request is sent on");
    for request in [permitted(), denied(), call("get_weather", 100_000)] {
        is_ours(&scene.refused(name, &request, 503));
    }
    scene.says(then);
}

pub(crate) fn is_ours(answer: &Response) {
    let body = answer.json().unwrap_or_else(|| panic!("{answer:?}"));
    assert_eq!(body["error"]["code"], -32603, "{body}");
    assert_eq!(body["error"]["data"]["reason"], "internal", "{body}");
    assert_eq!(
        answer.header("content-type").as_deref(),
        Some("application/json")
    );
}

pub(crate) fn permitted() -> Request {
    call("get_weather", 0)
}

pub(crate) fn denied() -> Request {
    call("delete_repo", 0)
}
