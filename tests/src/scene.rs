//! What suites stand on: one Envoy with the filter in it, a recording server
//! behind it, and a client of any kind.

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use crate::certificate::Certificate;
use crate::client::{self, Connection, Request, Response, Trust};
use crate::envoy::{Bootstrap, Discovery, Envoy, Listener, filter_module, or_skip};
use crate::error::Result;
use crate::gateway::Over;
use crate::policy::{Part, stanza};
use crate::recorder::{Exchange, Recorder, Recording};

/// How long a refused request is given to turn up at the server after all.
const GRACE: Duration = Duration::from_millis(20);

/// How long anything may take that Envoy does in its own time.
const PATIENCE: Duration = Duration::from_secs(20);

/// The host of every request; the certificate is for it as well.
pub const HOST: &str = "server.test";

/// The listener of most suites.
pub const GUARDED: &str = "guarded";

/// A listener without admit.
pub const UNADMITTED: &str = "unadmitted";

/// The listener in clear text, where there is one with TLS.
pub const PLAIN: &str = "plain";
const TLS: &str = "tls";

/// A listener with admit and recheck under a policy.
///
/// # Panics
/// If the policy does not compile or the module does not build.
pub fn guarded(name: &str, policy: &str) -> Listener {
    let mut listener = Listener::new(name);
    listener.admit = Some(instance(policy, Part::Admit, name));
    listener.recheck = Some(instance(policy, Part::Recheck, name));
    listener
}

/// The stanza of one instance in a listener.
///
/// # Panics
/// As [`guarded`].
pub fn instance(policy: &str, part: Part, listener: &str) -> serde_json::Value {
    let name = format!("{listener}-{part:?}").to_lowercase();
    let made = filter_module().and_then(|module| stanza(policy, part, &name, &module));
    made.unwrap_or_else(|error| panic!("{error}"))
}

