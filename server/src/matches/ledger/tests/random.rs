//! Random matches of all games: seats, clocks and commands are drawn from a seed, and time is moved by hand. In every case
//! the log alone restores the match, and the match ends.

use crate::matches::ledger::tests::*;

struct RandomMatch {
    host: HostedLedger,
    rng: Rng,
    /// Whether the ledger is given the times at which turns became visible. Without them, the log alone restores also the
    /// times.
    shows_turns: bool,
    /// Every command that had an effect, with its place in the log.
    done: Vec<(Command, u32)>,
}

const CALLERS: u8 = 7;

impl RandomMatch {
    fn new(game: &'static dyn AnyGame, seed: u64) -> Self {
        let mut rng = Rng::stream(&Seed::from(seed), 41);
        let info = game.info();
        let count = usize::from(info.min_seats) + rng.below(usize::from(info.max_seats - info.min_seats) + 1);
        let seats = (0..count as u8).map(|seat| chair(game, seat, &mut rng)).collect();
        let clock = [None, per_match(900, 0), per_match(5_000, 300), per_move(400)][rng.below(4)];
        let host = HostedLedger::of(game, beginning(seats, clock, seed));
        let shows_turns = rng.below(2) == 0;
        Self { host, rng, shows_turns, done: Vec::new() }
    }

    fn caller(&mut self) -> Holder {
        let who = self.rng.below(usize::from(CALLERS)) as u8;
        if self.rng.below(3) == 0 { player(who) } else { guest(who) }
    }

    fn seat(&mut self) -> Seat {
        // Includes a seat that does not exist.
        Seat(self.rng.below(self.host.ledger.seats().len() + 1) as u8)
    }

    /// A random command, mostly one that is allowed.
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
                vacation: false,
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
        if let Command::Move { measured, queue_us, arrived_ms, .. } = &mut command {
            *measured = engine.then(|| MeasuredTime { think_us: self.rng.below(800_000) as u64, fuel: None });
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
        let kinds = [FoulKind::IllegalMove, FoulKind::BadLine, FoulKind::Crash];
        let kind = kinds[self.rng.below(kinds.len())];
        let (seat, ply) = (self.host.ledger.turn().unwrap_or(Seat(0)), self.host.ledger.ply());
        Command::Foul { seat, ply, kind, detail: "wrong".into(), arrived_ms: self.host.now, measured: None }
    }

    /// Gives one command to the ledger and checks the invariants.
    fn act(&mut self, command: &Command) {
        let host = &mut self.host;
        let (before, due) = (seen_shortly(&host.ledger), host.ledger.due());
        let decided = host.ledger.decide(command, host.now);
        assert_eq!(decided, host.ledger.decide(command, host.now), "deciding twice gives different results");
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
        if self.shows_turns {
            let commit_us = self.rng.below(9_000) as u64;
            host.now += (commit_us / 1000) as Millis;
            host.ledger.publish_turn(host.now, commit_us);
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
        if !self.shows_turns {
            assert_eq!(again.due(), self.host.ledger.due());
            assert_eq!(again.turn_published_ms(), self.host.ledger.turn_published_ms());
        }
    }

    /// From here on only engines act: time alone must end the match.
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
            assert!(!events.is_empty(), "a tick that was due had no effect");
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

/// Like [`seen`], without the views, which are expensive.
fn seen_shortly(ledger: &Ledger) -> (Stage, Option<Seat>, u32, Vec<SeatNow>, Clocks, u32, Option<Millis>) {
    (
        ledger.stage(),
        ledger.turn(),
        ledger.ply(),
        ledger.seats().to_vec(),
        ledger.clocks().clone(),
        ledger.next_seq(),
        ledger.turn_published_ms(),
    )
}

/// Checks that every charge in the log is the time that the seat had and took, and that no other clock moved.
fn check_clocks(host: &HostedLedger) {
    let mut ledger = Ledger::load(host.game, &host.log[..1]).unwrap();
    for stamped in &host.log[1..] {
        let before = ledger.clocks().clone();
        ledger.apply(stamped).unwrap();
        let (mover, times, kind) = match &stamped.event {
            Event::Moved(moved) => (Some(moved.seat), moved.times, None),
            Event::Fouled(fouled) => (Some(fouled.seat), fouled.times, Some(fouled.kind)),
            _ => (None, event::MoveTimes::default(), None),
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

/// The number of random matches per game.
const RANDOM_MATCHES: u64 = 25;

#[test]
fn random_matches_stay_consistent_and_end() {
    let mut ends = BTreeMap::new();
    for (n, game) in GAMES.iter().enumerate() {
        for seed in 0..RANDOM_MATCHES {
            let mut random = RandomMatch::new(*game, seed * 100 + n as u64);
            for step in 0..250 {
                random.host.now += random.rng.below(60) as Millis;
                if random.rng.below(60) == 0 {
                    random.host.now += 1_000;
                }
                let command = random.command();
                random.act(&command);
                if step % 40 == 0 {
                    random.check_reload();
                }
                if random.host.ledger.stage() == Stage::Over {
                    break;
                }
            }
            random.check_reload();
            random.run_out();
            random.check_reload();
            check_clocks(&random.host);
            let how = random.host.ledger.ended().unwrap().how;
            *ends.entry(format!("{how:?}")).or_insert(0) += 1;
            // A command that is sent again after the end is recognized, with its place in the log.
            for (command, seq) in &random.done {
                if let Command::Move { .. } = command {
                    let again = random.host.ledger.decide(command, random.host.now);
                    assert_eq!(again, Ok(LedgerDecision::Already(*seq)));
                }
            }
        }
    }
    assert_eq!(ends.len(), 4, "not every way to end occurred: {ends:?}");
}

/// Two servers on one log, each deciding by what it has read; the place in the log decides which was first.
#[test]
fn two_servers_never_fork_a_match() {
    for (n, game) in GAMES.iter().enumerate() {
        for seed in 0..6 {
            let mut random = RandomMatch::new(*game, 7_000 + seed * 10 + n as u64);
            let mut other = random.host.reloaded();
            let mut conflicts = 0;
            for _ in 0..200 {
                if random.rng.below(2) == 0 {
                    std::mem::swap(&mut random.host.ledger, &mut other);
                }
                random.host.now += random.rng.below(60) as Millis;
                let command = random.command();
                let Ok(LedgerDecision::New(events)) = random.host.ledger.decide(&command, random.host.now)
                else {
                    continue;
                };
                let ledger = &mut random.host.ledger;
                let read = ledger.next_seq() as usize;
                if read < random.host.log.len() {
                    // A conflict: this server reads what the other one has appended, and decides the command again.
                    conflicts += 1;
                    random.host.log[read..].iter().for_each(|stamped| ledger.apply(stamped).unwrap());
                    random.act(&command);
                } else {
                    for stamped in ledger.stamped(events, random.host.now) {
                        ledger.apply(&stamped).unwrap();
                        random.host.log.push(stamped);
                    }
                }
            }
            for ledger in [&mut random.host.ledger, &mut other] {
                let read = ledger.next_seq() as usize;
                random.host.log[read..].iter().for_each(|stamped| ledger.apply(stamped).unwrap());
            }
            assert_eq!(seen(&random.host.ledger), seen(&other));
            assert_eq!(seen(&random.host.reloaded()), seen(&other));
            assert!(conflicts > 0 || random.host.log.len() < 4, "nothing was tried");
        }
    }
}
