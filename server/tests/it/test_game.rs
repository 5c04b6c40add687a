//! A game for tests: the rules of a real one, with engines that are slow or panic, and a dialogue that can be silent or
//! speak first.

use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use engines::erased::{
    AnyGame, AnySession, AnyTable, Awaits, DecisionRequest, EncodedPosition, EngineDecision, EngineInfo,
    FinishedMatch, FormatInfo, MatchStart, MoveInput, MoveText, Position, ReadMove, Refusal, Schemas,
    StartPosition,
};
use engines::game::{Info, Outcome, Seat, Turn, Viewer};
use engines::label::DecisionLabel;
use engines::protocol::{Entry, KeptSetting, Lines, Settings};
use engines::rng::Seed;
use engines::search::{Host, Limits};
use serde_json::Value;

/// Longer than any thinking time in these tests.
const HANG: Duration = Duration::from_secs(2 * 3_600);

/// It has no contest.
pub(crate) static SLOW: TestGame = TestGame { slug: "slow", panics: None };

/// The number of further looks at its tables that panic.
#[allow(dead_code, reason = "a benchmark uses this file too")]
pub(crate) static PANICS: AtomicUsize = AtomicUsize::new(0);
#[allow(dead_code, reason = "a benchmark uses this file too")]
pub(crate) static PANICKING: TestGame = TestGame { slug: "panicking", panics: Some(&PANICS) };

pub(crate) struct TestGame {
    slug: &'static str,
    panics: Option<&'static AtomicUsize>,
}

fn real() -> &'static dyn AnyGame {
    engines::games::find("ioiwari").expect("the game is registered")
}

impl AnyGame for TestGame {
    fn check_referee(&self, settings: &Settings) -> Result<(), Refusal> {
        real().check_referee(settings)
    }
    fn info(&self) -> &'static Info {
        static INFO: std::sync::OnceLock<Info> = std::sync::OnceLock::new();
        let second = Duration::from_secs(1);
        static PANICKING: std::sync::OnceLock<Info> = std::sync::OnceLock::new();
        let info = if self.panics.is_some() { &PANICKING } else { &INFO };
        info.get_or_init(|| Info {
            slug: self.slug,
            contest_score: real().info().contest_score.filter(|_| self.panics.is_some()),
            move_limit: None,
            think: second,
            ..real().info().clone()
        })
    }
    fn schemas(&self) -> Schemas {
        real().schemas()
    }
    fn engines(&self) -> Vec<EngineInfo> {
        let engine = |name: &str, instant| {
            let summary = "For tests.".to_owned();
            EngineInfo { name: name.to_owned(), version: 1, summary, instant }
        };
        vec![
            engine("patient", false),
            engine("busy", false),
            engine("quick", true),
            engine("deaf", false),
            engine("panics", true),
            engine("stumbles", true),
        ]
    }
    fn deal(&self, options: &Value, seed: &Seed) -> Result<Box<dyn AnyTable>, Refusal> {
        Ok(Box::new(TestTable(real().deal(options, seed)?, self.panics)))
    }
    fn restore(&self, state: &Value) -> Result<Box<dyn AnyTable>, Refusal> {
        Ok(Box::new(TestTable(real().restore(state)?, self.panics)))
    }
    fn start(
        &self,
        position: &StartPosition,
        options: Option<&Value>,
        seed: &Seed,
    ) -> Result<MatchStart, Refusal> {
        let start = real().start(position, options, seed)?;
        Ok(MatchStart { table: Box::new(TestTable(start.table, self.panics)), ..start })
    }
    fn options_for(&self, seats: u8) -> Option<Value> {
        real().options_for(seats)
    }
    fn position(&self, json: &Value) -> Result<Box<dyn Position>, Refusal> {
        Ok(Box::new(TestPosition(real().position(json)?)))
    }
    fn read_move(&self, mv: MoveInput<'_>) -> Result<ReadMove, Refusal> {
        real().read_move(mv)
    }
    fn session(&self, settings: &Settings) -> Result<Box<dyn AnySession>, Refusal> {
        let mut settings = settings.clone();
        let pause =
            settings.0.remove("pause_ms").map(|ms| Duration::from_millis(ms.parse().expect("a number")));
        let said = settings.0.remove("greets").into_iter().collect();
        Ok(Box::new(TalkingSession { inner: real().session(&settings)?, pause, said }))
    }
    fn formats(&self) -> Vec<FormatInfo> {
        real().formats()
    }
    fn export(&self, format: &str, told: &FinishedMatch) -> Result<String, Refusal> {
        real().export(format, told)
    }
    fn check_conformance(&self, seed: u64) -> Result<(), String> {
        real().check_conformance(seed)
    }
}

struct TestPosition(Box<dyn Position>);

impl EncodedPosition for TestPosition {}

impl Position for TestPosition {
    fn picture(&self) -> Option<String> {
        None
    }

