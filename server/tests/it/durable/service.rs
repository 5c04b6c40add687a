//! The real program on a database file of its own, to be killed and started again at the same address.

use std::io::{BufRead, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tempfile::TempDir;

/// The database in the folder of a server.
const DATABASE: &str = "kibitz.db";

/// A server that may be down.
pub struct Service {
    pub address: SocketAddr,
    folder: TempDir,
    flags: Vec<String>,
    child: Option<Child>,
    log: Arc<Mutex<Vec<String>>>,
}

impl Service {
    /// Starts one with these flags, at a port that was free a moment ago.
    pub fn start(flags: &[&str]) -> Self {
        Self::in_folder(tempfile::tempdir().unwrap(), flags)
    }

    /// Starts one on a copy of this database, which no server has open.
    pub fn on_copy_of(database: &Path, flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::copy(database, folder.path().join(DATABASE)).unwrap();
        Self::in_folder(folder, flags)
    }

    fn in_folder(folder: TempDir, flags: &[&str]) -> Self {
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let flags = flags.iter().map(ToString::to_string).collect();
        let mut service = Self { address: free, folder, flags, child: None, log: Arc::default() };
        service.begin();
        service
    }

    pub fn database(&self) -> PathBuf {
        self.folder.path().join(DATABASE)
    }

    /// All files in its folder, by name, as they are now.
    pub fn files(&self) -> Vec<(String, Vec<u8>)> {
        let files = std::fs::read_dir(self.folder.path()).unwrap().map(|entry| {
            let path = entry.unwrap().path();
            (path.display().to_string(), std::fs::read(&path).unwrap())
        });
        files.collect()
    }

    /// Starts the program again; returns when it listens.
    pub fn begin(&mut self) {
        assert!(self.child.is_none(), "it runs already");
        let mut child = Command::new(env!("CARGO_BIN_EXE_kibitz"))
            .args([
                "serve",
                "--log-format",
                "json",
                "--log-level",
                "trace",
                "--listen",
                &self.address.to_string(),
            ])
            .arg("--database")
            .arg(self.database())
            .args(&self.flags)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        self.child = Some(child);
        let log = Arc::clone(&self.log);
        let serving = lines.by_ref().any(|line| {
            let serving = line.contains("\"serving\"");
            log.lock().unwrap().push(line);
            serving
        });
        assert!(serving, "it does not start: {:#?}", self.log());
        std::thread::spawn(move || lines.for_each(|line| log.lock().unwrap().push(line)));
    }

    /// Kills it without a word of warning, as a power failure would.
    pub fn kill(&mut self) {
        let mut child = self.child.take().expect("it runs");
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// All that it has logged so far.
    pub fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            // Nothing of it is needed any more.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Milliseconds since the beginning of 1970.
pub fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64
}

/// Calls again until it is answered: what a client does when its server is away.
pub async fn until<T, F: Future<Output = Option<T>>>(mut attempt: impl FnMut() -> F) -> T {
    let tried = async {
        loop {
            if let Some(done) = attempt().await {
                return done;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(300), tried).await.expect("the server comes back")
}
