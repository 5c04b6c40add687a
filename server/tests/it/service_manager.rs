//! The server as a service of systemd, which this test plays: the messages about its state, the watchdog, and the socket that it gets.
//! systemd itself does not run here.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// Longer than any step takes, even on a slow machine.
const HANG: Duration = Duration::from_secs(600);

/// Passes standard input on as the first socket of the service manager.
const AS_SERVICE: &str = r#"exec 3<&0 0</dev/null; LISTEN_FDS=1 LISTEN_PID=$$ exec "$0" "$@""#;

/// A running service. It is killed when it is dropped.
struct Service(Child);

impl Service {
    /// Starts a server on this database. `socket`: the one that it gets; `None`: it opens one of its own.
    fn start(folder: &Path, socket: Option<&TcpListener>, environment: &[(&str, String)]) -> Self {
        let program = env!("CARGO_BIN_EXE_kibitz");
        let mut command = match socket {
            Some(socket) => {
                let mut shell = Command::new("sh");
                shell.args(["-c", AS_SERVICE, program]);
                shell.stdin(Stdio::from(OwnedFd::from(socket.try_clone().unwrap())));
                shell
            }
            None => Command::new(program),
        };
        let database = format!("--database={}", folder.join("kibitz.db").display());
        command.args(["serve", "--listen=127.0.0.1:0", "--ladder=false", "--hosted-bots=false", &database]);
        command.envs(environment.iter().map(|(name, value)| (*name, value.as_str())));
        Self(command.stderr(Stdio::null()).spawn().unwrap())
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.0), signal).unwrap();
    }

    /// Waits until it has ended by itself; returns whether it says that all went well.
    fn ended(&mut self) -> bool {
        let began = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                return status.success();
            }
            assert!(began.elapsed() < HANG, "the server does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Where a service manager hears of its service.
struct Manager {
    socket: UnixDatagram,
    folder: TempDir,
}

impl Manager {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let socket = UnixDatagram::bind(folder.path().join("notify")).unwrap();
        Self { socket, folder }
    }

    fn environment(&self) -> (&'static str, String) {
        ("NOTIFY_SOCKET", self.folder.path().join("notify").display().to_string())
    }

    /// The next message; `None`: none came in this time.
    fn hear(&self, within: Duration) -> Option<String> {
        self.socket.set_read_timeout(Some(within)).unwrap();
        let mut bytes = [0; 4096];
        match self.socket.recv(&mut bytes) {
            Ok(length) => Some(String::from_utf8(bytes[..length].to_vec()).unwrap()),
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => None,
            Err(e) => panic!("{e}"),
        }
    }

    /// Waits for a message with this line; returns it and the number of those before.
    fn until(&self, line: &str) -> (String, usize) {
        let mut before = 0;
        loop {
            let message = self.hear(HANG).unwrap_or_else(|| panic!("{line} does not come"));
            if message.lines().any(|l| l == line) {
                return (message, before);
            }
            before += 1;
        }
    }
}

/// The request for a server's health.
const HEALTH: &[u8] = b"GET /healthz HTTP/1.1\r\nhost: kibitz\r\nconnection: close\r\n\r\n";

/// Asks a server for its health on a connection of its own; returns its answer.
fn ask(address: SocketAddr) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.write_all(HEALTH)?;
    answer(stream)
}

