//! The gate: a module of its own that stands last in the chain and holds the
//! headers of a request until the instances before it have decided, for
//! control planes that cannot set `allow_on_headers_stop_iteration`.
//! `docs/gate.md` says why and how.
//!
//! `settings` is the plugin configuration (`json` reads it), `standing` says what the marks of a
//! request mean, `waiting` counts those that are held, `vm` owns them and the
//! queue, and `root` and `request` are the callbacks.

mod json;
mod request;
mod root;
mod settings;
mod standing;
mod vm;
mod waiting;

use proxy_wasm::types::LogLevel;

proxy_wasm::main! {{
    proxy_wasm::set_log_level(LogLevel::Info);
    proxy_wasm::set_root_context(|id| Box::new(root::Root::new(id)));
}}
