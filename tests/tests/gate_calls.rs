//! The gate in the small host: callbacks that come too late or for nobody, and
//! every call to its host failing once. No request goes on that was not
//! decided, and nothing stops the gate.

use mcp_boundary_handover::{Edit, Mark, Role, SEEN, TICKET, Ticket, key};
use mcp_boundary_tests::envoy;
use mcp_boundary_tests::vm::{Code, Shared, Vm};

const BOTH: &[u8] = br#"{"role":"gate","awaits":["admit","recheck"]}"#;
const ADMIT: &[u8] = br#"{"role":"gate","awaits":["admit"]}"#;
const SHORT: &[u8] = br#"{"role":"gate","awaits":["admit"],"wait_seconds":2,"max_waiting":2}"#;

/// The VM's first root, as the host numbers it, and requests.
const ROOT: i32 = 1;
const ONE: i32 = 2;
const TWO: i32 = 3;
const CONTINUE: Option<i32> = Some(0);
const PAUSE: Option<i32> = Some(1);

fn code() -> Code {
    Code::read(&envoy::gate_module().expect("the gate's module")).expect("code")
}

fn start(code: &Code, configuration: &[u8], shared: Shared) -> Vm {
    let vm = code.start_among(configuration, shared).expect("it runs");
    vm.expect("accepted")
}

fn mark(vm: &mut Vm, role: Role, mark: &Mark<'_>) {
    let properties = &mut vm.host_mut().properties;
    properties.insert(key(role).into(), mark.encode());
}

/// The headers of a new request; what the gate does with them.
fn headers(vm: &mut Vm, root: i32, request: i32) -> Option<i32> {
    vm.call("proxy_on_context_create", &[request, root])
        .expect("created");
    vm.call("proxy_on_request_headers", &[request, 1, 0])
        .expect("no trap")
}

fn ticket(vm: &Vm) -> Ticket {
    let bytes = &vm.host().properties[TICKET.as_bytes()];
    Ticket::decode(bytes).expect("a ticket")
}

/// Puts a ticket into its queue and calls whoever registered it.
fn enqueue(vm: &mut Vm, ticket: Ticket) {
    let at = ticket.queue as usize - 1;
    let queue = &mut vm.host_mut().shared.queues[at];
    queue.held.push_back(ticket.encode().to_vec());
    let context = queue.context;
    let number = ticket.queue.cast_signed();
    vm.call("proxy_on_queue_ready", &[context, number])
        .expect("no trap");
}

#[test]
fn a_request_is_held_until_all_have_decided() {
    let mut vm = start(&code(), BOTH, Shared::default());
    mark(&mut vm, Role::Admit, &Mark::Hold);
    mark(&mut vm, Role::Recheck, &Mark::Hold);
    assert_eq!(headers(&mut vm, ROOT, ONE), PAUSE);
    let ticket = ticket(&vm);
    enqueue(&mut vm, ticket);
    mark(&mut vm, Role::Admit, &Mark::Pass(vec![Edit::Set("a", "1")]));
    enqueue(&mut vm, ticket);
    assert!(vm.host().resumed.is_empty());
    mark(&mut vm, Role::Recheck, &Mark::Pass(vec![Edit::Remove("b")]));
    vm.host_mut().headers = vec![(b"b".to_vec(), b"2".to_vec())];
    enqueue(&mut vm, ticket);
    assert_eq!(vm.host().resumed, [ONE]);
    assert_eq!(vm.host().headers, [(b"a".to_vec(), b"1".to_vec())]);
    // Once is enough.
    enqueue(&mut vm, ticket);
    assert_eq!(vm.host().resumed, [ONE]);
    assert_eq!(
        vm.call("proxy_on_request_body", &[ONE, 1, 1])
            .expect("no trap"),
        CONTINUE
    );
}

#[test]
fn what_was_decided_before_goes_on_at_once() {
    let mut vm = start(&code(), ADMIT, Shared::default());
    mark(&mut vm, Role::Admit, &Mark::Pass(vec![Edit::Set("a", "1")]));
    assert_eq!(headers(&mut vm, ROOT, ONE), CONTINUE);
    assert_eq!(vm.host().headers, [(b"a".to_vec(), b"1".to_vec())]);
    assert_eq!(vm.host().properties[TICKET.as_bytes()], SEEN);
}

