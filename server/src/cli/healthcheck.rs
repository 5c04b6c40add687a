//! `kibitz healthcheck`: sends one request to a running server, for containers. Blocking; needs only a socket.

use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream};
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;

use crate::cli::console;
use crate::process::options::DEFAULT_LISTEN;

/// The time limit of each step.
const STEP_TIMEOUT: Duration = Duration::from_secs(3);

/// Settings of `kibitz healthcheck`.
#[derive(Clone, Debug, Args)]
pub struct HealthcheckArgs {
    /// The address on which the server listens.
    #[arg(long, env = "KIBITZ_LISTEN", value_name = "ADDRESS", default_value = DEFAULT_LISTEN)]
    pub listen: SocketAddr,
    /// Check whether it is ready for work, not only alive.
    #[arg(long)]
    pub ready: bool,
}

/// Checks the server, prints errors to standard error, and returns the program's exit code.
pub fn run(args: &HealthcheckArgs) -> ExitCode {
    match ask(args) {
        Ok(status) if status.contains(" 200 ") => ExitCode::SUCCESS,
        Ok(status) => {
            console::print_error(format_args!("{}: {status}", args.listen));
            ExitCode::FAILURE
        }
        Err(e) => {
            console::print_error(format_args!("{}: {e}", args.listen));
            ExitCode::FAILURE
        }
    }
}

/// The status line of the response.
fn ask(args: &HealthcheckArgs) -> io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&reachable(args.listen), STEP_TIMEOUT)?;
    stream.set_read_timeout(Some(STEP_TIMEOUT))?;
    stream.set_write_timeout(Some(STEP_TIMEOUT))?;
    let path = if args.ready { "/readyz" } else { "/healthz" };
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", args.listen)?;
    let mut answer = Vec::new();
    stream.take(64 * 1024).read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    Ok(answer.lines().next().unwrap_or("no answer").to_owned())
}

/// The address to connect to: a server that listens on all addresses is reached on loopback.
fn reachable(listen: SocketAddr) -> SocketAddr {
    let ip = match listen.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    };
    SocketAddr::new(ip, listen.port())
}