/// Reads an answer to its end.
fn answer(mut stream: TcpStream) -> std::io::Result<String> {
    stream.set_read_timeout(Some(HANG))?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

#[test]
fn manager_hears_when_the_server_is_ready_lives_and_stops() {
    let manager = Manager::new();
    let watchdog = ("WATCHDOG_USEC", "300000".to_owned());
    let service = Service::start(manager.folder.path(), None, &[manager.environment(), watchdog]);
    let (ready, before) = manager.until("READY=1");
    assert_eq!(before, 0, "ready is the first that it says");
    let address = ready.lines().find_map(|line| line.strip_prefix("STATUS=serving on ")).unwrap();
    assert!(ask(address.parse().unwrap()).unwrap().starts_with("HTTP/1.1 200"), "it serves when it says so");
    for _ in 0..3 {
        manager.until("WATCHDOG=1");
    }
    // A process that hangs gives no sign of life; systemd would end it.
    service.signal(Signal::STOP);
    while manager.hear(Duration::from_millis(600)).is_some() {}
    service.signal(Signal::CONT);
    manager.until("WATCHDOG=1");
    service.signal(Signal::TERM);
    manager.until("STOPPING=1");
    let mut service = service;
    assert!(service.ended());
}

#[test]
fn restart_with_a_socket_of_the_manager_refuses_no_connection() {
    let folder = tempfile::tempdir().unwrap();
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let (stop, answered) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let mut service = Service::start(folder.path(), Some(&socket), &[]);
    let clients: Vec<_> = (0..4)
        .map(|_| {
            let (stop, answered) = (Arc::clone(&stop), Arc::clone(&answered));
            std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let answer = ask(address).unwrap_or_else(|e| panic!("a connection fails: {e}"));
                    // A request that comes on a connection of before may be told to come again.
                    let told = answer.starts_with("HTTP/1.1 200") || answer.starts_with("HTTP/1.1 503");
                    assert!(told, "{answer}");
                    answered.fetch_add(1, Ordering::Relaxed);
                }
            })
        })
        .collect();
    let until = |least: usize| {
        let began = Instant::now();
        while answered.load(Ordering::Relaxed) < least {
            assert!(began.elapsed() < HANG, "no answers come");
            std::thread::sleep(Duration::from_millis(2));
        }
    };
    until(20);
    for _ in 0..3 {
        service.signal(Signal::TERM);
        assert!(service.ended());
        // Until the next process has started, no process accepts connections: they wait.
        let waiting = std::thread::spawn(move || ask(address));
        service = Service::start(folder.path(), Some(&socket), &[]);
        assert!(waiting.join().unwrap().unwrap().starts_with("HTTP/1.1 200"));
        until(answered.load(Ordering::Relaxed) + 20);
    }
    stop.store(true, Ordering::Relaxed);
    for client in clients {
        client.join().unwrap();
    }
}

#[test]
fn first_request_of_a_connection_is_answered_by_a_server_that_stops() {
    let folder = tempfile::tempdir().unwrap();
    let socket = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap();
    let mut service = Service::start(folder.path(), Some(&socket), &[]);
    let mut streams: Vec<_> = (0..32).map(|_| TcpStream::connect(address).unwrap()).collect();
    // Connections are accepted in their order, so all of them are open at the server now.
    ask(address).unwrap();
    service.signal(Signal::STOP);
    for stream in &mut streams {
        stream.write_all(HEALTH).unwrap();
    }
    // The server learns of the requests and of the signal at the same time.
    service.signal(Signal::TERM);
    service.signal(Signal::CONT);
    for stream in streams {
        let answer = answer(stream).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200") || answer.starts_with("HTTP/1.1 503"), "{answer:?}");
    }
    assert!(service.ended());
}

#[test]
fn units_are_confined() {
    let deploy = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy");
    for unit in ["kibitz.service", "kibitz-worker.service", "kibitz-export.service"] {
        let text = std::fs::read_to_string(deploy.join(unit)).unwrap();
        let watched = text.contains("\nType=notify\n") && text.contains("\nWatchdogSec=");
        assert!(watched || text.contains("\nType=oneshot\n"), "{unit}");
        let asked = Command::new("systemd-analyze")
            .args(["security", "--offline=true", "--threshold=20", "--no-pager"])
            .arg(deploy.join(unit))
            .output();
        let output = match asked {
            Ok(output) => output,
            // Not every system has systemd.
            Err(e) if e.kind() == ErrorKind::NotFound => return,
            Err(e) => panic!("{e}"),
        };
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{unit} is not at 2.0 or better:\n{said}");
        assert!(said.contains("Overall exposure level"), "{said}");
    }
}
