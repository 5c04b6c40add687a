//! The record of a match that is over: all its events, for anyone to keep and check. Its types are built from the log
//! and hold nothing that gives access to a seat: no hash of a key, no player's id.

mod build;
mod difference;
mod judge;
pub mod license;
pub mod match_file;
mod read;
mod replay;
mod replay_match;
#[cfg(test)]
mod tests;
mod verdict;

use std::collections::BTreeMap;

pub use difference::{Difference, difference};
pub use read::InvalidRecord;
pub use replay::{Discrepancy, check};
pub use verdict::{plain, verdict};

use engines::erased::{AnyGame, AnyOptions, FinishedMove, Refusal, RefusalCode, StartPosition};
use engines::game::Seat;
use engines::rng::Seed;
use engines::search::Level;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::schema;
use crate::domain::schema::{DealtState, GameSlug, HEX};
use crate::domain::time::Millis;
use crate::domain::{PlayerRef, TournamentRef};
use crate::matches::clock::ClockSpec;
use crate::matches::event::{
    EndKind, FoulKind, LadderMatch, MoveTimes, OutReason, PositionSource, ProgramRef, Result as MatchResult,
    SeedFrom, is_zero,
};

/// The name of this format of record.
pub const FORMAT: &str = "kibitz-record-1";

/// A finished match with all that is needed to play it again.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Record {
    /// The name of this format of record.
    #[schemars(extend("const" = FORMAT))]
    pub format: String,
    /// The match's id.
    #[schemars(with = "schema::MatchId")]
    pub id: String,
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    pub game: String,
    /// The commitment to the seed, published before the first move: SHA-256 of the salt's 32 bytes followed by the seed's,
    /// hexadecimal.
    #[schemars(regex(pattern = HEX))]
    pub commitment: String,
    /// The seed of the deal.
    #[schemars(with = "String", regex(pattern = HEX))]
    pub seed: Seed,
    /// The salt of the commitment, 32 bytes, hexadecimal.
    #[schemars(regex(pattern = HEX))]
    pub salt: String,
    /// All events, in order.
    pub events: Vec<RecordEntry>,
    /// What the players' own programs sent. Nothing checks it; absent if there is nothing.
    #[serde(skip_serializing_if = "UnverifiedPart::is_empty")]
    pub unverified: UnverifiedPart,
}

/// What a record has that no check covers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UnverifiedPart {
    /// What the bots wrote for the public on standard error, by seat, then in order.
    pub bot_lines: Vec<RecordedLine>,
}

/// A line that a bot wrote for the public on standard error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedLine {
    /// The seat of the bot.
    pub seat: Seat,
    /// Moves made before its turn.
    pub ply: u32,
    /// The line, without the prefix `kibitz `.
    pub text: String,
}

impl UnverifiedPart {
    fn is_empty(&self) -> bool {
        self.bot_lines.is_empty()
    }

    /// What the bot in a seat wrote in the turn after this many moves.
    fn lines_of(&self, seat: Seat, ply: usize) -> Vec<String> {
        let of_turn =
            |line: &&RecordedLine| line.seat == seat && usize::try_from(line.ply).is_ok_and(|at| at == ply);
        self.bot_lines.iter().filter(of_turn).map(|line| line.text.clone()).collect()
    }
}

/// An event with its place and time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct RecordEntry {
    /// 0 for the first, without gaps.
    pub seq: u32,
    /// The time at which it was decided, by the server's clock, in milliseconds since 1970.
    pub at_ms: Millis,
    /// The event.
    #[serde(flatten)]
    pub what: RecordedEvent,
}

