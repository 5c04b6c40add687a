//! What `--help` prints.

use crate::games::{self, Facts};

const GENERAL: &str = "\
Plays a contest's referee through a kibitz server: its lines go to the server, the answers come back.

Usage: kibitz-shim GAME [OPTIONS]
       kibitz-shim GAME --help                         also the game's settings and limits
       kibitz-shim join MATCH_URL [OPTIONS] -- BOT     seats a bot in a hosted match; see join --help

Every option has an environment variable, for referees that pass no arguments.
Without GAME: KIBITZ_GAME, now or when the program was built; or the program's file name, kibitz-GAME.

      --server URL     KIBITZ_SERVER       http://, https://, ws:// or wss://; default http://127.0.0.1:8080
      --think TIME     KIBITZ_THINK_MS     thinking time of a move: 500 or 500ms, 2s, 1.5s
      --nodes N        KIBITZ_NODES        search nodes of a move: with a seed, the same move every time
      --seed S         KIBITZ_SEED         seed of the engine's random choices
      --level L        KIBITZ_LEVEL        easy, medium, hard or max
      --option K=V     KIBITZ_OPTIONS      a setting of the game's dialogue, such as base=0 in Splendor, or another
                                           parameter of the server; repeat it, or K=V,K=V in the variable
      --patience TIME  KIBITZ_PATIENCE_MS  how long to look for the server after the end of input; default 9500
      --memory FILE    KIBITZ_MEMORY       what one process keeps for the next; - for none; default
                                           kibitz-shim/GAME.memory in $XDG_CACHE_HOME, else in $HOME/.cache
      --ca FILE        KIBITZ_CA           trust the certificates in this PEM file instead of the system's
      --offline        KIBITZ_OFFLINE=1    ask no server: the engine of a build with the feature embedded answers
      --verbose        KIBITZ_VERBOSE=1    tell value, nodes and depth of every move on standard error
  -h, --help
  -V, --version
";

/// The whole text, with this game's part.
pub fn help(game: Option<&Facts>) -> String {
    let part = game.map_or_else(|| format!("Games: {}\n", games::names()), Facts::help);
    format!("{GENERAL}\n{part}")
}
