//! The options of `kibitz-shim join`. Pure: it reads arguments and environment only through its parameters.

use crate::network::address::ServerAddress;
use crate::options::{Environment, QueryParameters, text, usage, value};
use lexopt::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// The text that `kibitz-shim join --help` prints.
pub(crate) const HELP: &str = "\
Connects a bot with a hosted match: the server is its referee, in place of the contest's own.

Usage: kibitz-shim join MATCH_URL [OPTIONS] -- BOT [ARGUMENTS]

MATCH_URL is http://HOST/v1/matches/ID, as in the answer that created the match, or the address of its page. BOT is
started unchanged, once for the match or once for each move, as the game's contest does. `wasm:FILE` as BOT is a program for the
sandbox; that needs a build with the feature programs.

      --token T      KIBITZ_TOKEN      of the seat or the player; without it a guest takes a free seat
      --key K        KIBITZ_MATCH_KEY  the key of a private match
      --seat N                         take this seat, counted from 0; default: the token's own, else the first free one
      --name NAME                      the name of a guest
      --referee K=V  KIBITZ_REFEREE    a setting of the referee's side of the dialogue, such as base=0 in Splendor; may be
                                       repeated; the variable takes K=V,K=V
      --bot-version TEXT  KIBITZ_BOT_VERSION
                                       the version of BOT, which its page and its faults name; for tokens of bots only
      --log-dir DIR  KIBITZ_LOG_DIR    write DIR/ID.log: the dialogue, times, and what BOT writes to standard error
      --ca FILE      KIBITZ_CA         trust the certificates in this PEM file instead of the system's
      --verbose      KIBITZ_VERBOSE=1  show all remarks of the server on standard error
  -h, --help
";

/// The variables that hold secrets; the bot is started without them.
pub(crate) const SECRETS: [&str; 3] = ["KIBITZ_TOKEN", "KIBITZ_TOKEN_FILE", "KIBITZ_MATCH_KEY"];

/// The seat to take, and the bot.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct JoinOptions {
    /// The server, with the path of the match.
    pub match_address: ServerAddress,
    /// The token of the seat or the player.
    pub token: Option<String>,
    /// The key of a private match.
    pub key: Option<String>,
    /// The seat to take, counted from 0.
    pub seat: Option<u8>,
    /// The name of a guest.
    pub name: Option<String>,
    /// Settings of the referee's side of the dialogue, in the server's words.
    pub referee: Vec<(String, String)>,
    /// The version under which the server stores the bot's matches.
    pub bot_version: Option<String>,
    /// A file with certificates to trust instead of the system's.
    pub ca: Option<PathBuf>,
    /// The folder for log files.
    pub log_dir: Option<PathBuf>,
    /// Whether to show all remarks of the server.
    pub verbose: bool,
    /// The bot and its arguments: at least one word.
    pub command: Vec<OsString>,
}

/// The options while they are read.
#[derive(Default)]
struct JoinDraft {
    url: Option<String>,
    token: Option<String>,
    key: Option<String>,
    seat: Option<u8>,
    name: Option<String>,
    referee: QueryParameters,
    bot_version: Option<String>,
    ca: Option<OsString>,
    log_dir: Option<OsString>,
    verbose: bool,
    command: Vec<OsString>,
}

/// Reads the arguments after `join`; `None`: the user asks for help.
///
/// # Errors
/// One sentence for the user, without secrets.
pub(crate) fn parse(
    args: impl IntoIterator<Item = OsString>,
    environment: &Environment<'_>,
) -> Result<Option<JoinOptions>, String> {
    let mut draft = JoinDraft {
        token: environment.text("KIBITZ_TOKEN")?,
        key: environment.text("KIBITZ_MATCH_KEY")?,
        verbose: environment.switch("KIBITZ_VERBOSE")?,
        bot_version: environment.text("KIBITZ_BOT_VERSION")?,
        ca: environment.variable("KIBITZ_CA"),
        log_dir: environment.variable("KIBITZ_LOG_DIR"),
        referee: QueryParameters::of_variable(environment, "KIBITZ_REFEREE")?,
        ..JoinDraft::default()
    };
    let mut parser = lexopt::Parser::from_args(args);
    while let Some(arg) = parser.next().map_err(usage)? {
        match arg {
            Short('h') | Long("help") => return Ok(None),
            Long("token") => draft.token = Some(value(&mut parser, "--token")?),
            Long("key") => draft.key = Some(value(&mut parser, "--key")?),
            Long("seat") => {
                let number = value(&mut parser, "--seat")?;
                let wrong = |_| format!("--seat must be a number from 0 on, not {number:?}");
                draft.seat = Some(number.parse().map_err(wrong)?);
            }
            Long("name") => draft.name = Some(value(&mut parser, "--name")?),
            Long("referee") => draft.referee.set_pair(&value(&mut parser, "--referee")?, "--referee")?,
            Long("bot-version") => draft.bot_version = Some(value(&mut parser, "--bot-version")?),
            Long("ca") => draft.ca = Some(parser.value().map_err(usage)?),
            Long("log-dir") => draft.log_dir = Some(parser.value().map_err(usage)?),
            Long("verbose") => draft.verbose = true,
            Value(word) if draft.url.is_none() => draft.url = Some(text(word, "MATCH_URL")?),
            Value(word) => {
                draft.command.push(word);
                draft.command.extend(parser.raw_args().map_err(usage)?);
            }
            other => return Err(usage(other.unexpected())),
        }
    }
    draft.finish().map(Some)
}

