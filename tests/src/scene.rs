//! What most tests stand on: one Envoy with the filter in it, a recording
//! server behind it, and a client of any kind.

use std::net::SocketAddr;
use std::thread;
use std::time::Duration;

use crate::certificate::Certificate;
use crate::client::{self, Connection, Request, Response, Trust};
use crate::envoy::{Bootstrap, Envoy, Listener, filter_module, or_skip};
use crate::error::Result;
use crate::gateway::Over;
use crate::policy::{Part, stanza};
use crate::recorder::{Recorder, Recording};

/// How long a refused request is given to turn up at the server after all.
const GRACE: Duration = Duration::from_millis(20);

/// The host of every request; the certificate is for it as well.
pub const HOST: &str = "server.test";

/// The listener in clear text.
pub const PLAIN: &str = "plain";
const TLS: &str = "tls";

/// A running Envoy with admit and recheck, in clear text and with TLS.
#[derive(Debug)]
pub struct Scene {
    /// The proxy.
    pub envoy: Envoy,
    /// The server behind it.
    pub recorder: Recorder,
    trust: Trust,
}

impl Scene {
    /// Starts one with `policy`; `None` if there is no Envoy here. `arrange`
    /// may change the bootstrap before.
    ///
    /// # Panics
    /// If Envoy does not start.
    pub fn start(
        test: &str,
        policy: &str,
        recorder: Recorder,
        arrange: impl FnOnce(&mut Bootstrap),
    ) -> Option<Self> {
        let binary = or_skip(test)?;
        let build = || -> Result<Self> {
            let certificate = Certificate::for_host(HOST)?;
            let module = filter_module()?;
            let mut listeners = Vec::new();
            for name in [PLAIN, TLS] {
                let part =
                    |part, role: &str| stanza(policy, part, &format!("{name}-{role}"), &module);
                let mut listener = Listener::new(name);
                listener.admit = Some(part(Part::Admit, "admit")?);
                listener.recheck = Some(part(Part::Recheck, "recheck")?);
                if name == TLS {
                    listener.transport_socket = Some(certificate.transport_socket());
                }
                listeners.push(listener);
            }
            let mut bootstrap = Bootstrap::new(recorder.address(), listeners);
            arrange(&mut bootstrap);
            Ok(Self {
                envoy: Envoy::start(&binary, &bootstrap)?,
                recorder: recorder.clone(),
                trust: certificate.trust()?,
            })
        };
        match build() {
            Ok(scene) => Some(scene),
            Err(error) => panic!("{error}"),
        }
    }

    /// Where requests over `over` go, and whom the client trusts there.
    pub fn place(&self, over: Over) -> (SocketAddr, Option<&Trust>) {
        match over {
            Over::Http11 | Over::Http2 => (self.envoy.listener(PLAIN), None),
            Over::Tls => (self.envoy.listener(TLS), Some(&self.trust)),
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

    /// What the server got since the last call, late arrivals included.
    pub fn arrived(&self) -> Recording {
        thread::sleep(GRACE);
        self.recorder.take()
    }
}
