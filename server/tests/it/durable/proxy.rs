//! A network that fails: a proxy between clients and a server that cuts, delays, repeats and reorders the traffic, by a
//! plan that follows from a seed. Of HTTP it knows only where a request ends.

use std::collections::BTreeMap;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use engines::rng::{Rng, Seed};
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// The proxy's treatment of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Outage {
    /// Forwards all of it.
    Pass,
    /// Cuts it before the request is forwarded.
    CutRequest,
    /// Cuts it as soon as the request is forwarded: the server may or may not have started.
    CutAtOnce,
    /// Cuts it when the server starts to answer; the client receives nothing.
    CutUnanswered,
    /// Cuts it in the middle of the answer.
    CutAnswer,
    /// The request comes in pieces, with pauses, and so does the answer.
    Slow,
    /// The same request arrives twice at the same time.
    Twice,
    /// The same request arrives again, long after its answer.
    Late,
    /// Arrives after requests that were sent later.
    Overtaken,
}

impl Outage {
    const FAULTS: [Self; 8] = [
        Self::CutRequest,
        Self::CutAtOnce,
        Self::CutUnanswered,
        Self::CutAnswer,
        Self::Slow,
        Self::Twice,
        Self::Late,
        Self::Overtaken,
    ];

    fn draw(rng: &mut Rng) -> Self {
        if rng.below(2) == 0 { Self::Pass } else { Self::FAULTS[rng.below(Self::FAULTS.len())] }
    }
}

/// The state that a proxy's connections share.
struct NetworkState {
    server: SocketAddr,
    /// Requests that have arrived at the server.
    arrived: AtomicU64,
    suffered: Mutex<BTreeMap<Outage, usize>>,
}

/// A network that fails.
pub(super) struct FaultyProxy {
    /// The port for clients.
    pub address: SocketAddr,
    network: Arc<NetworkState>,
    task: JoinHandle<()>,
}

impl FaultyProxy {
    pub(super) async fn start(server: SocketAddr, seed: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let network =
            Arc::new(NetworkState { server, arrived: AtomicU64::new(0), suffered: Mutex::default() });
        let shared = Arc::clone(&network);
        let task = tokio::spawn(async move {
            for n in 0.. {
                let (client, _) = listener.accept().await.unwrap();
                let rng = Rng::stream(&Seed::from(seed), n);
                let network = Arc::clone(&shared);
                // Connections break on purpose; ignore the error.
                tokio::spawn(async move { network.connection(client, rng).await });
            }
        });
        Self { address, network, task }
    }

    /// Fails unless every kind of fault has happened at least this often.
    #[track_caller]
    pub(super) fn assert_suffered(&self, least: usize) {
        let suffered = self.network.suffered.lock().unwrap();
        for fault in Outage::FAULTS {
            let times = suffered.get(&fault).copied().unwrap_or(0);
            assert!(times >= least, "{fault:?} happened only {times} times: {suffered:?}");
        }
    }
}

impl Drop for FaultyProxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl NetworkState {
    async fn connection(self: Arc<Self>, mut client: TcpStream, mut rng: Rng) -> io::Result<()> {
        let request = read_request(&mut client).await?;
        let fate = Outage::draw(&mut rng);
        *self.suffered.lock().unwrap().entry(fate).or_default() += 1;
        if fate == Outage::Overtaken {
            // Two later requests release it, or a timeout if none come.
            let turn = self.arrived.load(Ordering::Relaxed) + 2;
            let overtaken = async {
                while self.arrived.load(Ordering::Relaxed) < turn {
                    sleep(Duration::from_millis(1)).await;
                }
            };
            let _ = timeout(Duration::from_millis(100), overtaken).await;
        }
        let mut server = TcpStream::connect(self.server).await?;
        server.set_nodelay(true)?;
        client.set_nodelay(true)?;
        match fate {
            Outage::CutRequest => {
                let part = rng.below(request.len());
                return server.write_all(&request[..part]).await;
            }
            Outage::Slow => {
                for piece in request.chunks(request.len().div_ceil(3)) {
                    server.write_all(piece).await?;
                    sleep(Duration::from_millis(rng.below(15) as u64)).await;
                }
            }
            _ => server.write_all(&request).await?,
        }
        self.arrived.fetch_add(1, Ordering::Relaxed);
        match fate {
            Outage::CutAtOnce => return Ok(()),
            Outage::CutUnanswered => return server.readable().await,
            Outage::Twice => drop(tokio::spawn(Arc::clone(&self).again(request, Duration::ZERO))),
            Outage::Late => {
                let later = Duration::from_millis(20 + rng.below(400) as u64);
                drop(tokio::spawn(Arc::clone(&self).again(request, later)));
            }
            Outage::CutAnswer => {
                // Some within the head, some within the first object, some far into a stream.
                let most = [200, 2_000, 40_000][rng.below(3)];
                let (mut from_client, mut to_client) = client.split();
                let (from_server, mut to_server) = server.split();
                let mut from_server = from_server.take(1 + rng.below(most) as u64);
                tokio::select! {
                    _ = copy(&mut from_client, &mut to_server) => {}
                    _ = copy(&mut from_server, &mut to_client) => {}
                }
                return Ok(());
            }
            Outage::Slow => {
                let mut piece = [0; 300];
                for _ in 0..5 {
                    let n = server.read(&mut piece).await?;
                    client.write_all(&piece[..n]).await?;
                    sleep(Duration::from_millis(rng.below(15) as u64)).await;
                }
            }
            _ => {}
        }
        tokio::io::copy_bidirectional(&mut client, &mut server).await?;
        Ok(())
    }

    /// Sends a request again and drops the answer.
    async fn again(self: Arc<Self>, request: Vec<u8>, later: Duration) -> io::Result<()> {
        sleep(later).await;
        let mut server = TcpStream::connect(self.server).await?;
        server.write_all(&request).await?;
        self.arrived.fetch_add(1, Ordering::Relaxed);
        // Reads an answer or the head of a stream, and drops it.
        server.read(&mut [0; 1024]).await.map(drop)
    }
}

/// The bytes of one request, its body included.
async fn read_request(client: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut request = Vec::new();
    let head = loop {
        if let Some(end) = request.windows(4).position(|four| four == b"\r\n\r\n") {
            break end + 4;
        }
        if client.read_buf(&mut request).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    };
    let text = String::from_utf8_lossy(&request[..head]).to_ascii_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length:"));
    let whole = head + length.map_or(0, |length| length.trim().parse().expect("a length"));
    while request.len() < whole {
        if client.read_buf(&mut request).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(request)
}
