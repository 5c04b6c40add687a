//! Records as they come from anywhere: read strictly, each fault with the event where it is, and turned back into a log.
//! Keys and players' numbers, which a record leaves out, are made up: they open nothing.

use engines::rng::Seed;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::domain::PlayerRef;
use crate::domain::token::KeyHash;
use crate::matches::event::{
    Created, Ended, EngineSeat, Event, Fouled, Holder, LoggedEvent, Moved, SeatSetup,
};
use crate::matches::record::{
    Difference, Entry, FORMAT, Happening, Making, Person, Place, Record, difference,
};

/// A text that is no record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The place of the event that is wrong, counted from 0; `None`: it is the record's head.
    pub event: Option<usize>,
    /// What is wrong.
    pub what: String,
}

/// The head of a record, its events not looked at.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    format: String,
    id: String,
    game: String,
    commitment: String,
    seed: Seed,
    salt: String,
    events: Vec<Value>,
}

impl Record {
    /// The record that this text is.
    ///
    /// # Errors
    /// What is wrong first.
    pub fn read(text: &[u8]) -> Result<Self, Unreadable> {
        let head = |what: String| Unreadable { event: None, what };
        let json: Value = serde_json::from_slice(text).map_err(|e| head(format!("this is not JSON: {e}")))?;
        match json.get("format") {
            Some(Value::String(format)) if format == FORMAT => {}
            Some(other) => return Err(head(format!("format: {other} is not known here, only {FORMAT:?}"))),
            None => return Err(head(format!("format: it is missing; a record says {FORMAT:?} there"))),
        }
        let Head { format, id, game, commitment, seed, salt, events } =
            serde_path_to_error::deserialize(json).map_err(|e| head(located(e)))?;
        let entries = events
            .into_iter()
            .enumerate()
            .map(|(place, json)| Entry::read(json).map_err(|what| Unreadable { event: Some(place), what }));
        let events = entries.collect::<Result<_, _>>()?;
        Ok(Self { format, id, game, commitment, seed, salt, events })
    }
}

fn located(e: serde_path_to_error::Error<serde_json::Error>) -> String {
    let path = e.path().to_string();
    let what = e.into_inner();
    if path == "." { what.to_string() } else { format!("{path}: {what}") }
}

impl Entry {
    fn read(json: Value) -> Result<Self, String> {
        let mut fields: Map<String, Value> =
            serde_json::from_value(json.clone()).map_err(|e| e.to_string())?;
        let seq = number(&mut fields, "seq")?;
        let at_ms = number(&mut fields, "at_ms")?;
        let what = serde_path_to_error::deserialize(Value::Object(fields)).map_err(located)?;
        let entry = Self { seq, at_ms, what };
        // A record is written in one way only: nothing stands in it that nobody reads.
        let again = serde_json::to_value(&entry).map_err(|e| e.to_string())?;
        match difference(&json, &again) {
            None => Ok(entry),
            Some(Difference { path, there, other }) => {
                Err(format!("{path}: {there} stands there, where a record has {other}"))
            }
        }
    }

    /// The event that this tells of; `record` is where it stands.
    pub fn stamped(&self, record: &Record) -> LoggedEvent {
        LoggedEvent { seq: self.seq, at_ms: self.at_ms, event: self.what.event(record, self.seq) }
    }
}

fn number<T: serde::de::DeserializeOwned>(fields: &mut Map<String, Value>, name: &str) -> Result<T, String> {
    let value = fields.remove(name).ok_or_else(|| format!("{name}: it is missing"))?;
    serde_json::from_value(value).map_err(|e| format!("{name}: {e}"))
}

impl Happening {
    fn event(&self, record: &Record, seq: u32) -> Event {
        match self.clone() {
            Self::Created(making) => Event::Created(Box::new(making.created(record))),
            Self::Joined { seat, kind, name } => {
                Event::Joined { seat, holder: kind.holder(name, JOINED | seq) }
            }
            Self::Left { seat, removed } => Event::Left { seat, removed },
            Self::Started {} => Event::Started,
            Self::Moved { seat, ply, notation, times, left_ms } => {
                Event::Moved(Moved { seat, ply, notation, times, left_ms })
            }
            Self::Fouled { seat, ply, kind, detail, instead, times, left_ms } => {
                Event::Fouled(Fouled { seat, ply, kind, detail, instead, times, left_ms })
            }
            Self::WentOut { seat, why } => Event::WentOut { seat, why },
            Self::Resumed { away_ms, grace_ms } => Event::Resumed { away_ms, grace_ms },
            Self::Ended { how, result, seed, salt } => Event::Ended(Ended { how, result, seed, salt }),
        }
    }
}

/// Sets the made-up keys of those who joined apart from those of who was there from the start.
const JOINED: u32 = 1 << 31;

impl Making {
    fn created(self, record: &Record) -> Created {
        let Self {
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
        } = self;
        Created {
            game,
            options,
            seats: (0..).zip(seats).map(|(seat, place)| place.chair(seat)).collect(),
            clock,
            idle_ms,
            key: private.then_some(KeyHash([0; 32])),
            seed_from,
            seed: record.seed,
            salt: record.salt.clone(),
            commitment,
            state,
            rematch_of,
            hints,
            made_from: None,
            maker: None,
        }
    }
}

impl Place {
    fn chair(self, seat: u32) -> SeatSetup {
        match self {
            Self::Engine { engine, version, level, think_ms, nodes } => {
                SeatSetup::Engine(EngineSeat { engine, version, level, think_ms, nodes })
            }
            Self::Open {} => SeatSetup::Open,
            Self::Reserved { person, name } => SeatSetup::Reserved { holder: person.holder(name, seat) },
            Self::Player { name } => SeatSetup::Held { holder: Person::Player.holder(Some(name), seat) },
            Self::Guest { name } => SeatSetup::Held { holder: Person::Guest.holder(name, seat) },
        }
    }
}

impl Person {
    /// Somebody of this kind, with a key made up from `number`; a player's number is their name.
    fn holder(self, name: Option<String>, number: u32) -> Holder {
        let mut key = [0; 32];
        key[..4].copy_from_slice(&number.to_le_bytes());
        let key = Some(KeyHash(key));
        match self {
            Self::Guest => Holder { key, player: None, name },
            Self::Player => {
                let name = name.unwrap_or_default();
                Holder { key, player: Some(PlayerRef { id: name.clone(), name }), name: None }
            }
        }
    }
}