#[test]
fn without_a_mark_the_answer_is_503() {
    let mut vm = start(&code(), BOTH, Shared::default());
    mark(&mut vm, Role::Admit, &Mark::Hold);
    assert_eq!(headers(&mut vm, ROOT, ONE), PAUSE);
    let (status, body) = vm.host().answer.clone().expect("an answer");
    assert_eq!(status, 503);
    let body: serde_json::Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(body["error"]["data"]["reason"], "internal");
    assert!(
        vm.host()
            .log
            .iter()
            .any(|line| line.contains("nothing of `recheck`"))
    );
    assert_eq!(
        vm.call("proxy_on_request_body", &[ONE, 1, 1])
            .expect("no trap"),
        PAUSE
    );
}

#[test]
fn waiting_is_bounded() {
    let mut vm = start(&code(), SHORT, Shared::default());
    mark(&mut vm, Role::Admit, &Mark::Hold);
    for request in [ONE, TWO] {
        assert_eq!(headers(&mut vm, ROOT, request), PAUSE);
        assert_eq!(vm.host().answer, None);
    }
    assert_eq!(headers(&mut vm, ROOT, 4), PAUSE);
    assert_eq!(
        vm.host_mut().answer.take().map(|(status, _)| status),
        Some(503)
    );
    // A client that leaves makes room.
    vm.call("proxy_on_done", &[ONE]).expect("no trap");
    vm.call("proxy_on_delete", &[ONE]).expect("no trap");
    assert_eq!(headers(&mut vm, ROOT, 5), PAUSE);
    assert_eq!(vm.host().answer, None);
    for _ in 0..2 {
        vm.call("proxy_on_tick", &[ROOT]).expect("no trap");
        assert_eq!(vm.host().answer, None);
    }
    let before = vm.host().log.len();
    vm.call("proxy_on_tick", &[ROOT]).expect("no trap");
    assert_eq!(
        vm.host_mut().answer.take().map(|(status, _)| status),
        Some(504)
    );
    let given_up = &vm.host().log[before..];
    assert_eq!(given_up.len(), 2, "{given_up:?}");
    // Nobody waits any more, whatever comes late.
    let ticket = ticket(&vm);
    mark(&mut vm, Role::Admit, &Mark::Pass(vec![]));
    enqueue(&mut vm, ticket);
    assert!(vm.host().resumed.is_empty());
}

/// The SDK takes a queue's callback for a context that is no root for a fault,
/// and stops the VM. So the gate must see to it that there is none.
#[test]
fn the_sdk_panics_where_no_root_is() {
    let mut vm = start(&code(), ADMIT, Shared::default());
    mark(&mut vm, Role::Admit, &Mark::Hold);
    headers(&mut vm, ROOT, ONE);
    for gone in [ONE, 99] {
        let trapped = vm.call("proxy_on_queue_ready", &[gone, 1]);
        assert!(trapped.is_err(), "{gone}");
        vm = start(&code(), ADMIT, Shared::default());
        mark(&mut vm, Role::Admit, &Mark::Hold);
        headers(&mut vm, ROOT, ONE);
    }
}

/// Two gates in one VM, the first of which is configured away; then a fault,
/// and a new VM in which the second one's number is a request's.
#[test]
fn a_callback_for_a_context_that_is_gone_finds_a_root() {
    let code = code();
    let mut vm = start(&code, ADMIT, Shared::default());
    assert!(vm.configure(TWO, BOTH).expect("no trap"));
    assert_eq!(vm.call("proxy_on_done", &[ROOT]).expect("no trap"), Some(0));
    mark(&mut vm, Role::Admit, &Mark::Hold);
    mark(&mut vm, Role::Recheck, &Mark::Hold);
    assert_eq!(headers(&mut vm, TWO, 4), PAUSE);
    let old = ticket(&vm);
    assert_eq!(headers(&mut vm, TWO, 5), PAUSE);
    let other = ticket(&vm);
    mark(&mut vm, Role::Admit, &Mark::Pass(vec![]));
    mark(&mut vm, Role::Recheck, &Mark::Pass(vec![]));
    enqueue(&mut vm, other);
    assert_eq!(vm.host().resumed, [5]);
    // The second one may go, the first one still has the queue.
    assert_eq!(vm.call("proxy_on_done", &[TWO]).expect("no trap"), Some(1));
    vm.call("proxy_on_delete", &[TWO]).expect("no trap");

    let shared = vm.host().shared.clone();
    assert!(shared.queues.iter().all(|queue| queue.context == ROOT));
    let mut vm = start(&code, BOTH, shared);
    mark(&mut vm, Role::Admit, &Mark::Hold);
    mark(&mut vm, Role::Recheck, &Mark::Hold);
    for request in [TWO, 4] {
        assert_eq!(headers(&mut vm, ROOT, request), PAUSE);
    }
    let new = ticket(&vm);
    assert_ne!((new.queue, new.vm), (old.queue, old.vm));
    mark(&mut vm, Role::Admit, &Mark::Pass(vec![]));
    mark(&mut vm, Role::Recheck, &Mark::Pass(vec![]));
    enqueue(&mut vm, old);
    // Into the new queue, too, it means nothing.
    enqueue(
        &mut vm,
        Ticket {
            queue: new.queue,
            ..old
        },
    );
    assert!(vm.host().resumed.is_empty());
    enqueue(&mut vm, new);
    assert_eq!(vm.host().resumed, [4]);
}

