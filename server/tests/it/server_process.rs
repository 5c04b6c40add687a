//! The real program on a database file of its own, to be killed and started again at the same address.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kibitz_test_support::unused_address;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// The database in the folder of a server.
const DATABASE: &str = "kibitz.db";

/// A server that may be down.
pub(crate) struct ServerProcess {
    pub address: SocketAddr,
    program: PathBuf,
    folder: PathBuf,
    /// The URL of its database, if that is not in its folder.
    url: Option<String>,
    /// Removes the folder, where it is its own, when the last server in it is gone.
    temporary: Option<Arc<TempDir>>,
    flags: Vec<String>,
    /// The shell commands before the server starts.
    shell: &'static str,
    log_level: &'static str,
    child: Option<Child>,
    log: Arc<Mutex<Vec<String>>>,
}

impl ServerProcess {
    /// Starts one with these flags, at an address of its own.
    pub(crate) fn start(flags: &[&str]) -> Self {
        Self::start_after("", flags)
    }

    /// Starts one in a process in which a shell has done this before: limits are inherited.
    pub(crate) fn start_after(shell: &'static str, flags: &[&str]) -> Self {
        let temporary = Arc::new(tempfile::tempdir().unwrap());
        let mut server = Self::new(temporary.path(), shell, flags);
        server.temporary = Some(temporary);
        server.begun()
    }

    /// Starts one on a copy of this database, which no server has open.
    pub(crate) fn on_copy_of(database: &Path, flags: &[&str]) -> Self {
        let temporary = Arc::new(tempfile::tempdir().unwrap());
        std::fs::copy(database, temporary.path().join(DATABASE)).unwrap();
        let mut server = Self::new(temporary.path(), "", flags);
        server.temporary = Some(temporary);
        server.begun()
    }

    /// Starts one that keeps its database in this folder.
    pub(crate) fn start_in(folder: &Path, flags: &[&str]) -> Self {
        Self::new(folder, "", flags).begun()
    }

    /// Starts one on this PostgreSQL database.
    pub(crate) fn start_on(url: &str, flags: &[&str]) -> Self {
        let temporary = Arc::new(tempfile::tempdir().unwrap());
        let mut server = Self::new(temporary.path(), "", flags);
        (server.temporary, server.url) = (Some(temporary), Some(url.to_owned()));
        server.begun()
    }

    /// Starts another version of the program on this PostgreSQL database.
    pub(crate) fn start_other_on(program: &Path, url: &str, flags: &[&str]) -> Self {
        let temporary = Arc::new(tempfile::tempdir().unwrap());
        let mut server = Self::new(temporary.path(), "", flags);
        (server.temporary, server.url) = (Some(temporary), Some(url.to_owned()));
        server.program = program.to_owned();
        server.begun()
    }

    /// Ends it in order, and starts the program of today in its place.
    pub(crate) fn upgrade(&mut self) {
        self.stop();
        self.program = env!("CARGO_BIN_EXE_kibitz").into();
        self.begin();
    }

    /// Starts one that logs all it can.
    pub(crate) fn start_with_trace_log(flags: &[&str]) -> Self {
        let temporary = Arc::new(tempfile::tempdir().unwrap());
        let mut server = Self::new(temporary.path(), "", flags);
        server.temporary = Some(temporary);
        server.log_level = "trace";
        server.begun()
    }

    /// Starts another one on the same database, at another port.
    pub(crate) fn beside(&self) -> Self {
        let mut server = Self::new(&self.folder, self.shell, &[]);
        server.temporary.clone_from(&self.temporary);
        server.flags.clone_from(&self.flags);
        server.begun()
    }

    fn new(folder: &Path, shell: &'static str, flags: &[&str]) -> Self {
        let address = unused_address();
        let flags = flags.iter().map(ToString::to_string).collect();
        let folder = folder.to_owned();
        Self {
            address,
            program: env!("CARGO_BIN_EXE_kibitz").into(),
            folder,
            url: None,
            temporary: None,
            flags,
            shell,
            log_level: "info",
            child: None,
            log: Arc::default(),
        }
    }

    fn begun(mut self) -> Self {
        self.begin();
        self
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.folder.join(DATABASE)
    }

    /// All files in its folder, by name, as they are now.
    pub(crate) fn files(&self) -> Vec<(String, Vec<u8>)> {
        let files = std::fs::read_dir(&self.folder).unwrap().map(|entry| {
            let path = entry.unwrap().path();
            (path.display().to_string(), std::fs::read(&path).unwrap())
        });
        files.collect()
    }

    /// Starts the program again; returns when it listens.
    pub(crate) fn begin(&mut self) {
        assert!(self.try_begin(), "it does not start: {:#?}", self.log());
    }

    /// Starts the program again, as often as it takes, as service managers do.
    pub(crate) fn begin_at_last(&mut self) {
        for _ in 0..20 {
            if self.try_begin() {
                return;
            }
            self.kill();
        }
        panic!("it does not start: {:#?}", self.log());
    }

    /// Starts the program again; returns whether it listens.
    fn try_begin(&mut self) -> bool {
        assert!(self.child.is_none(), "it runs already");
        let mut child = Command::new("sh")
            .args(["-c", &format!("{}\nexec \"$0\" \"$@\"", self.shell)])
            .arg(&self.program)
            .args([
                "serve",
                "--log-format",
                "json",
                "--log-level",
                self.log_level,
                "--listen",
                &self.address.to_string(),
            ])
            .arg("--database")
            .arg(self.url.clone().map_or_else(|| self.database().into(), std::ffi::OsString::from))
            .args(&self.flags)
            .env("KIBITZ_LADDER", "false")
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
        std::thread::spawn(move || lines.for_each(|line| log.lock().unwrap().push(line)));
        serving
    }

    /// Kills it without warning, as a power failure would.
    pub(crate) fn kill(&mut self) {
        let mut child = self.child.take().expect("it runs");
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Kills it as [`Self::kill`] does and starts it again.
    pub(crate) fn kill_and_restart(&mut self) {
        self.kill();
        self.begin();
    }

    /// Ends it in order.
    pub(crate) fn stop(&mut self) {
        let mut child = self.child.take().expect("it runs");
        kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
        assert!(child.wait().unwrap().success(), "{:#?}", self.log());
    }

    /// The process.
    pub(crate) fn pid(&self) -> Pid {
        Pid::from_child(self.child.as_ref().expect("it runs"))
    }

    /// Whether it has found that it stood still, for example since the machine was busy.
    pub(crate) fn has_stalled(&self) -> bool {
        self.log().iter().any(|line| line.contains("this process did not run for"))
    }

    /// Its log so far.
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            // It is no longer needed.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Milliseconds since the beginning of 1970.
pub(crate) fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64
}

/// Calls again until it is answered, as clients do when their server is away.
pub(crate) async fn until<T, F: Future<Output = Option<T>>>(mut attempt: impl FnMut() -> F) -> T {
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
