//! Real processes for these tests: a private NATS server and workers. They end with the test, also if the test's own process
//! is killed.
#![allow(
    dead_code,
    clippy::unwrap_used,
    reason = "a benchmark uses this file too, and what cannot go on fails"
)]

use std::io::{BufRead, BufReader, Read};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use kibitz_test_support::unused_address;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// Longer than any step takes, even on a slow machine.
const HANG: Duration = Duration::from_secs(600);

/// Runs the program in its arguments, prints its process id and then its exit code. When standard input closes, because
/// the test is over or its process is gone, it kills the program.
const GUARD: &str = r#"exec 3<&0
"$0" "$@" 3<&- & program=$!
echo $program
{ read -r _ <&3; kill -9 $program; } & guard=$!
wait $program
code=$?
kill $guard
echo $code"#;

/// A child process that cannot outlive the test.
pub(crate) struct GuardedProcess {
    guard: Child,
    /// Held open while the program may run.
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    pid: Pid,
    log: Arc<Mutex<Vec<String>>>,
}

impl GuardedProcess {
    /// Starts a program.
    pub(crate) fn start(program: &str, arguments: &[String]) -> Self {
        let mut guard = Command::new("sh")
            .args(["-c", GUARD, program])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(guard.stdout.take().unwrap());
        let mut pid = String::new();
        stdout.read_line(&mut pid).unwrap();
        let pid = Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
        let log = Arc::<Mutex<Vec<String>>>::default();
        let lines = BufReader::new(guard.stderr.take().unwrap()).lines().map_while(Result::ok);
        let written = Arc::clone(&log);
        std::thread::spawn(move || lines.for_each(|line| written.lock().unwrap().push(line)));
        let stdin = guard.stdin.take();
        Self { guard, stdin, stdout, pid, log }
    }

    /// What it has written to standard error.
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    fn signal(&self, signal: Signal) {
        kill_process(self.pid, signal).unwrap();
    }

    /// Waits until it has ended; returns its exit code.
    fn ended(&mut self) -> i32 {
        let mut code = String::new();
        self.stdout.read_line(&mut code).unwrap();
        code.trim().parse().unwrap()
    }

    fn wait_for_line(&self, part: &str) {
        let began = Instant::now();
        while !self.log().iter().any(|line| line.contains(part)) {
            assert!(began.elapsed() < HANG, "no {part:?} in {:#?}", self.log());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for GuardedProcess {
    fn drop(&mut self) {
        drop(self.stdin.take());
        // The program is gone in any case.
        let _ = self.guard.wait();
    }
}

/// A private NATS server on a free port.
pub(crate) struct NatsServer {
    address: SocketAddr,
    flags: Vec<String>,
    process: Option<GuardedProcess>,
    /// Its working directory; it stores nothing there.
    _folder: TempDir,
}

impl NatsServer {
    pub(crate) fn start() -> Self {
        Self::with(&[])
    }

    /// Starts one with these flags.
    pub(crate) fn with(flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let address = unused_address();
        let mut flags: Vec<String> = flags.iter().map(ToString::to_string).collect();
        flags.extend(["-sd".to_owned(), folder.path().display().to_string()]);
        let mut nats = Self { address, flags, process: None, _folder: folder };
        nats.begin();
        nats
    }

    /// Starts one with the project's file for clusters: `node:node-secret` and `worker:worker-secret` are let in.
    pub(crate) fn with_passwords() -> Self {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../deploy/nats.conf");
        Self::with(&["-c", file])
    }

    /// Starts it (again) at its address; returns when it answers.
    pub(crate) fn begin(&mut self) {
        let installed = Command::new("nats-server").arg("--version").stdout(Stdio::null()).status();
        assert!(
            installed.is_ok(),
            "nats-server is missing: run `scripts/setup check`, or apt-get install nats-server"
        );
        let (ip, port) = (self.address.ip().to_string(), self.address.port().to_string());
        let mut arguments = vec!["-a".to_owned(), ip, "-p".to_owned(), port];
        arguments.extend(self.flags.iter().cloned());
        let secrets = ["KIBITZ_NATS_NODE_PASSWORD=node-secret", "KIBITZ_NATS_WORKER_PASSWORD=worker-secret"];
        let program = secrets.map(str::to_owned).into_iter().chain(["nats-server".to_owned()]);
        let arguments: Vec<String> = program.chain(arguments).collect();
        let process = self.process.insert(GuardedProcess::start("env", &arguments));
        let began = Instant::now();
        while !greets(self.address) {
            assert!(began.elapsed() < HANG, "it does not start: {:#?}", process.log());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Kills it without warning.
    pub(crate) fn kill(&mut self) {
        let mut process = self.process.take().expect("it runs");
        process.signal(Signal::KILL);
        process.ended();
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn url(&self) -> String {
        format!("nats://{}", self.address)
    }

    /// The setting that names it.
    pub(crate) fn flag(&self) -> String {
        format!("--workers={}", self.url())
    }
}

/// Whether a NATS server answers at this address.
fn greets(address: SocketAddr) -> bool {
    let mut greeting = [0; 5];
    let Ok(mut stream) = TcpStream::connect(address) else { return false };
    stream.read_exact(&mut greeting).is_ok() && &greeting == b"INFO "
}

/// A process `kibitz worker`.
pub(crate) struct WorkerProcess(GuardedProcess);

impl WorkerProcess {
    /// Starts one; returns when it is ready to run engines. Nodes hear of it a little later.
    pub(crate) fn start(workers: &str, threads: usize) -> Self {
        Self::start_logging("trace", workers, threads, &[])
    }

    /// Starts one that logs as little as users' workers do.
    pub(crate) fn start_with_usual_log(workers: &str, threads: usize) -> Self {
        Self::start_logging("info", workers, threads, &[])
    }

    /// Starts one with more settings.
    pub(crate) fn with(workers: &str, threads: usize, more: &[&str]) -> Self {
        Self::start_logging("trace", workers, threads, more)
    }

    /// Starts one of another version of the program.
    pub(crate) fn of_other(program: &str, workers: &str, threads: usize) -> Self {
        Self::start_program(program, "info", workers, threads, &[])
    }

    fn start_logging(level: &str, workers: &str, threads: usize, more: &[&str]) -> Self {
        Self::start_program(env!("CARGO_BIN_EXE_kibitz"), level, workers, threads, more)
    }

    fn start_program(program: &str, level: &str, workers: &str, threads: usize, more: &[&str]) -> Self {
        let flags = [format!("--log-level={level}"), workers.to_owned(), format!("--threads={threads}")];
        let more: Vec<String> = more.iter().map(|&flag| flag.to_owned()).collect();
        let arguments = [&["worker".to_owned(), "--log-format=json".to_owned()][..], &flags, &more].concat();
        let process = GuardedProcess::start(program, &arguments);
        process.wait_for_line("ready to run engines");
        Self(process)
    }

    /// Kills it without warning.
    pub(crate) fn kill(mut self) {
        self.0.signal(Signal::KILL);
        self.0.ended();
    }

    /// Asks it to end.
    pub(crate) fn begin_stop(&self) {
        self.0.signal(Signal::TERM);
    }

    /// Waits until it has ended; returns its exit code.
    pub(crate) fn ended(&mut self) -> i32 {
        self.0.ended()
    }

    /// Stops it as SIGSTOP does: it does nothing and its connections stay open.
    pub(crate) fn freeze(&self) {
        self.0.signal(Signal::STOP);
    }

    pub(crate) fn log(&self) -> Vec<String> {
        self.0.log()
    }
}
