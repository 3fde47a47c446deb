//! `when: peer` with real certificates: which names of them Envoy shows, and
//! what that means for an allow and a deny.

use std::net::SocketAddr;

use mcp_boundary_tests::client::Request;
use mcp_boundary_tests::envoy::{self, Bootstrap, Envoy, Listener};
use mcp_boundary_tests::rewriter::Rewriter;
use mcp_boundary_tests::scene::{GUARDED, Scene, guarded};
use rcgen::{CertificateParams, CertifiedKey, DnType, KeyPair, SanType};
use serde_json::{Value, json};

const POLICY: &str = r#"
mcp_policy: 1
endpoints:
  - path: /allow
    denial: http
    allow:
      - id: agents
        tools: [get_weather]
        when: { peer: { in: ["spiffe://cluster.local/ns/*/sa/agent", agent.example] } }
  - path: /deny
    denial: http
    allow: { tools: [get_weather] }
    deny:
      - id: guests
        tools: [get_weather]
        when: { peer: { in: ["spiffe://cluster.local/ns/*/sa/guest", guest.example], first_san: acknowledged } }
"#;

const AGENT: &str = "uri spiffe://cluster.local/ns/blue/sa/agent";
const GUEST: &str = "uri spiffe://cluster.local/ns/blue/sa/guest";
const OTHER: &str = "uri spiffe://cluster.local/ns/blue/sa/other";

/// Names of a certificate; the first URI and the first DNS name that Envoy
/// shows; the status of an allow for agents, and of a deny for guests.
type Row = (
    &'static [&'static str],
    Option<&'static str>,
    Option<&'static str>,
    u16,
    u16,
);

const TABLE: [Row; 12] = [
    (&[AGENT], Some(AGENT), None, 200, 200),
    (&[GUEST], Some(GUEST), None, 403, 403),
    (
        &["uri spiffe://cluster.local/ns/blue/sa/agent/x"],
        Some("uri spiffe://cluster.local/ns/blue/sa/agent/x"),
        None,
        403,
        200,
    ),
    (
        &["uri spiffe://cluster.local/ns/a/b/sa/agent"],
        Some("uri spiffe://cluster.local/ns/a/b/sa/agent"),
        None,
        403,
        200,
    ),
    (
        &["dns agent.example"],
        None,
        Some("dns agent.example"),
        200,
        200,
    ),
    (
        &["dns Guest.example"],
        None,
        Some("dns Guest.example"),
        403,
        403,
    ),
    (
        &[OTHER, "dns agent.example"],
        Some(OTHER),
        Some("dns agent.example"),
        200,
        200,
    ),
    // What `first_san: acknowledged` is about: the guest is not seen.
    (&[AGENT, GUEST], Some(AGENT), None, 200, 200),
    (&[GUEST, AGENT], Some(GUEST), None, 403, 403),
    (
        &["dns x.example", "dns guest.example", AGENT],
        Some(AGENT),
        Some("dns x.example"),
        200,
        200,
    ),
    // No name: nobody.
    (&[], None, None, 403, 403),
    // A DNS name that poses as a SPIFFE id.
    (
        &["dns spiffe://cluster.local/ns/blue/sa/agent"],
        None,
        Some("dns spiffe://cluster.local/ns/blue/sa/agent"),
        403,
        403,
    ),
];

fn call(path: &str) -> Request {
    let body = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_weather","arguments":{}}}"#;
    Request::mcp("server.test", path, Some("2025-11-25"), body)
}

/// A listener with the policy, admit and recheck, and one that tells
/// properties.
fn listeners() -> [Listener; 2] {
    let guarded = guarded(GUARDED, POLICY);
    let mut probe = Listener::new("probe");
    probe.before = vec![Rewriter::Wasm.filter().expect("a filter")];
    [guarded, probe]
}

/// A name, with its kind in front.
fn name(text: &str) -> SanType {
    match text.split_once(' ') {
        Some(("uri", uri)) => SanType::URI(uri.try_into().expect("a URI")),
        Some(("dns", name)) => SanType::DnsName(name.try_into().expect("a name")),
        _ => panic!("`{text}` has no kind"),
    }
}

