//! `kibitz-shim faults`: prints the last faults of a bot, as the server lists them for its owner. It must know no game.

use crate::dialogue::answer::Failure;
use crate::network::address::ServerAddress;
use crate::network::http::{HttpMethod, HttpRequest};
use crate::network::request::{Requester, printable};
use crate::online::options::TokenSource;
use crate::online::token;
use crate::options::{Environment, text, usage};
use lexopt::prelude::*;
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
    let hint = "; check the server and the name of the bot";
    let requester = Requester { server, ca: ca.as_deref(), hint };
    let response = requester.send(request, Instant::now() + PATIENCE)?;
    Ok(shown(&response.body, server))
}

/// The text for a terminal: with whole links, without control characters.
fn shown(text: &str, server: &ServerAddress) -> String {
    printable(text).replace(" /matches/", &format!(" {server}/matches/"))
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
