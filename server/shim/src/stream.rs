//! The byte stream to a server, plain or encrypted. It must not know what travels on it, and never blocks.

use crate::answer::Failure;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::os::fd::{AsFd, BorrowedFd};

/// A non-blocking connection.
#[derive(Debug)]
pub enum Stream {
    /// As it is.
    Plain(TcpStream),
    /// Through TLS.
    #[cfg(feature = "tls")]
    Tls(Box<rustls::StreamOwned<rustls::ClientConnection, TcpStream>>),
}

impl Stream {
    /// Whether there is something to write that does not come from the caller, or that was taken from it.
    /// `more`: whether the caller itself has something to write.
    pub fn wants_write(&self, more: bool) -> bool {
        match self {
            Self::Plain(_) => more,
            // Before the handshake is done, room to write is no help to the caller.
            #[cfg(feature = "tls")]
            Self::Tls(tls) => tls.conn.wants_write() || (more && !tls.conn.is_handshaking()),
        }
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Plain(tcp) => tcp.as_fd(),
            #[cfg(feature = "tls")]
            Self::Tls(tls) => tls.sock.as_fd(),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(tcp) => tcp.read(buffer),
            #[cfg(feature = "tls")]
            Self::Tls(tls) => tls.read(buffer),
        }
    }
}

impl Write for Stream {
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

/// Turns TCP connections into streams, as the server's address asks for.
#[derive(Debug)]
pub enum Wrap {
    /// Leaves them as they are.
    Plain,
    /// Encrypts them.
    #[cfg(feature = "tls")]
    Tls(std::sync::Arc<rustls::ClientConfig>, rustls::pki_types::ServerName<'static>),
}

impl Wrap {
    /// Prepares for one server. Loads certificates once, so that reconnecting costs nothing.
    #[cfg(feature = "tls")]
    pub fn new(server: &crate::server::Server, ca: Option<&std::path::Path>) -> Result<Self, Failure> {
        if !server.tls {
            return Ok(Self::Plain);
        }
        let name = rustls::pki_types::ServerName::try_from(server.host.clone())
            .map_err(|_| Failure::setup(format!("{:?} is no host name or address", server.host)))?;
        Ok(Self::Tls(crate::tls::config(ca)?, name))
    }

    /// Prepares for one server.
    #[cfg(not(feature = "tls"))]
    pub fn new(server: &crate::server::Server, _ca: Option<&std::path::Path>) -> Result<Self, Failure> {
        if server.tls {
            return Err(Failure::setup(format!(
                "this build has no TLS and cannot reach {server}: build it with the feature tls, or use http://"
            )));
        }
        Ok(Self::Plain)
    }

    /// Wraps a connection that is established.
    pub fn wrap(&self, tcp: TcpStream) -> Result<Stream, Failure> {
        match self {
            Self::Plain => Ok(Stream::Plain(tcp)),
            #[cfg(feature = "tls")]
            Self::Tls(config, name) => {
                let connection = rustls::ClientConnection::new(config.clone(), name.clone())
                    .map_err(|error| Failure::setup(format!("TLS cannot be set up: {error}")))?;
                Ok(Stream::Tls(Box::new(rustls::StreamOwned::new(connection, tcp))))
            }
        }
    }
}

/// Whether an error means that the server's certificate is not trusted: trying again would not help.
pub fn is_distrust(error: &io::Error) -> bool {
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
