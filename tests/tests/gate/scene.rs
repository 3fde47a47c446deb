//! An Envoy with chains of filters, and what is asked of it.

use std::thread;
use std::time::{Duration, Instant};

use mcp_boundary_tests::client::{Connection, Request, Response};
use mcp_boundary_tests::envoy::{self, Bootstrap, Envoy};
use mcp_boundary_tests::load::call;
use mcp_boundary_tests::recorder::Recorder;
use serde_json::Value;

use crate::listener;

/// An Envoy and the server behind it.
pub(crate) struct Scene {
    pub(crate) envoy: Envoy,
    pub(crate) recorder: Recorder,
}

impl Scene {
    pub(crate) fn start(test: &str, chains: Vec<(&str, Vec<Value>)>) -> Option<Self> {
        let binary = envoy::or_skip(test)?;
        let recorder = Recorder::start().expect("a server");
        let listeners = chains.into_iter();
        let listeners = listeners.map(|(name, filters)| listener(name, filters));
        let bootstrap = Bootstrap::new(recorder.address(), listeners.collect());
        match Envoy::start(&binary, &bootstrap) {
            Ok(envoy) => Some(Self { envoy, recorder }),
            Err(error) => panic!("{error}"),
        }
    }

    pub(crate) fn send(&self, listener: &str, request: &Request) -> Response {
        let to = self.envoy.listener(listener);
        request.send(to).unwrap_or_else(|error| panic!("{error}"))
    }

    pub(crate) fn connect(&self, listener: &str) -> Connection {
        Connection::open(self.envoy.listener(listener)).expect("a connection")
    }

    /// Bytes at the server since the last time, late arrivals included.
    pub(crate) fn arrived(&self) -> u64 {
        thread::sleep(Duration::from_millis(50));
        self.recorder.take().bytes
    }

    /// Sends a request that must not reach the server.
    pub(crate) fn refused(&self, listener: &str, request: &Request, status: u16) -> Response {
        self.arrived();
        let answer = self.send(listener, request);
        assert_eq!(answer.status, status, "{listener}: {answer:?}");
        assert_eq!(self.arrived(), 0, "{listener}");
        answer
    }

    /// Sends a request that must.
    pub(crate) fn served(&self, listener: &str, request: &Request) {
        self.arrived();
        let answer = self.send(listener, request);
        assert_eq!(answer.status, 200, "{listener}: {answer:?}");
        let arrived = self.recorder.take();
        assert_eq!(arrived.exchanges.len(), 1, "{listener}");
        assert_eq!(arrived.unattributed(), 0, "{listener}");
        let body = request.body.clone().unwrap_or_default();
        assert_eq!(arrived.exchanges[0].body, body, "{listener}");
    }

    pub(crate) fn says(&self, words: &str) {
        let deadline = Instant::now() + Duration::from_secs(5);
        while !self.envoy.log().contains(words) {
            assert!(Instant::now() < deadline, "nobody says `{words}`");
            thread::sleep(Duration::from_millis(20));
        }
    }
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

/// A request in two: all but the last byte of its body, and that byte.
pub(crate) fn halves(request: &Request) -> (Vec<u8>, Vec<u8>) {
    let mut bytes = request.to_bytes();
    let last = bytes.split_off(bytes.len() - 1);
    (bytes, last)
}
