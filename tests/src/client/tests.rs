use super::{Request, h1};

fn written(request: &Request) -> Vec<String> {
    h1::pieces(request)
        .into_iter()
        .map(|piece| String::from_utf8(piece).expect("text"))
        .collect()
}

#[test]
fn a_plain_request_states_its_length() {
    let request = Request::mcp("a.test", "/mcp", None, "{}");
    let pieces = written(&request);
    assert!(pieces[0].starts_with("POST /mcp HTTP/1.1\r\nhost: a.test\r\n"));
    assert!(pieces[0].ends_with("content-length: 2\r\n\r\n"));
    assert_eq!(pieces[1..], ["{}"]);
}

#[test]
fn listed_framing_and_host_are_left_alone() {
    let request = Request::mcp("a.test", "/mcp", None, "{}")
        .header("Content-Length", "0,5")
        .header("Host", "b.test");
    let head = &written(&request)[0];
    assert!(!head.contains("a.test"), "{head}");
    assert_eq!(head.to_lowercase().matches("content-length").count(), 1);
}

#[test]
fn the_last_chunk_size_repeats_and_trailers_follow() {
    let mut request = Request::mcp("a.test", "/mcp", None, "abcdef");
    request.chunk_sizes = vec![1, 2];
    request.trailers = vec![(b"x-sum".to_vec(), b"1".to_vec())];
    assert_eq!(
        written(&request)[1..],
        [
            "1\r\na\r\n",
            "2\r\nbc\r\n",
            "2\r\nde\r\n",
            "1\r\nf\r\n",
            "0\r\nx-sum: 1\r\n\r\n"
        ]
    );
}

#[test]
fn no_body_means_no_length() {
    let mut request = Request::mcp("a.test", "/mcp", None, "");
    request.body = None;
    assert_eq!(written(&request).len(), 1);
    assert!(!written(&request)[0].contains("length"));
}
