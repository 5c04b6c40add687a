//! What bots write to standard error, and what their processes use, for each of their turns. It lies beside the match: it is
//! no part of the log, and decides nothing. Only the bot's side sees all of it; lines that begin with [`PUBLIC_PREFIX`] are for
//! everybody once the match is over.

mod collect;
mod keep;

use engines::game::Seat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::{MatchId, PlayerRef, Stage};
use crate::error::{Code, Error};
use crate::matches::actor::message::MatchMessage;
use crate::matches::actor::requests::sealed;
use crate::matches::event::SeatSetup;
use crate::matches::ledger::Caller;
use crate::matches::record::RecordedLine;
use crate::matches::service::Matches;
use crate::store::{StoredOutput, refused_by_store};

pub(in crate::matches) use collect::{of_program, of_record};
pub use keep::OutputKeeper;
pub(in crate::matches) use keep::keep_in_background;

/// The beginning of lines that become public, as in the saved games of one of the official referees.
pub const PUBLIC_PREFIX: &str = "kibitz ";

/// What a bot wrote to standard error, and used, in a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct BotOutput {
    /// The number of the seat.
    pub seat: u8,
    /// Whether this is all that is kept, as the bot's side sees it. Otherwise it has only lines that begin with `kibitz `.
    pub all: bool,
    /// The turns for which there is something, in order.
    pub turns: Vec<TurnOutput>,
}

/// What a bot wrote to standard error, and used, in one turn.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct TurnOutput {
    /// Moves made before the turn. What a bot writes before its first turn has 0.
    pub ply: u32,
    /// The lines, in order.
    pub lines: Vec<OutputLine>,
    /// Whether it wrote more than is kept: at most 4 KiB a turn and 256 KiB a match.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// The processor time of the bot's processes in this turn, in milliseconds; absent where its side cannot tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_ms: Option<u64>,
    /// The most memory that the bot's processes had until then, in KiB; absent where its side cannot tell.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_kib: Option<u64>,
}

/// A line that a bot wrote to standard error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OutputLine {
    /// The time since the turn began, by the clock of the bot's side, in milliseconds.
    pub ms: u64,
    /// The text. Tokens are left out of it.
    pub text: String,
}

/// What a caller is to a seat.
pub(in crate::matches) struct CallerSide {
    /// Whether the caller holds the seat or owns the bot in it.
    pub is_own: bool,
    /// The stage of the match.
    pub stage: Stage,
}

impl Matches {
    /// What the bot in a seat wrote and used: all of it for the holder of the seat and the owner of the bot; for others the public
    /// lines, after the end.
    ///
    /// # Errors
    /// `no_such_match`, `bad_token`, `not_found` if there is no such seat, `match_not_over`, `sealed`, `store_unavailable`.
    pub async fn bot_output(&self, id: &MatchId, caller: &Caller, seat: Seat) -> Result<BotOutput, Error> {
        let CallerSide { is_own: all, stage } = self.side_of_seat(id, caller, seat).await?;
        if !all && stage != Stage::Over {
            let detail = "during the match only the owner of a bot sees what it writes";
            return Err(Error::new(Code::MatchNotOver, detail));
        }
        let stored = self.registry.store.bot_output(id.clone(), Some(seat.0)).await;
        let turns = stored.map_err(|e| refused_by_store(&e))?.into_iter().filter_map(TurnOutput::of_stored);
        let turns = match all {
            true => turns.collect(),
            false => turns.filter_map(TurnOutput::public).collect(),
        };
        Ok(BotOutput { seat: seat.0, all, turns })
    }

    /// Whether the caller is on the side of this seat: holds it, or owns the bot in it.
    ///
    /// # Errors
    /// `no_such_match`, `bad_token`, `not_found` if there is no such seat; `sealed` for all others of a sealed match.
    pub(in crate::matches) async fn side_of_seat(
        &self,
        id: &MatchId,
        caller: &Caller,
        seat: Seat,
    ) -> Result<CallerSide, Error> {
        let look = |reply| MatchMessage::Snapshot { caller: caller.clone(), reply };
        let now = self.registry.ask(id, look).await?;
        let taken = now.seats.get(seat.index());
        let taken = taken.ok_or_else(|| Error::new(Code::NotFound, "the match has no such seat"))?;
        let is_own = now.seat == Some(seat) || is_side_of(&taken.chair, caller.player.as_ref());
        if !is_own && now.sealed {
            return Err(sealed(&now.created));
        }
        Ok(CallerSide { is_own, stage: now.stage })
    }

    /// The public lines of all bots of a match that is over and that the caller may see; by seat, then in order.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn public_lines(&self, id: &MatchId) -> Result<Vec<RecordedLine>, Error> {
        let stored = self.registry.store.bot_output(id.clone(), None).await;
        let turns = stored.map_err(|e| refused_by_store(&e))?;
        let lines_of = |stored: StoredOutput| {
            let seat = Seat(stored.seat);
            let turn = TurnOutput::of_stored(stored).and_then(TurnOutput::public);
            turn.into_iter().flat_map(move |turn| {
                let line = move |line: OutputLine| {
                    let text = line.text.strip_prefix(PUBLIC_PREFIX)?.to_owned();
                    Some(RecordedLine { seat, ply: turn.ply, text })
                };
                turn.lines.into_iter().filter_map(line)
            })
        };
        Ok(turns.into_iter().flat_map(lines_of).collect())
    }
}

/// Whether this player holds the seat or owns the bot in it.
fn is_side_of(chair: &SeatSetup, player: Option<&PlayerRef>) -> bool {
    let holder = chair.holder().and_then(|holder| holder.player.as_ref());
    holder
        .zip(player)
        .is_some_and(|(holder, player)| holder.id == player.id || holder.owner.as_ref() == Some(&player.id))
}

/// The stored lines of a turn; `None` if they were written by a newer version.
pub(super) fn lines_of_stored(lines: &str) -> Option<Vec<OutputLine>> {
    let lines: Vec<(u64, String)> = serde_json::from_str(lines).ok()?;
    Some(lines.into_iter().map(|(ms, text)| OutputLine { ms, text }).collect())
}

impl TurnOutput {
    /// A stored turn; `None` if it was written by a newer version.
    fn of_stored(stored: StoredOutput) -> Option<Self> {
        let StoredOutput { ply, lines, cut, cpu_ms, memory_kib, .. } = stored;
        Some(Self { ply, lines: lines_of_stored(&lines)?, cut, cpu_ms, memory_kib })
    }

    /// The turn as the store keeps it.
    fn stored(&self, seat: Seat) -> StoredOutput {
        let lines: Vec<(u64, &str)> = self.lines.iter().map(|line| (line.ms, line.text.as_str())).collect();
        StoredOutput {
            seat: seat.0,
            ply: self.ply,
            lines: serde_json::to_string(&lines).expect("numbers and texts can be written as JSON"),
            cut: self.cut,
            cpu_ms: self.cpu_ms,
            memory_kib: self.memory_kib,
        }
    }

    /// The part of it that everybody may see, if there is any.
    fn public(mut self) -> Option<Self> {
        self.lines.retain(|line| line.text.starts_with(PUBLIC_PREFIX));
        let Self { ply, lines, .. } = self;
        (!lines.is_empty()).then(|| Self { ply, lines, ..Self::default() })
    }
}