    fn to_json(&self) -> Value {
        self.0.to_json()
    }
    fn turn(&self) -> Turn {
        self.0.turn()
    }
    fn viewer(&self) -> Viewer {
        self.0.viewer()
    }
    fn legal_moves(&self) -> Vec<MoveText> {
        self.0.legal_moves()
    }
    fn check(&self, notation: &str) -> Result<MoveText, Refusal> {
        self.0.check(notation)
    }
    fn label(&self, notation: &str) -> Result<DecisionLabel, Refusal> {
        self.0.label(notation)
    }
    fn guess(&self, seed: &Seed) -> Result<Box<dyn AnyTable>, Refusal> {
        self.0.guess(seed)
    }
    fn askable(&self) -> Result<(), Refusal> {
        self.0.askable()
    }
    fn allot(&self, clock: Duration) -> Duration {
        self.0.allot(clock)
    }
    fn analyse(
        &self,
        engine: Option<&str>,
        limits: Limits,
        host: &dyn Host,
        found: &mut dyn FnMut(EngineDecision),
    ) -> Result<EngineDecision, Refusal> {
        match engine {
            Some("panics") => quiet_panic(),
            Some("stumbles") => {
                // The positions whose last search failed.
                static FAILED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
                let position = self.0.to_json().to_string();
                let mut failed = FAILED.lock().unwrap_or_else(PoisonError::into_inner);
                if !failed.remove(&position) {
                    failed.insert(position);
                    drop(failed);
                    quiet_panic();
                }
            }
            Some("quick") => {}
            // It sleeps until long after the test, even if its host stops it.
            Some("deaf") => std::thread::sleep(HANG),
            Some("busy") => while host.go_on() {},
            _ => {
                let hang = Instant::now() + HANG;
                while host.go_on() && Instant::now() < hang {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
        self.0.analyse(None, limits, host, found)
    }
}

/// Panics without a backtrace: to print one may take a debug build longer than an engine's deadline.
fn quiet_panic() -> ! {
    resume_unwind(Box::new("a test's panic, with a secret"))
}

/// A real table whose views know the engines from here.
struct TestTable(Box<dyn AnyTable>, Option<&'static AtomicUsize>);

impl AnyTable for TestTable {
    fn seats(&self) -> u8 {
        self.0.seats()
    }
    fn state_json(&self) -> Value {
        self.0.state_json()
    }
    fn fork(&self) -> Box<dyn AnyTable> {
        Box::new(Self(self.0.fork(), self.1))
    }
    fn ply(&self) -> u32 {
        self.0.ply()
    }
    fn turn(&self) -> Turn {
        self.0.turn()
    }
    fn outcome(&self) -> Option<Outcome> {
        self.0.outcome()
    }
    fn view(&self, viewer: Viewer) -> Box<dyn Position> {
        if let Some(panics) = self.1 {
            let shaken = panics.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
            assert!(shaken.is_err(), "a test's panic");
        }
        Box::new(TestPosition(self.0.view(viewer)))
    }
    fn play(&mut self, seat: Seat, notation: &str) -> Result<(), Refusal> {
        self.0.play(seat, notation)
    }
    fn read(&self, mv: MoveInput<'_>) -> Result<ReadMove, Refusal> {
        assert!(!matches!(mv, MoveInput::Notation("panic")), "a test's panic");
        self.0.read(mv)
    }
    fn after(&self, seat: Seat, mv: &ReadMove) -> Result<Box<dyn AnyTable>, Refusal> {
        Ok(Box::new(Self(self.0.after(seat, mv)?, self.1)))
    }
    fn foul(&mut self, seat: Seat, reason: &str) -> Result<Option<String>, Refusal> {
        self.0.foul(seat, reason)
    }
    fn seat_bot(&mut self, seat: Seat, settings: &Settings) -> Result<(), Refusal> {
        self.0.seat_bot(seat, settings)
    }
    fn can_tell(&self, seat: Seat) -> Result<(), Refusal> {
        self.0.can_tell(seat)
    }
    fn suits(&self, seat: Seat, text: &str, other: &Settings) -> bool {
        self.0.suits(seat, text, other)
    }
    fn prompt(&mut self, seat: Seat, clock: Option<Duration>) {
        self.0.prompt(seat, clock);
    }
    fn take_lines(&mut self, seat: Seat) -> Lines {
        self.0.take_lines(seat)
    }
    fn hear(&mut self, seat: Seat, line: &str) -> Result<Option<String>, Refusal> {
        self.0.hear(seat, line)
    }
}

struct TalkingSession {
    inner: Box<dyn AnySession>,
    /// Answer silence of this length, once.
    pause: Option<Duration>,
    said: Lines,
}

impl TalkingSession {
    fn wrap(&self, awaits: Awaits) -> Awaits {
        match (awaits, self.pause) {
            (Awaits::Entry, Some(pause)) => Awaits::EntryWithin(pause),
            (Awaits::Decision(question), _) => Awaits::Decision(DecisionRequest {
                position: Box::new(TestPosition(question.position)),
                ..question
            }),
            (awaits, _) => awaits,
        }
    }
}

impl AnySession for TalkingSession {
    fn push(&mut self, entries: Vec<Entry>) {
        assert!(!entries.contains(&Entry::Read("panic".to_owned())), "a test's panic");
        self.inner.push(entries);
    }
    fn waiting(&self) -> usize {
        self.inner.waiting()
    }
    fn keep(&self) -> Vec<KeptSetting> {
        self.inner.keep()
    }
    fn has_lines(&self) -> bool {
        !self.said.is_empty() || self.inner.has_lines()
    }
    fn advance(&mut self) -> Result<Awaits, Refusal> {
        self.inner.advance().map(|a| self.wrap(a))
    }
    fn silence(&mut self) -> Awaits {
        if self.pause.take().is_some() {
            self.said.push("anybody there?".to_owned());
        }
        let awaits = self.inner.silence();
        self.wrap(awaits)
    }
    fn decide(&mut self, notation: &str) -> Result<Awaits, Refusal> {
        self.inner.decide(notation).map(|a| self.wrap(a))
    }
    fn take_remarks(&mut self) -> Lines {
        self.inner.take_remarks()
    }
    fn has_understood(&self) -> bool {
        self.inner.has_understood()
    }
    fn take_lines(&mut self) -> Lines {
        let mut lines = std::mem::take(&mut self.said);
        lines.extend(self.inner.take_lines());
        lines
    }
}
