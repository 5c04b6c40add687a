//! The byte stream to a server, plain or with TLS. It must not interpret the bytes, and never blocks.

use crate::dialogue::answer::Failure;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};

/// A non-blocking connection.
#[derive(Debug)]
pub(crate) enum ServerStream {
    /// Without TLS.
    Plain(TcpStream),
    #[cfg(feature = "tls")]
    Tls(Box<rustls::StreamOwned<rustls::ClientConnection, TcpStream>>),
}

impl ServerStream {
    /// Whether to poll for room to write: TLS itself has bytes to send, or the caller can write.
    /// `more`: whether the caller has something to write.
    pub(crate) fn wants_write(&self, more: bool) -> bool {
        match self {
            Self::Plain(_) => more,
            // During the handshake the caller cannot write.
            #[cfg(feature = "tls")]
            Self::Tls(tls) => tls.conn.wants_write() || (more && !tls.conn.is_handshaking()),
        }
    }
}

impl AsFd for ServerStream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Plain(tcp) => tcp.as_fd(),
            #[cfg(feature = "tls")]
            Self::Tls(tls) => tls.sock.as_fd(),
        }
    }
}

impl Read for ServerStream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(tcp) => tcp.read(buffer),
            #[cfg(feature = "tls")]
            Self::Tls(tls) => tls.read(buffer),
        }
    }
}

impl Write for ServerStream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Plain(tcp) => tcp.write(bytes),
            #[cfg(feature = "tls")]
            Self::Tls(tls) => tls.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Plain(tcp) => tcp.flush(),
            #[cfg(feature = "tls")]
            Self::Tls(tls) => tls.flush(),
        }
    }
}

/// Turns TCP connections into streams, with TLS if the server's address says so.
#[derive(Debug)]
pub(crate) enum Transport {
    /// Without TLS.
    Plain,
    /// With TLS, for this host name.
    #[cfg(feature = "tls")]
    Tls(std::sync::Arc<rustls::ClientConfig>, rustls::pki_types::ServerName<'static>),
}

impl Transport {
    /// Prepares for one server. Loads certificates once, not for each connection.
    #[cfg(feature = "tls")]
    pub(crate) fn new(
        server: &crate::network::address::ServerAddress,
        ca: Option<&std::path::Path>,
    ) -> Result<Self, Failure> {
        if !server.tls {
            return Ok(Self::Plain);
        }
        let name = rustls::pki_types::ServerName::try_from(server.host.clone())
            .map_err(|_| Failure::setup(format!("{:?} is not a host name or address", server.host)))?;
        Ok(Self::Tls(crate::network::tls::config(ca)?, name))
    }

    /// Prepares for one server.
    #[cfg(not(feature = "tls"))]
    pub(crate) fn new(
        server: &crate::network::address::ServerAddress,
        _ca: Option<&std::path::Path>,
    ) -> Result<Self, Failure> {
        if server.tls {
            return Err(Failure::setup(format!(
                "this build has no TLS and cannot reach {server}: build it with the feature tls, or use http://"
            )));
        }
        Ok(Self::Plain)
    }

    /// Wraps an established connection.
    pub(crate) fn wrap(&self, tcp: TcpStream) -> Result<ServerStream, Failure> {
        match self {
            Self::Plain => Ok(ServerStream::Plain(tcp)),
            #[cfg(feature = "tls")]
            Self::Tls(config, name) => {
                let connection = rustls::ClientConnection::new(config.clone(), name.clone())
                    .map_err(|error| Failure::setup(format!("TLS cannot be set up: {error}")))?;
                Ok(ServerStream::Tls(Box::new(rustls::StreamOwned::new(connection, tcp))))
            }
        }
    }
}

/// Whether an error means that the server's certificate is not trusted, so that another attempt would fail as well.
pub(crate) fn is_distrust(error: &io::Error) -> bool {
    #[cfg(feature = "tls")]
    {
        let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
        matches!(inner, Some(rustls::Error::InvalidCertificate(_)))
    }
    #[cfg(not(feature = "tls"))]
    {
        let _ = error;
        false
    }
}
