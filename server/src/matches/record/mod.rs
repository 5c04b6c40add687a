//! The record of a match that is over: everything that happened, to be kept and checked by anybody. Its types are built
//! from the log and hold nothing that could open a seat: no key's hash, no player's number.

mod difference;
mod read;

pub use difference::{Difference, difference};
pub use read::Unreadable;

use engines::erased::{AnyGame, AnyOptions, FinishedMatch, FinishedMove, Refusal};
use engines::game::Seat;
use engines::rng::Seed;
use engines::search::Level;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::time::Millis;
use crate::matches::clock::ClockSpec;
use crate::matches::event::{
    Created, EndKind, Ended, EngineSeat, Event, FoulKind, Fouled, Holder, LoggedEvent, Moved, OutReason,
    Result as MatchResult, SeatSetup, SeedFrom, Times, is_zero,
};
use crate::schema;
use crate::schema::{DealtState, GameSlug, HEX};

/// The name of this form of record.
pub const FORMAT: &str = "kibitz-record-1";

/// A record.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Record {
    /// The name of this form of record.
    #[schemars(extend("const" = FORMAT))]
    pub format: String,
    /// The match's name.
    #[schemars(with = "schema::MatchId")]
    pub id: String,
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    pub game: String,
    /// What was published before the first move: SHA-256 of the salt's 32 bytes followed by the seed's, hexadecimal.
    #[schemars(regex(pattern = HEX))]
    pub commitment: String,
    /// What the deal was made from.
    #[schemars(with = "String", regex(pattern = HEX))]
    pub seed: Seed,
    /// What hid the seed, 32 bytes, hexadecimal.
    #[schemars(regex(pattern = HEX))]
    pub salt: String,
    /// Everything that happened, in order.
    pub events: Vec<Entry>,
}

/// Something that happened, with its place and time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "RecordEntry")]
pub struct Entry {
    /// 0 for the first, without gaps.
    pub seq: u32,
    /// When it was decided, by the host's clock.
    pub at_ms: Millis,
    /// What happened.
    #[serde(flatten)]
    pub what: Happening,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Happening {
    /// The match was made.
    Created(Box<Making>),
    /// Somebody took a seat.
    Joined {
        /// Which.
        seat: Seat,
        /// What kind of person.
        kind: Person,
        /// How they are called.
        name: Option<String>,
    },
    /// Somebody gave a seat up before the start.
    Left {
        /// Which.
        seat: Seat,
        /// Whether the match's maker took the seat away; not there where its holder left.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        removed: bool,
    },
    /// The first turn was out.
    Started {},
    /// A move.
    Moved {
        /// Who.
        seat: Seat,
        /// Moves made before it.
        ply: u32,
        /// The move, as the official protocol writes it.
        notation: String,
        /// Where the time went.
        times: Times,
        /// What was left on the seat's clock after it.
        left_ms: Option<u64>,
    },
    /// A penalty.
    Fouled {
        /// Who.
        seat: Seat,
        /// Moves made before it.
        ply: u32,
        /// What kind of mistake it was.
        kind: FoulKind,
        /// What happened, in a sentence.
        detail: String,
        /// The move played instead, where the game goes on.
        instead: Option<String>,
        /// Where the time went.
        times: Times,
        /// What was left on the seat's clock after it.
        left_ms: Option<u64>,
    },
    /// A seat took no part any more.
    WentOut {
        /// Which.
        seat: Seat,
        /// Why.
        why: OutReason,
    },
    /// The host was away and came back.
    Resumed {
        /// How long nobody's clock ran, in milliseconds.
        away_ms: u64,
        /// How long the clock of the seat to move stood after that, in milliseconds.
        #[serde(default, skip_serializing_if = "is_zero")]
        grace_ms: u64,
    },
    /// The end.
    Ended {
        /// How.
        how: EndKind,
        /// The result, where there is one.
        result: Option<MatchResult>,
        /// What the deal was made from.
        #[schemars(with = "String", regex(pattern = HEX))]
        seed: Seed,
        /// The salt of the commitment.
        #[schemars(regex(pattern = HEX))]
        salt: String,
    },
}

/// How the match began; the seed and the salt stand at the head of the record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "RecordCreated")]
pub struct Making {
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    pub game: String,
    /// The options of the deal, by the game's schema.
    #[schemars(with = "AnyOptions")]
    pub options: Value,
    /// Per seat, who sat there or might.
    pub seats: Vec<Place>,
    /// How time was given; `null`: without limits.
    pub clock: Option<ClockSpec>,
    /// The match would have ended when nothing happened for so long, in milliseconds.
    pub idle_ms: u64,
    /// Whether only its seats and who had its key saw it.
    pub private: bool,
    /// Who chose the seed.
    pub seed_from: SeedFrom,
    /// The commitment to the seed.
    #[schemars(regex(pattern = HEX))]
    pub commitment: String,
    /// The whole dealt state.
    #[schemars(with = "DealtState")]
    pub state: Value,
    /// The match that this one is the rematch of.
    #[schemars(with = "Option<schema::MatchId>")]
    pub rematch_of: Option<String>,
    /// Whether its seats might ask engines for advice; not there in records from before that was agreed on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hints: Option<bool>,
}

/// A seat when the match was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
#[schemars(rename = "RecordSeat")]
pub enum Place {
    /// An engine.
    Engine {
        /// Its name.
        engine: String,
        /// Its version then.
        version: u32,
        /// How well it was to play.
        level: Level,
        /// How long it was to think about a move, in milliseconds.
        think_ms: u64,
        /// Most nodes of one search.
        nodes: Option<u64>,
    },
    /// Anybody might join.
    Open {},
    /// Kept for somebody.
    Reserved {
        /// What kind of person.
        person: Person,
        /// How they are called.
        name: Option<String>,
    },
    /// A player with a name of their own.
    Player {
        /// The name.
        name: String,
    },
    /// Somebody without one.
    Guest {
        /// What they want to be called.
        name: Option<String>,
    },
}

/// Kinds of people.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PersonKind")]
pub enum Person {
    /// With a name of their own.
    Player,
    /// Without one.
    Guest,
}

impl Record {
    /// The record of the match with this log. `None`: it is not over, so there is none.
    pub fn of(id: &str, log: &[LoggedEvent]) -> Option<Self> {
        let (Event::Created(created), Event::Ended(_)) = (&log.first()?.event, &log.last()?.event) else {
            return None;
        };
        Some(Self {
            format: FORMAT.to_owned(),
            id: id.to_owned(),
            game: created.game.clone(),
            commitment: created.commitment.clone(),
            seed: created.seed,
            salt: created.salt.clone(),
            events: log.iter().map(Entry::of).collect(),
        })
    }

