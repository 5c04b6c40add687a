//! Events as one viewer sees them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use engines::erased::{AnyOptions, AnyPosition, MoveText};
use engines::game::{Seat, Viewer};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::domain::TournamentRef;
use crate::domain::schema;
use crate::domain::schema::{GameSlug, HEX};
use crate::domain::time::Millis;
use crate::matches::chat::ChatMessage;
use crate::matches::clock::ClockSpec;
use crate::matches::event::{
    Created, EndKind, Ended, Event, FoulKind, Fouled, LadderMatch, LoggedEvent, MoveTimes, Moved, OutReason,
    Result as MatchResult, SeedFrom,
};
use crate::matches::ledger::{Ledger, SeatNow};
use crate::matches::render::rendered::{RenderedEvent, ViewerPosition, json};
use crate::matches::render::{
    ClockPause, ClockShown, FromPosition, SeatShown, WhoShown, clock, dealt_out, look, seats,
};

/// An event, as one viewer sees it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MatchEvent")]
pub struct ViewerEvent<'a> {
    #[serde(flatten)]
    what: EventContent<'a>,
    /// Its place in the log: 0 for the first event of a match, without gaps.
    seq: u32,
    /// Its time, in milliseconds since 1970.
    at_ms: Millis,
}

/// The state after an event, as the viewer sees it.
#[derive(Debug, Serialize, JsonSchema)]
struct TurnState {
    /// The seat to move.
    turn: Option<Seat>,
    /// The clocks; null: no limits.
    clock: Option<ClockShown>,
    /// The view, by the game's schema.
    #[schemars(with = "AnyPosition")]
    position: Box<RawValue>,
    /// The moves that the viewer may make now.
    #[schemars(with = "Vec<MoveText>")]
    legal_moves: Box<RawValue>,
}

/// The kind of event, with its fields as the viewer may know them.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
enum EventContent<'a> {
    /// The match was created.
    Created {
        #[schemars(with = "GameSlug")]
        game: String,
        #[schemars(with = "AnyOptions")]
        options: Value,
        seats: Vec<SeatShown>,
        clock: Option<ClockSpec>,
        idle_ms: u64,
        private: bool,
        hints: bool,
        rated: bool,
        /// The game of a tournament that it is played for.
        #[serde(skip_serializing_if = "Option::is_none")]
        tournament: Option<TournamentRef>,
        /// The kind of match of the permanent ladder that it is. Absent if it is none.
        #[serde(skip_serializing_if = "Option::is_none")]
        ladder: Option<LadderMatch>,
        /// That it began with a position. Absent if it was dealt.
        #[serde(skip_serializing_if = "Option::is_none")]
        from_position: Option<FromPosition>,
        #[schemars(regex(pattern = HEX))]
        commitment: String,
        seed_from: SeedFrom,
        #[schemars(with = "Option<schema::MatchId>")]
        rematch_of: Option<String>,
    },
    /// A seat was taken.
    Joined {
        seat: Seat,
        #[serde(flatten)]
        who: WhoShown,
    },
    /// A seat was given up before the start.
    Left {
        seat: Seat,
        /// Whether the creator of the match removed its holder.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        removed: bool,
    },
    /// All seats are taken.
    Started(TurnState),
    /// A move was made.
    Moved {
        seat: Seat,
        ply: u32,
        #[serde(flatten)]
        mv: &'a MoveText,
        times: MoveTimes,
        #[serde(flatten)]
        next: TurnState,
    },
    /// The official penalty was given.
    Fouled {
        seat: Seat,
        ply: u32,
        kind: FoulKind,
        /// A description of the foul, in one sentence. Viewers other than the seat get only a general description.
        detail: String,
        instead: Option<MoveText>,
        times: MoveTimes,
        #[serde(flatten)]
        next: TurnState,
    },
    /// A seat dropped out.
    WentOut { seat: Seat, why: OutReason },
    /// The server was down and is back, or the player to move was on vacation.
    Resumed {
        away_ms: u64,
        grace_ms: u64,
        /// Whether a vacation of the player to move is in the time of the pause. Absent if not.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        vacation: bool,
        clock: Option<ClockShown>,
    },
    /// A player took moves back, in a match against engines: `ply` moves stay.
    TakenBack {
        seat: Seat,
        ply: u32,
        #[serde(flatten)]
        next: TurnState,
    },
    /// The program of a bot has chosen settings of the referee's side of its dialogue.
    RefereeSet {
        seat: Seat,
        /// All settings that differ from the default, by name.
        settings: BTreeMap<String, String>,
    },
    /// The match is over.
    Ended {
        how: EndKind,
        result: Option<MatchResult>,
        /// The seed of the deal. Absent in matches of tournaments, where several games have the same deal: their records
        /// contain it, which are sealed until all of those are finished.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(regex(pattern = HEX))]
        seed: Option<String>,
        /// The salt of the commitment. Absent in matches of tournaments.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(regex(pattern = HEX))]
        salt: Option<String>,
        #[schemars(with = "Option<AnyPosition>")]
        position: Option<Box<RawValue>>,
    },
}