impl JoinDraft {
    fn finish(self) -> Result<JoinOptions, String> {
        let url = self.url.ok_or("no match chosen: kibitz-shim join http://HOST/v1/matches/ID -- BOT")?;
        for (what, secret) in [("the token", &self.token), ("the key", &self.key)] {
            let valid = |text: &String| !text.is_empty() && text.bytes().all(|b| b.is_ascii_graphic());
            if !secret.as_ref().is_none_or(valid) {
                return Err(format!("{what} is invalid: it must be visible ASCII without spaces"));
            }
        }
        if self.command.is_empty() {
            return Err("no bot chosen: give its program after --".to_owned());
        }
        Ok(JoinOptions {
            match_address: match_address(&url)?,
            token: self.token,
            key: self.key,
            seat: self.seat,
            name: self.name,
            referee: self.referee.into_pairs(),
            bot_version: self.bot_version,
            ca: self.ca.map(PathBuf::from),
            log_dir: self.log_dir.map(PathBuf::from),
            verbose: self.verbose,
            command: self.command,
        })
    }
}

/// The address of the match in a URL, which may also be that of its page.
fn match_address(url: &str) -> Result<ServerAddress, String> {
    let of_api = match url.contains("/v1/matches/") {
        true => url.to_owned(),
        false => url.replacen("/matches/", "/v1/matches/", 1),
    };
    // The error must not repeat a token that is in the query by mistake.
    let query = url.split_once('?').map(|(_, query)| query).filter(|query| !query.is_empty());
    let address = ServerAddress::parse(&of_api)
        .map_err(|error| query.map_or(error.clone(), |query| error.replace(query, "...")))?;
    let id = address.base().rsplit_once("/v1/matches/").map(|(_, id)| id);
    match id {
        Some(id) if !id.is_empty() && !id.contains('/') => Ok(address),
        _ => Err(format!("{url:?} names no match; write it like http://127.0.0.1:8080/v1/matches/ID")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(args: &[&str], env: &[(&str, &str)]) -> Result<Option<JoinOptions>, String> {
        let find = |key: &str| env.iter().find(|(k, _)| *k == key).map(|(_, v)| OsString::from(v));
        let environment = Environment { env: &find, built_game: None, built_server: None, program: &[] };
        parse(args.iter().map(OsString::from), &environment)
    }

    const URL: &str = "https://play.example/v1/matches/0190-x/";

    #[test]
    fn bot_comes_after_all_options() {
        let args = [URL, "--token", "kbs_x", "--seat", "2", "--", "./bot", "--token", "-h"];
        let options =
            parsed(&args, &[("KIBITZ_TOKEN", "other"), ("KIBITZ_MATCH_KEY", "kbm_y")]).unwrap().unwrap();
        assert_eq!(options.command, ["./bot", "--token", "-h"]);
        assert_eq!((options.token.as_deref(), options.key.as_deref()), (Some("kbs_x"), Some("kbm_y")));
        assert_eq!((options.seat, options.match_address.base()), (Some(2), "/v1/matches/0190-x"));
        let set = parsed(&[URL, "--referee", "base=0", "bot"], &[("KIBITZ_REFEREE", "base=1,x=y")])
            .unwrap()
            .unwrap();
        assert_eq!(set.referee, [("base".into(), "0".into()), ("x".into(), "y".into())]);
        let page = parsed(&["https://play.example/matches/0190-x", "bot"], &[]).unwrap().unwrap();
        assert_eq!(page.match_address, options.match_address);
        let bare = parsed(&[URL, "bot", "-x"], &[("KIBITZ_TOKEN", "t")]).unwrap().unwrap();
        assert_eq!((bare.command, bare.token.as_deref()), (vec!["bot".into(), "-x".into()], Some("t")));
        assert_eq!(parsed(&["--help"], &[]), Ok(None));
    }

    #[test]
    fn wrong_use_gives_one_sentence_without_secrets() {
        for args in [
            &["--", "bot"][..],
            &[URL],
            &[URL, "--seat", "x", "--", "bot"],
            &[URL, "--token", "a b", "--", "bot"],
            &[URL, "--key", "secret\r\n", "--", "bot"],
            &[URL, "--referee", "base", "--", "bot"],
            &["http://h/v1/matches/x?token=secret", "bot"],
            &["http://h/v1/matches/", "bot"],
            &["http://h/v1/games/x", "bot"],
            &["http://h/v1/matches/x/events", "bot"],
            &["http://h/matches/x?token=secret", "bot"],
            &[URL, "--what", "bot"],
        ] {
            let sentence = parsed(args, &[]).expect_err("wrong use");
            assert!(!sentence.contains('\n') && !sentence.contains("secret"), "{sentence}");
        }
    }
}
