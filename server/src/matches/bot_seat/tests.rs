use std::time::Instant;

use engines::erased::{AnySession, AnyTable, Awaits};
use engines::game::Viewer;
use engines::games::GAMES;
use engines::protocol::Lines;
use engines::rng::{Rng, Seed};

use crate::matches::bot_seat::*;
use crate::matches::event::{EndKind, Fouled, Moved, SeedFrom, Times};

/// A host played by the test: the truth, and the log it has written.
struct MatchRegistry {
    game: &'static dyn AnyGame,
    created: Created,
    truth: Box<dyn AnyTable>,
    log: Vec<LoggedEvent>,
    seat: Seat,
    now: Millis,
    rng: Rng,
}

/// A bot's program: the game's own side of the dialogue, deciding by a rule that is the same every time.
struct Program {
    session: Box<dyn AnySession>,
    awaits: Awaits,
}

/// Whoever runs the bot: its programs and the transcript.
struct Client {
    game: &'static dyn AnyGame,
    program: Option<Program>,
    transcript: Vec<Entry>,
    input_ended: bool,
}

impl Program {
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

    /// What it prints now, each line once.
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

impl Client {
    fn new(game: &'static dyn AnyGame) -> Self {
        let alone = game.info().process == Process::PerMove;
        let program = (!alone).then(|| Program::start(game));
        Self { game, program, transcript: Vec::new(), input_ended: false }
    }

    /// Takes what the server says.
    fn take(&mut self, entries: Vec<Entry>) {
        for entry in entries {
            let turn = matches!(&entry, Entry::Remark(text) if text.starts_with("turn "));
            if turn || !matches!(entry, Entry::Remark(_)) {
                self.transcript.push(entry.clone());
            }
            match entry {
                Entry::Remark(_) => {}
                Entry::Read(_) if self.program.is_none() => {
                    let mut program = Program::start(self.game);
                    program.read(entry);
                    self.program = Some(program);
                }
                Entry::End if self.game.info().process == Process::PerMatch => self.input_ended = true,
                entry => self.program.as_mut().unwrap().read(entry),
            }
        }
    }

    /// What it says to the server; a program of one move ends with its answer.
    fn says(&mut self) -> Vec<Entry> {
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

impl MatchRegistry {
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
            maker: None,
        };
        let mut registry = Self { game, created, truth, log: Vec::new(), seat, now: 1_000, rng };
        registry.happens(Event::Started);
        registry
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
        self.happens(Event::Moved(Moved { seat, ply, notation, times: Times::default(), left_ms }));
        if self.truth.turn() == Turn::Over {
            self.ends();
        }
    }

    fn ends(&mut self) {
        let (seed, salt) = (self.created.seed, String::new());
        self.happens(Event::Ended(Ended { how: EndKind::Played, result: None, seed, salt }));
    }

    /// The others move until it is the bot's turn.
    fn others_move(&mut self) {
        while let Turn::Of(seat) = self.truth.turn()
            && seat != self.seat
        {
            let moves = self.truth.view(Viewer::Seat(seat)).legal_moves();
            let pick = self.rng.below(moves.len());
            self.plays(seat, moves[pick].notation.clone());
        }
    }

    /// What a server makes that knows the log alone.
    fn referee(&self) -> BotSeat {
        let mut bot = BotSeat::new(self.game, &self.created, self.seat).unwrap();
        self.log.iter().for_each(|stamped| bot.happened(stamped).unwrap());
        bot
    }

