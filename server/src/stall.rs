//! A connection that fails when its other side takes nothing of what is written for too long: whoever waits for the
//! write would otherwise wait for ever, with all it holds.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// Hears of all bytes that a connection receives.
pub trait Received {
    /// So many bytes were received.
    ///
    /// # Errors
    /// What the read fails with.
    fn received(&self, bytes: usize) -> io::Result<()>;
}

impl Received for () {
    fn received(&self, _: usize) -> io::Result<()> {
        Ok(())
    }
}

/// A connection whose writes must get on.
pub struct Stall<S, H = ()> {
    stream: S,
    /// Kept as long as the connection.
    held: H,
    patience: Duration,
    /// Runs while nothing is taken.
    waits: Option<Pin<Box<Sleep>>>,
}

impl<S> Stall<S> {
    /// Fails writes that get on by no byte for this long.
    pub fn new(stream: S, patience: Duration) -> Self {
        Self::holding(stream, patience, ())
    }
}

impl<S, H> Stall<S, H> {
    /// As [`Stall::new`]; keeps `held` as long as the connection, also when it becomes a WebSocket.
    pub fn holding(stream: S, patience: Duration, held: H) -> Self {
        Self { stream, held, patience, waits: None }
    }

    /// What a write came to, unless it has waited too long.
    fn judge<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waits = None;
            return written;
        }
        let waits = self.waits.get_or_insert_with(|| Box::pin(sleep(self.patience)));
        waits.as_mut().poll(context).map(|()| {
            let patience = self.patience;
            Err(io::Error::new(io::ErrorKind::TimedOut, format!("nothing was taken for {patience:?}")))
        })
    }
}

impl<S: AsyncRead + Unpin, H: Received + Unpin> AsyncRead for Stall<S, H> {
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

impl<S: AsyncWrite + Unpin, H: Unpin> AsyncWrite for Stall<S, H> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.judge(context, written)
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
    async fn a_write_that_nobody_takes_fails() {
        let (ours, _theirs) = duplex(8);
        let mut ours = Stall::new(ours, Duration::from_millis(20));
        let e = ours.write_all(&[0; 9]).await.unwrap_err();
        assert_eq!(e.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn every_byte_that_is_taken_buys_time() {
        let (ours, mut theirs) = duplex(8);
        let mut ours = Stall::new(ours, Duration::from_secs(3600));
        ours.write_all(&[0; 8]).await.unwrap();
        assert!(ours.waits.is_none(), "nothing waits");
        let mut write = async |bytes: &[u8]| {
            std::future::poll_fn(|context| {
                Poll::Ready(Pin::new(&mut ours).poll_write(context, bytes).is_ready())
            })
            .await
            .then_some(())
            .ok_or(ours.waits.as_ref().map(|waits| waits.deadline()))
        };
        let first = write(&[0]).await.unwrap_err().unwrap();
        assert_eq!(write(&[0]).await, Err(Some(first)), "asking again buys none");
        theirs.read_u8().await.unwrap();
        write(&[0]).await.unwrap();
        let second = write(&[0]).await.unwrap_err().unwrap();
        assert!(second > first);
    }
}
