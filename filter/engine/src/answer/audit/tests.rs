//! What is told, where it is bounded, and what is only told once.

use super::*;

#[test]
fn a_client_has_no_port() {
    for (told, client) in [
        ("127.0.0.1:5", "127.0.0.1"),
        ("[::1]:5", "::1"),
        ("127.0.0.1", "127.0.0.1"),
        ("/run/x.sock", "/run/x.sock"),
        ("a\n", "a\\n"),
    ] {
        assert_eq!(address(told.as_bytes()), client);
    }
}

#[test]
fn host_and_path_hold_no_secret() {
    for (told, judged) in [
        ("/mcp", "/mcp"),
        ("/mcp?s3", "/mcp"),
        ("/@scope/mcp", "/@scope/mcp"),
        ("/mcp#s3", "-"),
        ("//u:s3@h/mcp", "-"),
        ("/\\u:s3@h/mcp", "-"),
        ("http://u:s3@h/mcp", "-"),
        ("*", "-"),
        ("/a\tb", "/a\\tb"),
    ] {
        assert_eq!(path(told.as_bytes()), judged);
    }
    assert_eq!(
        path(&[b"/".as_slice(), &[b'x'; 999]].concat()).len(),
        256 + 3
    );
    assert_eq!(host(b"mcp.test:8443"), "mcp.test:8443");
    assert_eq!(host(b"u:s3@mcp.test"), "-");
    assert_eq!(host(b"\xff"), "\u{fffd}");
}