#[test]
fn a_request_that_left_is_not_looked_for() {
    let mut vm = start(&code(), ADMIT, Shared::default());
    mark(&mut vm, Role::Admit, &Mark::Hold);
    headers(&mut vm, ROOT, ONE);
    let (gone, _) = (ticket(&vm), headers(&mut vm, ROOT, TWO));
    let kept = ticket(&vm);
    vm.call("proxy_on_done", &[ONE]).expect("no trap");
    vm.call("proxy_on_delete", &[ONE]).expect("no trap");
    mark(&mut vm, Role::Admit, &Mark::Pass(vec![]));
    enqueue(&mut vm, gone);
    assert!(vm.host().resumed.is_empty());
    // What is no ticket is skipped.
    vm.host_mut().shared.queues[0].held.push_back(b"?".to_vec());
    enqueue(&mut vm, kept);
    assert_eq!(vm.host().resumed, [TWO]);
}

/// Statuses that a host may return, see `host_calls`.
const STATUSES: [i32; 8] = [1, 2, 3, 6, 7, 8, 10, 12];

/// What happens to one request, of which every host call may fail: `None` if
/// the module trapped, as a proxy answers with 503.
fn walk(code: &Code, permitted: bool, fails: Option<(usize, i32)>) -> (Option<Vec<i32>>, Vm) {
    let mut vm = start(code, ADMIT, Shared::default());
    let host = vm.host_mut();
    host.calls.clear();
    host.fails = fails;
    let gone = (|| {
        mark(&mut vm, Role::Admit, &Mark::Hold);
        vm.call("proxy_on_context_create", &[ONE, ROOT]).ok()?;
        let action = vm.call("proxy_on_request_headers", &[ONE, 1, 0]).ok()?;
        if action == CONTINUE {
            vm.host_mut().resumed.push(ONE);
        }
        let held = vm.host().properties.get(TICKET.as_bytes());
        let held = held.and_then(|bytes| Ticket::decode(bytes));
        if permitted {
            mark(&mut vm, Role::Admit, &Mark::Pass(vec![Edit::Set("a", "1")]));
        }
        let ticket = held?;
        vm.host_mut().shared.queues[0]
            .held
            .push_back(ticket.encode().to_vec());
        vm.call("proxy_on_queue_ready", &[ROOT, ticket.queue.cast_signed()])
            .ok()?;
        vm.call("proxy_on_done", &[ONE]).ok()?;
        vm.call("proxy_on_delete", &[ONE]).ok()?;
        Some(vm.host().resumed.clone())
    })();
    (gone, vm)
}

#[test]
fn every_failure_is_contained() {
    let code = code();
    let (mut tried, mut trapped, mut held) = (0, 0, 0);
    for permitted in [true, false] {
        let (sound, vm) = walk(&code, permitted, None);
        assert_eq!(sound, Some(if permitted { vec![ONE] } else { vec![] }));
        let calls = vm.host().calls.clone();
        assert!(calls.len() >= 6, "{calls:?}");
        for (at, name) in calls.iter().enumerate() {
            for status in STATUSES {
                let (gone, vm) = walk(&code, permitted, Some((at, status)));
                let what = format!("permitted: {permitted}, {name} ({at}) fails with {status}");
                tried += 1;
                match gone {
                    None => trapped += 1,
                    Some(resumed) if resumed.is_empty() => held += 1,
                    Some(_) => {
                        // Only what may be lost was: no edit, no decision.
                        assert!(permitted, "{what}: goes on undecided");
                        let edited = [(b"a".to_vec(), b"1".to_vec())];
                        assert_eq!(vm.host().headers, edited, "{what}");
                    }
                }
            }
        }
    }
    println!("{tried} failures: {trapped} trapped, {held} held or refused");
    assert!(tried > 80 && trapped > 0 && held > 0);
}
