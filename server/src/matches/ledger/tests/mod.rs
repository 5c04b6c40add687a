//! Tests of the ledger over all registered games, and their common parts. Time is a number here; nothing sleeps.

mod commands;
mod logs;
mod random;
mod rated;
mod seating;
mod states_page;
mod take_back;
mod timing;
mod vacations;

use crate::domain::PlayerRef;
use engines::erased::AnyGame;
use engines::game::{Seat, Viewer};
use engines::games::GAMES;
use engines::rng::{Rng, Seed};
use engines::search::Level;
use serde_json::Value;

use crate::domain::token::KeyHash;
use crate::matches::clock::ClockSpec;
use crate::matches::event::{LoggedEvent, SeedFrom};
use crate::matches::ledger::*;
use crate::matches::refusal::MatchRefusal;

/// The time at which the test matches are created.
const START: Millis = 1_700_000_000_000;
const IDLE: u64 = 3_600_000;

/// The hash of the seat token of guest `who`.
fn key(who: u8) -> KeyHash {
    KeyHash([who; 32])
}

fn guest(who: u8) -> Holder {
    Holder { key: Some(key(who)), ..Holder::default() }
}

fn player(who: u8) -> Holder {
    let player = PlayerRef::new(format!("id {who}"), format!("player {who}"));
    Holder { player: Some(player), ..Holder::default() }
}

/// A caller with the token of this holder.
fn caller(holder: &Holder) -> Caller {
    Caller { seat_key: holder.key, player: holder.player.clone(), ..Caller::default() }
}

fn held(who: u8) -> SeatSetup {
    SeatSetup::Held { holder: guest(who) }
}

fn engine(game: &dyn AnyGame) -> SeatSetup {
    let info = game.engines().remove(0);
    SeatSetup::Engine(EngineSeat {
        engine: info.name,
        version: info.version,
        level: Level::Max,
        think_ms: 10,
        nodes: None,
    })
}

fn per_match(initial_ms: u64, increment_ms: u64) -> Option<ClockSpec> {
    Some(ClockSpec { initial_ms: Some(initial_ms), increment_ms, move_ms: None })
}

fn per_move(move_ms: u64) -> Option<ClockSpec> {
    Some(ClockSpec { initial_ms: None, increment_ms: 0, move_ms: Some(move_ms) })
}

fn beginning(seats: Vec<SeatSetup>, clock: Option<ClockSpec>, seed: u64) -> Beginning {
    Beginning {
        options: None,
        seats,
        clock,
        idle_ms: IDLE,
        key: None,
        seed_from: SeedFrom::Host,
        seed: Seed::from(seed),
        salt: [7; 32],
        rematch_of: None,
        hints: None,
        made_from: None,
        payer: None,
        creator: None,
        rated: false,
        tournament: None,
        ladder: None,
        position: None,
    }
}

/// A game for at least this many seats.
fn game_for(seats: u8) -> &'static dyn AnyGame {
    *GAMES.iter().find(|game| game.info().max_seats >= seats && game.options_for(seats).is_some()).unwrap()
}

/// The games in which a foul in a match of two ends it, and those in which a pass is played.
fn games_by_foul() -> (Vec<&'static dyn AnyGame>, Vec<&'static dyn AnyGame>) {
    let ends = |game: &&'static dyn AnyGame| {
        let mut table = game.deal(&game.options_for(2).unwrap(), &Seed::from(1)).unwrap();
        table.foul(Seat(0), "tried").unwrap().is_none()
    };
    GAMES.iter().copied().partition(ends)
}

/// A match with its log, as a host runs it.
struct HostedLedger {
    game: &'static dyn AnyGame,
    log: Vec<LoggedEvent>,
    ledger: Ledger,
    now: Millis,
}

impl HostedLedger {
    fn of(game: &'static dyn AnyGame, beginning: Beginning) -> Self {
        let events = Ledger::create(game, beginning).unwrap();
        let stamp = |(seq, event)| stored(&LoggedEvent { seq, at_ms: START, event });
        let log: Vec<LoggedEvent> = (0..).zip(events).map(stamp).collect();
        Self { game, ledger: Ledger::load(game, &log).unwrap(), log, now: START }
    }

