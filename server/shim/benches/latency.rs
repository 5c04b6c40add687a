//! Measures the time that the program adds to a bare WebSocket: the round trip of a line with and without it, and the
//! time of a whole run (start, connect, ask, print, exit). Prints figures and checks none.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tungstenite::{Message, WebSocket, protocol::CloseFrame};

const WARM_UP: usize = 500;
const LINES: usize = 20_000;
const STARTS: usize = 300;

fn main() {
    let address = serve();
    report("bare WebSocket echo, a line", bare(address));
    report("through the shim, a line", through(address));
    report("spawn, connect, ask, print, end", starts(address));
    report("spawn alone (--version)", spawns());
}

/// Echoes every line that is read; closes after the end of input.
fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("a socket");
    std::thread::spawn(move || {
        for tcp in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let _ = tcp.set_nodelay(true);
                echo(tungstenite::accept(tcp).expect("a handshake"));
            });
        }
    });
    address
}

fn echo(mut socket: WebSocket<TcpStream>) {
    while let Ok(message) = socket.read() {
        let Message::Text(text) = message else { continue };
        let mut lines = text.as_str().lines();
        let answered = lines.clone().filter_map(|line| line.strip_prefix("< ")).all(|line| {
            let answer = Message::text(format!("> {line}"));
            socket.send(answer).is_ok()
        });
        if !answered || lines.any(|line| line == ".") {
            let _ = socket.close(Some(CloseFrame { code: 1000.into(), reason: Default::default() }));
        }
    }
}

fn bare(address: SocketAddr) -> Vec<Duration> {
    let tcp = TcpStream::connect(address).expect("a server");
    tcp.set_nodelay(true).expect("a socket");
    let (mut socket, _) = tungstenite::client(format!("ws://{address}/"), tcp).expect("a handshake");
    let mut times = Vec::new();
    for number in 0..WARM_UP + LINES {
        let start = Instant::now();
        socket.send(Message::text(format!("< {number}"))).expect("a server");
        socket.read().expect("an answer");
        times.push(start.elapsed());
    }
    times.split_off(WARM_UP)
}

fn shim(address: SocketAddr) -> Child {
    Command::new(env!("CARGO_BIN_EXE_kibitz-shim"))
        .args(["azul", "--server", &format!("http://{address}")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program")
}

fn through(address: SocketAddr) -> Vec<Duration> {
    let mut child = shim(address);
    let mut stdin = child.stdin.take().expect("piped");
    let mut stdout = BufReader::new(child.stdout.take().expect("piped"));
    let mut times = Vec::new();
    let mut line = String::new();
    for number in 0..WARM_UP + LINES {
        let start = Instant::now();
        stdin.write_all(format!("{number}\n").as_bytes()).expect("a bot");
        line.clear();
        stdout.read_line(&mut line).expect("an answer");
        times.push(start.elapsed());
    }
    drop(stdin);
    child.wait().expect("an end");
    times.split_off(WARM_UP)
}

fn starts(address: SocketAddr) -> Vec<Duration> {
    let run = |_| {
        let start = Instant::now();
        let mut child = shim(address);
        child.stdin.take().expect("piped").write_all(b"2 1\n").expect("a bot");
        let output = child.wait_with_output().expect("an end");
        assert_eq!((output.status.code(), output.stdout), (Some(0), b"2 1\n".to_vec()));
        start.elapsed()
    };
    (0..STARTS).map(run).collect()
}

fn spawns() -> Vec<Duration> {
    let run = |_| {
        let start = Instant::now();
        let program = env!("CARGO_BIN_EXE_kibitz-shim");
        Command::new(program).arg("--version").output().expect("the program");
        start.elapsed()
    };
    (0..STARTS).map(run).collect()
}

fn report(what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |part: usize| times.get(times.len() * part / 100).copied().unwrap_or_default();
    println!("{what:34} p50 {:>9.1?}  p90 {:>9.1?}  p99 {:>9.1?}", at(50), at(90), at(99));
}
