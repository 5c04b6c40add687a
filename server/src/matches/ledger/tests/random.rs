//! Random matches of all games: seats, clocks and commands drawn from a seed, time moved by hand. Whatever comes, the
//! log alone gives the match again, and the match ends.

use crate::matches::ledger::tests::*;

struct World {
    host: Host,
    rng: Rng,
    /// Whether the host tells when turns are out; without that, the log alone gives also the times.
    tells: bool,
    /// Every command that did something, with its place in the log.
    done: Vec<(Command, u32)>,
}

const CALLERS: u8 = 7;

impl World {
    fn new(game: &'static dyn AnyGame, seed: u64) -> Self {
        let mut rng = Rng::stream(&Seed::from(seed), 41);
        let info = game.info();
        let count = usize::from(info.min_seats) + rng.below(usize::from(info.max_seats - info.min_seats) + 1);
        let seats = (0..count as u8).map(|seat| chair(game, seat, &mut rng)).collect();
        let clock = [None, per_match(900, 0), per_match(5_000, 300), per_move(400)][rng.below(4)];
        let host = Host::of(game, beginning(seats, clock, seed));
        let tells = rng.below(2) == 0;
        Self { host, rng, tells, done: Vec::new() }
    }

    fn caller(&mut self) -> Holder {
        let who = self.rng.below(usize::from(CALLERS)) as u8;
        if self.rng.below(3) == 0 { player(who) } else { guest(who) }
    }

    fn seat(&mut self) -> Seat {
        // One too many on purpose.
        Seat(self.rng.below(self.host.ledger.seats().len() + 1) as u8)
    }

    /// Some command; in the beginning and while it is played mostly one that can be.
    fn command(&mut self) -> Command {
        let running = self.host.ledger.turn().is_some();
        match self.rng.below(100) {
            0..50 if running => self.good_move(),
            50..56 => self.bad_move(),
            56 => Command::Resign { seat: self.seat() },
            57 => Command::Leave { seat: self.seat() },
            58 => Command::Abort { seat: self.seat() },
            59..62 => Command::Resume {
                away_ms: self.rng.below(5_000) as u64,
                grace_ms: self.rng.below(2) as u64 * 2_000,
            },
            62..65 => self.foul(),
            65..75 if !self.done.is_empty() => {
                let again = self.rng.below(self.done.len());
                self.done[again].0.clone()
            }
            75..85 => Command::Tick,
            _ => {
                let holder = self.caller();
                let seat = (self.rng.below(2) == 0).then(|| self.seat());
                Command::Join { seat, caller: caller(&holder), holder }
            }
        }
    }

    fn good_move(&mut self) -> Command {
        let choose = self.rng.below(1_000);
        let mut command = self.host.any_move(choose);
        let engine = self.host.ledger.engine_to_move().is_some();
        if let Command::Move { think_us, queue_us, arrived_ms, .. } = &mut command {
            *think_us = engine.then(|| self.rng.below(800_000) as u64);
            *queue_us = self.rng.below(1_000) as u64;
            *arrived_ms -= self.rng.below(50) as Millis;
        }
        command
    }

    fn bad_move(&mut self) -> Command {
        let mut command =
            if self.host.ledger.turn().is_some() { self.good_move() } else { self.host.mv(Seat(0), 0, "1") };
        let (kind, other) = (self.rng.below(3), self.seat());
        if let Command::Move { seat, ply, notation, .. } = &mut command {
            match kind {
                0 => *seat = other,
                1 => *ply = (*ply + 1).saturating_sub(2 * self.rng.below(2) as u32),
                _ => *notation = ["", "1", "2 2", "x", "DRAW"][self.rng.below(5)].to_owned(),
            }
        }
        command
    }

    fn foul(&mut self) -> Command {
        let kind = if self.rng.below(2) == 0 { FoulKind::BadLine } else { FoulKind::Crash };
        let (seat, ply) = (self.host.ledger.turn().unwrap_or(Seat(0)), self.host.ledger.ply());
        Command::Foul { seat, ply, kind, detail: "wrong".into(), arrived_ms: self.host.now }
    }