fn certificate(subject: &str, names: Vec<SanType>) -> CertifiedKey<KeyPair> {
    let signing_key = KeyPair::generate().expect("a key");
    let mut params = CertificateParams::default();
    // An issuer is found by its subject, and each of these issues itself.
    params.distinguished_name.push(DnType::CommonName, subject);
    params.subject_alt_names = names;
    let cert = params.self_signed(&signing_key).expect("a certificate");
    CertifiedKey { cert, signing_key }
}

fn tls(kind: &str, context: Value) -> Value {
    let mut config = context;
    config["@type"] = json!(format!(
        "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.{kind}"
    ));
    json!({ "name": "envoy.transport_sockets.tls", "typed_config": config })
}

fn chain(pair: &CertifiedKey<KeyPair>) -> Value {
    json!([{
        "certificate_chain": { "inline_string": pair.cert.pem() },
        "private_key": { "inline_string": pair.signing_key.serialize_pem() },
    }])
}

/// A second Envoy, without the filter, is the client that speaks TLS.
fn dialer(binary: &std::path::Path, to: SocketAddr, client: &CertifiedKey<KeyPair>) -> Envoy {
    let mut bootstrap = Bootstrap::new(to, vec![Listener::new("dialer")]);
    let context = json!({ "common_tls_context": { "tls_certificates": chain(client) } });
    bootstrap.upstream_transport_socket = Some(tls("UpstreamTlsContext", context));
    Envoy::start(binary, &bootstrap).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_first_names_in_a_peers_certificate() {
    let Some(binary) = envoy::or_skip("names of peers") else {
        return;
    };
    let server = certificate("server", vec![name("dns server.test")]);
    let clients: Vec<CertifiedKey<KeyPair>> = TABLE
        .iter()
        .enumerate()
        .map(|(index, (names, ..))| {
            let names = names.iter().map(|text| name(text)).collect();
            certificate(&format!("client {index}"), names)
        })
        .collect();
    let trusted: String = clients.iter().map(|pair| pair.cert.pem()).collect();
    let context = json!({
        "require_client_certificate": true,
        "common_tls_context": {
            "tls_certificates": chain(&server),
            "validation_context": { "trusted_ca": { "inline_string": trusted } },
        },
    });
    let listeners = listeners().map(|listener| Listener {
        transport_socket: Some(tls("DownstreamTlsContext", context.clone())),
        ..listener
    });
    let Some(scene) = Scene::of("names of peers", listeners.to_vec(), |_| ()) else {
        return;
    };

    for ((names, uri, dns, allowed, denied), client) in TABLE.iter().zip(&clients) {
        let probe = dialer(&binary, scene.envoy.listener("probe"), client);
        for (property, wanted) in [("uri", uri), ("dns", dns)] {
            let path = format!("connection|{property}_san_peer_certificate");
            let request = call("/").header("x-property", &path);
            let answer = request.send(probe.listener("dialer")).expect("an answer");
            let told = (answer.status == 200)
                .then(|| format!("{property} {}", String::from_utf8_lossy(&answer.body)));
            assert_eq!(told.as_deref(), *wanted, "{property} of {names:?}");
        }
        let guarded = dialer(&binary, scene.envoy.listener("guarded"), client);
        let to = guarded.listener("dialer");
        for (path, wanted) in [("/allow", allowed), ("/deny", denied)] {
            let answer = call(path).send(to).expect("an answer");
            let arrived = scene.arrived().bytes > 0;
            assert_eq!(answer.status, *wanted, "{path} with {names:?}");
            assert_eq!(arrived, *wanted == 200, "{path} with {names:?}");
        }
    }
}

#[test]
fn without_tls_there_is_no_peer() {
    let Some(scene) = Scene::of("peers without TLS", listeners().to_vec(), |_| ()) else {
        return;
    };
    for path in ["/allow", "/deny"] {
        // Whatever a client claims.
        let claimed = "URI=spiffe://cluster.local/ns/blue/sa/agent";
        let request = call(path).header("x-forwarded-client-cert", claimed);
        assert_eq!(scene.status(GUARDED, &request), 403);
    }
}
