//! The two sides of an official dialogue as pure state machines: lines in, lines out, without input or output, clock or
//! search. Also the transcript, which is a dialogue as text.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::game::{BadOptions, Game, Seat};

/// The most bytes of a line of a transcript besides its text: the mark, a space and the line's end.
pub const LINE_BYTES: usize = 4;

/// The most bytes of a number, or of a word as long as the usual ones, on a line of its own in a transcript.
pub const WORD_BYTES: usize = LINE_BYTES + 4;

/// Lines to write, without their line ends.
pub type Lines = Vec<String>;

/// The other side wrote something that the protocol does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ProtocolError(pub String);

impl ProtocolError {
    /// An error with this text: what was read, and what was expected.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// Whether two lines have the same words. The spaces between them do not count.
pub fn same_words(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}

/// The event that one side of a dialogue waits for next. `D` is the form of the decision: typed in [`PlayerAwaits`],
/// without types in [`crate::erased::Awaits`].
#[derive(Clone, Debug, PartialEq)]
pub enum Awaits<D> {
    /// The next entry of the dialogue: a line, or its end.
    Entry,
    /// The next entry, or a call of `silence` when none came for this long.
    EntryWithin(Duration),
    /// An answer that an engine has to decide.
    Decision(D),
    /// Nothing: the dialogue is over.
    Nothing,
}

impl<D> Awaits<D> {
    /// The same with the decision in another form.
    pub fn map<T>(self, convert: impl FnOnce(D) -> T) -> Awaits<T> {
        match self {
            Self::Entry => Awaits::Entry,
            Self::EntryWithin(time) => Awaits::EntryWithin(time),
            Self::Decision(decision) => Awaits::Decision(convert(decision)),
            Self::Nothing => Awaits::Nothing,
        }
    }
}

/// A decision that a dialogue of `G` asks for.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayerDecision<G: Game> {
    /// The view of the seat to move.
    pub view: Box<G::View>,
    /// Time left for all further decisions of the match, if the dialogue gives it.
    pub clock: Option<Duration>,
}

/// The event that a player's side waits for.
pub type PlayerAwaits<G> = Awaits<PlayerDecision<G>>;

/// The bot's side, which the shim speaks for an engine.
pub trait Player<G: Game>: Send {
    /// Begins the dialogue. In some games the bot writes first.
    fn start(&mut self, out: &mut Lines) -> PlayerAwaits<G>;
    /// Reads a line from the referee.
    ///
    /// # Errors
    /// When the line contradicts the protocol or the rules. The player is then as it was before the line, and
    /// [`Self::cope`] goes on from there.
    fn line(&mut self, line: &str, out: &mut Lines) -> Result<PlayerAwaits<G>, ProtocolError>;
    /// Goes on after a line that [`Self::line`] refused, or after an end of input (`None`) that [`Self::eof`] refused. The
    /// real referee accepted something that our rules forbid, so the player uses the best consistent reading. If no
    /// reading gives a position, it prints the safest move itself. If it returns [`Awaits::Entry`], it ignored the line.
    fn cope(&mut self, line: Option<&str>, out: &mut Lines) -> PlayerAwaits<G>;
    /// The contradictions of our rules since the last call that [`Self::line`] accepted, and how [`Self::cope`] went on: one
    /// sentence each, for people.
    fn doubts(&mut self) -> Lines {
        Lines::new()
    }
    /// Goes on after the time of [`Awaits::EntryWithin`] passed without a line.
    fn silence(&mut self, out: &mut Lines) -> PlayerAwaits<G> {
        let _ = out;
        Awaits::Entry
    }
    /// Handles the end of the referee's output.
    ///
    /// # Errors
    /// When no dialogue can end there. The player writes nothing more in either case.
    fn eof(&mut self) -> Result<PlayerAwaits<G>, ProtocolError> {
        Ok(Awaits::Nothing)
    }
    /// Settings to give to a later session of the same match, whose dialogue may not repeat them: for example if the
    /// harness starts a new process for every move.
    fn keep(&self) -> Vec<KeptSetting> {
        Vec::new()
    }
    /// Takes the decision asked for by [`Awaits::Decision`]; writes its text to `out` before anything else. The decision
    /// is legal in that view, unless a transcript says that an illegal one was printed and the referee accepted it.
    fn played(&mut self, mv: &G::Move, out: &mut Lines) -> PlayerAwaits<G>;
}

/// The referee's side, for one seat held by a foreign bot.
pub trait Referee<G: Game>: Send {
    /// Begins the match: writes the lines that the bot reads first. The state need not be a deal: the arena begins matches of games
    /// with few different deals after random moves. Where these lines cannot tell that, programs play without such openings.
    fn open(&mut self, state: &G::State, out: &mut Lines);
    /// Writes the lines that the bot reads when its seat is to decide. `clock`: time left for all its decisions. Called
    /// once per decision, before the bot's line is awaited.
    fn prompt(&mut self, state: &G::State, clock: Option<Duration>, out: &mut Lines);
    /// Reads a line of the bot. `None`: it is no move and none is due yet, such as Azul's first word.
    ///
    /// # Errors
    /// A foul: the error in the line. The table, not this method, refuses a move that parses but is illegal.
    fn line(&mut self, state: &G::State, line: &str) -> Result<Option<G::Move>, ProtocolError>;
    /// Whether `text`, the bot's whole answer, would be legal for a bot that reads the dialogue as one by these other
    /// settings: then the bot may expect them.
    fn suits(&self, state: &G::State, text: &str, other: &Settings) -> bool {
        let _ = (state, text, other);
        false
    }
    /// Writes the lines that the bot reads after a move by any seat. `after` may be the end of the match.
    fn moved(&mut self, before: &G::State, by: Seat, mv: &G::Move, after: &G::State, out: &mut Lines);
}

