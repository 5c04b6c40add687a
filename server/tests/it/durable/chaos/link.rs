//! The network between a program and a service that it uses, PostgreSQL or NATS: a proxy that can cut it, slow it down and
//! swallow what goes through it.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

/// The most pieces of a direction that are on their way.
const PIECES: usize = 64;

/// The treatment of the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::durable) enum LinkState {
    /// They arrive.
    Open,
    /// All connections are closed, and new ones at once.
    Cut,
    /// They arrive this much later, in both directions.
    Slow(Duration),
    /// They do not arrive, and neither end is notified; they arrive when the link is open again.
    Silent,
    /// The same for connections that exist already; new ones are open, as behind a firewall that has forgotten the others.
    Forgotten,
}

/// The link of one program.
pub(in crate::durable) struct NetworkLink {
    /// The address at which the program finds the service.
    pub address: SocketAddr,
    state: watch::Sender<LinkState>,
    task: JoinHandle<()>,
}

impl NetworkLink {
    /// A link to the service at this address.
    pub(in crate::durable) async fn start(service: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (state, seen) = watch::channel(LinkState::Open);
        let task = tokio::spawn(async move {
            loop {
                let (program, _) = listener.accept().await.unwrap();
                if *seen.borrow() != LinkState::Cut {
                    tokio::spawn(forward(program, service, seen.clone()));
                }
            }
        });
        Self { address, state, task }
    }

    pub(in crate::durable) fn set(&self, state: LinkState) {
        self.state.send_replace(state);
    }
}

impl Drop for NetworkLink {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn forward(
    program: TcpStream,
    service: SocketAddr,
    state: watch::Receiver<LinkState>,
) -> io::Result<()> {
    let is_new = *state.borrow() == LinkState::Forgotten;
    // The service may be away; then the program's connection is closed.
    let service = TcpStream::connect(service).await?;
    for stream in [&program, &service] {
        stream.set_nodelay(true)?;
    }
    let (from_program, to_program) = program.into_split();
    let (from_service, to_service) = service.into_split();
    let mut cut = state.clone();
    tokio::select! {
        done = pump(from_program, to_service, state.clone(), is_new) => done,
        done = pump(from_service, to_program, state, is_new) => done,
        _ = cut.wait_for(|state| *state == LinkState::Cut) => Ok(()),
    }
}

/// Forwards one direction. `is_new`: the connection began while older ones were forgotten.
async fn pump(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut state: watch::Receiver<LinkState>,
    is_new: bool,
) -> io::Result<()> {
    let seen = state.clone();
    let (sender, mut pieces) = mpsc::channel(PIECES);
    let read = async move {
        loop {
            let mut piece = vec![0; 64 << 10];
            let length = from.read(&mut piece).await?;
            piece.truncate(length);
            let delay = match *seen.borrow() {
                LinkState::Slow(delay) => delay,
                _ => Duration::ZERO,
            };
            if length == 0 || sender.send((Instant::now() + delay, piece)).await.is_err() {
                return Ok(());
            }
        }
    };
    let write = async move {
        while let Some((at, piece)) = pieces.recv().await {
            sleep_until(at).await;
            // The other end of the channel goes when the test is over.
            let passes = |state: &LinkState| match state {
                LinkState::Silent => false,
                LinkState::Forgotten => is_new,
                LinkState::Open | LinkState::Cut | LinkState::Slow(_) => true,
            };
            let _ = state.wait_for(passes).await;
            to.write_all(&piece).await?;
        }
        Ok(())
    };
    tokio::try_join!(read, write).map(drop)
}
