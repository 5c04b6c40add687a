//! A connection whose writes fail when the other side accepts no bytes for too long. Otherwise the writing task would wait
//! for ever, with everything that it holds.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// Is notified of what happens on a connection.
pub trait ConnectionObserver {
    /// Handles the arrival of this many bytes.
    ///
    /// # Errors
    /// The error with which the read fails.
    fn received(&self, bytes: usize) -> io::Result<()>;

    /// Whether bytes now wait for the other side to accept them.
    fn blocked(&self, blocked: bool) {
        let _ = blocked;
    }
}

impl ConnectionObserver for () {
    fn received(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
}

/// A connection whose writes must make progress.
pub struct StallTimeout<S, H = ()> {
    stream: S,
    /// Kept until the connection is dropped.
    held: H,
    timeout: Duration,
    /// Runs while the other side accepts nothing.
    timer: Option<Pin<Box<Sleep>>>,
}

impl<S> StallTimeout<S> {
    /// Fails writes that make no progress for this long.
    pub fn new(stream: S, timeout: Duration) -> Self {
        Self::holding(stream, timeout, ())
    }
}

impl<S, H> StallTimeout<S, H> {
    /// As [`StallTimeout::new`]; keeps `held` until the connection is dropped, also when it becomes a WebSocket.
    pub fn holding(stream: S, timeout: Duration, held: H) -> Self {
        Self { stream, held, timeout, timer: None }
    }
}

impl<S, H: ConnectionObserver> StallTimeout<S, H> {
    /// Passes on the outcome of a write, unless writes have made no progress for too long.
    fn check<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        self.held.blocked(written.is_pending());
        if written.is_ready() {
            self.timer = None;
            return written;
        }
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(self.timeout)));
        timer.as_mut().poll(context).map(|()| {
            let timeout = self.timeout;
            Err(io::Error::new(
                io::ErrorKind::TimedOut,
                format!("the other side accepted nothing for {timeout:?}"),
            ))
        })
    }
}

impl<S: AsyncRead + Unpin, H: ConnectionObserver + Unpin> AsyncRead for StallTimeout<S, H> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if matches!(read, Poll::Ready(Ok(()))) {
            self.held.received(buffer.filled().len() - before)?;
        }
        read
    }
}

impl<S: AsyncWrite + Unpin, H: ConnectionObserver + Unpin> AsyncWrite for StallTimeout<S, H> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.check(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.check(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test]
    async fn write_that_is_not_read_fails() {
        let (ours, _theirs) = duplex(8);
        let mut ours = StallTimeout::new(ours, Duration::from_millis(20));
        let e = ours.write_all(&[0; 9]).await.unwrap_err();
        assert_eq!(e.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn every_accepted_byte_restarts_the_timeout() {
        let (ours, mut theirs) = duplex(8);
        let mut ours = StallTimeout::new(ours, Duration::from_secs(3600));
        ours.write_all(&[0; 8]).await.unwrap();
        assert!(ours.timer.is_none(), "no write waits");
        let mut write = async |bytes: &[u8]| {
            std::future::poll_fn(|context| {
                Poll::Ready(Pin::new(&mut ours).poll_write(context, bytes).is_ready())
            })
            .await
            .then_some(())
            .ok_or(ours.timer.as_ref().map(|timer| timer.deadline()))
        };
        let first = write(&[0]).await.unwrap_err().unwrap();
        assert_eq!(write(&[0]).await, Err(Some(first)), "trying again does not restart it");
        theirs.read_u8().await.unwrap();
        write(&[0]).await.unwrap();
        let second = write(&[0]).await.unwrap_err().unwrap();
        assert!(second > first);
    }
}