/// An event of the log, without what would identify a guest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
#[expect(missing_docs, reason = "a field `seat` says all")]
pub enum RecordedEvent {
    /// The match was created.
    Created(Box<RecordedCreation>),
    /// A caller took a seat.
    Joined {
        seat: Seat,
        /// Whether the holder is a player or a guest.
        kind: PersonKind,
        /// The name, if there is one.
        name: Option<String>,
    },
    /// A seat was given up before the start.
    Left {
        seat: Seat,
        /// Whether the match's creator removed the holder; absent if the holder left.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        removed: bool,
    },
    /// The match started.
    Started {},
    /// A move.
    Moved {
        seat: Seat,
        /// Moves made before it.
        ply: u32,
        /// The move, as the official protocol writes it.
        notation: String,
        /// How the time of the turn was spent.
        times: MoveTimes,
        /// The rest of the seat's time after it, in milliseconds.
        left_ms: Option<u64>,
    },
    /// A penalty.
    Fouled {
        seat: Seat,
        /// Moves made before it.
        ply: u32,
        /// The kind of foul.
        kind: FoulKind,
        /// A description of the foul, in one sentence.
        detail: String,
        /// The move played instead, if the game goes on.
        instead: Option<String>,
        /// How the time of the turn was spent.
        times: MoveTimes,
        /// The rest of the seat's time after it, in milliseconds.
        left_ms: Option<u64>,
    },
    /// A seat went out of the match.
    WentOut {
        seat: Seat,
        /// The reason.
        why: OutReason,
    },
    /// The match resumed after a downtime, or after a vacation of the player to move.
    Resumed {
        /// How long no clock ran, in milliseconds.
        away_ms: u64,
        /// How long the clock of the seat to move stayed stopped after that, in milliseconds.
        #[serde(default, skip_serializing_if = "is_zero")]
        grace_ms: u64,
        /// Whether a vacation of the player to move is in the time of the pause. Absent if not.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        vacation: bool,
    },
    /// A player took moves back, in a match against engines.
    TakenBack {
        seat: Seat,
        /// The number of moves that stay.
        ply: u32,
    },
    /// Settings of the referee's side of a bot's dialogue.
    RefereeSet {
        seat: Seat,
        /// All settings that differ from the default, by name.
        settings: BTreeMap<String, String>,
    },
    /// The end of the match: always the last event.
    Ended {
        /// How it ended.
        how: EndKind,
        /// The result, if there is one.
        result: Option<MatchResult>,
        /// The seed of the deal.
        #[schemars(with = "String", regex(pattern = HEX))]
        seed: Seed,
        /// The salt of the commitment.
        #[schemars(regex(pattern = HEX))]
        salt: String,
    },
}

/// The creation of the match. The seed and the salt are at the head of the record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RecordCreated")]
pub struct RecordedCreation {
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    pub game: String,
    /// The options of the deal, in the game's schema.
    #[schemars(with = "AnyOptions")]
    pub options: Value,
    /// The seats when the match was created.
    pub seats: Vec<RecordedSeat>,
    /// The clock; `null`: without time limits.
    pub clock: Option<ClockSpec>,
    /// The match would have ended when nothing happened for this long, in milliseconds.
    pub idle_ms: u64,
    /// Whether only its seats and holders of its key could see it.
    pub private: bool,
    /// Whether the caller or the server chose the seed.
    pub seed_from: SeedFrom,
    /// The commitment to the seed.
    #[schemars(regex(pattern = HEX))]
    pub commitment: String,
    /// The whole state before the first move.
    #[schemars(with = "DealtState")]
    pub state: Value,
    /// The match of which this one is the rematch.
    #[schemars(with = "Option<schema::MatchId>")]
    pub rematch_of: Option<String>,
    /// Whether its seats were allowed to ask engines for advice. Absent in records of older matches, which had no such rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hints: Option<bool>,
    /// Whether its result changed the ratings of its players.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rated: bool,
    /// The game of a tournament that it was played for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tournament: Option<TournamentRef>,
    /// The kind of match of the permanent ladder that it was. Absent if it was none, and in records of older matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ladder: Option<LadderMatch>,
    /// The position with which the match began. With the seed it gives `state`. Absent if the match was dealt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<StartPosition>,
    /// The match and the ply that the position is from. Nothing checks it; absent if the creator gave the position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position_of: Option<PositionSource>,
}

/// A seat when the match was created.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "RecordSeat")]
pub enum RecordedSeat {
    /// A built-in engine.
    Engine {
        /// Its name.
        engine: String,
        /// Its version then.
        version: u32,
        /// Its level of play.
        level: Level,
        /// Its thinking time for a move, in milliseconds.
        think_ms: u64,
        /// The limit on the nodes of one search.
        nodes: Option<u64>,
    },
    /// Open to anyone.
    Open {},
    /// Reserved for one player or guest.
    Reserved {
        /// Whether the holder is a player or a guest.
        person: PersonKind,
        /// The name, if there is one.
        name: Option<String>,
    },
    /// Held by a player, who has an account.
    Player {
        /// The name at that time, or later a replacement.
        name: String,
        /// The hosted program that plays for the player, which is a bot. Absent if its own client does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        program: Option<ProgramRef>,
    },
    /// Held by a guest.
    Guest {
        /// The name that the guest chose.
        name: Option<String>,
    },
}

/// Whether a seat's holder has an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PersonKind {
    /// With an account, and so with a name of their own.
    Player,
    /// Without an account.
    Guest,
}

