//! The recorded side of a replay that has only the dialogue of one bot: its lines are the script. The game's own bot follows it, so
//! that answers can be checked.

use std::collections::VecDeque;
use std::time::Duration;

use serde_json::json;

use super::course::{Course, OwnTurn};
use super::recording::RecordedAnswer;
use crate::arena::play::decision::{BotFault, RefereeSide};
use crate::arena::record::FaultKind;
use crate::dialogue::SettingValues;
use crate::erased::{AnyGame, AnySession, AnyTable, Awaits, Position, Refusal};
use crate::game::{Process, Seat};
use crate::games::GAMES;
use crate::harness_file::{BotDialogue, DialogueFault};
use crate::protocol::{Entry, Lines, Settings, same_words};
use crate::rng::Seed;

/// The games of which this can be a dialogue. The bot's last lines may be anything, since the match may have ended by them.
pub fn games_of(entries: &[Entry]) -> Vec<&'static dyn AnyGame> {
    let is_printed = |entry: &Entry| matches!(entry, Entry::Printed(_));
    let to =
        entries.iter().rposition(|entry| !matches!(entry, Entry::End | Entry::Printed(_) | Entry::Remark(_)));
    let without_last: Vec<Entry> = to.map_or(Vec::new(), |to| entries[..=to].to_vec());
    let fits = |game: &&dyn AnyGame| {
        let clean = |entries: &[Entry]| best_settings(*game, entries).is_some_and(|(_, doubts)| doubts == 0);
        clean(entries) || (entries.iter().any(is_printed) && clean(&without_last))
    };
    GAMES.iter().copied().filter(fits).collect()
}

/// The settings of the bot's side with which the game's own bot has the fewest doubts about the dialogue, and their number;
/// `None`: it understands nothing, or no line of the bot.
fn best_settings(game: &dyn AnyGame, entries: &[Entry]) -> Option<(Settings, usize)> {
    let mut all = vec![Settings::default()];
    for setting in game.dialogue().settings {
        if let SettingValues::Words(words) = setting.values {
            let others = words.iter().filter(|word| **word != setting.default);
            all.extend(others.map(|word| Settings([(setting.name.to_owned(), (*word).to_owned())].into())));
        }
    }
    let doubts = |settings: &Settings| {
        let mut session = game.session(settings).ok()?;
        session.push(entries.to_vec());
        session.advance().ok()?;
        session.has_understood().then(|| session.take_remarks().len() + session.waiting())
    };
    let mut best: Option<(Settings, usize)> = None;
    for settings in all {
        if let Some(found) = doubts(&settings)
            && best.as_ref().is_none_or(|(_, least)| found < *least)
        {
            best = Some((settings, found));
            if found == 0 {
                break;
            }
        }
    }
    best
}

/// The dialogue of one bot.
pub(super) struct ScriptCourse {
    process: Process,
    entries: VecDeque<Entry>,
    fault: Option<DialogueFault>,
    /// The lines that the bot is to read now.
    outbox: Lines,
    /// The game's own bot, as long as the dialogue makes sense to it.
    session: Option<Box<dyn AnySession>>,
    /// The position in which an answer is due, if it is known.
    position: Option<Box<dyn Position>>,
    /// Any match of the game, to read moves.
    reader: Option<Box<dyn AnyTable>>,
    /// The recorded answer to this turn.
    expected: Option<String>,
    /// The mistake that the recorded answer is.
    wrong: Option<String>,
    /// What a process for one move has printed.
    said: String,
    /// The line that passes the turn.
    pass: Option<&'static str>,
    answers: u32,
    ended: bool,
}

impl ScriptCourse {
    /// The dialogue before its first line.
    pub(super) fn new(game: &dyn AnyGame, dialogue: &BotDialogue) -> Self {
        let settings =
            best_settings(game, &dialogue.entries).map(|(settings, _)| settings).unwrap_or_default();
        Self {
            process: game.info().process,
            entries: dialogue.entries.iter().cloned().collect(),
            fault: dialogue.fault.clone(),
            outbox: Lines::new(),
            session: game.session(&settings).ok(),
            position: None,
            reader: game.deal(&json!({}), &Seed::default()).ok(),
            expected: None,
            wrong: None,
            said: String::new(),
            pass: game.dialogue().pass,
            answers: 0,
            ended: false,
        }
    }

    /// The position in which the answer of this turn is due, if it is known.
    pub(super) fn position(&self) -> Option<&dyn Position> {
        self.position.as_deref()
    }

    /// Takes the lines before the next answer, and that answer. Returns what the remarks between them tell.
    fn take_turn(&mut self) -> ToldTurn {
        let mut told = ToldTurn::default();
        let mut read = Vec::new();
        while let Some(entry) = self.entries.pop_front_if(|entry| !matches!(entry, Entry::Printed(_))) {
            if let Entry::Remark(text) = &entry {
                told.note(text);
                continue;
            }
            if let Entry::Read(line) = &entry {
                self.outbox.push(line.clone());
            }
            // The next process of the bot goes on with the match.
            if entry == Entry::End && self.process == Process::PerMove {
                break;
            }
            read.push(entry);
        }
        let mut printed = Vec::new();
        while let Some(Entry::Printed(line)) = self.entries.pop_front_if(|e| matches!(e, Entry::Printed(_))) {
            printed.push(line);
            if self.process == Process::PerMatch {
                break;
            }
        }
        self.expected = (!printed.is_empty()).then(|| printed.join(" "));
        while let Some(Entry::Remark(text)) =
            self.entries.pop_front_if(|entry| matches!(entry, Entry::Remark(text) if text.starts_with(FOUL)))
        {
            told.note(&text);
        }
        self.look(read);
        told
    }

