//! The Envoy filter: proxy-wasm around the engine, and no logic of its own.
//!
//! `root` turns the plugin configuration into an engine, `http` walks one
//! request through it, `attributes` looks up who sent it, and `effect` writes to the
//! host; so do `hold`, which leaves the headers to a gate or a filter of the host,
//! and `body`, which then keeps the body.

mod attributes;
mod body;
mod effect;
mod hold;
mod http;
mod root;

use proxy_wasm::types::LogLevel;

proxy_wasm::main! {{
    proxy_wasm::set_log_level(LogLevel::Info);
    proxy_wasm::set_root_context(|_| Box::new(root::Root::default()));
}}
