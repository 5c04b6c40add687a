//! The text of `--help`.

use crate::games::{self, GameFacts};

const GENERAL: &str = "\
Connects a contest's referee with a kibitz server: forwards the referee's lines, and prints the server's answers.

Usage: kibitz-shim GAME [OPTIONS]
       kibitz-shim GAME --help                         also shows the game's settings and limits
       kibitz-shim join MATCH_URL [OPTIONS] -- BOT     connects a bot with a hosted match; see join --help
       kibitz-shim play SERVER --game GAME -- BOT      keeps a bot online, and plays many matches; see play --help
       kibitz-shim faults SERVER NAME                  lists the last faults of a bot; see faults --help
       kibitz-shim upload SERVER --bot NAME ...        uploads a program for a bot; see upload --help

Every option has an environment variable, for referees that pass no arguments.
Without GAME: KIBITZ_GAME at run time or at build time, or the program's file name kibitz-GAME.

      --server URL     KIBITZ_SERVER       http://, https://, ws:// or wss://; default http://127.0.0.1:8080
      --think TIME     KIBITZ_THINK_MS     thinking time of a move: 500 or 500ms, 2s, 1.5s
      --nodes N        KIBITZ_NODES        search nodes of a move; with a seed, the same move every time
      --seed S         KIBITZ_SEED         seed of the engine's random choices
      --level L        KIBITZ_LEVEL        easy, medium, hard or max
      --option K=V     KIBITZ_OPTIONS      a setting of the game's dialogue, such as base=0 in Splendor, or another
                                           parameter of the server; may be repeated; the variable takes K=V,K=V
      --patience TIME  KIBITZ_PATIENCE_MS  how long to look for the server after the end of input; default 9500
      --memory FOLDER  KIBITZ_MEMORY       folder for what one process tells the next; - for none; default
                                           kibitz-shim/GAME in $XDG_CACHE_HOME, else in $HOME/.cache
      --ca FILE        KIBITZ_CA           trust the certificates in this PEM file instead of the system's
      --offline        KIBITZ_OFFLINE=1    use no server; needs a build with the feature embedded
      --verbose        KIBITZ_VERBOSE=1    print value, nodes and depth of every move on standard error
  -h, --help
  -V, --version
";

/// The whole text, with the part for this game.
pub(super) fn help(game: Option<&GameFacts>) -> String {
    let part = game.map_or_else(|| format!("Games: {}\n", games::names()), GameFacts::help);
    format!("{GENERAL}\n{part}")
}
