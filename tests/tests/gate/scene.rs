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
