//! A filter that rewrites requests as their own headers tell it to. It stands
//! between admit and recheck in tests, for the filters that operators put
//! there.
//!
//! `x-body-from` and `x-body-to` replace text in the body, `x-set: name=value`
//! sets a header or pseudo-header, `x-length: stale` leaves `content-length` as
//! it was, `x-record` overwrites what admit recorded; `x-property` names a
//! property of the request, its path parted by `|`, whose bytes are answered in
//! the server's place (404 if there are none). The Lua and the ext_proc rewriter of the tests read the same
//! headers.

use proxy_wasm::hostcalls;
use proxy_wasm::traits::{Context, HttpContext};
use proxy_wasm::types::{Action, BufferType, MapType};

proxy_wasm::main! {{
    proxy_wasm::set_http_context(|_, _| Box::new(Rewriter::default()));
}}

/// The filter state that admit leaves for the recheck.
const RECORD: &str = "mcp_boundary_record";

#[derive(Debug, Default)]
struct Rewriter {
    /// Bytes of body that the host holds.
    held: usize,
    done: bool,
}

impl Rewriter {
    fn rewrite(&mut self) -> Action {
        if !self.done {
            self.done = true;
            self.rewrite_body();
            if let Some(edit) = header("x-set")
                && let Some((name, value)) = edit.split_once('=')
            {
                set(name, value);
            }
            if let Some(record) = header("x-record") {
                let _ = hostcalls::set_property(vec![RECORD], Some(record.as_bytes()));
            }
        }
        Action::Continue
    }

    fn rewrite_body(&self) {
        let (Some(from), Some(to)) = (header("x-body-from"), header("x-body-to")) else {
            return;
        };
        let Ok(Some(body)) = hostcalls::get_buffer(BufferType::HttpRequestBody, 0, self.held)
        else {
            return;
        };
        let body = String::from_utf8_lossy(&body).replace(&from, &to);
        if header("x-length").as_deref() != Some("stale") && header("content-length").is_some() {
            set("content-length", &body.len().to_string());
        }
        let _ = hostcalls::set_buffer(BufferType::HttpRequestBody, 0, self.held, body.as_bytes());
    }
}

/// Answers with the bytes of a property.
fn tell(path: &str) {
    let bytes = hostcalls::get_property(path.split('|').collect());
    let (status, bytes) = match bytes {
        Ok(Some(bytes)) => (200, bytes),
        Ok(None) => (404, b"none".to_vec()),
        Err(error) => (404, format!("{error:?}").into_bytes()),
    };
    let _ = hostcalls::send_http_response(status, vec![], Some(&bytes));
}

fn header(name: &str) -> Option<String> {
    hostcalls::get_map_value(MapType::HttpRequestHeaders, name)
        .ok()
        .flatten()
}

fn set(name: &str, value: &str) {
    let _ = hostcalls::set_map_value(MapType::HttpRequestHeaders, name, Some(value));
}

impl Context for Rewriter {}

impl HttpContext for Rewriter {
    fn on_http_request_headers(&mut self, _count: usize, end_of_stream: bool) -> Action {
        if let Some(path) = header("x-property") {
            tell(&path);
            return Action::Pause;
        }
        // Lengths are in the headers, so they wait for the body.
        match end_of_stream {
            true => self.rewrite(),
            false => Action::Pause,
        }
    }

    fn on_http_request_body(&mut self, held: usize, end_of_stream: bool) -> Action {
        self.held = held;
        match end_of_stream {
            true => self.rewrite(),
            false => Action::Pause,
        }
    }

    fn on_http_request_trailers(&mut self, _count: usize) -> Action {
        self.rewrite()
    }
}
