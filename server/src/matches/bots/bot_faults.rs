//! The last faults of a bot: what went wrong, in which turn, since when and in which version. The faults are events of matches;
//! the store keeps a copy by bot. What the bot's own side sees at once, others see of public matches that are over.

use engines::erased::AnyGame;
use schemars::JsonSchema;
use serde::Serialize;

use crate::domain::schema::{self, GameSlug};
use crate::domain::time::Millis;
use crate::domain::{MatchId, PlayerRef};
use crate::error::Error;
use crate::matches::bots::bot_output::{OutputLine, lines_of_stored};
use crate::matches::event::{Event, FoulKind, Fouled, LoggedEvent};
use crate::matches::ledger::{Caller, Ledger};
use crate::matches::service::Matches;
use crate::store::{FaultFilter, FaultGroup, ListedFault, NewFault, StoredFault, refused_by_store};

/// The most groups of faults in an answer.
const MOST_GROUPS: u32 = 50;

/// The last lines of a turn that are shown with its fault.
const LINES_SHOWN: usize = 10;

/// A page of a bot's faults.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BotFaults {
    /// Whether these are all faults, as the bot's side sees them. Otherwise they are those in public matches that are over.
    pub all: bool,
    /// How many faults of each kind there are, the latest kind first. Of the last 10,000 faults, in all games.
    pub groups: Vec<CountedFaults>,
    /// The faults of this page, those of the newest match first.
    pub faults: Vec<BotFault>,
    /// The value of `before` that requests the next page; `null`: there is none.
    #[schemars(regex(pattern = "^[0-9a-f-]{36}[.][0-9]+$"))]
    pub next: Option<String>,
}

/// Faults of one kind of one version of a bot in one game.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CountedFaults {
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    pub game: String,
    /// The kind of mistake.
    pub kind: FoulKind,
    /// `program N` if a program of a hosted bot played; else the version that the bot's description named at that time;
    /// `null`: none.
    pub version: Option<String>,
    /// How many there are.
    pub count: u64,
    /// The time of the first one, in milliseconds since 1970.
    pub first_ms: Millis,
    /// The time of the last one.
    pub last_ms: Millis,
}

/// One fault of a bot, with the match and the turn in which it happened.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BotFault {
    /// The match.
    #[serde(rename = "match")]
    #[schemars(with = "schema::MatchId")]
    pub id: String,
    /// The number of its event in the match.
    pub seq: u32,
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    pub game: String,
    /// The number of the seat.
    pub seat: u8,
    /// Moves made before it.
    pub ply: u32,
    /// The kind of mistake.
    pub kind: FoulKind,
    /// What was wrong, with what the bot printed.
    pub detail: String,
    /// The move that was played instead, if the match went on.
    pub instead: Option<String>,
    /// The bot's time for the decision, in milliseconds.
    pub think_ms: u64,
    /// The time of the fault, in milliseconds since 1970.
    pub at_ms: Millis,
    /// `program N` if a program of a hosted bot played; else the version that the bot's description named at that time;
    /// `null`: none.
    pub version: Option<String>,
    /// The last lines that it wrote to standard error in this turn. Only for its own side.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<OutputLine>,
}

/// The faults to list of a bot.
#[derive(Debug, Default)]
pub struct FaultPage {
    /// Only of this game.
    pub game: Option<String>,
    /// Only those before this one.
    pub before: Option<(MatchId, u32)>,
    /// The most faults.
    pub limit: u32,
}

