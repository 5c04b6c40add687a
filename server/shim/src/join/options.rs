//! What `kibitz-shim join` was asked to do. Pure, as the other options are.

use crate::options::{Surroundings, text, usage, value};
use crate::server::Server;
use lexopt::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// What `kibitz-shim join --help` prints.
pub const HELP: &str = "\
Seats a bot in a hosted match: the server is its referee, as the contest's own would be.

Usage: kibitz-shim join MATCH_URL [OPTIONS] -- BOT [ARGUMENTS]

MATCH_URL is http://HOST/v1/matches/ID, as making the match told it. BOT is started unchanged, for the match or for each
move as the game's contest does.

      --token T      KIBITZ_TOKEN      of the seat or the player; without it a guest takes a free seat
      --key K        KIBITZ_MATCH_KEY  the key of a private match
      --seat N                         take this seat, counted from 0; default: the token's own, else the first free one
      --name NAME                      what a guest wants to be called
      --ca FILE      KIBITZ_CA         trust the certificates in this PEM file instead of the system's
      --verbose      KIBITZ_VERBOSE=1  show all remarks of the server on standard error
  -h, --help
";

/// The variables that hold secrets; the bot is started without them.
pub const SECRETS: [&str; 2] = ["KIBITZ_TOKEN", "KIBITZ_MATCH_KEY"];

/// A seat to take.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    /// The server, its path being that of the match.
    pub place: Server,
    /// Of the seat or the player.
    pub token: Option<String>,
    /// Of a private match.
    pub key: Option<String>,
    /// Which seat.
    pub seat: Option<u8>,
    /// What a guest wants to be called.
    pub name: Option<String>,
    /// Certificates to trust instead of the system's.
    pub ca: Option<PathBuf>,
    /// Whether to show all remarks of the server.
    pub verbose: bool,
    /// The bot and its arguments: at least one word.
    pub command: Vec<OsString>,
}

/// Reads the arguments behind `join`; `None`: help is wanted. The error is one sentence for the user.
pub fn parse(
    args: impl IntoIterator<Item = OsString>,
    surroundings: &Surroundings<'_>,
) -> Result<Option<Options>, String> {
    let env = |key: &str| match (surroundings.env)(key) {
        Some(value) if !value.is_empty() => text(value, key).map(Some),
        _ => Ok(None),
    };
    let (mut token, mut key) = (env("KIBITZ_TOKEN")?, env("KIBITZ_MATCH_KEY")?);
    let mut verbose = env("KIBITZ_VERBOSE")?.is_some_and(|value| value != "0");
    let mut ca = (surroundings.env)("KIBITZ_CA").filter(|path| !path.is_empty());
    let (mut url, mut seat, mut name, mut command) = (None, None, None, Vec::new());
    let mut parser = lexopt::Parser::from_args(args);
    while let Some(arg) = parser.next().map_err(usage)? {
        match arg {
            Short('h') | Long("help") => return Ok(None),
            Long("token") => token = Some(value(&mut parser, "--token")?),
            Long("key") => key = Some(value(&mut parser, "--key")?),
            Long("seat") => {
                let number = value(&mut parser, "--seat")?;
                let wrong = |_| format!("--seat must be a number from 0 on, not {number:?}");
                seat = Some(number.parse().map_err(wrong)?);
            }
            Long("name") => name = Some(value(&mut parser, "--name")?),
            Long("ca") => ca = Some(parser.value().map_err(usage)?),
            Long("verbose") => verbose = true,
            Value(word) if url.is_none() => url = Some(text(word, "MATCH_URL")?),
            Value(word) => {
                command.push(word);
                command.extend(parser.raw_args().map_err(usage)?);
            }
            other => return Err(usage(other.unexpected())),
        }
    }
    let url = url.ok_or("no match chosen: kibitz-shim join http://HOST/v1/matches/ID -- BOT")?;
    for (what, secret) in [("the token", &token), ("the key", &key)] {
        if secret.as_ref().is_some_and(|text| text.is_empty() || !text.bytes().all(|b| b.is_ascii_graphic()))
        {
            return Err(format!("{what} is not one: it is visible ASCII without spaces"));
        }
    }
    if command.is_empty() {
        return Err("no bot chosen: its program stands behind --".to_owned());
    }
    Ok(Some(Options {
        place: place(&url)?,
        token,
        key,
        seat,
        name,
        ca: ca.map(PathBuf::from),
        verbose,
        command,
    }))
}

/// The match that a URL names.
fn place(url: &str) -> Result<Server, String> {
    // A token that stands in the query by mistake is not repeated.
    let query = url.split_once('?').map(|(_, query)| query).filter(|query| !query.is_empty());
    let place =
        Server::parse(url).map_err(|why| query.map_or(why.clone(), |query| why.replace(query, "...")))?;
    let id = place.base().rsplit_once("/v1/matches/").map(|(_, id)| id);
    match id {
        Some(id) if !id.is_empty() && !id.contains('/') => Ok(place),
        _ => Err(format!("{url:?} names no match; write it like http://127.0.0.1:8080/v1/matches/ID")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(args: &[&str], env: &[(&str, &str)]) -> Result<Option<Options>, String> {
        let find = |key: &str| env.iter().find(|(k, _)| *k == key).map(|(_, v)| OsString::from(v));
        let around = Surroundings { env: &find, built_game: None, built_server: None, program: &[] };
        parse(args.iter().map(OsString::from), &around)
    }

    const URL: &str = "https://play.example/v1/matches/0190-x/";

    #[test]
    fn the_bot_stands_behind_everything_else() {
        let args = [URL, "--token", "kbs_x", "--seat", "2", "--", "./bot", "--token", "-h"];
        let options =
            parsed(&args, &[("KIBITZ_TOKEN", "other"), ("KIBITZ_MATCH_KEY", "kbm_y")]).unwrap().unwrap();
        assert_eq!(options.command, ["./bot", "--token", "-h"]);
        assert_eq!((options.token.as_deref(), options.key.as_deref()), (Some("kbs_x"), Some("kbm_y")));
        assert_eq!((options.seat, options.place.base()), (Some(2), "/v1/matches/0190-x"));
        let bare = parsed(&[URL, "bot", "-x"], &[("KIBITZ_TOKEN", "t")]).unwrap().unwrap();
        assert_eq!((bare.command, bare.token.as_deref()), (vec!["bot".into(), "-x".into()], Some("t")));
        assert_eq!(parsed(&["--help"], &[]), Ok(None));
    }

    #[test]
    fn wrong_use_is_told_in_one_sentence_without_the_secrets() {
        for args in [
            &["--", "bot"][..],
            &[URL],
            &[URL, "--seat", "x", "--", "bot"],
            &[URL, "--token", "a b", "--", "bot"],
            &[URL, "--key", "secret\r\n", "--", "bot"],
            &["http://h/v1/matches/x?token=secret", "bot"],
            &["http://h/v1/matches/", "bot"],
            &["http://h/v1/games/x", "bot"],
            &["http://h/v1/matches/x/events", "bot"],
            &[URL, "--what", "bot"],
        ] {
            let sentence = parsed(args, &[]).expect_err("wrong use");
            assert!(!sentence.contains('\n') && !sentence.contains("secret"), "{sentence}");
        }
    }
}
