//! Any bytes as a compiled policy. The header is made right, so that the
//! fields are reached, and a policy that loads is used.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_boundary_engine::{Engine, Head, Role};
use mcp_boundary_format::{FORMAT_VERSION, MAGIC, Policy};
use sha2::{Digest as _, Sha256};

fn sealed(contents: &[u8]) -> Vec<u8> {
    let mut start = MAGIC.to_vec();
    start.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    start.extend_from_slice(&0_u16.to_le_bytes());
    let total = u32::try_from(start.len() + 4 + 32 + contents.len()).expect("small");
    start.extend_from_slice(&total.to_le_bytes());
    let digest = Sha256::new().chain_update(&start).chain_update(contents).finalize();
    [&start[..], &digest, contents].concat()
}

fuzz_target!(|data: &[u8]| {
    let _ = Policy::decode(data);
    let blob = sealed(data);
    let Ok(policy) = Policy::decode(&blob) else {
        return;
    };
    assert_eq!(policy.encode().expect("encodes"), blob, "not canonical");
    // The compiler is a hundred times slower than all the rest.
    if policy.digest().as_bytes()[0] < 16 {
        let yaml = mcp_policy::to_yaml(&policy);
        if let Ok(again) = mcp_policy::compile(&yaml) {
            assert_eq!(again.policy.digest(), policy.digest(), "{yaml}");
        }
    }
    let body = br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}"#;
    for endpoint in policy.endpoints() {
        let path = endpoint.path.as_str();
        let host = endpoint.hosts.first().map_or("h".into(), ToString::to_string);
        let headers: [(&[u8], &[u8]); 5] = [
            (b":method", b"POST"),
            (b":path", path.as_bytes()),
            (b":authority", host.as_bytes()),
            (b"content-type", b"application/json"),
            (b"mcp-protocol-version", b"2025-11-25"),
        ];
        let head = Head {
            headers: &headers,
            ..Head::default()
        };
        for role in [Role::Admit, Role::Recheck] {
            let _ = Engine::new(policy.clone(), role).decide(head, body);
        }
    }
});