    /// Lets the game's own bot read these lines.
    fn look(&mut self, read: Vec<Entry>) {
        let mut awaits = self.session.as_mut().map(|session| {
            session.push(read);
            session.advance()
        });
        if let (Some(Ok(Awaits::EntryWithin(_))), Some(session), Some(_)) =
            (&awaits, &mut self.session, &self.expected)
        {
            awaits = Some(Ok(session.silence()));
        }
        match awaits {
            Some(Ok(Awaits::Decision(request))) => self.position = Some(request.position),
            Some(Ok(_)) => self.position = None,
            Some(Err(_)) | None => (self.session, self.position) = (None, None),
        }
    }

    /// The move of a text, spelled as in the official protocol.
    fn spelled(&self, text: &str) -> Option<String> {
        self.reader.as_ref()?.move_text(text).ok().map(|mv| mv.notation)
    }
}

/// Begins the remark on a foul.
const FOUL: &str = "foul: ";

/// What the remarks of a turn tell.
#[derive(Default)]
struct ToldTurn {
    ply: Option<u32>,
    left: Option<Duration>,
    foul: Option<String>,
}

impl ToldTurn {
    fn note(&mut self, remark: &str) {
        if let Some(what) = remark.strip_prefix(FOUL) {
            self.foul = Some(what.to_owned());
        }
        let mut words = remark.strip_prefix("turn ").unwrap_or_default().split(' ');
        if let Some(ply) = words.next().and_then(|ply| ply.parse().ok()) {
            self.ply = Some(ply);
            self.left = words.next().and_then(|ms| ms.parse().ok()).map(Duration::from_millis);
        }
    }
}

impl RefereeSide for ScriptCourse {
    fn prompt(&mut self, _: Seat, _: Option<Duration>) {
        self.said.clear();
    }

    fn take_lines(&mut self, _: Seat) -> Lines {
        std::mem::take(&mut self.outbox)
    }

    fn hear(&mut self, _: Seat, line: &str) -> Result<Option<String>, Refusal> {
        if self.process == Process::PerMatch {
            return Ok(Some(line.trim().to_owned()));
        }
        self.said += if self.said.is_empty() { "" } else { " " };
        self.said += line.trim();
        Ok(self.spelled(&self.said).map(|_| self.said.clone()))
    }
}

impl Course for ScriptCourse {
    fn next_turn(&mut self) -> Result<Option<OwnTurn>, String> {
        if self.ended {
            return Ok(None);
        }
        let told = self.take_turn();
        let is_last = self.fault.is_some() && self.left_out() == 0;
        let fault = self.fault.take_if(|fault| is_last && fault.printed == self.expected.is_some());
        let fault = fault.map(|fault| fault.what).or(told.foul);
        self.wrong = fault.clone().filter(|_| self.expected.is_some());
        let recorded = match (&self.expected, fault) {
            (_, Some(what)) => RecordedAnswer::Fault(what),
            (Some(line), None) => {
                RecordedAnswer::Move(self.spelled(line).unwrap_or_else(|| line.trim().to_owned()))
            }
            (None, None) if self.position.is_some() => RecordedAnswer::Unknown,
            (None, None) => return Ok(None),
        };
        self.ended = self.expected.is_none() && self.entries.is_empty();
        Ok(Some(OwnTurn { ply: told.ply.unwrap_or(self.answers), recorded, taken: None, left: told.left }))
    }

    fn judged(&self, answer: &str) -> Result<String, BotFault> {
        let spelled = self.spelled(answer);
        let is_same =
            |line: &String| same_words(line, answer) || (spelled.is_some() && self.spelled(line) == spelled);
        if self.expected.as_ref().is_some_and(is_same) {
            return match &self.wrong {
                Some(what) => Err(BotFault { kind: FaultKind::IllegalMove, detail: what.clone() }),
                None => Ok(spelled.unwrap_or_else(|| answer.to_owned())),
            };
        }
        match (&self.position, spelled) {
            (Some(position), _) => position.check(answer).map(|mv| mv.notation).map_err(|e| BotFault::of(&e)),
            (None, Some(spelled)) => Ok(spelled),
            // A line that is no move is a word such as the one with which some bots begin.
            (None, None) => Ok(answer.to_owned()),
        }
    }

    fn follow(&mut self) -> Result<(), String> {
        self.answers += 1;
        let is_right = self.wrong.take().is_none();
        let said = self.expected.take().filter(|_| is_right);
        // A referee that goes on after a mistake passes the turn.
        let said = said.or_else(|| self.pass.map(str::to_owned));
        if let (Some(line), Some(session)) = (said, &mut self.session) {
            session.push(vec![Entry::Printed(line)]);
        }
        Ok(())
    }

    fn left_out(&self) -> usize {
        let is_printed = |entry: &Entry| matches!(entry, Entry::Printed(_));
        match self.process {
            Process::PerMatch => self.entries.iter().filter(|entry| is_printed(entry)).count(),
            Process::PerMove => {
                let mut before = false;
                let first = |entry: &&Entry| {
                    let was = std::mem::replace(&mut before, is_printed(entry));
                    before && !was
                };
                self.entries.iter().filter(first).count()
            }
        }
    }
}
