//! A connection that fails when its other side takes nothing of what is written for too long: whoever waits for the
//! write would otherwise wait for ever, with all it holds.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A connection whose writes must get on.
pub struct Stall<S> {
    stream: S,
    patience: Duration,
    /// Runs while nothing is taken.
    waits: Option<Pin<Box<Sleep>>>,
}

impl<S> Stall<S> {
    /// Fails writes that get on by no byte for this long.
    pub fn new(stream: S, patience: Duration) -> Self {
        Self { stream, patience, waits: None }
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

impl<S: AsyncRead + Unpin> AsyncRead for Stall<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Stall<S> {
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

    const PATIENCE: Duration = Duration::from_secs(30);

    #[tokio::test(start_paused = true)]
    async fn a_write_that_nobody_takes_fails() {
        let (ours, _theirs) = duplex(8);
        let mut ours = Stall::new(ours, PATIENCE);
        let began = tokio::time::Instant::now();
        let e = ours.write_all(&[0; 9]).await.unwrap_err();
        assert_eq!(e.kind(), io::ErrorKind::TimedOut);
        assert_eq!(began.elapsed().as_secs(), PATIENCE.as_secs());
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_reader_is_waited_for_as_long_as_it_reads() {
        let (ours, mut theirs) = duplex(8);
        let mut ours = Stall::new(ours, PATIENCE);
        let began = tokio::time::Instant::now();
        let reads = async {
            for _ in 0..100 {
                sleep(PATIENCE * 9 / 10).await;
                theirs.read_u8().await.unwrap();
            }
        };
        let (written, ()) = tokio::join!(ours.write_all(&[0; 108]), reads);
        written.unwrap();
        assert!(began.elapsed() > PATIENCE * 80);
    }
}