    /// One command, and all that must hold of it.
    fn act(&mut self, command: &Command) {
        let host = &mut self.host;
        let (before, due) = (seen_shortly(&host.ledger), host.ledger.due());
        let decided = host.ledger.decide(command, host.now);
        assert_eq!(decided, host.ledger.decide(command, host.now), "asked twice");
        assert_eq!(
            (seen_shortly(&host.ledger), host.ledger.due()),
            (before, due),
            "deciding changed something"
        );
        match host.act(command) {
            Ok(LedgerDecision::New(events)) => self.after(command, &events),
            Ok(LedgerDecision::Already(seq)) => {
                assert!(seq < host.ledger.next_seq());
                if let Some((_, first)) = self.done.iter().find(|(done, _)| done == command) {
                    assert!(*first <= seq, "{command:?} was done at {first} and is said to be at {seq}");
                }
            }
            Err(_) => {}
        }
    }

    fn after(&mut self, command: &Command, events: &[Event]) {
        let host = &mut self.host;
        if events.is_empty() {
            assert_eq!(*command, Command::Tick);
            return;
        }
        if self.tells {
            let commit_us = self.rng.below(9_000) as u64;
            host.now += (commit_us / 1000) as Millis;
            host.ledger.turn_is_out(host.now, commit_us);
        }
        if matches!(command, Command::Tick | Command::Resume { .. }) {
            return;
        }
        let seq = host.ledger.next_seq() - events.len() as u32;
        self.done.push((command.clone(), seq));
        let again = host.ledger.decide(command, host.now);
        assert!(!matches!(again, Ok(LedgerDecision::New(_))), "{command:?} again: {again:?}");
        if !matches!(command, Command::Leave { .. }) {
            let end = seq + events.len() as u32;
            assert!(
                matches!(again, Ok(LedgerDecision::Already(at)) if (seq..end).contains(&at)),
                "{command:?}: {again:?}"
            );
        }
    }

    fn check_reload(&self) {
        let again = self.host.reloaded();
        assert_eq!(seen(&again), seen(&self.host.ledger));
        if !self.tells {
            assert_eq!(again.due(), self.host.ledger.due());
            assert_eq!(again.turn_out_ms(), self.host.ledger.turn_out_ms());
        }
    }

    /// Nobody does anything any more but the engines: time alone must end the match.
    fn run_out(&mut self) {
        let moves = 3 * 20_000;
        for _ in 0..moves {
            if self.host.ledger.engine_to_move().is_some() {
                let command = self.good_move();
                self.act(&command);
                continue;
            }
            match self.host.ledger.due() {
                Due::Never => break,
                Due::Now => {}
                Due::At(time) => self.host.now = self.host.now.max(time),
            }
            let events = self.host.tick();
            assert!(!events.is_empty(), "it was due and did not happen");
        }
        assert_eq!(self.host.ledger.stage(), Stage::Over);
        assert!(matches!(self.host.log.last().unwrap().event, Event::Ended(_)));
    }
}

fn chair(game: &'static dyn AnyGame, seat: u8, rng: &mut Rng) -> SeatSetup {
    match rng.below(8) {
        0 | 1 => engine(game),
        2 | 3 => held(seat),
        4 => SeatSetup::Held { holder: player(seat) },
        5 => SeatSetup::Reserved { holder: if seat.is_multiple_of(2) { player(seat) } else { guest(seat) } },
        _ => SeatSetup::Open,
    }
}

/// As [`seen`], less the costly views.
fn seen_shortly(ledger: &Ledger) -> (Stage, Option<Seat>, u32, Vec<SeatNow>, Clocks, u32, Option<Millis>) {
    (
        ledger.stage(),
        ledger.turn(),
        ledger.ply(),
        ledger.seats().to_vec(),
        ledger.clocks().clone(),
        ledger.next_seq(),
        ledger.turn_out_ms(),
    )
}

