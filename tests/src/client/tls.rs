//! TLS for HTTP/2.

use std::fmt;
use std::sync::Arc;

use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

use crate::error::{Context, Error, Result};

/// A client that trusts one certificate and speaks nothing but HTTP/2.
#[derive(Clone)]
pub struct Trust {
    config: Arc<ClientConfig>,
    name: String,
}

impl fmt::Debug for Trust {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trust").field("name", &self.name).finish()
    }
}

impl Trust {
    /// Trusts the certificate with these DER bytes, for the host `name`.
    ///
    /// # Errors
    /// If it is no certificate.
    pub fn new(certificate: Vec<u8>, name: &str) -> Result<Self> {
        let mut roots = RootCertStore::empty();
        roots
            .add(CertificateDer::from(certificate))
            .context("cannot trust the certificate")?;
        let provider = Arc::new(ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .context("no TLS version")?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"h2".to_vec()];
        Ok(Self {
            config: Arc::new(config),
            name: name.to_owned(),
        })
    }

    /// Shakes hands over `stream`.
    pub(super) async fn handshake(&self, stream: TcpStream) -> Result<TlsStream<TcpStream>> {
        let name = ServerName::try_from(self.name.clone()).context("no name of a server")?;
        let stream = TlsConnector::from(Arc::clone(&self.config))
            .connect(name, stream)
            .await
            .context("no TLS connection")?;
        match stream.get_ref().1.alpn_protocol() {
            Some(b"h2") => Ok(stream),
            other => Err(Error::new(format!("the server agreed to {other:?}"))),
        }
    }
}
