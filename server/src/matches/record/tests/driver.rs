//! Whole matches made by the ledger alone: people and engines that move at random, think for random times, join and leave,
//! break rules and vanish; and a host that is down now and then.

use engines::erased::{AnyGame, StartPosition};
use engines::game::{Seat, Turn, Viewer};
use engines::rng::{Rng, Seed};
use engines::search::Level;

use crate::domain::time::Millis;
use crate::domain::token::KeyHash;
use crate::domain::{PlayerRef, Stage};
use crate::matches::clock::ClockSpec;
use crate::matches::event::{
    EndKind, EngineSeat, Event, FoulKind, Holder, LoggedEvent, PositionSource, SeatSetup, SeedFrom,
};
use crate::matches::ledger::{Beginning, Caller, Command, Due, Ledger, LedgerDecision, MeasuredTime};
use crate::matches::request::StartFrom;

/// The course of a match to play.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct MatchPlan {
    pub seats: u8,
    /// The seed of all randomness.
    pub seed: u64,
    /// Whether there is a clock.
    pub clock: bool,
    /// In a thousand turns, how many bring something other than a move.
    pub trouble: usize,
    /// Whether it begins with a position.
    pub position: bool,
}

/// Begins in 2026.
const BEGIN: Millis = 1_780_000_000_000;

struct Driver {
    ledger: Ledger,
    log: Vec<LoggedEvent>,
    now: Millis,
    rng: Rng,
    trouble: usize,
    keys: u8,
}

/// The log of a match.
pub(super) fn play(game: &'static dyn AnyGame, plan: MatchPlan) -> Vec<LoggedEvent> {
    let mut rng = Rng::stream(&Seed::from(plan.seed), 11);
    let clock = plan.clock.then(|| ClockSpec {
        initial_ms: Some(60_000 + rng.below(60_000) as u64),
        increment_ms: rng.below(3_000) as u64,
        move_ms: (rng.below(2) == 0).then_some(20_000),
    });
    let mut keys = 0;
    let chairs = (0..plan.seats).map(|seat| chair(game, seat, &mut keys, &mut rng)).collect();
    let beginning = Beginning {
        options: None,
        seats: chairs,
        clock,
        idle_ms: 600_000,
        key: (rng.below(3) == 0).then_some(KeyHash([99; 32])),
        seed_from: if rng.below(2) == 0 { SeedFrom::Host } else { SeedFrom::Caller },
        seed: rng.seed(),
        salt: rng.seed().0,
        rematch_of: (rng.below(4) == 0).then(|| "0198c0de-0000-7000-8000-000000000000".to_owned()),
        hints: (rng.below(2) == 0).then_some(false),
        made_from: None,
        payer: None,
        creator: None,
        rated: false,
        tournament: None,
        ladder: None,
        position: plan.position.then(|| position(game, plan.seats, &mut rng)),
    };
    let events = Ledger::create(game, beginning).unwrap();
    let log: Vec<LoggedEvent> =
        (0..).zip(events).map(|(seq, event)| LoggedEvent { seq, at_ms: BEGIN, event }).collect();
    let ledger = Ledger::load(game, &log).unwrap();
    let mut driver = Driver { ledger, log, now: BEGIN, rng, trouble: plan.trouble, keys };
    while driver.ledger.stage() != Stage::Over {
        driver.step();
    }
    driver.log
}

/// A position after some random moves: what a seat knows, or the whole table.
fn position(game: &dyn AnyGame, seats: u8, rng: &mut Rng) -> StartFrom {
    loop {
        let options = game.options_for(seats).unwrap();
        let mut table = game.deal(&options, &rng.seed()).unwrap();
        for _ in 0..rng.below(30) {
            let Turn::Of(seat) = table.turn() else { break };
            let moves = table.view(Viewer::Seat(seat)).legal_moves();
            table.play(seat, &rng.pick(&moves).unwrap().notation).unwrap();
        }
        let Turn::Of(_) = table.turn() else { continue };
        let viewer = Viewer::Seat(Seat(rng.below(seats.into()) as u8));
        if rng.below(2) == 0 {
            let position = StartPosition::View { view: table.view(viewer).to_json() };
            return StartFrom { position, of: None };
        }
        let of = PositionSource { id: "0198c0de-0000-7000-8000-000000000001".to_owned(), ply: 7 };
        return StartFrom { position: StartPosition::of(&*table, true).unwrap(), of: Some(of) };
    }
}

fn person(name: usize, keys: &mut u8, rng: &mut Rng) -> Holder {
    *keys += 1;
    let key = Some(KeyHash([*keys; 32]));
    match rng.below(3) {
        0 => Holder { key, ..Holder::default() },
        1 => Holder { key, name: Some(format!("Guest {name}")), ..Holder::default() },
        _ => {
            let player = PlayerRef::new(format!("secret-{keys}"), format!("Player {name} {keys}"));
            Holder { player: Some(player), ..Holder::default() }
        }
    }
}

fn chair(game: &dyn AnyGame, seat: u8, keys: &mut u8, rng: &mut Rng) -> SeatSetup {
    match rng.below(5) {
        0 => {
            let engine = game.engines().swap_remove(0);
            SeatSetup::Engine(EngineSeat {
                engine: engine.name,
                version: engine.version,
                level: Level::Hard,
                think_ms: 100,
                nodes: (rng.below(2) == 0).then_some(1_000),
            })
        }
        1 => SeatSetup::Held { holder: person(usize::from(seat), keys, rng) },
        2 => SeatSetup::Reserved { holder: person(usize::from(seat), keys, rng) },
        _ => SeatSetup::Open,
    }
}