impl Matches {
    /// A page of a bot's last faults: all of them for the bot and its owner, for others those in public matches that are over.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn bot_faults(
        &self,
        bot: &PlayerRef,
        caller: &Caller,
        page: FaultPage,
    ) -> Result<BotFaults, Error> {
        let is_own = |player: &PlayerRef| player.id == bot.id || bot.owner.as_ref() == Some(&player.id);
        let all = caller.player.as_ref().is_some_and(is_own);
        let limit = page.limit as usize;
        let store = self.store();
        let filter = FaultFilter {
            player: bot.id.clone(),
            only_public: !all,
            game: page.game,
            before: page.before,
            // One more shows whether there is another page.
            limit: page.limit + 1,
        };
        let mut found = store.bot_faults(filter).await.map_err(|e| refused_by_store(&e))?;
        let more = found.len() > limit;
        found.truncate(limit);
        let last = found.last().filter(|_| more);
        let next = last.map(|last| format!("{}.{}", last.id, last.fault.seq));
        let groups = store.fault_groups(bot.id.clone(), !all, MOST_GROUPS).await;
        let groups = groups.map_err(|e| refused_by_store(&e))?;
        Ok(BotFaults {
            all,
            groups: groups.into_iter().filter_map(CountedFaults::of).collect(),
            faults: found.into_iter().filter_map(|listed| BotFault::of(listed, all)).collect(),
            next,
        })
    }
}

impl CountedFaults {
    /// `None`: a newer version has written a kind that this one does not know.
    fn of(group: FaultGroup) -> Option<Self> {
        let FaultGroup { game, kind, version, count, first_ms, last_ms } = group;
        Some(Self { game, kind: FoulKind::parse(&kind)?, version, count, first_ms, last_ms })
    }
}

impl BotFault {
    /// `all`: with what it wrote to standard error. `None`: a newer version has written a kind that this one does not know.
    fn of(listed: ListedFault, all: bool) -> Option<Self> {
        let ListedFault { id, fault, version, lines } = listed;
        let mut lines = lines.filter(|_| all).and_then(|lines| lines_of_stored(&lines)).unwrap_or_default();
        lines.drain(..lines.len().saturating_sub(LINES_SHOWN));
        Some(Self {
            id: id.to_string(),
            seq: fault.seq,
            game: fault.game,
            seat: fault.seat,
            ply: fault.ply,
            kind: FoulKind::parse(&fault.kind)?,
            detail: fault.detail,
            instead: fault.instead,
            think_ms: fault.think_us / 1000,
            at_ms: fault.at_ms,
            version,
            lines,
        })
    }

    /// The fault in plain words, and what followed from it.
    pub fn in_words(&self, game: Option<&dyn AnyGame>) -> String {
        let referee = game.map_or_else(|| "the".to_owned(), |game| format!("{}'s", game.info().title));
        let followed = match &self.instead {
            Some(instead) => format!("{referee} referee plays {instead} instead"),
            None => format!("{referee} referee ends the match"),
        };
        let printed = if self.detail.starts_with('"') { "printed " } else { "" };
        format!("ply {}: {printed}{}; {followed}", self.ply, self.detail)
    }
}

/// The faults of bots among events that are about to be stored. A turn of a seat that has dropped out is no fault.
pub(in crate::matches) fn new_faults(ledger: &Ledger, stamped: &[LoggedEvent]) -> Vec<NewFault> {
    let fault = |logged: &LoggedEvent| {
        let Event::Fouled(fouled) = &logged.event else { return None };
        let Fouled { seat, ply, kind, detail, instead, times, .. } = fouled;
        let holder = ledger.seats().get(seat.index())?.chair.holder()?;
        let bot = holder.player.as_ref().filter(|player| player.owner.is_some() && *kind != FoulKind::Out)?;
        let fault = StoredFault {
            seq: logged.seq,
            game: ledger.created().game.clone(),
            seat: seat.0,
            ply: *ply,
            kind: kind.name().to_owned(),
            detail: detail.clone(),
            instead: instead.clone(),
            think_us: times.think_us,
            at_ms: logged.at_ms,
        };
        let program = holder.program.as_ref().map(|program| program.number);
        Some(NewFault { player: bot.id.clone(), program, fault })
    };
    stamped.iter().filter_map(fault).collect()
}
