//! A private PostgreSQL server.

use std::fmt::{self, Display, Formatter};
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use crate::ports::unused_address;

/// The environment variable with the address of the server that all test programs of a run share.
pub const SHARED_SERVER: &str = "KIBITZ_TEST_POSTGRES";

/// How long the server may take to start.
const START_TIMEOUT: Duration = Duration::from_secs(60);

/// The Unix user and group `nobody`: PostgreSQL refuses to run as root.
const NOBODY: u32 = 65_534;

/// The user of the databases.
const USER: &str = "kibitz";

/// Waits for a signal's name, or for the end of its input, which comes when the process that started it ends in any
/// way. Then it ends the server, with this signal or at once. After the end of its input it also removes the folder.
const GUARD: &str = r#"folder=$1; shift
"$@" >> "$folder/log" 2>&1 & server=$!
read -r signal
kill -"${signal:-QUIT}" $server 2> /dev/null
wait $server
[ -n "$signal" ] || rm -rf "$folder"
"#;

/// Where a running server listens: on a socket in its folder, and on a port of this machine.
#[derive(Debug, Clone)]
pub struct PostgresAddress {
    folder: PathBuf,
    port: u16,
}

impl PostgresAddress {
    /// Creates an empty database and returns its URL.
    ///
    /// # Panics
    /// If that fails.
    pub fn create(&self) -> String {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        // Several test programs may use the server.
        let name = format!("test_{}_{number}", std::process::id());
        assert!(self.sql("postgres", &format!("CREATE DATABASE {name}")), "the server creates a database");
        self.url(&name)
    }

    /// The URL of a database, by the socket.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://{USER}@localhost:{}/{database}?host={}", self.port, self.folder.display())
    }

    /// Runs SQL; returns whether it worked.
    ///
    /// # Panics
    /// If `psql` cannot be run.
    pub fn sql(&self, database: &str, sql: &str) -> bool {
        let mut psql = Command::new(programs().join("psql"));
        psql.args(["--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "-c", sql]);
        psql.arg("-h").arg(&self.folder).args(["-p", &self.port.to_string(), "-U", USER, database]);
        psql.output().expect("psql runs").status.success()
    }

    /// The address in [`SHARED_SERVER`], if it is set.
    ///
    /// # Panics
    /// If the variable is not an address as [`Display`] writes it.
    pub fn shared() -> Option<Self> {
        let text = std::env::var(SHARED_SERVER).ok()?;
        let (port, folder) = text.split_once(' ').expect("the address is a port and a folder");
        Some(Self { folder: folder.into(), port: port.parse().expect("the port is a number") })
    }
}

impl Display for PostgresAddress {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.port, self.folder.display())
    }
}

/// A private PostgreSQL server.
#[derive(Debug)]
pub struct PrivatePostgres {
    address: PostgresAddress,
    settings: Vec<String>,
    guard: Option<Child>,
}

impl PrivatePostgres {
    /// Starts a server that does not wait for the disk, for tests.
    ///
    /// # Panics
    /// If it does not start; without PostgreSQL's programs the message says what to install.
    pub fn start() -> Self {
        Self::start_with(&["fsync=off", "full_page_writes=off"])
    }

