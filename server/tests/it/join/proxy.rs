//! A proxy that breaks connections after a number of bytes, also in the middle of a message.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use engines::rng::{Rng, Seed};

/// Connections that are broken; the rest live, so that every match ends.
const MOST_CUTS: u32 = 25;

/// Forwards bytes to a server until it cuts the connection.
pub(super) struct CuttingProxy {
    pub port: u16,
    cuts: Arc<AtomicU32>,
}

impl CuttingProxy {
    pub(super) fn start(to: u16, seed: u64) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let cuts = Arc::new(AtomicU32::new(0));
        let counted = cuts.clone();
        // It lives as long as the test program; there are no connections after the test.
        std::thread::spawn(move || {
            let mut rng = Rng::new(&Seed::from(seed));
            for ours in listener.incoming().map_while(Result::ok) {
                let Ok(theirs) = TcpStream::connect(("127.0.0.1", to)) else { continue };
                let [up, down] = if counted.load(Ordering::Relaxed) < MOST_CUTS {
                    // The handshake alone takes some hundred bytes each way, a whole transcript up to some thousands.
                    let far = [700, 20_000][rng.below(2)];
                    [Some(100 + rng.below(far)), Some(50 + rng.below(1500))]
                } else {
                    [None, None]
                };
                pass(&ours, &theirs, up, &counted);
                pass(&theirs, &ours, down, &counted);
            }
        });
        Self { port, cuts }
    }

    /// Connections broken so far.
    pub(super) fn cuts(&self) -> u32 {
        self.cuts.load(Ordering::Relaxed)
    }
}

/// Forwards this many bytes, then cuts both directions.
fn pass(from: &TcpStream, to: &TcpStream, limit: Option<usize>, cuts: &Arc<AtomicU32>) {
    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
    let cuts = cuts.clone();
    std::thread::spawn(move || {
        let mut left = limit.unwrap_or(usize::MAX);
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = from.read(&mut buffer) {
            let passed = count.min(left);
            left -= passed;
            if to.write_all(&buffer[..passed]).is_err() {
                break;
            }
            if left == 0 {
                cuts.fetch_add(1, Ordering::Relaxed);
                break;
            }
        }
        let _ = from.shutdown(Shutdown::Both);
        let _ = to.shutdown(Shutdown::Both);
    });
}