    /// The record as JSON.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a record is plain values with text keys")
    }

    /// The match in a form of the game's own.
    ///
    /// # Errors
    /// `unknown_format`; others only where the record is not true.
    pub fn in_format(&self, game: &dyn AnyGame, format: &str) -> Result<String, Refusal> {
        let dealt = self.making().map_or(Value::Null, |making| making.state.clone());
        let moves = self.events.iter().filter_map(|entry| entry.what.told()).collect();
        game.export(format, &FinishedMatch { dealt, moves, names: self.names() })
    }

    /// The record as whoever asked for it wants it, with its media type: in ours, or in a form of the game's own.
    ///
    /// # Errors
    /// As [`Self::in_format`].
    pub fn rendered(&self, game: &dyn AnyGame, format: Option<&str>) -> Result<(String, String), Refusal> {
        match format {
            None | Some(FORMAT) => Ok(("application/json".to_owned(), self.to_json())),
            Some(own) => {
                let body = self.in_format(game, own)?;
                let media_type = game.formats().into_iter().find(|f| f.name == own).map(|f| f.media_type);
                Ok((media_type.unwrap_or_else(|| "text/plain".to_owned()), body))
            }
        }
    }

    /// How the match began.
    pub fn making(&self) -> Option<&Making> {
        match &self.events.first()?.what {
            Happening::Created(making) => Some(making),
            _ => None,
        }
    }

    /// What the seats are called at the end, one name each.
    pub fn names(&self) -> Vec<String> {
        let places = self.making().map_or(&[][..], |making| &making.seats);
        let mut names: Vec<Option<&str>> = places.iter().map(Place::name).collect();
        for entry in &self.events {
            match &entry.what {
                Happening::Joined { seat, name, .. } if seat.index() < names.len() => {
                    names[seat.index()] = name.as_deref();
                }
                Happening::Left { seat, .. } if seat.index() < names.len() => names[seat.index()] = None,
                _ => {}
            }
        }
        let named = |(seat, name): (usize, Option<&str>)| name.map_or(format!("seat {seat}"), str::to_owned);
        names.into_iter().enumerate().map(named).collect()
    }
}

