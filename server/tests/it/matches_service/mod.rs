//! Hosted matches, run by real servers on real files: their events, the order of events, and who sees them.

mod clocks;
mod engines_alone;
mod faults;
mod people;
mod repeated_requests;
mod spectators;
mod two_servers;

use std::sync::Arc;
use std::time::Instant;

use engines::rng::Seed;
use engines::search::Level;
use kibitz::admission::Payers;
use kibitz::domain::MatchId;
use kibitz::domain::token::Token;
use kibitz::matches::clock::ClockSpec;
use kibitz::matches::ledger::Caller;
use kibitz::matches::render::RenderedEvent;
use kibitz::matches::request::{MatchTokens, NewMatch, NewSeat, Payment, SeatAction, SubmittedMove};
use kibitz::matches::service::{Matches, ViewerStream};
use serde_json::Value;
use tokio::sync::broadcast;
use tokio::time::timeout;

use crate::client::HANG;

/// A match of this game with these seats, without limits.
pub(crate) fn order(game: &str, seats: Vec<NewSeat>) -> NewMatch {
    let game = game.to_owned();
    let seed = Some(Seed::from(7));
    let (clock, idle_ms, hints) = (None, None, None);
    NewMatch {
        game,
        options: None,
        seats,
        clock,
        idle_ms,
        private: false,
        hints,
        seed,
        rated: false,
        tournament: None,
        ladder: None,
        position: None,
    }
}

/// This much for each move, in milliseconds.
pub(crate) fn per_move(ms: u64) -> Option<ClockSpec> {
    Some(ClockSpec { initial_ms: None, increment_ms: 0, move_ms: Some(ms) })
}

/// An engine that needs little time.
pub(crate) fn engine(name: Option<&str>) -> NewSeat {
    let engine = name.map(str::to_owned);
    NewSeat::Engine { engine, level: Level::Easy, think_ms: Some(2_000), nodes: Some(40) }
}

pub(crate) fn me() -> NewSeat {
    NewSeat::Me { name: None }
}

/// This much for all moves together, in milliseconds.
pub(crate) fn in_total(ms: u64) -> Option<ClockSpec> {
    Some(ClockSpec { initial_ms: Some(ms), increment_ms: 0, move_ms: None })
}

/// A running match of two guests, and these.
pub(crate) async fn two_guests(matches: &Matches, wanted: NewMatch) -> (MatchId, Caller, Caller) {
    let made = matches
        .create(NewMatch { seats: vec![me(), me()], ..wanted }, anonymous(), None, free())
        .await
        .unwrap();
    let guest = |n: usize| with(made.seats[n].1.as_ref().unwrap());
    (made.id.clone(), guest(0), guest(1))
}

/// A caller with this token.
pub(crate) fn with(token: &Token) -> Caller {
    Caller { seat_key: Some(token.hash()), ..Caller::default() }
}

/// A caller with the token of the seat that this admission gave.
pub(crate) fn seated(admission: &MatchTokens) -> Caller {
    with(admission.seats[0].1.as_ref().expect("a guest gets a token"))
}

/// A caller without a token.
pub(crate) fn anonymous() -> &'static Caller {
    static ANONYMOUS: Caller =
        Caller { seat_key: None, player: None, token: None, match_key: None, network: None };
    &ANONYMOUS
}

/// What the service itself pays, without limits.
pub(crate) fn free() -> Payment {
    Payment::Due(Payers::service())
}

pub(crate) fn json(frame: &RenderedEvent) -> Value {
    serde_json::from_slice(&frame.json).unwrap()
}

pub(crate) async fn page(matches: &Matches, id: &MatchId, caller: &Caller) -> Value {
    json(&matches.page(id, caller).await.unwrap())
}

pub(crate) fn play(ply: u64, notation: &str) -> SeatAction {
    let mv = SubmittedMove::Notation(notation.to_owned());
    SeatAction::Move { ply: ply.try_into().unwrap(), mv, arrived: Instant::now() }
}

/// A viewer that fails at every gap.
pub(crate) struct Spectator {
    pub page: Arc<RenderedEvent>,
    pub seen: Vec<Arc<RenderedEvent>>,
    live: Option<broadcast::Receiver<Arc<RenderedEvent>>>,
    /// The place of the next event to come.
    next: u32,
    /// How many of `seen` [`Self::next`] has returned.
    told: usize,
    /// The clock messages, which are no events.
    pub clocks: Vec<Value>,
}

impl Spectator {
    pub(crate) async fn of(matches: &Matches, id: &MatchId, caller: &Caller) -> Self {
        Self::after(matches, id, caller, 0).await
    }

    /// From the event after this one on.
    pub(crate) async fn after(matches: &Matches, id: &MatchId, caller: &Caller, since: u32) -> Self {
        let ViewerStream { page, backlog, live, .. } = matches.watch(id, caller, Some(since)).await.unwrap();
        let mut spectator =
            Self { page, seen: Vec::new(), live, next: since + 1, told: 0, clocks: Vec::new() };
        for frame in backlog {
            spectator.note(frame);
        }
        assert_eq!(
            json(&spectator.page)["seq"],
            spectator.next - 1,
            "the page and the backlog end at one place"
        );
        spectator
    }

    fn note(&mut self, frame: Arc<RenderedEvent>) {
        assert_eq!(frame.seq, Some(self.next), "{:?}", frame.json);
        let shown = json(&frame);
        assert_eq!(shown["seq"], self.next);
        assert_eq!(shown["type"], frame.kind);
        assert!(!frame.json.contains(&b'\n'));
        self.next += 1;
        self.seen.push(frame);
    }

    /// The next event.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        while self.told == self.seen.len() {
            match timeout(HANG, self.live.as_mut()?.recv()).await.expect("something happens") {
                Ok(frame) if frame.kind == "clock" => {
                    assert_eq!(frame.seq, None);
                    self.clocks.push(json(&frame)["clock"].clone());
                }
                Ok(frame) if frame.kind == "presence" => assert_eq!(frame.seq, None),
                Ok(frame) => self.note(frame),
                Err(broadcast::error::RecvError::Closed) => return None,
                Err(e) => panic!("{e}"),
            }
        }
        self.told += 1;
        Some(json(&self.seen[self.told - 1]))
    }

    /// The next event of this kind.
    pub(crate) async fn until(&mut self, kind: &str) -> Value {
        loop {
            let frame = self.next().await.unwrap_or_else(|| panic!("it ends before {kind}"));
            if frame["type"] == kind {
                return frame;
            }
        }
    }

    /// Waits for the end of the match; returns all events.
    pub(crate) async fn until_the_end(mut self) -> Vec<Value> {
        while self.next().await.is_some() {}
        let all: Vec<Value> = self.seen.iter().map(|frame| json(frame)).collect();
        assert_eq!(all.last().unwrap()["type"], "ended");
        all
    }
}