impl TurnState {
    fn of(ledger: &Ledger, viewer: Viewer, at_ms: Millis) -> Self {
        let (position, legal_moves) = look(ledger, viewer);
        Self { turn: ledger.turn(), clock: clock(ledger, Some(at_ms), None, at_ms), position, legal_moves }
    }
}

impl<'a> EventContent<'a> {
    /// The kind of an event, and its content for this viewer.
    fn of(ledger: &Ledger, stamped: &LoggedEvent, viewer: Viewer, mv: &'a MoveText) -> (&'static str, Self) {
        let at_ms = stamped.at_ms;
        let next = || TurnState::of(ledger, viewer, at_ms);
        match &stamped.event {
            Event::Created(created) => ("created", Self::created(created)),
            Event::Joined { seat, holder } => {
                ("joined", Self::Joined { seat: *seat, who: WhoShown::holding(holder) })
            }
            Event::Left { seat, removed } => ("left", Self::Left { seat: *seat, removed: *removed }),
            Event::Started => ("started", Self::Started(next())),
            Event::Moved(Moved { seat, ply, times, .. }) => {
                ("moved", Self::Moved { seat: *seat, ply: *ply, mv, times: *times, next: next() })
            }
            Event::Fouled(fouled) => ("fouled", Self::fouled(ledger, fouled, viewer, next())),
            Event::WentOut { seat, why } => ("went_out", Self::WentOut { seat: *seat, why: *why }),
            Event::Resumed { away_ms, grace_ms, vacation } => {
                let clock = clock_after_downtime(ledger, at_ms);
                let (away_ms, grace_ms, vacation) = (*away_ms, *grace_ms, *vacation);
                ("resumed", Self::Resumed { away_ms, grace_ms, vacation, clock })
            }
            Event::TakenBack { seat, ply } => {
                ("taken_back", Self::TakenBack { seat: *seat, ply: *ply, next: next() })
            }
            Event::RefereeSet { seat, settings } => {
                ("referee_set", Self::RefereeSet { seat: *seat, settings: settings.clone() })
            }
            Event::Ended(ended) => ("ended", Self::ended(ledger, ended, viewer)),
        }
    }

    fn created(created: &Created) -> Self {
        Self::Created {
            game: created.game.clone(),
            options: created.options.clone(),
            seats: seats(created.seats.iter().map(|chair| (WhoShown::of(chair), false))),
            clock: created.clock,
            idle_ms: created.idle_ms,
            private: created.key.is_some(),
            hints: created.hints(),
            rated: created.rated,
            tournament: created.tournament.clone(),
            ladder: created.ladder,
            from_position: FromPosition::of(created),
            commitment: created.commitment.clone(),
            seed_from: created.seed_from,
            rematch_of: created.rematch_of.clone(),
        }
    }

    fn fouled(ledger: &Ledger, fouled: &Fouled, viewer: Viewer, next: TurnState) -> Self {
        let own = viewer == Viewer::Seat(fouled.seat);
        Self::Fouled {
            seat: fouled.seat,
            ply: fouled.ply,
            kind: fouled.kind,
            // The text of a bot may reveal its cards.
            detail: if own { fouled.detail.clone() } else { fouled.kind.summary().to_owned() },
            instead: fouled.instead.as_deref().map(|notation| move_text(ledger, notation)),
            times: fouled.times,
            next,
        }
    }

    fn ended(ledger: &Ledger, ended: &Ended, viewer: Viewer) -> Self {
        let is_open = ledger.created().tournament.is_none();
        Self::Ended {
            how: ended.how,
            result: ended.result.clone(),
            seed: is_open.then(|| ended.seed.to_string()),
            salt: is_open.then(|| ended.salt.clone()),
            position: dealt_out(ledger).then(|| look(ledger, viewer).0),
        }
    }
}

/// The clocks after a downtime, which pause for the grace.
fn clock_after_downtime(ledger: &Ledger, at_ms: Millis) -> Option<ClockShown> {
    let since = ledger.turn_decided_ms();
    let pause = since.zip(ledger.grace_until(at_ms)).map(|(since, until)| ClockPause {
        used_ms: u64::try_from(until - since).unwrap_or(0),
        until_ms: Some(until),
    });
    clock(ledger, since, pause, at_ms)
}