/// Every charge in the log is the time that the seat had and took, and nobody else's clock moved.
fn check_clocks(host: &Host) {
    let mut ledger = Ledger::load(host.game, &host.log[..1]).unwrap();
    for stamped in &host.log[1..] {
        let before = ledger.clocks().clone();
        ledger.apply(stamped).unwrap();
        let (mover, times, kind) = match &stamped.event {
            Event::Moved(moved) => (Some(moved.seat), moved.times, None),
            Event::Fouled(fouled) => (Some(fouled.seat), fouled.times, Some(fouled.kind)),
            _ => (None, event::Times::default(), None),
        };
        for seat in (0..ledger.seats().len()).map(|seat| Seat(seat as u8)) {
            let (Some(had), Some(has)) = (before.left(seat), ledger.clocks().left(seat)) else { continue };
            if mover != Some(seat) || kind == Some(FoulKind::Out) {
                assert_eq!(had, has, "{stamped:?}");
                continue;
            }
            let increment = before.spec().unwrap().increment_ms;
            let took = times.think_us / 1000;
            let engine = matches!(ledger.seats()[seat.index()].chair, SeatSetup::Engine(_));
            assert!(took <= had || engine, "{stamped:?} took more than {had}");
            assert_eq!(has, had.saturating_sub(took) + increment, "{stamped:?}");
        }
    }
}

/// Random matches a game in the ordinary run.
const WORLDS: u64 = 25;

#[test]
fn random_matches_hold_together_and_end() {
    let mut ends = std::collections::BTreeMap::new();
    for (n, game) in GAMES.iter().enumerate() {
        for seed in 0..WORLDS {
            let mut world = World::new(*game, seed * 100 + n as u64);
            for step in 0..250 {
                world.host.now += world.rng.below(60) as Millis;
                if world.rng.below(60) == 0 {
                    world.host.now += 1_000;
                }
                let command = world.command();
                world.act(&command);
                if step % 40 == 0 {
                    world.check_reload();
                }
                if world.host.ledger.stage() == Stage::Over {
                    break;
                }
            }
            world.check_reload();
            world.run_out();
            world.check_reload();
            check_clocks(&world.host);
            let how = world.host.ledger.ended().unwrap().how;
            *ends.entry(format!("{how:?}")).or_insert(0) += 1;
            // What was done is found again, at its place, when it is asked for once more after the end.
            for (command, seq) in &world.done {
                if let Command::Move { .. } = command {
                    let again = world.host.ledger.decide(command, world.host.now);
                    assert_eq!(again, Ok(LedgerDecision::Already(*seq)));
                }
            }
        }
    }
    assert_eq!(ends.len(), 4, "some way to end never happened: {ends:?}");
}

/// Two hosts on one log, each deciding by what it has read; the place in the log decides who was first.
#[test]
fn two_hosts_never_fork_a_match() {
    for (n, game) in GAMES.iter().enumerate() {
        for seed in 0..6 {
            let mut world = World::new(*game, 7_000 + seed * 10 + n as u64);
            let mut other = world.host.reloaded();
            let mut conflicts = 0;
            for _ in 0..200 {
                if world.rng.below(2) == 0 {
                    std::mem::swap(&mut world.host.ledger, &mut other);
                }
                world.host.now += world.rng.below(60) as Millis;
                let command = world.command();
                let Ok(LedgerDecision::New(events)) = world.host.ledger.decide(&command, world.host.now)
                else {
                    continue;
                };
                let ledger = &mut world.host.ledger;
                let read = ledger.next_seq() as usize;
                if read < world.host.log.len() {
                    // Conflict: what the other one has appended is read, and the command is decided again.
                    conflicts += 1;
                    world.host.log[read..].iter().for_each(|stamped| ledger.apply(stamped).unwrap());
                    world.act(&command);
                } else {
                    for stamped in ledger.stamped(events, world.host.now) {
                        ledger.apply(&stamped).unwrap();
                        world.host.log.push(stamped);
                    }
                }
            }
            for ledger in [&mut world.host.ledger, &mut other] {
                let read = ledger.next_seq() as usize;
                world.host.log[read..].iter().for_each(|stamped| ledger.apply(stamped).unwrap());
            }
            assert_eq!(seen(&world.host.ledger), seen(&other));
            assert_eq!(seen(&world.host.reloaded()), seen(&other));
            assert!(conflicts > 0 || world.host.log.len() < 4, "nothing was tried");
        }
    }
}
