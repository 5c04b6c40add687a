//! The TLS settings: which certificates to trust. It must not open connections.

use crate::dialogue::answer::Failure;
use rustls::pki_types::{CertificateDer, pem::PemObject};
use rustls::{ClientConfig, RootCertStore};
use std::path::Path;
use std::sync::Arc;

/// The settings of a TLS client that trusts the certificates in `ca`, or the system's if it is `None`.
pub(crate) fn config(ca: Option<&Path>) -> Result<Arc<ClientConfig>, Failure> {
    let roots = match ca {
        Some(file) => from_file(file)?,
        None => from_system()?,
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| Failure::setup(format!("TLS cannot be set up: {error}")))?
        .with_root_certificates(roots)
        .with_no_client_auth();
    // A WebSocket begins as HTTP/1.1, so a proxy must not choose HTTP/2.
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

fn from_file(file: &Path) -> Result<RootCertStore, Failure> {
    let wrong = |what: &str| Failure::setup(format!("the certificates in {}: {what}", file.display()));
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| wrong(&error.to_string()))? {
        let certificate = certificate.map_err(|error| wrong(&error.to_string()))?;
        roots.add(certificate).map_err(|error| wrong(&error.to_string()))?;
    }
    if roots.is_empty() { Err(wrong("the file has none in PEM form")) } else { Ok(roots) }
}

fn from_system() -> Result<RootCertStore, Failure> {
    let found = rustls_native_certs::load_native_certs();
    let mut roots = RootCertStore::empty();
    // Skip certificates that cannot be parsed; the others are enough.
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        let reason = found.errors.first().map(ToString::to_string).unwrap_or_default();
        return Err(Failure::setup(format!(
            "no trusted certificates on this system; name a file with --ca {reason}"
        )));
    }
    Ok(roots)
}
