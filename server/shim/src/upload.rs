//! `kibitz-shim upload`: uploads a program for a bot, waits for its check, and prints the report. It must know no game.

use crate::dialogue::answer::Failure;
use crate::network::address::ServerAddress;
use crate::network::http::{HttpMethod, HttpRequest, json_number};
use crate::network::request::{Requester, printable};
use crate::online::options::TokenSource;
use crate::online::token;
use crate::options::{Environment, text, usage};
use lexopt::prelude::*;
use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The text that `kibitz-shim upload --help` prints.
pub(crate) const HELP: &str = "\
Uploads a program for a bot: the server checks it, and lets it play day and night.

Usage: kibitz-shim upload SERVER --bot NAME --game GAME [OPTIONS] PROGRAM.wasm

SERVER is http://HOST or https://HOST. PROGRAM.wasm is a WebAssembly module for WASI preview 1 that speaks the contest's dialogue. The
report of the check goes to standard output. Exit status: 0 if the program can play, 1 if it
cannot, 2 if it could not be uploaded.

      --bot NAME                            the bot
      --game GAME                           the game that the program plays
      --token-file F  KIBITZ_TOKEN_FILE     a file with a token of the bot's owner (the account's own, or one of the
                                            scope manage); or the token itself in KIBITZ_TOKEN
      --note TEXT                           a note for the list of programs
      --no-activate                         only upload and check it: another program plays on
      --ca FILE       KIBITZ_CA             trust the certificates in this PEM file instead of the system's
  -h, --help
";

/// How long to try to reach the server, and to send the program.
const PATIENCE: Duration = Duration::from_secs(10);
const UPLOAD_PATIENCE: Duration = Duration::from_secs(600);

/// How long to wait for the check: those of others may come first.
const CHECK_PATIENCE: Duration = Duration::from_secs(3600);

/// How often to ask for the report.
const POLL_INTERVAL: Duration = Duration::from_millis(500);

/// The largest program, in bytes.
const LARGEST: u64 = 16 << 20;

/// What to check if the server refuses.
const HINT: &str = "; check the server, the name of the bot, and the token";

/// A program to upload.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UploadOptions {
    server: ServerAddress,
    bot: String,
    game: String,
    note: String,
    activate: bool,
    token: TokenSource,
    ca: Option<PathBuf>,
    program: PathBuf,
}

/// Reads the arguments after `upload`; `None`: the user asks for help.
///
/// # Errors
/// One sentence for the user, without secrets.
pub(crate) fn parse(
    args: impl IntoIterator<Item = OsString>,
    environment: &Environment<'_>,
) -> Result<Option<UploadOptions>, String> {
    let (mut url, mut bot, mut game, mut program) = (None, None, None, None);
    let (mut note, mut activate) = (String::new(), true);
    let mut ca = environment.variable("KIBITZ_CA");
    let mut token_file = environment.variable("KIBITZ_TOKEN_FILE");
    let mut parser = lexopt::Parser::from_args(args);
    while let Some(arg) = parser.next().map_err(usage)? {
        match arg {
            Short('h') | Long("help") => return Ok(None),
            Long("bot") => bot = Some(text(parser.value().map_err(usage)?, "--bot")?),
            Long("game") => game = Some(text(parser.value().map_err(usage)?, "--game")?),
            Long("note") => note = text(parser.value().map_err(usage)?, "--note")?,
            Long("no-activate") => activate = false,
            Long("token-file") => token_file = Some(parser.value().map_err(usage)?),
            Long("ca") => ca = Some(parser.value().map_err(usage)?),
            Value(word) if url.is_none() => url = Some(text(word, "SERVER")?),
            Value(file) if program.is_none() => program = Some(PathBuf::from(file)),
            other => return Err(usage(other.unexpected())),
        }
    }
    let (Some(url), Some(bot), Some(game), Some(program)) = (url, bot, game, program) else {
        let example = "kibitz-shim upload http://HOST --bot NAME --game GAME --token-file FILE bot.wasm";
        return Err(format!("something is missing: {example}"));
    };
    let token = TokenSource::of(token_file, environment.text("KIBITZ_TOKEN")?)?;
    let (server, ca) = (ServerAddress::parse(&url)?, ca.map(PathBuf::from));
    Ok(Some(UploadOptions { server, bot, game, note, activate, token, ca, program }))
}

/// Uploads the program, and waits for its check. Returns the text to print, and whether the program can play.
pub(crate) fn run(options: &UploadOptions) -> Result<(String, bool), Failure> {
    let module = read(&options.program)?;
    let authorization = vec![("Authorization", format!("Bearer {}", token(&options.token)?))];
    let requester = Requester { server: &options.server, ca: options.ca.as_deref(), hint: HINT };
    let activate = options.activate.to_string();
    let mut query = vec![("game", options.game.as_str()), ("activate", &activate)];
    if !options.note.is_empty() {
        query.push(("note", &options.note));
    }
    let upload = HttpRequest {
        path: options.server.bot_programs(&options.bot, None, &query),
        headers: authorization.clone(),
        method: HttpMethod::Put(module.into()),
    };
    let response = requester.send(upload, Instant::now() + UPLOAD_PATIENCE)?;
    let Some(number) = json_number(&response.body, "number") else {
        return Err(Failure::setup(format!("{}: its answer names no program", options.server)));
    };
    let path = options.server.bot_programs(&options.bot, Some(number), &[("format", "text")]);
    let deadline = Instant::now() + CHECK_PATIENCE;
    loop {
        let request =
            HttpRequest { path: path.clone(), headers: authorization.clone(), method: HttpMethod::Get };
        let body = requester.send(request, Instant::now() + PATIENCE)?.body;
        let (state, report) = body.split_once('\n').unwrap_or((&body, ""));
        if state != "checking" {
            let (bot, game) = (&options.bot, &options.game);
            let said = format!("program {number} of {bot} in {game}: {state}\n{report}");
            return Ok((printable(&said), state != "refused"));
        }
        if Instant::now() > deadline {
            let reason =
                format!("program {number} is not checked yet; its report will be on the page of the bot");
            return Err(Failure::setup(reason));
        }
        sleep(POLL_INTERVAL);
    }
}

fn read(file: &Path) -> Result<Vec<u8>, Failure> {
    let named = |why: String| Failure::setup(format!("{}: {why}", file.display()));
    let mut module = Vec::new();
    let opened = File::open(file).and_then(|opened| opened.take(LARGEST + 1).read_to_end(&mut module));
    opened.map_err(|error| named(format!("it cannot be read: {error}")))?;
    match module.len() as u64 > LARGEST {
        true => Err(named(format!("a program has at most {LARGEST} bytes"))),
        false => Ok(module),
    }
}