/// Waits for something that Envoy does in its own time.
///
/// # Panics
/// If it does not happen within twenty seconds.
pub fn until(what: &str, done: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !done() {
        assert!(Instant::now() < deadline, "not {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// A running Envoy and the server behind it.
#[derive(Debug)]
pub struct Scene {
    /// The proxy.
    pub envoy: Envoy,
    /// The server behind it.
    pub recorder: Recorder,
    trust: Option<Trust>,
}

impl Scene {
    /// An Envoy with these listeners; `None` if there is no Envoy here.
    /// `arrange` may change the bootstrap before.
    ///
    /// # Panics
    /// If Envoy does not start.
    pub fn of(
        test: &str,
        listeners: Vec<Listener>,
        arrange: impl FnOnce(&mut Bootstrap),
    ) -> Option<Self> {
        let recorder = started(Recorder::start());
        Self::before(test, recorder, listeners, arrange)
    }

    /// An Envoy with a listener called [`GUARDED`] under this policy.
    ///
    /// # Panics
    /// As [`Scene::of`].
    pub fn guarded(test: &str, policy: &str) -> Option<Self> {
        Self::of(test, vec![guarded(GUARDED, policy)], |_| ())
    }

    /// One with admit and recheck under `policy`, in clear text and with TLS.
    ///
    /// # Panics
    /// As [`Scene::of`].
    pub fn start(
        test: &str,
        policy: &str,
        recorder: Recorder,
        arrange: impl FnOnce(&mut Bootstrap),
    ) -> Option<Self> {
        let certificate = started(Certificate::for_host(HOST));
        let mut listeners = vec![guarded(PLAIN, policy), guarded(TLS, policy)];
        listeners[1].transport_socket = Some(certificate.transport_socket());
        let mut scene = Self::before(test, recorder, listeners, arrange)?;
        scene.trust = Some(started(certificate.trust()));
        Some(scene)
    }

    fn before(
        test: &str,
        recorder: Recorder,
        listeners: Vec<Listener>,
        arrange: impl FnOnce(&mut Bootstrap),
    ) -> Option<Self> {
        let binary = or_skip(test)?;
        let mut bootstrap = Bootstrap::new(recorder.address(), listeners);
        arrange(&mut bootstrap);
        Some(Self {
            envoy: started(Envoy::start(&binary, &bootstrap)),
            recorder,
            trust: None,
        })
    }

    /// As [`Scene::of`], with listeners that can be changed.
    ///
    /// # Panics
    /// As [`Scene::of`].
    pub fn changing(
        test: &str,
        listeners: Vec<Listener>,
        arrange: impl FnOnce(&mut Bootstrap),
    ) -> Option<(Self, Discovery)> {
        let binary = or_skip(test)?;
        let recorder = started(Recorder::start());
        let mut bootstrap = Bootstrap::new(recorder.address(), listeners);
        arrange(&mut bootstrap);
        let (discovery, envoy) = started(Discovery::start(&binary, &bootstrap));
        let trust = None;
        let scene = Self {
            envoy,
            recorder,
            trust,
        };
        Some((scene, discovery))
    }

    /// Where requests over `over` go, and whom the client trusts there.
    pub fn place(&self, over: Over) -> (SocketAddr, Option<&Trust>) {
        match over {
            Over::Http11 | Over::Http2 => (self.envoy.listener(PLAIN), None),
            Over::Tls => (self.envoy.listener(TLS), self.trust.as_ref()),
        }
    }

    /// Sends a request over a connection of its own.
    ///
    /// # Errors
    /// As [`Request::send`].
    pub fn send(&self, over: Over, request: &Request) -> Result<Response> {
        match (over, self.place(over)) {
            (Over::Http11, (to, _)) => request.send(to),
            (_, (to, None)) => request.send_h2(to),
            (_, (to, Some(trust))) => request.send_tls(to, trust),
        }
    }

    /// Sends a request over a connection of its own and says when which piece
    /// of the answer's body came: for HTTP/1.1 with its framing.
    ///
    /// # Errors
    /// As [`Request::send`], if the answer is not over within `patience`.
    pub fn watch(
        &self,
        over: Over,
        request: &Request,
        patience: Duration,
    ) -> Result<Vec<(Duration, Vec<u8>)>> {
        match (over, self.place(over)) {
            (Over::Http11, (to, _)) => Connection::open(to)?.watch(request, patience),
            (_, (to, trust)) => client::watch(to, trust, request, patience),
        }
    }

    /// The answer of a listener, over HTTP/1.1.
    ///
    /// # Panics
    /// If there is none.
    pub fn ask(&self, listener: &str, request: &Request) -> Response {
        started(request.send(self.envoy.listener(listener)))
    }

    /// A connection to a listener.
    ///
    /// # Panics
    /// If there is none.
    pub fn connect(&self, listener: &str) -> Connection {
        started(Connection::open(self.envoy.listener(listener)))
    }

    /// What the server got since the last call, late arrivals included.
    pub fn arrived(&self) -> Recording {
        thread::sleep(GRACE);
        self.recorder.take()
    }

    /// The status of the answer; the request arrived just if it is 200.
    ///
    /// # Panics
    /// If a refused request reached the server, or one that was not did not.
    pub fn status(&self, listener: &str, request: &Request) -> u16 {
        let answer = self.ask(listener, request);
        let arrived = self.arrived().bytes > 0;
        assert_eq!(arrived, answer.status == 200, "{listener}: {answer:?}");
        answer.status
    }

    /// Sends a request that must be refused, with this status.
    ///
    /// # Panics
    /// If it is not, or a byte of it reaches the server.
    pub fn refused(&self, listener: &str, request: &Request, status: u16) -> Response {
        let answer = self.ask(listener, request);
        assert_eq!(answer.status, status, "{listener}: {answer:?}");
        let arrived = self.arrived();
        assert_eq!(arrived.bytes, 0, "{listener}: {arrived:?}");
        answer
    }

    /// Sends a request that must reach the server, as the only one.
    ///
    /// # Panics
    /// If it does not.
    pub fn forwarded(&self, listener: &str, request: &Request) -> Exchange {
        let answer = self.ask(listener, request);
        assert_eq!(answer.status, 200, "{listener}: {answer:?}");
        self.arrived().only()
    }

    /// Waits until Envoy's log has these words.
    ///
    /// # Panics
    /// If it does not say so within twenty seconds.
    pub fn says(&self, words: &str) {
        until(words, || self.envoy.log().contains(words));
    }
}

/// What is needed to start with.
fn started<T>(made: Result<T>) -> T {
    made.unwrap_or_else(|error| panic!("{error}"))
}
