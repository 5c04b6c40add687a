//! The network between one node and the database: a proxy that can cut it, slow it down and swallow what goes through it.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;

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

/// The link of one node.
pub(in crate::durable) struct DatabaseLink {
    /// The address at which the node finds the database.
    pub address: SocketAddr,
    state: watch::Sender<LinkState>,
    task: JoinHandle<()>,
}

impl DatabaseLink {
    /// A link to the database at this address.
    pub(in crate::durable) async fn start(database: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (state, seen) = watch::channel(LinkState::Open);
        let task = tokio::spawn(async move {
            loop {
                let (node, _) = listener.accept().await.unwrap();
                if *seen.borrow() != LinkState::Cut {
                    tokio::spawn(forward(node, database, seen.clone()));
                }
            }
        });
        Self { address, state, task }
    }

    pub(in crate::durable) fn set(&self, state: LinkState) {
        self.state.send_replace(state);
    }
}

impl Drop for DatabaseLink {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn forward(node: TcpStream, database: SocketAddr, state: watch::Receiver<LinkState>) -> io::Result<()> {
    let is_new = *state.borrow() == LinkState::Forgotten;
    // The database may be away; then the node's connection is closed.
    let database = TcpStream::connect(database).await?;
    for stream in [&node, &database] {
        stream.set_nodelay(true)?;
    }
    let (from_node, to_node) = node.into_split();
    let (from_database, to_database) = database.into_split();
    let mut cut = state.clone();
    tokio::select! {
        done = pump(from_node, to_database, state.clone(), is_new) => done,
        done = pump(from_database, to_node, state, is_new) => done,
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
    let mut piece = vec![0; 64 << 10];
    loop {
        let length = from.read(&mut piece).await?;
        if length == 0 {
            return Ok(());
        }
        let now = *state.borrow();
        if let LinkState::Slow(delay) = now {
            sleep(delay).await;
        }
        // The other end of the channel goes when the test is over.
        let passes = |state: &LinkState| match state {
            LinkState::Silent => false,
            LinkState::Forgotten => is_new,
            LinkState::Open | LinkState::Cut | LinkState::Slow(_) => true,
        };
        let _ = state.wait_for(passes).await;
        to.write_all(&piece[..length]).await?;
    }
}