    /// Starts a server with these settings.
    ///
    /// # Panics
    /// As [`Self::start`].
    pub fn start_with(settings: &[&str]) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("kibitz-pg-{}-{number}", std::process::id()));
        fs::create_dir(&folder).expect("the temporary folder is writable");
        if is_root() {
            chown(&folder, Some(NOBODY), Some(NOBODY)).expect("root may change owners");
        }
        let settings = settings.iter().map(ToString::to_string).collect();
        let address = PostgresAddress { folder, port: unused_address().port() };
        let mut server = Self { address, settings, guard: None };
        server
            .run("initdb", &["--no-sync", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "-U", USER]);
        server.begin();
        server
    }

    /// Starts it again after [`Self::kill`] or [`Self::stop`], with the same data and port.
    ///
    /// # Panics
    /// If it does not start.
    pub fn begin(&mut self) {
        assert!(self.guard.is_none(), "it runs already");
        // The guard itself may remove the folder from its parent.
        let mut command = Command::new("sh");
        command.current_dir("/").args(["-c", GUARD, "sh"]).arg(&self.address.folder);
        if is_root() {
            let nobody = NOBODY.to_string();
            command.args(["setpriv", "--reuid", &nobody, "--regid", &nobody, "--clear-groups"]);
        }
        command.arg(programs().join("postgres"));
        command.arg("-D").arg(self.data()).args(["-p", &self.address.port.to_string()]);
        let folder = self.address.folder.display();
        let own = [
            format!("unix_socket_directories={folder}"),
            "listen_addresses=127.0.0.1".to_owned(),
            "max_connections=400".to_owned(),
            "shared_buffers=64MB".to_owned(),
        ];
        for setting in own.iter().chain(&self.settings) {
            command.args(["-c", setting]);
        }
        // One process group, so that a signal from the terminal does not end it before the tests.
        let guard = command.process_group(0).stdin(Stdio::piped()).spawn().expect("sh starts");
        self.guard = Some(guard);
        let began = Instant::now();
        while !self.address.sql("postgres", "SELECT 1") {
            assert!(began.elapsed() < START_TIMEOUT, "PostgreSQL does not start: {}", self.log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Kills all its processes (SIGKILL): connections break in the middle of what they do.
    pub fn kill(&mut self) {
        // The first one would end the others, but it is not there to do it.
        self.signal("-KILL");
        self.end("KILL");
    }

    /// Freezes all its processes (SIGSTOP) until [`Self::thaw`]: connections stay, and nothing is answered.
    pub fn freeze(&self) {
        self.signal("-STOP");
    }

    /// Lets it go on.
    pub fn thaw(&self) {
        self.signal("-CONT");
    }

    /// Sends a signal to all its processes.
    fn signal(&self, signal: &str) {
        let mut kill = Command::new("kill");
        kill.arg(signal).args(self.processes());
        // A process may have ended meanwhile.
        kill.stderr(Stdio::null()).status().expect("kill runs");
    }

    /// Ends it in order, but does not wait for its clients ("fast shutdown").
    pub fn stop(&mut self) {
        self.end("INT");
    }

    fn end(&mut self, signal: &str) {
        let Some(mut guard) = self.guard.take() else { return };
        if let Some(input) = &mut guard.stdin {
            writeln!(input, "{signal}").expect("the guard lives");
        }
        guard.wait().expect("the guard ends");
    }

    /// Its processes: the first one, and those that it has started.
    fn processes(&self) -> Vec<String> {
        let first = fs::read_to_string(self.data().join("postmaster.pid")).expect("it runs");
        let first = first.lines().next().expect("its process comes first").trim().to_owned();
        let running = fs::read_dir("/proc").expect("the system shows its processes").flatten();
        let started = running.filter_map(|entry| {
            let status = fs::read_to_string(entry.path().join("status")).ok()?;
            let parent = status.lines().find_map(|line| line.strip_prefix("PPid:"))?;
            (parent.trim() == first).then(|| entry.file_name().to_string_lossy().into_owned())
        });
        started.chain([first.clone()]).collect()
    }

    /// Where it listens.
    pub fn address(&self) -> &PostgresAddress {
        &self.address
    }

    /// Creates an empty database and returns its URL.
    ///
    /// # Panics
    /// If that fails.
    pub fn create(&self) -> String {
        self.address.create()
    }

    /// The port on which it listens, for connections through a proxy.
    pub fn port(&self) -> u16 {
        self.address.port
    }

    fn data(&self) -> PathBuf {
        self.address.folder.join("data")
    }

    /// What it has logged since it was started last.
    pub fn log(&self) -> String {
        fs::read_to_string(self.address.folder.join("log")).unwrap_or_default()
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let mut command = Command::new(programs().join(program));
        command.current_dir("/");
        if is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        let done = command.args(arguments).arg("-D").arg(self.data()).output().expect("the program starts");
        assert!(done.status.success(), "{program}: {}", String::from_utf8_lossy(&done.stderr));
    }
}

impl Drop for PrivatePostgres {
    fn drop(&mut self) {
        if let Some(mut guard) = self.guard.take() {
            drop(guard.stdin.take());
            // The guard ends by itself; waiting only leaves no process behind.
            let _ = guard.wait();
        }
    }
}

/// The URL of a new, empty database on the shared server ([`SHARED_SERVER`]), else on a server of this process, which
/// starts with the first one.
///
/// # Panics
/// As [`PrivatePostgres::start`].
pub fn database() -> String {
    static OWN: OnceLock<PrivatePostgres> = OnceLock::new();
    match PostgresAddress::shared() {
        Some(server) => server.create(),
        None => OWN.get_or_init(PrivatePostgres::start).create(),
    }
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|me| me.uid() == 0)
}

/// The folder with PostgreSQL's programs: of the newest version that Debian's packages have installed, or of the PATH.
fn programs() -> PathBuf {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .collect();
    folders.sort_unstable();
    let installed = folders.into_iter().rev().map(|(_, folder)| folder);
    let path = std::env::var_os("PATH").unwrap_or_default();
    installed
        .chain(std::env::split_paths(&path))
        .find(|folder| ["initdb", "postgres", "psql"].iter().all(|program| exists(&folder.join(program))))
        .unwrap_or_else(|| panic!("PostgreSQL is missing: on Debian, install the package postgresql"))
}

fn exists(program: &Path) -> bool {
    program.is_file()
}
