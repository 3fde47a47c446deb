//! Bodies while a filter behind still holds the headers, in the small host: they
//! are kept out of the buffer that all filters share, up to a bound.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use mcp_boundary_handover::{Mark, Role, SEEN, TICKET, key};
use mcp_boundary_tests::envoy;
use mcp_boundary_tests::policy;
use mcp_boundary_tests::vm::{Code, Vm};
use serde_json::json;

const POLICY: &str = "
mcp_policy: 1
endpoints:
  - path: /mcp
    limits: { body_bytes: 16777216 }
    allow: { tools: [get_weather] }
";

const HEAD: [(&str, &str); 5] = [
    (":authority", "server.test"),
    (":path", "/mcp"),
    (":method", "POST"),
    ("content-type", "application/json"),
    ("mcp-protocol-version", "2025-11-25"),
];
const ROOT: i32 = 1;
const CONTINUE: Option<i32> = Some(0);
const PAUSE: Option<i32> = Some(1);
const MIB: usize = 1 << 20;

fn start() -> Vm {
    let module = envoy::filter_module().expect("the filter's module");
    let blob = policy::compile(POLICY).expect("a policy").encode();
    let blob = STANDARD.encode(blob.expect("a blob"));
    let configuration = json!({ "policy": blob, "role": "admit", "hold": "gate" });
    let code = Code::read(&module).expect("code");
    let vm = code.start(configuration.to_string().as_bytes());
    vm.expect("it runs").expect("accepted")
}

/// A request whose headers are let go on.
fn open(vm: &mut Vm, request: i32) {
    let host = vm.host_mut();
    host.headers = HEAD
        .map(|(name, value)| (name.into(), value.into()))
        .to_vec();
    host.properties.clear();
    let create = vm.call("proxy_on_context_create", &[request, ROOT]);
    create.expect("no trap");
    let action = vm.call("proxy_on_request_headers", &[request, 5, 0]);
    assert_eq!(action.expect("no trap"), CONTINUE);
}

/// More of a body; what the filter does with it.
fn body(vm: &mut Vm, request: i32, piece: &[u8], ends: bool) -> Option<i32> {
    vm.host_mut().body.extend_from_slice(piece);
    let size = i32::try_from(vm.host().body.len()).expect("small");
    let arguments = [request, size, i32::from(ends)];
    vm.call("proxy_on_request_body", &arguments)
        .expect("no trap")
}

fn close(vm: &mut Vm, request: i32) {
    vm.call("proxy_on_done", &[request]).expect("no trap");
    vm.call("proxy_on_delete", &[request]).expect("no trap");
}

fn call(tool: &str) -> Vec<u8> {
    let params = json!({ "name": tool, "arguments": {} });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
    message.to_string().into_bytes()
}

#[test]
fn nobody_behind_gets_at_a_body_before_its_decision() {
    let mut vm = start();
    let whole = call("get_weather");
    for at in [1, whole.len() / 2, whole.len()] {
        let (first, rest) = whole.split_at(at);
        vm.host_mut().body.clear();
        open(&mut vm, 2);
        assert_eq!(body(&mut vm, 2, first, false), PAUSE);
        assert!(vm.host().body.is_empty(), "the first part is there for all");
        assert_eq!(body(&mut vm, 2, rest, true), CONTINUE);
        assert_eq!(vm.host().body, whole);
        let mark = &vm.host().properties[key(Role::Admit).as_bytes()];
        assert_eq!(Mark::decode(mark), Some(Mark::Pass(vec![])));
        close(&mut vm, 2);
    }
}

/// What was in the buffer when a filter behind went on is not forgotten.
#[test]
fn what_was_taken_is_judged() {
    let mut vm = start();
    open(&mut vm, 2);
    assert_eq!(body(&mut vm, 2, &call("delete_repo"), false), PAUSE);
    vm.host_mut().properties.insert(TICKET.into(), SEEN.into());
    assert_eq!(body(&mut vm, 2, &call("get_weather"), true), PAUSE);
    let (_, answer) = vm.host().answer.clone().expect("an answer");
    let answer = String::from_utf8_lossy(&answer).into_owned();
    assert!(answer.contains("json_trailing_data"), "{answer}");
}

#[test]
fn trailers_end_a_body_that_was_taken() {
    let mut vm = start();
    open(&mut vm, 2);
    let whole = call("get_weather");
    assert_eq!(body(&mut vm, 2, &whole, false), PAUSE);
    let action = vm.call("proxy_on_request_trailers", &[2, 1]);
    assert_eq!(action.expect("no trap"), CONTINUE);
    assert_eq!(vm.host().body, whole);
}

#[test]
fn once_the_gate_has_the_headers_the_body_stays_where_it_is() {
    let mut vm = start();
    open(&mut vm, 2);
    vm.host_mut().properties.insert(TICKET.into(), vec![0; 20]);
    let whole = call("get_weather");
    assert_eq!(body(&mut vm, 2, &whole, false), PAUSE);
    assert_eq!(vm.host().body, whole);
}

#[test]
fn no_more_than_64_mib_are_kept() {
    let mut vm = start();
    let part = vec![b' '; 15 * MIB];
    for request in 2..6 {
        open(&mut vm, request);
        assert_eq!(body(&mut vm, request, &part, false), PAUSE);
        assert_eq!(vm.host().answer, None, "{request}");
    }
    open(&mut vm, 6);
    assert_eq!(body(&mut vm, 6, &part, false), PAUSE);
    let (status, _) = vm.host_mut().answer.take().expect("an answer");
    assert_eq!(status, 503);
    assert!(
        vm.host()
            .log
            .iter()
            .any(|line| line.contains("64 MiB of bodies wait"))
    );
    vm.host_mut().body.clear();
    // A client that leaves makes room.
    for gone in [2, 6] {
        close(&mut vm, gone);
    }
    open(&mut vm, 7);
    assert_eq!(body(&mut vm, 7, &part, false), PAUSE);
    assert_eq!(vm.host().answer, None);
}