/// Settings of one side of a dialogue by name: facts that the dialogue does not contain and the caller can set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings(pub BTreeMap<String, String>);

impl Settings {
    /// The value of `name`, one of the allowed ones; the first of these when it is not set.
    ///
    /// # Errors
    /// When the value is not allowed; the text lists the allowed ones.
    pub fn choice(&self, name: &str, allowed: &[&'static str]) -> Result<&'static str, BadOptions> {
        let Some(value) = self.0.get(name) else { return Ok(allowed[0]) };
        allowed.iter().find(|a| *a == value).copied().ok_or_else(|| {
            BadOptions(format!("{name} cannot be '{value}': it is one of {}", allowed.join(", ")))
        })
    }

    /// Refuses settings that are not among `known`.
    ///
    /// # Errors
    /// Names the unknown one and lists the known.
    pub fn only(&self, known: &[&str]) -> Result<(), BadOptions> {
        match self.0.keys().find(|k| !known.contains(&k.as_str())) {
            None => Ok(()),
            Some(k) if known.is_empty() => {
                Err(BadOptions(format!("no setting is called '{k}': there are none here")))
            }
            Some(k) => Err(BadOptions(format!("no setting is called '{k}': there are {}", known.join(", ")))),
        }
    }
}

/// A setting for later sessions of the same match. A harness may play several matches at a time and not name them: then
/// each session gets the kept values of all matches, between commas, and finds its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptSetting {
    /// The name of the setting.
    pub name: &'static str,
    /// Its value for this match: letters, digits, `-`, `_` and `.`.
    pub value: String,
    /// The value that an earlier session of this match asked to keep. It can be forgotten.
    pub replaces: Option<String>,
}

/// One line of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// `< TEXT`: the bot read this line.
    Read(String),
    /// `> TEXT`: the bot printed this line.
    Printed(String),
    /// `# TEXT`: a remark; it has no meaning.
    Remark(String),
    /// `.`: the bot's input ended.
    End,
}

impl Entry {
    /// Parses a line of a transcript. One space after the mark belongs to the mark.
    ///
    /// # Errors
    /// When the line begins with none of the marks.
    pub fn parse(line: &str) -> Result<Self, ProtocolError> {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let text = |rest: &str| rest.strip_prefix(' ').unwrap_or(rest).to_owned();
        match line.as_bytes().first() {
            Some(b'<') => Ok(Self::Read(text(&line[1..]))),
            Some(b'>') => Ok(Self::Printed(text(&line[1..]))),
            Some(b'#') => Ok(Self::Remark(text(&line[1..]))),
            _ if line == "." => Ok(Self::End),
            _ => Err(ProtocolError::new(format!(
                "a line of a transcript begins with '<', '>' or '#', or is '.' alone: {:?}",
                line.chars().take(40).collect::<String>()
            ))),
        }
    }

    /// The number of bytes of a text, as [`Entry::parse_all`] reads it, without remarks.
    pub fn bytes(text: &str) -> usize {
        if !is_transcript(text) {
            return text.len();
        }
        text.split_inclusive('\n').filter(|line| !line.starts_with('#')).map(str::len).sum()
    }

    /// A whole transcript, from text. A text in which no line begins with `<` is a bare official input: every line
    /// of it was read, and then the input ended.
    ///
    /// # Errors
    /// As [`Entry::parse`], with the line's number, counted from 1.
    pub fn parse_all(text: &str) -> Result<Vec<Self>, ProtocolError> {
        if !is_transcript(text) {
            let read = lines(text).map(|l| Self::Read(l.to_owned()));
            return Ok(read.chain([Self::End]).collect());
        }
        lines(text)
            .enumerate()
            .filter(|(_, line)| !line.is_empty())
            .map(|(i, line)| Self::parse(line).map_err(|e| ProtocolError(format!("line {}: {e}", i + 1))))
            .collect()
    }
}

/// The lines of a text, without their ends.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.lines().map(|line| line.strip_suffix('\r').unwrap_or(line))
}

/// Whether a text is a transcript, not a bare official input.
pub fn is_transcript(text: &str) -> bool {
    lines(text).any(|line| line.starts_with(['<', '>'])) || lines(text).all(is_mark)
}

/// Whether a line may come before the first read line of a transcript: a remark, the end, or an empty line.
fn is_mark(line: &str) -> bool {
    line.is_empty() || line == "." || line.starts_with('#')
}

impl std::fmt::Display for Entry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Read(text) => write!(f, "< {text}"),
            Self::Printed(text) => write!(f, "> {text}"),
            Self::Remark(text) => write!(f, "# {text}"),
            Self::End => f.write_str("."),
        }
    }
}
