//! The answer where no verdict can be given. Contract section 13.

/// The JSON-RPC error for a request that cannot be served: code -32603, reason
/// `internal`. `message` says what to do; it must need no escaping in JSON, as
/// no constant of ours does.
pub fn answer(message: &str) -> String {
    debug_assert!(!message.contains(['"', '\\']) && message.is_ascii());
    format!(
        r#"{{"jsonrpc":"2.0","id":null,"error":{{"code":-32603,"message":"{message}","data":{{"reason":"internal"}}}}}}"#
    )
}