impl Entry {
    fn of(stamped: &LoggedEvent) -> Self {
        Self { seq: stamped.seq, at_ms: stamped.at_ms, what: Happening::of(&stamped.event) }
    }
}

impl Happening {
    /// What a record says of this event.
    pub fn of(event: &Event) -> Self {
        match event.clone() {
            Event::Created(created) => Self::Created(Box::new(Making::of(*created))),
            Event::Joined { seat, holder } => {
                Self::Joined { seat, kind: Person::of(&holder), name: name_of(holder) }
            }
            Event::Left { seat, removed } => Self::Left { seat, removed },
            Event::Started => Self::Started {},
            Event::Moved(Moved { seat, ply, notation, times, left_ms }) => {
                Self::Moved { seat, ply, notation, times, left_ms }
            }
            Event::Fouled(Fouled { seat, ply, kind, detail, instead, times, left_ms }) => {
                Self::Fouled { seat, ply, kind, detail, instead, times, left_ms }
            }
            Event::WentOut { seat, why } => Self::WentOut { seat, why },
            Event::Resumed { away_ms, grace_ms } => Self::Resumed { away_ms, grace_ms },
            Event::Ended(Ended { how, result, seed, salt }) => Self::Ended { how, result, seed, salt },
        }
    }

    /// Whether a move was played by it.
    pub fn is_move(&self) -> bool {
        matches!(self, Self::Moved { .. } | Self::Fouled { instead: Some(_), .. })
    }

    /// The move that was played, if one was.
    fn told(&self) -> Option<FinishedMove> {
        match self {
            Self::Moved { seat, notation, .. } => {
                Some(FinishedMove { seat: *seat, notation: notation.clone(), mistake: None })
            }
            Self::Fouled { seat, detail, instead: Some(notation), .. } => {
                Some(FinishedMove { seat: *seat, notation: notation.clone(), mistake: Some(detail.clone()) })
            }
            _ => None,
        }
    }
}

impl Making {
    fn of(created: Created) -> Self {
        // Named one by one: what is added to the log some day is not in records until somebody thought about it.
        let Created {
            game,
            options,
            seats,
            clock,
            idle_ms,
            key,
            seed_from,
            seed: _,
            salt: _,
            commitment,
            state,
            rematch_of,
            hints,
            made_from: _,
            maker: _,
        } = created;
        let seats = seats.into_iter().map(Place::of).collect();
        let private = key.is_some();
        Self {
            game,
            options,
            seats,
            clock,
            idle_ms,
            private,
            seed_from,
            commitment,
            state,
            rematch_of,
            hints,
        }
    }
}

impl Place {
    fn of(chair: SeatSetup) -> Self {
        match chair {
            SeatSetup::Engine(EngineSeat { engine, version, level, think_ms, nodes }) => {
                Self::Engine { engine, version, level, think_ms, nodes }
            }
            SeatSetup::Open => Self::Open {},
            SeatSetup::Reserved { holder } => {
                Self::Reserved { person: Person::of(&holder), name: name_of(holder) }
            }
            SeatSetup::Held { holder: Holder { player: Some(player), .. } } => {
                Self::Player { name: player.name }
            }
            SeatSetup::Held { holder } => Self::Guest { name: holder.name },
        }
    }

    /// The player who sits there or for whom it is kept.
    pub fn player(&self) -> Option<&str> {
        match self {
            Self::Player { name } => Some(name),
            Self::Reserved { person: Person::Player, name } => name.as_deref(),
            _ => None,
        }
    }

    /// The name of who sits there from the start.
    fn name(&self) -> Option<&str> {
        match self {
            Self::Engine { engine, .. } => Some(engine),
            Self::Player { name } => Some(name),
            Self::Guest { name } => name.as_deref(),
            Self::Open {} | Self::Reserved { .. } => None,
        }
    }
}

impl Person {
    fn of(holder: &Holder) -> Self {
        if holder.player.is_some() { Self::Player } else { Self::Guest }
    }
}

fn name_of(holder: Holder) -> Option<String> {
    holder.player.map(|player| player.name).or(holder.name)
}
