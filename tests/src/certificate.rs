//! A self-signed certificate for one test: Envoy shows it, the client trusts it.

use rcgen::{CertifiedKey, KeyPair};
use serde_json::{Value, json};

use crate::client::Trust;
use crate::error::{Context, Result};

/// A certificate for one host name, and its key.
pub struct Certificate {
    pair: CertifiedKey<KeyPair>,
    name: String,
}

impl std::fmt::Debug for Certificate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Certificate")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

impl Certificate {
    /// Makes one for the host `name`.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn for_host(name: &str) -> Result<Self> {
        let pair = rcgen::generate_simple_self_signed([name.to_owned()])
            .context("cannot make a certificate")?;
        let name = name.to_owned();
        Ok(Self { pair, name })
    }

    /// A client that trusts this certificate alone.
    ///
    /// # Errors
    /// If the TLS library refuses it.
    pub fn trust(&self) -> Result<Trust> {
        Trust::new(self.pair.cert.der().to_vec(), &self.name)
    }

    /// The transport socket of a listener that shows it and speaks HTTP/2.
    pub fn transport_socket(&self) -> Value {
        json!({
            "name": "envoy.transport_sockets.tls",
            "typed_config": {
                "@type": "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext",
                "common_tls_context": {
                    "alpn_protocols": ["h2"],
                    "tls_certificates": [{
                        "certificate_chain": { "inline_string": self.pair.cert.pem() },
                        "private_key": { "inline_string": self.pair.signing_key.serialize_pem() },
                    }],
                },
            },
        })
    }
}
