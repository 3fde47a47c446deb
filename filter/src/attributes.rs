//! What Envoy knows of a request, as the engine reads it.

use mcp_boundary_engine::Attribute;
use proxy_wasm::hostcalls;
use proxy_wasm::types::Bytes;

/// Filter state key of what admit records.
pub(crate) const RECORD: &str = "mcp_boundary_record";

/// The bytes of each attribute; `None` where the host has none.
pub(crate) fn values(attributes: &[Attribute]) -> Vec<Option<Vec<u8>>> {
    let paths = attributes.iter().map(|attribute| attribute.path());
    paths.map(|path| property(path.to_vec())).collect()
}

/// Header lines as the engine takes them.
pub(crate) fn lines(headers: &[(String, Bytes)]) -> Vec<(&[u8], &[u8])> {
    let lines = headers.iter();
    lines
        .map(|(name, value)| (name.as_bytes(), value.as_slice()))
        .collect()
}

/// What admit recorded for this request.
pub(crate) fn record() -> Option<Vec<u8>> {
    property(vec![RECORD])
}

/// The client's address and port, as Envoy has made them out.
pub(crate) fn client() -> Option<Vec<u8>> {
    property(vec!["source", "address"])
}

pub(crate) fn property(path: Vec<&str>) -> Option<Vec<u8>> {
    hostcalls::get_property(path).ok().flatten()
}
