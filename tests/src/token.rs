//! Tokens that Envoy's `jwt_authn` takes, signed with a key of this process.

use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rcgen::{KeyPair, PKCS_ED25519, PublicKeyData, SigningKey};
use serde_json::{Value, json};

use crate::error::{Context, Result};

/// The header that a token is read from. Not `authorization`, which cases may
/// use themselves.
pub const HEADER: &str = "x-case-jwt";

fn key() -> Result<&'static KeyPair> {
    static KEY: OnceLock<Result<KeyPair>> = OnceLock::new();
    let key = KEY
        .get_or_init(|| KeyPair::generate_for(&PKCS_ED25519).context("cannot make a signing key"));
    key.as_ref().map_err(Clone::clone)
}

/// A token with these claims, JSON text that is signed as it is written.
///
/// # Errors
/// If they cannot be signed.
pub fn sign(claims: &str) -> Result<String> {
    let head = r#"{"alg":"EdDSA","kid":"test"}"#;
    let signed = format!(
        "{}.{}",
        URL_SAFE_NO_PAD.encode(head),
        URL_SAFE_NO_PAD.encode(claims)
    );
    let signature = key()?
        .sign(signed.as_bytes())
        .context("cannot sign a token")?;
    Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
}

/// The `jwt_authn` filter that checks tokens of [`HEADER`], drops them, and
/// keeps their claims under `payload`. A request without one passes.
///
/// # Errors
/// If there is no signing key.
pub fn jwt_authn(payload: &str) -> Result<Value> {
    let x = URL_SAFE_NO_PAD.encode(key()?.der_bytes());
    let keys = json!({ "keys": [
        { "kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "kid": "test", "x": x },
    ] });
    Ok(json!({
        "name": "envoy.filters.http.jwt_authn",
        "typed_config": {
            "@type": "type.googleapis.com/envoy.extensions.filters.http.jwt_authn.v3.JwtAuthentication",
            "providers": { "test": {
                "local_jwks": { "inline_string": keys.to_string() },
                "from_headers": [{ "name": HEADER }],
                "forward": false,
                "payload_in_metadata": payload,
            } },
            "rules": [{
                "match": { "prefix": "/" },
                "requires": { "requires_any": { "requirements": [
                    { "provider_name": "test" },
                    { "allow_missing": {} },
                ] } },
            }],
        },
    }))
}
