//! Reads records from any source. Reading is strict and each error names its event. A record can be turned back into a
//! log; keys and players' ids, which it leaves out, are made up and give access to nothing.

use engines::rng::Seed;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::domain::PlayerRef;
use crate::domain::token::KeyHash;
use crate::matches::event::{
    Created, Ended, EngineSeat, Event, Fouled, Holder, LoggedEvent, Moved, SeatSetup,
};
use crate::matches::record::{
    Difference, FORMAT, PersonKind, Record, RecordEntry, RecordedCreation, RecordedEvent, RecordedSeat,
    UnverifiedPart, difference,
};

/// The reason why a text is not a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvalidRecord {
    /// The wrong event, counted from 0; `None`: the record's head is wrong.
    pub event: Option<usize>,
    /// The error.
    pub what: String,
}

/// A record whose events are not parsed yet.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UnparsedRecord {
    format: String,
    id: String,
    game: String,
    commitment: String,
    seed: Seed,
    salt: String,
    events: Vec<Value>,
    #[serde(default)]
    unverified: UnverifiedPart,
}

impl Record {
    /// Parses a record.
    ///
    /// # Errors
    /// The first error.
    pub fn read(text: &[u8]) -> Result<Self, InvalidRecord> {
        let head = |what: String| InvalidRecord { event: None, what };
        let json: Value = serde_json::from_slice(text).map_err(|e| head(format!("this is not JSON: {e}")))?;
        match json.get("format") {
            Some(Value::String(format)) if format == FORMAT => {}
            Some(other) => {
                return Err(head(format!("format: {other} is unknown; only {FORMAT:?} is supported")));
            }
            None => return Err(head(format!("format: this field is missing; it must be {FORMAT:?}"))),
        }
        let UnparsedRecord { format, id, game, commitment, seed, salt, events, unverified } =
            serde_path_to_error::deserialize(json).map_err(|e| head(located(e)))?;
        let entries = events.into_iter().enumerate().map(|(place, json)| {
            RecordEntry::read(json).map_err(|what| InvalidRecord { event: Some(place), what })
        });
        let events = entries.collect::<Result<_, _>>()?;
        Ok(Self { format, id, game, commitment, seed, salt, events, unverified })
    }
}

impl Record {
    /// Its events as a log, in which `player` gives the player of each name.
    pub fn log(&self, player: impl Fn(&str) -> PlayerRef) -> Vec<LoggedEvent> {
        let mut log: Vec<_> = self.events.iter().map(|entry| entry.stamped(self)).collect();
        for who in log.iter_mut().flat_map(|logged| logged.event.players_mut()) {
            *who = player(&who.name);
        }
        log
    }
}

fn located(e: serde_path_to_error::Error<serde_json::Error>) -> String {
    let path = e.path().to_string();
    let what = e.into_inner();
    if path == "." { what.to_string() } else { format!("{path}: {what}") }
}

impl RecordEntry {
    fn read(json: Value) -> Result<Self, String> {
        let mut fields: Map<String, Value> =
            serde_json::from_value(json.clone()).map_err(|e| e.to_string())?;
        let seq = number(&mut fields, "seq")?;
        let at_ms = number(&mut fields, "at_ms")?;
        let what = serde_path_to_error::deserialize(Value::Object(fields)).map_err(located)?;
        let entry = Self { seq, at_ms, what };
        // A record is written in exactly one way, so it contains nothing that is not read.
        let again = serde_json::to_value(&entry).map_err(|e| e.to_string())?;
        match difference(&json, &again) {
            None => Ok(entry),
            Some(Difference { path, there, other }) => {
                Err(format!("{path}: found {there}, but a record has {other}"))
            }
        }
    }

    /// The event of this entry; `record`: the record that holds it.
    pub fn stamped(&self, record: &Record) -> LoggedEvent {
        LoggedEvent { seq: self.seq, at_ms: self.at_ms, event: self.what.event(record, self.seq) }
    }
}

fn number<T: serde::de::DeserializeOwned>(fields: &mut Map<String, Value>, name: &str) -> Result<T, String> {
    let value = fields.remove(name).ok_or_else(|| format!("{name}: this field is missing"))?;
    serde_json::from_value(value).map_err(|e| format!("{name}: {e}"))
}

impl RecordedEvent {
    fn event(&self, record: &Record, seq: u32) -> Event {
        match self.clone() {
            Self::Created(creation) => Event::Created(Box::new(creation.created(record))),
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
            Self::Resumed { away_ms, grace_ms, vacation } => Event::Resumed { away_ms, grace_ms, vacation },
            Self::TakenBack { seat, ply } => Event::TakenBack { seat, ply },
            Self::RefereeSet { seat, settings } => Event::RefereeSet { seat, settings },
            Self::Ended { how, result, seed, salt } => Event::Ended(Ended { how, result, seed, salt }),
        }
    }
}

/// Distinguishes the made-up keys of holders who joined from those of holders at the creation.
const JOINED: u32 = 1 << 31;

impl RecordedCreation {
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
            rated,
            tournament,
            ladder,
            position,
            position_of,
        } = self;
        Created {
            game,
            options,
            seats: (0..).zip(seats).map(|(seat, place)| place.setup(seat)).collect(),
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
            payer: None,
            creator: None,
            rated,
            tournament,
            ladder,
            position,
            position_of,
        }
    }
}

impl RecordedSeat {
    fn setup(self, seat: u32) -> SeatSetup {
        match self {
            Self::Engine { engine, version, level, think_ms, nodes } => {
                SeatSetup::Engine(EngineSeat { engine, version, level, think_ms, nodes })
            }
            Self::Open {} => SeatSetup::Open,
            Self::Reserved { person, name } => SeatSetup::Reserved { holder: person.holder(name, seat) },
            Self::Player { name, program } => {
                SeatSetup::Held { holder: Holder { program, ..PersonKind::Player.holder(Some(name), seat) } }
            }
            Self::Guest { name } => SeatSetup::Held { holder: PersonKind::Guest.holder(name, seat) },
        }
    }
}

impl PersonKind {
    /// A holder of this kind, with a key made from `number`; a player's id is the name.
    fn holder(self, name: Option<String>, number: u32) -> Holder {
        let mut key = [0; 32];
        key[..4].copy_from_slice(&number.to_le_bytes());
        let key = Some(KeyHash(key));
        match self {
            Self::Guest => Holder { key, name, ..Holder::default() },
            Self::Player => {
                let name = name.unwrap_or_default();
                Holder { key, player: Some(PlayerRef::new(name.clone(), name)), ..Holder::default() }
            }
        }
    }
}
