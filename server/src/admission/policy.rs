//! The question whether a bot plays a match in which a seat is kept for it, also a rematch. The lobby answers: it knows the
//! policies of the bots that are online, and compares challenges and pairings with them itself.

use std::collections::HashSet;

use crate::domain::PlayerRef;

/// A match that a bot is asked to play.
#[derive(Clone, Copy, Debug)]
pub struct BotQuestion<'a> {
    /// The bot that would play.
    pub bot: &'a PlayerRef,
    /// The game's short name.
    pub game: &'a str,
    /// The time for all moves of a seat, or for each move if there is no such limit, in milliseconds; `None`: no clock.
    pub time_ms: Option<u64>,
    /// Whether the match is rated.
    pub rated: bool,
    /// The player who asks; `None`: a guest.
    pub from: Option<&'a PlayerRef>,
}

/// Knows what bots play.
pub trait BotPolicies: Send + Sync {
    /// Whether the bot is online, has room and plays this; its owner may also keep a seat for it while it is offline. `Err`:
    /// the reason why not, as the end of a sentence that begins with the bot's name.
    fn ask(&self, question: BotQuestion<'_>) -> Result<(), String>;

    /// How many matches the bot plays at a time; `None`: it is offline.
    fn most_at_once(&self, bot: &PlayerRef) -> Option<u32>;

    /// The ids of the players, bots and people, who have a control connection.
    fn connected(&self) -> HashSet<String>;
}
