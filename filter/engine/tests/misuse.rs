//! What users of the engine cannot even write.
#![cfg(not(target_arch = "wasm32"))]

#[test]
fn misuse_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/misuse/*.rs");
}