impl Record {
    /// The record as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a record is plain values with text keys")
    }

    /// The match in a format of the game's own.
    ///
    /// # Errors
    /// `unknown_format`, also of a match that began with a position; others only if the record contradicts the game.
    pub fn in_format(&self, game: &dyn AnyGame, format: &str) -> Result<String, Refusal> {
        if self.creation().is_some_and(|creation| creation.position.is_some()) {
            let detail = "this match began with a position, and the contest's formats can only tell matches that were dealt";
            return Err(Refusal::new(RefusalCode::UnknownFormat, detail));
        }
        game.export(format, &self.finished())
    }

    /// The record in the requested format with its media type. Default: `kibitz-record-1`.
    ///
    /// # Errors
    /// As [`Self::in_format`].
    pub fn rendered(&self, game: &dyn AnyGame, format: Option<&str>) -> Result<(String, String), Refusal> {
        match format {
            None | Some(FORMAT) => Ok(("application/json".to_owned(), self.to_json())),
            Some(other) => {
                let body = self.in_format(game, other)?;
                let media_type = game.formats().into_iter().find(|f| f.name == other).map(|f| f.media_type);
                Ok((media_type.unwrap_or_else(|| "text/plain".to_owned()), body))
            }
        }
    }

    /// The creation of the match.
    pub fn creation(&self) -> Option<&RecordedCreation> {
        match &self.events.first()?.what {
            RecordedEvent::Created(creation) => Some(creation),
            _ => None,
        }
    }

    /// The names of the players who have had a seat, or for whom one was reserved.
    pub fn players(&self) -> impl Iterator<Item = &str> {
        let joined = self.events.iter().filter_map(|entry| match &entry.what {
            RecordedEvent::Joined { kind: PersonKind::Player, name, .. } => name.as_deref(),
            _ => None,
        });
        let first = self.creation().map_or(&[][..], |creation| &creation.seats);
        first.iter().filter_map(RecordedSeat::player).chain(joined)
    }

    /// Whether another record tells of the same match, in which players may have other names by now. What nothing checks may differ,
    /// too.
    pub fn is_same_match(&self, other: &Self) -> bool {
        let plain = |record: &Self| {
            let log = record.log(|_| PlayerRef::new("", ""));
            Self::of(&record.id, &log, Vec::new())
        };
        plain(self) == plain(other)
    }

    /// The name of each seat's holder at the end of the match.
    pub fn names(&self) -> Vec<String> {
        let places = self.creation().map_or(&[][..], |creation| &creation.seats);
        let mut names: Vec<Option<&str>> = places.iter().map(RecordedSeat::name).collect();
        for entry in &self.events {
            match &entry.what {
                RecordedEvent::Joined { seat, name, .. } if seat.index() < names.len() => {
                    names[seat.index()] = name.as_deref();
                }
                RecordedEvent::Left { seat, .. } if seat.index() < names.len() => names[seat.index()] = None,
                _ => {}
            }
        }
        let named = |(seat, name): (usize, Option<&str>)| name.map_or(format!("seat {seat}"), str::to_owned);
        names.into_iter().enumerate().map(named).collect()
    }
}

impl RecordedEvent {
    /// Whether it played a move.
    pub fn is_move(&self) -> bool {
        matches!(self, Self::Moved { .. } | Self::Fouled { instead: Some(_), .. })
    }

    /// The move that it played, if it played one.
    fn played_move(&self) -> Option<FinishedMove> {
        match self {
            Self::Moved { seat, notation, .. } => Some(finished_move(*seat, notation, None)),
            Self::Fouled { seat, detail, instead: Some(notation), .. } => {
                Some(finished_move(*seat, notation, Some(detail)))
            }
            _ => None,
        }
    }
}

fn finished_move(seat: Seat, notation: &str, mistake: Option<&String>) -> FinishedMove {
    FinishedMove { seat, notation: notation.to_owned(), mistake: mistake.cloned(), remarks: Vec::new() }
}

impl RecordedSeat {
    /// The player who holds the seat or for whom it is reserved.
    pub fn player(&self) -> Option<&str> {
        match self {
            Self::Player { name, .. } => Some(name),
            Self::Reserved { person: PersonKind::Player, name } => name.as_deref(),
            _ => None,
        }
    }

    /// The name of the seat's first holder.
    fn name(&self) -> Option<&str> {
        match self {
            Self::Engine { engine, .. } => Some(engine),
            Self::Player { name, .. } => Some(name),
            Self::Guest { name } => name.as_deref(),
            Self::Open {} | Self::Reserved { .. } => None,
        }
    }
}
