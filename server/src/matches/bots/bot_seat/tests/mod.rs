//! Tests of the referee of one seat: their common parts, a hosted match and the client of a bot.

mod resume;
mod turns;

use std::time::Instant;

use engines::erased::{AnySession, AnyTable, Awaits};
use engines::game::Viewer;
use engines::games::GAMES;
use engines::protocol::Lines;
use engines::rng::{Rng, Seed};

use crate::matches::bots::bot_seat::*;
use crate::matches::event::{EndKind, Fouled, MoveTimes, Moved, SeedFrom};

/// A hosted match that the test runs: the true table, and the log that it has written.
struct TestMatch {
    game: &'static dyn AnyGame,
    created: Created,
    truth: Box<dyn AnyTable>,
    log: Vec<LoggedEvent>,
    seat: Seat,
    now: Millis,
    rng: Rng,
}

/// A bot's program: the game's own side of the dialogue, with a deterministic choice of moves.
struct BotProgram {
    session: Box<dyn AnySession>,
    awaits: Awaits,
}

/// The client that runs the bot's programs and keeps the transcript.
struct BotRunner {
    game: &'static dyn AnyGame,
    program: Option<BotProgram>,
    transcript: Vec<Entry>,
    input_ended: bool,
}

impl BotProgram {
    fn start(game: &dyn AnyGame) -> Self {
        let mut session = game.session(&Settings::default()).unwrap();
        let awaits = session.advance().unwrap();
        Self { session, awaits }
    }

    fn read(&mut self, entry: Entry) {
        self.session.push(vec![entry]);
        if !matches!(self.awaits, Awaits::Decision(_)) {
            self.awaits = self.session.advance().unwrap();
        }
    }

    /// Takes the lines that it prints now.
    fn lines(&mut self) -> Lines {
        let mut lines = self.session.take_lines();
        loop {
            match &self.awaits {
                Awaits::Decision(question) => {
                    let moves = question.position.legal_moves();
                    let pick = question.position.to_json().to_string().len() % moves.len();
                    self.awaits = self.session.decide(&moves[pick].notation).unwrap();
                }
                Awaits::EntryWithin(_) => self.awaits = self.session.silence(),
                Awaits::Entry | Awaits::Nothing => return lines,
            }
            lines.extend(self.session.take_lines());
        }
    }
}

impl BotRunner {
    fn new(game: &'static dyn AnyGame) -> Self {
        let alone = game.info().process == Process::PerMove;
        let program = (!alone).then(|| BotProgram::start(game));
        Self { game, program, transcript: Vec::new(), input_ended: false }
    }

    /// Takes the entries that the server sends.
    fn take(&mut self, entries: Vec<Entry>) {
        for entry in entries {
            let turn = matches!(&entry, Entry::Remark(text) if text.starts_with("turn "));
            if turn || !matches!(entry, Entry::Remark(_)) {
                self.transcript.push(entry.clone());
            }
            match entry {
                Entry::Remark(_) => {}
                Entry::Read(_) if self.program.is_none() => {
                    let mut program = BotProgram::start(self.game);
                    program.read(entry);
                    self.program = Some(program);
                }
                Entry::End if self.game.info().process == Process::PerMatch => self.input_ended = true,
                entry => self.program.as_mut().unwrap().read(entry),
            }
        }
    }

    /// The entries that it sends to the server. A program for one move ends with its answer.
    fn sends(&mut self) -> Vec<Entry> {
        let Some(program) = &mut self.program else { return Vec::new() };
        let mut said: Vec<Entry> = program.lines().into_iter().map(Entry::Printed).collect();
        if self.game.info().process == Process::PerMove && !said.is_empty() {
            said.push(Entry::Remark("ended exit status: 0".to_owned()));
            self.program = None;
        }
        self.transcript.extend(said.iter().cloned());
        said
    }
}

impl TestMatch {
    fn new(game: &'static dyn AnyGame, seat: Seat, seed: u64, clock: Option<ClockSpec>) -> Self {
        let seed = Seed::from(seed);
        let mut rng = Rng::new(&seed);
        let many = game.info().min_seats.max(seat.0 + 1).max(2.min(game.info().max_seats));
        let seats = many + rng.below(usize::from(game.info().max_seats - many) + 1) as u8;
        let options = game.options_for(seats).unwrap();
        let truth = game.deal(&options, &seed).unwrap();
        let created = Created {
            game: game.info().slug.to_owned(),
            options,
            seats: Vec::new(),
            clock,
            idle_ms: 1000,
            key: None,
            seed_from: SeedFrom::Host,
            seed,
            salt: String::new(),
            commitment: String::new(),
            state: truth.state_json(),
            rematch_of: None,
            hints: None,
            made_from: None,
            payer: None,
            creator: None,
            rated: false,
            tournament: None,
            ladder: None,
            position: None,
            position_of: None,
        };
        let mut host = Self { game, created, truth, log: Vec::new(), seat, now: 1_000, rng };
        host.happens(Event::Started);
        host
    }

    fn happens(&mut self, event: Event) -> LoggedEvent {
        let seq = self.log.len() as u32 + 1;
        self.log.push(LoggedEvent { seq, at_ms: self.now, event });
        self.log[seq as usize - 1].clone()
    }

    fn over(&self) -> bool {
        matches!(self.log.last().unwrap().event, Event::Ended(_))
    }

    fn moves(&self) -> Vec<String> {
        let notation = |s: &LoggedEvent| match &s.event {
            Event::Moved(m) => Some(m.notation.clone()),
            _ => None,
        };
        self.log.iter().filter_map(notation).collect()
    }

    fn plays(&mut self, seat: Seat, notation: String) {
        let ply = self.truth.ply();
        self.truth.play(seat, &notation).unwrap();
        let left_ms = self.created.clock.and_then(|c| c.initial_ms).map(|ms| ms - u64::from(ply));
        self.happens(Event::Moved(Moved { seat, ply, notation, times: MoveTimes::default(), left_ms }));
        if self.truth.turn() == Turn::Over {
            self.ends();
        }
    }

    fn ends(&mut self) {
        let (seed, salt) = (self.created.seed, String::new());
        self.happens(Event::Ended(Ended { how: EndKind::Played, result: None, seed, salt }));
    }

    /// Lets the others move until it is the bot's turn.
    fn others_move(&mut self) {
        while let Turn::Of(seat) = self.truth.turn()
            && seat != self.seat
        {
            let moves = self.truth.view(Viewer::Seat(seat)).legal_moves();
            let pick = self.rng.below(moves.len());
            self.plays(seat, moves[pick].notation.clone());
        }
    }

    /// The referee of a server that knows only the log.
    fn referee(&self) -> BotSeat {
        let mut bot = BotSeat::new(self.game, &self.created, self.seat).unwrap();
        self.log.iter().for_each(|stamped| bot.happened(stamped).unwrap());
        bot
    }

    /// Turns a bot's claim into an event, unless its turn is over.
    fn decide(&mut self, claim: Claim) {
        match claim {
            Claim::Move { ply, notation, .. } if ply == self.truth.ply() => self.plays(self.seat, notation),
            Claim::Move { .. } => {}
            foul @ Claim::Foul { .. } => panic!("{foul:?} in {}", self.game.info().slug),
        }
    }
}

const CLOCK: ClockSpec = ClockSpec { initial_ms: Some(90_000), increment_ms: 0, move_ms: None };
