//! Any text as a policy. One that compiles survives the blob and `inspect`.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_boundary_format::Policy;

fuzz_target!(|text: &str| {
    match mcp_policy::compile(text) {
        Ok(compiled) => {
            let blob = compiled.policy.encode().expect("encodes");
            let decoded = Policy::decode(&blob).expect("decodes");
            assert_eq!(decoded, compiled.policy);
            let printed = mcp_policy::to_yaml(&decoded);
            let again = mcp_policy::compile(&printed).expect("what is printed compiles");
            assert_eq!(again.policy.digest(), decoded.digest(), "{printed}");
        }
        Err(diagnostics) => assert!(!diagnostics.is_empty()),
    }
});