impl Driver {
    fn command(&mut self, command: &Command) {
        match self.ledger.decide(command, self.now) {
            Ok(LedgerDecision::New(events)) => self.append(events),
            other => panic!("{command:?} came to {other:?}"),
        }
    }

    fn append(&mut self, events: Vec<Event>) {
        for stamped in self.ledger.stamped(events, self.now) {
            self.ledger.apply(&stamped).unwrap();
            self.log.push(stamped);
        }
        let commit_us = self.rng.below(9_000) as u64;
        self.now += (commit_us / 1000) as Millis;
        self.ledger.publish_turn(self.now, commit_us);
    }

    fn step(&mut self) {
        self.now += self.rng.below(5) as Millis;
        let trouble = self.rng.below(1000) < self.trouble;
        if self.rng.below(1000) < self.trouble {
            self.be_away();
        }
        match self.ledger.stage() {
            Stage::Open => self.gather(trouble),
            _ => self.turn(trouble),
        }
    }

    fn be_away(&mut self) {
        let since = self.now - self.log.last().unwrap().at_ms;
        let away = 1 + self.rng.below(50_000) as Millis;
        self.now += away;
        let away_ms = (away + self.rng.below(1 + since as usize) as Millis) as u64;
        let grace_ms = [0, self.rng.below(2_001) as u64][self.rng.below(2)];
        self.command(&Command::Resume { away_ms, grace_ms, vacation: false });
    }

    fn gather(&mut self, trouble: bool) {
        let held = self.held();
        if trouble && let Some(seat) = self.rng.pick(&held).copied() {
            return match self.rng.below(9) {
                4 => self.command(&Command::Remove { seat }),
                5 | 7 => self.command(&Command::End { how: EndKind::Cancelled }),
                6 | 8 => self.command(&Command::End { how: EndKind::Terminated }),
                0 => self.command(&Command::Abort { seat }),
                1 => self.wait(),
                _ => self.command(&Command::Leave { seat }),
            };
        }
        let free = self
            .ledger
            .seats()
            .iter()
            .position(|s| matches!(s.chair, SeatSetup::Open | SeatSetup::Reserved { .. }));
        let Some(free) = free else { return self.command(&Command::Tick) };
        let (caller, holder) = match &self.ledger.seats()[free].chair {
            SeatSetup::Reserved { holder } => {
                let caller =
                    Caller { seat_key: holder.key, player: holder.player.clone(), ..Caller::default() };
                (caller, Holder { name: Some("late name".into()), ..Holder::default() })
            }
            _ => {
                let holder = person(free, &mut self.keys, &mut self.rng);
                (Caller { player: holder.player.clone(), ..Caller::default() }, holder)
            }
        };
        self.command(&Command::Join { seat: Some(Seat(free as u8)), caller, holder });
    }

    fn held(&self) -> Vec<Seat> {
        let seats = (0..).zip(self.ledger.seats());
        seats
            .filter(|(_, s)| matches!(s.chair, SeatSetup::Held { .. }) && !s.out)
            .map(|(i, _)| Seat(i))
            .collect()
    }

    /// Lets the time pass until an event is due.
    fn wait(&mut self) {
        if let Due::At(time) = self.ledger.due() {
            self.now = self.now.max(time) + self.rng.below(80) as Millis;
        }
        let guests_left = self.ledger.is_of_guests() && self.rng.below(4) == 0;
        self.command(if guests_left { &Command::GuestsLeft } else { &Command::Tick });
    }

    fn turn(&mut self, trouble: bool) {
        if self.ledger.due() == Due::Now {
            return self.command(&Command::Tick);
        }
        let seat = self.ledger.turn().unwrap();
        let held = self.held();
        let is_person = held.contains(&seat);
        if trouble {
            match (self.rng.below(8), self.rng.pick(&held).copied()) {
                (0, Some(seat)) => return self.command(&Command::Resign { seat }),
                (1, Some(seat)) if self.ledger.ply() == 0 => return self.command(&Command::Abort { seat }),
                (2, _) if is_person => return self.break_rules(seat),
                (3..8, _) if is_person => return self.wait(),
                _ => {}
            }
        }
        let moves = self.ledger.view(Viewer::Seat(seat)).legal_moves();
        let notation = self.rng.pick(&moves).unwrap().notation.clone();
        let thought_us = self.rng.below(400_000) as u64;
        self.now += (thought_us / 1000) as Millis;
        let arrived_ms = self.now;
        let queue_us = self.rng.below(3_000) as u64;
        self.now += (queue_us / 1000) as Millis;
        let ply = self.ledger.ply();
        let measured = (!is_person).then_some(MeasuredTime { think_us: thought_us, fuel: None });
        let command = Command::Move { seat, ply, notation, arrived_ms, queue_us, measured };
        match self.ledger.decide(&command, self.now) {
            Ok(LedgerDecision::New(events)) => self.append(events),
            // The move was too late.
            Err(_) if is_person => self.wait(),
            other => panic!("{command:?} came to {other:?}"),
        }
    }

    fn break_rules(&mut self, seat: Seat) {
        let kinds = [FoulKind::IllegalMove, FoulKind::BadLine, FoulKind::Crash];
        let kind = kinds[self.rng.below(kinds.len())];
        let ply = self.ledger.ply();
        let detail = "wrote \"garbage\"".to_owned();
        self.command(&Command::Foul { seat, ply, kind, detail, arrived_ms: self.now, measured: None });
    }
}
