use super::message::{Progress, parse};

fn complete(bytes: &[u8]) -> super::Exchange {
    match parse(bytes, 1) {
        Progress::Complete(exchange) => exchange,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_body_with_a_length_ends_where_it_says() {
    let one = b"POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}";
    let two = [&one[..], b"GET"].concat();
    let exchange = complete(&two);
    assert_eq!(exchange.body, b"{}");
    assert_eq!(exchange.header("host"), Some(&b"a"[..]));
    assert_eq!(exchange.raw, one);
}

#[test]
fn a_chunked_body_keeps_its_trailers() {
    let bytes = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\
        1\r\n{\r\n1\r\n}\r\n0\r\nX-Sum: 1\r\n\r\n";
    let exchange = complete(bytes);
    assert_eq!(exchange.body, b"{}");
    assert_eq!(exchange.trailers, [("x-sum".to_owned(), b"1".to_vec())]);
    assert_eq!(exchange.raw, bytes);
    for end in 1..bytes.len() {
        assert_eq!(parse(&bytes[..end], 1), Progress::Partial, "cut at {end}");
    }
}

#[test]
fn what_is_no_request_stays_unattributed() {
    assert_eq!(parse(b"PRI * HTTP/2.0\r\n\r\n", 1), Progress::Malformed);
    assert_eq!(
        parse(b"POST / HTTP/1.1\r\ncontent-length: x\r\n\r\n", 1),
        Progress::Malformed
    );
}