/// Renders an applied event. The result follows from the log alone, so it is the same at any time. `mv`: the move that
/// was made, as [`played`] returns it.
pub fn event(
    ledger: &Ledger,
    stamped: &LoggedEvent,
    viewer: Viewer,
    mv: Option<&MoveText>,
) -> Arc<RenderedEvent> {
    let unread;
    let mv = match mv {
        Some(mv) => mv,
        None => {
            unread = played(ledger, stamped)
                .unwrap_or_else(|| MoveText { mv: Value::Null, notation: String::new() });
            &unread
        }
    };
    let (kind, what) = EventContent::of(ledger, stamped, viewer, mv);
    let shown = ViewerEvent { what, seq: stamped.seq, at_ms: stamped.at_ms };
    let place = ViewerPosition::of(ledger, stamped.seq, viewer);
    Arc::new(RenderedEvent { seq: Some(stamped.seq), kind, place, json: json(&shown) })
}

/// The clocks, when they pause or go on without an event.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ClockFrame {
    /// `clock`.
    #[serde(rename = "type")]
    #[schemars(extend("const" = "clock"))]
    kind: &'static str,
    /// The clocks now.
    clock: ClockShown,
}

/// Renders the state of the clocks, if the match has any.
pub fn clocks(ledger: &Ledger, pause: Option<ClockPause>, now_ms: Millis) -> Option<Arc<RenderedEvent>> {
    let kind = "clock";
    let shown = ClockFrame { kind, clock: clock(ledger, ledger.turn_published_ms(), pause, now_ms)? };
    let place = ViewerPosition::of(ledger, ledger.next_seq().saturating_sub(1), Viewer::Spectator);
    Some(Arc::new(RenderedEvent { seq: None, kind, place, json: json(&shown) }))
}

/// The players who are connected or on vacation, when that has changed.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PresenceFrame {
    /// `presence`.
    #[serde(rename = "type")]
    #[schemars(extend("const" = "presence"))]
    kind: &'static str,
    /// The seats whose players are connected.
    #[schemars(with = "BTreeSet<Seat>")]
    connected: Vec<Seat>,
    /// The seats whose players are on vacation. Absent if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    vacations: Vec<SeatVacation>,
}

/// The vacation of the player who holds a seat.
#[derive(Debug, Serialize, JsonSchema)]
struct SeatVacation {
    seat: Seat,
    /// Its end, in milliseconds since 1970.
    until_ms: Millis,
}

/// Renders the connected seats, and the ends of vacations. A hosted program is always connected.
pub fn presence(
    ledger: &Ledger,
    connected: &BTreeSet<Seat>,
    vacations: &BTreeMap<Seat, Millis>,
) -> Arc<RenderedEvent> {
    let seats = (0..).map(Seat).zip(ledger.seats());
    let is_connected =
        |(seat, now): &(Seat, &SeatNow)| now.chair.program().is_some() || connected.contains(seat);
    let connected = seats.filter(is_connected).map(|(seat, _)| seat).collect();
    let vacations =
        vacations.iter().map(|(seat, until_ms)| SeatVacation { seat: *seat, until_ms: *until_ms });
    let shown = PresenceFrame { kind: "presence", connected, vacations: vacations.collect() };
    let place = ViewerPosition::of(ledger, ledger.next_seq().saturating_sub(1), Viewer::Spectator);
    Arc::new(RenderedEvent { seq: None, kind: shown.kind, place, json: json(&shown) })
}

/// A message of the chat: of the players for those who hold a seat, of the spectators for the others.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChatFrame {
    /// `chat`.
    #[serde(rename = "type")]
    #[schemars(extend("const" = "chat"))]
    kind: &'static str,
    message: ChatMessage,
}

/// Renders a message of the chat.
pub fn chat(ledger: &Ledger, message: ChatMessage) -> Arc<RenderedEvent> {
    let kind = "chat";
    let place = ViewerPosition::of(ledger, ledger.next_seq().saturating_sub(1), Viewer::Spectator);
    Arc::new(RenderedEvent { seq: None, kind, place, json: json(&ChatFrame { kind, message }) })
}

/// The move of an event in both its forms: read once for all viewers.
pub fn played(ledger: &Ledger, stamped: &LoggedEvent) -> Option<MoveText> {
    match &stamped.event {
        Event::Moved(moved) => Some(move_text(ledger, &moved.notation)),
        _ => None,
    }
}

/// A move of the log in both its forms.
fn move_text(ledger: &Ledger, notation: &str) -> MoveText {
    // The move was made, so it can be read; if not, its notation is better than nothing.
    let unread = |_| MoveText { mv: Value::Null, notation: notation.to_owned() };
    ledger.move_text(notation).unwrap_or_else(unread)
}
