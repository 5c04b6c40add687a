//! `kibitz-shim faults`: prints the last faults of a bot, as the server lists them for its owner. It must know no game.

use crate::address::ServerAddress;
use crate::answer::Failure;
use crate::connect::{ConnectError, classify};
use crate::http::{HttpMethod, HttpRequest};
use crate::link::{Link, LinkEvent};
use crate::online::options::TokenSource;
use crate::online::token;
use crate::options::{Environment, text, usage};
use crate::pipe::timespec;
use crate::transcript::Transcript;
use lexopt::prelude::*;
use rustix::event::{PollFd, PollFlags, poll};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The text that `kibitz-shim faults --help` prints.
pub(crate) const HELP: &str = "\
Prints the last faults of a bot: crashes, illegal moves, wrong lines and late moves, with what the bot wrote to standard error.

Usage: kibitz-shim faults SERVER NAME [OPTIONS]

SERVER is http://HOST or https://HOST, NAME the name of the bot. Each fault has a link to its turn on the match's page.

      --token-file F  KIBITZ_TOKEN_FILE     a file with a token of the bot or of its owner; or the token itself in
                                            KIBITZ_TOKEN
      --ca FILE       KIBITZ_CA             trust the certificates in this PEM file instead of the system's
  -h, --help
";

/// How long to try to reach the server.
const PATIENCE: Duration = Duration::from_secs(10);

/// The bot, its server, and a token.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FaultsOptions {
    server: ServerAddress,
    name: String,
    token: TokenSource,
    ca: Option<PathBuf>,
}

/// Reads the arguments after `faults`; `None`: the user asks for help.
///
/// # Errors
/// One sentence for the user, without secrets.
pub(crate) fn parse(
    args: impl IntoIterator<Item = OsString>,
    environment: &Environment<'_>,
) -> Result<Option<FaultsOptions>, String> {
    let (mut url, mut name) = (None, None);
    let mut ca = environment.variable("KIBITZ_CA");
    let mut token_file = environment.variable("KIBITZ_TOKEN_FILE");
    let mut parser = lexopt::Parser::from_args(args);
    while let Some(arg) = parser.next().map_err(usage)? {
        match arg {
            Short('h') | Long("help") => return Ok(None),
            Long("token-file") => token_file = Some(parser.value().map_err(usage)?),
            Long("ca") => ca = Some(parser.value().map_err(usage)?),
            Value(word) if url.is_none() => url = Some(text(word, "SERVER")?),
            Value(word) if name.is_none() => name = Some(text(word, "NAME")?),
            other => return Err(usage(other.unexpected())),
        }
    }
    let (Some(url), Some(name)) = (url, name) else {
        return Err("no bot chosen: kibitz-shim faults http://HOST NAME --token-file FILE".to_owned());
    };
    let token = TokenSource::of(token_file, environment.text("KIBITZ_TOKEN")?)?;
    Ok(Some(FaultsOptions { server: ServerAddress::parse(&url)?, name, token, ca: ca.map(PathBuf::from) }))
}

/// Asks the server. Returns the text to print.
pub(crate) fn run(options: &FaultsOptions) -> Result<String, Failure> {
    let FaultsOptions { server, name, ca, .. } = options;
    let path = server.with_path(&format!("/v1/players/{name}/faults"));
    let path = format!("{}?format=text", path.base());
    let headers = vec![("Authorization", format!("Bearer {}", token(&options.token)?))];
    let request = HttpRequest { path, headers, method: HttpMethod::Get };
    let deadline = Instant::now() + PATIENCE;
    let mut link = Link::new(server, ca.as_deref(), request, Instant::now())?;
    let (nothing, mut events) = (Transcript::default(), Vec::new());
    let mut last = String::new();
    while Instant::now() < deadline {
        link.turn(Instant::now(), &nothing, &mut events);
        for event in events.drain(..) {
            match event {
                LinkEvent::Response(response) if (200..300).contains(&response.status) => {
                    return Ok(shown(&response.body, server));
                }
                LinkEvent::Response(response) => {
                    return Err(match classify(response, "; check the server and the name of the bot") {
                        ConnectError::Permanent(failure) => failure,
                        ConnectError::Temporary { reason, .. } => {
                            Failure::setup(format!("{server}: {reason}"))
                        }
                    });
                }
                LinkEvent::Failed(failure) => return Err(failure),
                LinkEvent::Note(note) => last = note,
                LinkEvent::Opened | LinkEvent::Text(_) | LinkEvent::Closed(..) => {}
            }
        }
        wait(&link, deadline)?;
    }
    Err(Failure::setup(format!("{server} does not answer: {last}")))
}

/// The text for a terminal: with whole links, without control characters.
fn shown(text: &str, server: &ServerAddress) -> String {
    let printable = |char: char| match char {
        '\n' | '\t' => char,
        char if char.is_control() => char::REPLACEMENT_CHARACTER,
        char => char,
    };
    text.chars().map(printable).collect::<String>().replace(" /matches/", &format!(" {server}/matches/"))
}

/// Waits for the server or the clock.
fn wait(link: &Link, deadline: Instant) -> Result<(), Failure> {
    let mut fds = Vec::new();
    if let Some(target) = link.poll_target() {
        let room = if target.write { PollFlags::OUT } else { PollFlags::empty() };
        fds.push(PollFd::from_borrowed_fd(target.fd, PollFlags::IN | room));
    }
    let until = link.wake_at().map_or(deadline, |at| at.min(deadline));
    let timeout = timespec(until.saturating_duration_since(Instant::now()));
    match poll(&mut fds, Some(&timeout)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(Failure::setup(format!("cannot wait for the server: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_whole_and_control_characters_replaced() {
        let server = ServerAddress::parse("http://h/kibitz").unwrap();
        let text = shown("x: /matches/7?seat=0&ply=3\n  1 ms | \x1b[2J\n", &server);
        assert_eq!(text, "x: http://h/kibitz/matches/7?seat=0&ply=3\n  1 ms | \u{fffd}[2J\n");
    }
}