    /// What a bot claims becomes an event, unless that has happened already.
    fn decide(&mut self, claim: Claim) {
        match claim {
            Claim::Move { ply, notation, .. } if ply == self.truth.ply() => self.plays(self.seat, notation),
            Claim::Move { .. } => {}
            foul @ Claim::Foul { .. } => panic!("{foul:?} in {}", self.game.info().slug),
        }
    }
}

fn tell(bot: &mut BotSeat, said: Vec<Entry>, at: Instant) {
    for entry in said {
        match entry {
            Entry::Printed(line) => bot.wrote(line, at),
            Entry::Remark(text) => bot.program_ended(program_ended(&text).unwrap(), at),
            other => panic!("{other:?}"),
        }
    }
}

/// Plays a match; `cut(n)`: what goes wrong before the n-th exchange.
fn play(registry: &mut MatchRegistry, mut cut: impl FnMut(usize) -> Cut) -> Client {
    let at = Instant::now();
    let (mut bot, mut client) = (registry.referee(), Client::new(registry.game));
    let mut known = registry.log.len();
    for n in 0..5_000 {
        registry.now += 7;
        registry.others_move();
        registry.log[known..].iter().for_each(|stamped| bot.happened(stamped).unwrap());
        known = registry.log.len();
        let cut = cut(n);
        bot.advance(registry.now).unwrap();
        let entries: Vec<_> = bot.take_entries().collect();
        if !matches!(cut, Cut::Before) {
            client.take(entries);
        }
        let said = client.says();
        if !matches!(cut, Cut::Before | Cut::Between) {
            tell(&mut bot, said, at);
            bot.advance(registry.now).unwrap();
            // What the server said to this is lost where the connection breaks.
            if let Some(claim) = bot.claim() {
                registry.decide(claim);
            }
            assert_eq!(bot.claim(), None, "once");
        }
        match cut {
            Cut::No => {}
            Cut::Before | Cut::Between | Cut::After => {
                bot = registry.referee();
                known = registry.log.len();
                bot.resume(client.transcript.clone(), registry.now, at).unwrap();
            }
            Cut::Crash => {
                client = Client::new(registry.game);
                bot = registry.referee();
                known = registry.log.len();
            }
        }
        if registry.over() && known == registry.log.len() {
            bot.advance(registry.now).unwrap();
            if bot.is_over() {
                client.take(bot.take_entries().collect());
                return client;
            }
        }
        if let Some(claim) = bot.claim() {
            registry.decide(claim);
        }
    }
    panic!(
        "the match of {} does not end at {}: {:?}",
        registry.game.info().slug,
        registry.truth.ply(),
        client.transcript
    );
}

/// Where the connection breaks.
#[derive(Clone, Copy, Debug)]
enum Cut {
    No,
    /// What the server says is lost.
    Before,
    /// What the bot answers is lost.
    Between,
    /// Nothing is lost.
    After,
    /// The bot's program is started again.
    Crash,
}

fn everywhere(mut test: impl FnMut(&'static dyn AnyGame, Seat, u64)) {
    for game in GAMES {
        for seat in game.info().bot_seats {
            (0..4).for_each(|seed| test(*game, Seat(*seat), seed));
        }
    }
}

const CLOCK: ClockSpec = ClockSpec { initial_ms: Some(90_000), increment_ms: 0, move_ms: None };

#[test]
fn a_dialogue_that_breaks_anywhere_is_the_same_match() {
    everywhere(|game, seat, seed| {
        let mut quiet = MatchRegistry::new(game, seat, seed, Some(CLOCK));
        let whole = play(&mut quiet, |_| Cut::No).transcript;
        let all = [Cut::No, Cut::Before, Cut::Between, Cut::After, Cut::Crash];
        for (round, cuts) in [&all[..], &all[1..2], &all[2..3], &all[3..4], &all[..4]].iter().enumerate() {
            let mut registry = MatchRegistry::new(game, seat, seed, Some(CLOCK));
            let mut rng = Rng::new(&Seed::from(seed + 100 * round as u64));
            // A connection that always breaks before anything is said never gets anywhere, nor does a program that
            // always has to begin anew.
            let mut crashes_left = 3;
            let client = play(&mut registry, |n| match cuts[rng.below(cuts.len())] {
                _ if n % 2 == 0 => Cut::No,
                Cut::Crash if crashes_left == 0 => Cut::After,
                cut => {
                    crashes_left -= u32::from(matches!(cut, Cut::Crash));
                    cut
                }
            });
            let slug = game.info().slug;
            assert_eq!(registry.moves(), quiet.moves(), "{slug}, seat {seat}, seed {seed}, {cuts:?}");
            let crashes = cuts.iter().any(|cut| matches!(cut, Cut::Crash));
            if game.info().process == Process::PerMatch && !crashes {
                assert!(client.input_ended);
                let said = |entry: &&Entry| !matches!(entry, Entry::Remark(_));
                let told = |transcript: &[Entry]| {
                    let read = |e: &&Entry| matches!(e, Entry::Read(_));
                    transcript.iter().filter(read).count()
                };
                assert_eq!(told(&client.transcript), told(&whole), "{slug}: each line once");
                assert_eq!(whole.iter().rfind(said), Some(&Entry::End), "{slug}");
            }
        }
    });
}

#[test]
fn a_transcript_of_another_match_is_noticed() {
    everywhere(|game, seat, seed| {
        if game.info().process == Process::PerMove {
            return;
        }
        let mut one = MatchRegistry::new(game, seat, seed, None);
        let client = play(&mut one, |_| Cut::No);
        let mut other = MatchRegistry::new(game, seat, seed + 77, None);
        other.others_move();
        let resumed = other.referee().resume(client.transcript, other.now, Instant::now());
        assert_eq!(resumed, Err(None), "{}", game.info().slug);
    });
}

/// The first game whose bots live like this, with a seat of theirs to which the match has come.
fn at_turn(process: Process) -> MatchRegistry {
    let game = GAMES.iter().find(|game| game.info().process == process).unwrap();
    let mut registry = MatchRegistry::new(*game, Seat(game.info().bot_seats[0]), 1, Some(CLOCK));
    registry.others_move();
    registry
}

fn foul_of(claim: Option<Claim>) -> (FoulKind, String) {
    match claim {
        Some(Claim::Foul { kind, detail, .. }) => (kind, detail),
        other => panic!("{other:?}"),
    }
}

fn remarks(bot: &mut BotSeat) -> Vec<String> {
    let text = |e| if let Entry::Remark(text) = e { Some(text) } else { None };
    bot.take_entries().filter_map(text).collect()
}

#[test]
fn mistakes_are_claimed_once_with_what_was_wrong() {
    let at = Instant::now();
    for process in [Process::PerMatch, Process::PerMove] {
        let registry = at_turn(process);
        let mut bot = registry.referee();
        bot.advance(registry.now).unwrap();
        bot.wrote("what?".to_owned(), at);
        bot.advance(registry.now).unwrap();
        let (kind, detail) = foul_of(bot.claim());
        assert!(kind == FoulKind::BadLine && detail.starts_with("\"what?\": "), "{detail}");
        assert_eq!(bot.claim(), None);

        let mut bot = registry.referee();
        bot.advance(registry.now).unwrap();
        bot.program_ended("signal: 9", at);
        bot.advance(registry.now).unwrap();
        assert_eq!(foul_of(bot.claim()), (FoulKind::Crash, "no move: signal: 9".to_owned()));
    }
}

#[test]
fn an_illegal_move_becomes_a_foul() {
    let registry = at_turn(Process::PerMove);
    let mut bot = registry.referee();
    bot.advance(registry.now).unwrap();
    bot.wrote("4 90".to_owned(), Instant::now());
    bot.program_ended("", Instant::now());
    bot.advance(registry.now).unwrap();
    assert!(matches!(bot.claim(), Some(Claim::Move { .. })));
    bot.refused(registry.truth.ply(), "the rules forbid it");
    assert_eq!(foul_of(bot.claim()), (FoulKind::BadLine, "the rules forbid it".to_owned()));
}

#[test]
fn the_answer_of_one_process_is_all_that_it_writes() {
    let at = Instant::now();
    let registry = at_turn(Process::PerMove);
    let answer = |lines: &[&str], ends: bool| {
        let mut bot = registry.referee();
        bot.advance(registry.now).unwrap();
        for line in lines {
            bot.wrote((*line).to_owned(), at);
            bot.advance(registry.now).unwrap();
        }
        if ends {
            bot.program_ended("exit status: 0", at);
            bot.advance(registry.now).unwrap();
        }
        bot
    };
    let mut open = answer(&["1 2", "", " 0 2 "], false);
    assert_eq!((open.claim(), open.settles_at()), (None, Some(at + ENDING)));
    open.settle();
    assert!(matches!(open.claim(), Some(Claim::Move { notation, .. }) if notation == "1 2 0 2"));
    assert!(matches!(answer(&["1 2 0 2", ""], true).claim(), Some(Claim::Move { .. })));
    let (_, detail) = foul_of(answer(&["1 2 0 2", "1 0"], false).claim());
    assert!(detail.contains("after a complete answer"), "{detail}");
    let (kind, detail) = foul_of(answer(&["1 2"], true).claim());
    assert!(kind == FoulKind::BadLine && detail.contains("no whole move"), "{detail}");
}

#[test]
fn an_answer_that_comes_too_late_is_never_taken_for_the_next() {
    let at = Instant::now();
    let mut registry = at_turn(Process::PerMove);
    let mut bot = registry.referee();
    bot.advance(registry.now).unwrap();
    let prompt: Vec<Entry> = bot.take_entries().collect();
    // Its time is up, a pass is played, and its turn comes again.
    let (seat, ply) = (registry.seat, registry.truth.ply());
    let instead = registry.truth.foul(seat, "late").unwrap();
    let foul = Fouled {
        seat,
        ply,
        kind: FoulKind::Time,
        detail: "no move in time".to_owned(),
        instead,
        times: Times::default(),
        left_ms: None,
    };
    registry.happens(Event::Fouled(foul));
    registry.others_move();
    let mut late = registry.referee();
    registry.log[1..].iter().for_each(|stamped| bot.happened(stamped).unwrap());
    bot.advance(registry.now).unwrap();
    let told = remarks(&mut bot);
    assert!(told.iter().any(|text| text.starts_with("foul: no move in time; played instead")), "{told:?}");
    // The same for a server that knows of the first program from the transcript alone.
    late.resume(prompt, registry.now, at).unwrap();
    for mut bot in [bot, late] {
        bot.wrote("1 0".to_owned(), at);
        bot.advance(registry.now).unwrap();
        assert_eq!(bot.claim(), None);
        assert!(remarks(&mut bot).iter().any(|text| text.starts_with("late: ")));
        bot.program_ended("killed", at);
        bot.wrote("1 0".to_owned(), at);
        bot.program_ended("exit status: 0", at);
        bot.advance(registry.now).unwrap();
        assert!(matches!(bot.claim(), Some(Claim::Move { .. })));
    }
}

#[test]
fn an_answer_that_counted_is_not_called_late_when_the_dialogue_goes_on() {
    let at = Instant::now();
    let mut registry = at_turn(Process::PerMove);
    let mut bot = registry.referee();
    bot.advance(registry.now).unwrap();
    let mut transcript: Vec<Entry> = bot.take_entries().collect();
    // Its move is on disk, and the connection breaks before it hears of that.
    transcript.push(Entry::Printed("1 0".to_owned()));
    transcript.push(Entry::Remark("ended exit status: 0".to_owned()));
    registry.plays(registry.seat, "1 0".to_owned());
    registry.others_move();
    let mut again = registry.referee();
    again.resume(transcript, registry.now, at).unwrap();
    let told = remarks(&mut again);
    assert!(!told.iter().any(|text| text.starts_with("late: ")), "{told:?}");
    again.wrote("1 0".to_owned(), at);
    again.program_ended("exit status: 0", at);
    again.advance(registry.now).unwrap();
    assert!(matches!(again.claim(), Some(Claim::Move { .. })), "its next program is heard");
}

#[test]
fn what_a_prompt_tells_of_the_time_is_what_is_left() {
    let mut registry = at_turn(Process::PerMatch);
    let turn = |bot: &mut BotSeat, now| {
        bot.advance(now).unwrap();
        // The bots of this game may have to speak first.
        (0..bot.greetings).for_each(|_| bot.wrote("state".to_owned(), Instant::now()));
        bot.advance(now).unwrap();
        remarks(bot).into_iter().find(|text| text.starts_with("turn ")).unwrap()
    };
    let began = registry.now;
    let ply = registry.truth.ply();
    assert_eq!(turn(&mut registry.referee(), began + 2_000), format!("turn {ply} 88000"));
    registry.now += 60_000;
    registry.happens(Event::Resumed { away_ms: 59_000, grace_ms: 0 });
    assert_eq!(turn(&mut registry.referee(), began + 62_000), format!("turn {ply} 87000"));
    let mut again = registry.referee();
    again.told.insert(ply, Some(5));
    again.advance(began).unwrap();
    assert_eq!(remarks(&mut again), [""; 0], "who goes on knows it already");
}

#[test]
fn the_end_is_told_whatever_the_bot_does() {
    for process in [Process::PerMatch, Process::PerMove] {
        let mut registry = at_turn(process);
        let mut bot = registry.referee();
        bot.advance(registry.now).unwrap();
        registry.ends();
        bot.happened(registry.log.last().unwrap()).unwrap();
        bot.advance(registry.now).unwrap();
        assert!(bot.is_over());
        let entries: Vec<_> = bot.take_entries().collect();
        assert!(matches!(entries.last(), Some(Entry::Remark(text)) if text.starts_with("over: ")));
        assert!(entries.contains(&Entry::End), "{entries:?}");
        let mut late = registry.referee();
        late.advance(registry.now).unwrap();
        assert!(late.is_over() && late.claim().is_none());
    }
}