    /// A match of guests 1, 2, ... with this clock.
    fn guests(game: &'static dyn AnyGame, seats: u8, clock: Option<ClockSpec>) -> Self {
        Self::of(game, beginning((1..=seats).map(held).collect(), clock, 5))
    }

    /// Performs the command, stored as one append. Returns the new events, or the place of the event that performed it
    /// before.
    fn act(&mut self, command: &Command) -> Result<LedgerDecision, MatchRefusal> {
        let decided = self.ledger.decide(command, self.now)?;
        if let LedgerDecision::New(events) = &decided {
            for stamped in self.ledger.stamped(events.clone(), self.now) {
                let stamped = stored(&stamped);
                self.ledger.apply(&stamped).unwrap_or_else(|e| panic!("{e}: {stamped:?}"));
                self.log.push(stamped);
            }
        }
        Ok(decided)
    }

    /// The events that the command becomes.
    fn does(&mut self, command: &Command) -> Vec<Event> {
        match self.act(command) {
            Ok(LedgerDecision::New(events)) => events,
            other => panic!("{command:?} at {}: {other:?}", self.ledger.ply()),
        }
    }

    fn tick(&mut self) -> Vec<Event> {
        self.does(&Command::Tick)
    }

    /// Plays one of the moves of the seat to move, this long after the last event.
    fn step(&mut self, after_ms: Millis, choose: usize) -> Vec<Event> {
        self.now += after_ms;
        let command = self.any_move(choose);
        self.does(&command)
    }

    /// A legal move of the seat to move, arriving now.
    fn any_move(&self, choose: usize) -> Command {
        let seat = self.ledger.turn().unwrap();
        let moves = self.ledger.view(Viewer::Seat(seat)).legal_moves();
        self.mv(seat, self.ledger.ply(), &moves[choose % moves.len()].notation)
    }

    fn mv(&self, seat: Seat, ply: u32, notation: &str) -> Command {
        let notation = notation.to_owned();
        Command::Move { seat, ply, notation, arrived_ms: self.now, queue_us: 0, measured: None }
    }

    /// Plays until this seat is to move.
    fn until_turn_of(&mut self, seat: Seat) {
        while self.ledger.turn().unwrap() != seat {
            self.step(1, 0);
        }
    }

    fn reloaded(&self) -> Ledger {
        Ledger::load(self.game, &self.log).unwrap()
    }
}

/// The event as it is read back from the store.
fn stored(stamped: &LoggedEvent) -> LoggedEvent {
    let LoggedEvent { seq, at_ms, event } = stamped;
    let text = serde_json::to_string(event).unwrap();
    LoggedEvent { seq: *seq, at_ms: *at_ms, event: serde_json::from_str(&text).unwrap() }
}

/// Everything observable of a match except the beginning of the running turn, which a log does not contain exactly.
#[derive(Debug, PartialEq)]
struct ObservableState {
    created: Created,
    stage: Stage,
    turn: Option<Seat>,
    ply: u32,
    seats: Vec<SeatNow>,
    clocks: Clocks,
    next: u32,
    last_ms: Millis,
    ended: Option<Ended>,
    end_due: Option<(EndKind, event::Result)>,
    engine: Option<(Seat, EngineSeat)>,
    views: Vec<Value>,
}

fn seen(ledger: &Ledger) -> ObservableState {
    let seats = (0..ledger.seats().len()).map(|seat| Viewer::Seat(Seat(seat as u8)));
    ObservableState {
        created: ledger.created().clone(),
        stage: ledger.stage(),
        turn: ledger.turn(),
        ply: ledger.ply(),
        seats: ledger.seats().to_vec(),
        clocks: ledger.clocks().clone(),
        next: ledger.next_seq(),
        last_ms: ledger.last_ms(),
        ended: ledger.ended().cloned(),
        end_due: ledger.end_due(),
        engine: ledger.engine_to_move().map(|(seat, engine)| (seat, engine.clone())),
        views: seats.chain([Viewer::Spectator]).map(|viewer| ledger.view(viewer).to_json()).collect(),
    }
}

fn ended(events: &[Event]) -> Option<&Ended> {
    match events.last() {
        Some(Event::Ended(ended)) => Some(ended),
        _ => None,
    }
}
