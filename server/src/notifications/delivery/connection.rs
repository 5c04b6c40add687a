//! A connection to a push service. The host name is resolved here, and the connection goes to an address that was checked: a name
//! that is resolved once more could lead elsewhere the second time.

use std::fmt::Display;
use std::sync::Arc;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, lookup_host};
use tokio::sync::OnceCell;
use tokio::task::spawn_blocking;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::ServerName;
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

use crate::notifications::delivery::endpoint::{Endpoint, Reach};

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub(super) enum NotConnected {
    /// The host name leads to machines that this server may not connect to.
    #[error("its address is in a private network")]
    Forbidden,
    #[error("{0}")]
    Failed(String),
}

/// Connects to push services.
pub(super) struct Connector {
    /// The machines that it may connect to.
    pub(super) reach: Reach,
    /// Made for the first connection: reading the certificates of the system takes time.
    tls: OnceCell<TlsConnector>,
}

impl Connector {
    /// One that trusts the certificates of the system. `private`: it also connects to private networks and to this machine.
    pub(super) fn new(private: bool) -> Self {
        let reach = if private { Reach::Everything } else { Reach::Public };
        Self { reach, tls: OnceCell::new() }
    }

    async fn tls(&self) -> Result<&TlsConnector, NotConnected> {
        let trusting_system = async || {
            let found =
                spawn_blocking(rustls_native_certs::load_native_certs).await.map_err(|e| failed(&e))?;
            let mut roots = RootCertStore::empty();
            roots.add_parsable_certificates(found.certs);
            trusting(roots)
        };
        self.tls.get_or_try_init(trusting_system).await
    }

    /// Connects to the push service of a subscription.
    pub(super) async fn connect(&self, to: &Endpoint) -> Result<Box<dyn PushStream>, NotConnected> {
        let found = lookup_host((to.host(), to.port())).await.map_err(|e| failed(&e))?;
        let addresses: Vec<_> = found.collect();
        let allowed: Vec<_> =
            addresses.iter().copied().filter(|address| self.reach.has(address.ip())).collect();
        if allowed.is_empty() && !addresses.is_empty() {
            return Err(NotConnected::Forbidden);
        }
        let stream = TcpStream::connect(&*allowed).await.map_err(|e| failed(&e))?;
        if !to.tls {
            return Ok(Box::new(stream));
        }
        let name = ServerName::try_from(to.host().to_owned()).map_err(|e| failed(&e))?;
        let stream = self.tls().await?.connect(name, stream).await.map_err(|e| failed(&e))?;
        Ok(Box::new(stream))
    }
}

fn trusting(roots: RootCertStore) -> Result<TlsConnector, NotConnected> {
    let provider = Arc::new(crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.map_err(|e| failed(&e))?.with_root_certificates(roots).with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

fn failed(why: &dyn Display) -> NotConnected {
    NotConnected::Failed(why.to_string())
}

/// A connection with or without TLS.
pub(super) trait PushStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> PushStream for S {}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio_rustls::TlsAcceptor;
    use tokio_rustls::rustls::ServerConfig;
    use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

    use super::*;

    /// A server with a certificate for this name, which greets; the address, and the certificate.
    async fn greeter(name: &str) -> (u16, CertificateDer<'static>) {
        let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
        let certificate = made.cert.der().clone();
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let provider = Arc::new(crypto::ring::default_provider());
        let config =
            ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let config = config.with_no_client_auth().with_single_cert(vec![certificate.clone()], key).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        tokio::spawn(async move {
            let acceptor = TlsAcceptor::from(Arc::new(config));
            while let Ok((stream, _)) = listener.accept().await {
                // A client that does not trust the certificate leaves.
                let Ok(mut stream) = acceptor.accept(stream).await else { continue };
                stream.write_all(b"hello").await.unwrap();
                stream.flush().await.unwrap();
            }
        });
        (port, certificate)
    }

    fn connector(trusted: Option<CertificateDer<'static>>, reach: Reach) -> Connector {
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(trusted);
        Connector { reach, tls: OnceCell::new_with(Some(trusting(roots).unwrap())) }
    }

    #[tokio::test]
    async fn certificate_must_be_trusted_and_of_the_host() {
        let (port, certificate) = greeter("localhost").await;
        let endpoint = Endpoint::read(&format!("https://localhost:{port}/x"), Reach::Everything).unwrap();
        let trusting_one = connector(Some(certificate.clone()), Reach::Everything);
        let mut greeting = [0; 5];
        trusting_one.connect(&endpoint).await.ok().unwrap().read_exact(&mut greeting).await.unwrap();
        assert_eq!(&greeting, b"hello");
        let refused = async |connector: &Connector, to: &Endpoint| connector.connect(to).await.err().unwrap();
        let stranger = connector(None, Reach::Everything);
        assert!(matches!(refused(&stranger, &endpoint).await, NotConnected::Failed(_)));
        let (port, certificate) = greeter("another.example").await;
        let endpoint = Endpoint::read(&format!("https://localhost:{port}/x"), Reach::Everything).unwrap();
        let trusting_one = connector(Some(certificate), Reach::Everything);
        assert!(matches!(refused(&trusting_one, &endpoint).await, NotConnected::Failed(_)));
        // A name of the server's own machine, whatever its certificate.
        let public = connector(None, Reach::Public);
        assert!(matches!(refused(&public, &endpoint).await, NotConnected::Forbidden));
    }
}
