//! The parts of a game: its state, its views, its moves.
//! Knows no protocol, no search, no clock.

use std::fmt::{self, Debug, Display};
use std::str::FromStr;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::dialogue::DialogueInfo;
use crate::encoding::Encode;
use crate::harness_file::HarnessFormat;
use crate::label::DecisionLabel;
use crate::protocol::{Lines, Player, Referee, Settings};
pub use crate::recorded::{RecordFormat, RecordedMatch, RecordedMove};
use crate::rng::{Rng, Seed};
use crate::search::EngineSpec;
pub use crate::table::{Illegal, Table};

/// A plain value that can be stored, sent and compared.
pub trait Data: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static {}
impl<T: Clone + Debug + PartialEq + Serialize + DeserializeOwned + Send + Sync + 'static> Data for T {}

/// A place at the table, counted from 0 in the order of play of the first round.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Seat(pub u8);

impl Seat {
    /// The seat as an index into per-seat lists.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The other seat of a game for two.
    pub fn other(self) -> Self {
        Self(1 - self.0)
    }
}

impl Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl Debug for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "seat {}", self.0)
    }
}

/// The viewer of a match: one seat, or a spectator, who sees only what all seats see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Viewer {
    /// One seat: sees the public parts and its own.
    Seat(Seat),
    /// A spectator: sees the public parts.
    Spectator,
}

/// The seat whose decision is awaited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Turn {
    /// This seat is to move.
    Of(Seat),
    /// The match is over.
    Over,
}

/// The result of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Outcome {
    /// The game's own points, per seat.
    pub points: Vec<i32>,
    /// Place per seat, 1 = winner; equal places are shared (1, 1, 3). No seat has place 1 in a match without a winner.
    pub ranks: Vec<u8>,
    /// Reason for the end, in a few words.
    pub reason: String,
}

impl Outcome {
    /// The outcome of a match in which more points win and equal points share the place.
    pub fn by_points(points: Vec<i32>, reason: &str) -> Self {
        let ranks = points.iter().map(|p| 1 + points.iter().filter(|q| *q > p).count() as u8).collect();
        Self { points, ranks, reason: reason.to_owned() }
    }

    /// The outcome of a match for two that `loser` lost whatever the points.
    pub fn lost_by(loser: Seat, points: Vec<i32>, reason: &str) -> Self {
        let ranks =
            (0..points.len()).map(|s| if s == loser.index() { points.len() as u8 } else { 1 }).collect();
        Self { points, ranks, reason: reason.to_owned() }
    }

    /// The score of a seat, 0 to 1: a win is 1, a place shared by k winners is 1/k, else 0.
    pub fn score(&self, seat: Seat) -> f64 {
        let winners = self.ranks.iter().filter(|r| **r == 1).count();
        if self.ranks[seat.index()] == 1 { 1.0 / winners as f64 } else { 0.0 }
    }
}

/// The penalty for a mistake under the official referee's rules.
pub enum Foul<G: Game> {
    /// This move is played instead.
    Play(G::Move),
    /// The match ends at once.
    End(Outcome),
}

/// Wrong options or settings; the text names the field and the allowed values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadOptions(pub String);

/// How long the official harness keeps one process of a bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Process {
    /// A fresh process for every move; its input ends after the position.
    PerMove,
    /// One process for a whole match, or for many in a row.
    PerMatch,
}

/// The fixed facts of a game.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Info {
    /// Short name used in paths and commands, e.g. `azul`.
    pub slug: &'static str,
    /// The name people use.
    pub title: &'static str,
    /// One sentence on the kind of game.
    pub summary: &'static str,
    /// Fewest seats.
    pub min_seats: u8,
    /// Most seats.
    pub max_seats: u8,
    /// Seats that the official protocol lets a foreign bot hold.
    pub bot_seats: &'static [u8],
    /// The other seats that a bot can hold if it knows their dialogue, see [`crate::dialogue::MIRROR`].
    pub mirror_seats: &'static [u8],
    /// How the contest counts a match; `None`: the game has no contest. See [`Info::gauntlet_score`], which is in the JSON.
    #[serde(serialize_with = "as_gauntlet_score")]
    pub contest_score: Option<ContestScore>,
    /// Whether every player sees the whole state, and nothing random happens after the deal.
    pub perfect_information: bool,
    /// How long the official harness keeps a bot's process.
    pub process: Process,
    /// The official limit for one decision, if there is one.
    #[serde(rename = "move_limit_ms", serialize_with = "as_ms_option")]
    pub move_limit: Option<Duration>,
    /// The official limit for all decisions of one seat in a match, if there is one.
    #[serde(rename = "match_limit_ms", serialize_with = "as_ms_option")]
    pub match_limit: Option<Duration>,
    /// Thinking time of one decision when the caller names none.
    #[serde(rename = "think_ms", serialize_with = "as_ms")]
    pub think: Duration,
    /// The greatest length of a position as JSON, in bytes. A longer text is no position and need not be parsed.
    pub max_position_bytes: usize,
    /// The greatest length of an official dialogue as a transcript, in bytes, its remarks not counted. A longer text is no
    /// dialogue of a match, or of the contest's matches in a row, and need not be parsed.
    pub max_dialogue_bytes: usize,
    /// The nodes by which the judge values one move, in the measure of the default engine: some tens of milliseconds.
    #[serde(skip)]
    pub judge_nodes: u64,
}

/// How a contest counts a match for its bot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ContestScore {
    /// By the result. A shared first place is a draw.
    Result {
        /// For the only first place.
        win: i32,
        /// For a shared first place.
        draw: i32,
        /// For any other place.
        loss: i32,
    },
    /// The game's own points.
    Points,
    /// The opponents who finished behind; one who shares the place counts half.
    Places,
}

impl ContestScore {
    /// How games without a contest are counted: 2 for the only first place, 1 for a shared one.
    pub const BY_RESULT: Self = Self::Result { win: 2, draw: 1, loss: 0 };
}

/// The most bytes that one value of a position takes as JSON, indented and on a line of its own, with its name and its share of
/// the brackets.
pub const VALUE_BYTES: usize = 64;

impl Info {
    /// The facts of a two-player game of perfect information ([`crate::perfect_information`]) without a contest: bots hold either
    /// seat and play a match with one process. A position may have 64 values, a dialogue 256 words; a game that needs more says so.
    pub const fn without_contest(slug: &'static str, title: &'static str, summary: &'static str) -> Self {
        Self {
            slug,
            title,
            summary,
            min_seats: 2,
            max_seats: 2,
            bot_seats: &[0, 1],
            mirror_seats: &[],
            contest_score: None,
            perfect_information: true,
            process: Process::PerMatch,
            move_limit: None,
            match_limit: None,
            think: Duration::from_millis(500),
            max_position_bytes: 64 * VALUE_BYTES,
            max_dialogue_bytes: 256 * crate::protocol::WORD_BYTES,
            judge_nodes: 10_000,
        }
    }

    /// Whether the game has a contest. Only then do the pages speak of one.
    pub fn has_contest(&self) -> bool {
        self.contest_score.is_some()
    }

    /// How a gauntlet counts a match: as the contest does; without one, by the result.
    pub fn gauntlet_score(&self) -> ContestScore {
        self.contest_score.unwrap_or(ContestScore::BY_RESULT)
    }

    /// Whether a foreign bot can hold this seat. `mirror`: whether it knows the mirror dialogue.
    pub fn bot_can_hold(&self, seat: u8, mirror: bool) -> bool {
        self.bot_seats.contains(&seat) || (mirror && self.mirror_seats.contains(&seat))
    }

    /// Whether a foreign bot can hold each seat of a match with this many. `mirror`: whether it knows the mirror dialogue.
    pub fn bot_can_hold_all(&self, seats: usize, mirror: bool) -> bool {
        (0..seats).all(|seat| u8::try_from(seat).is_ok_and(|seat| self.bot_can_hold(seat, mirror)))
    }
}

fn as_gauntlet_score<S: serde::Serializer>(score: &Option<ContestScore>, s: S) -> Result<S::Ok, S::Error> {
    score.unwrap_or(ContestScore::BY_RESULT).serialize(s)
}

fn as_ms<S: serde::Serializer>(d: &Duration, s: S) -> Result<S::Ok, S::Error> {
    s.serialize_u64(d.as_millis() as u64)
}

fn as_ms_option<S: serde::Serializer>(d: &Option<Duration>, s: S) -> Result<S::Ok, S::Error> {
    d.map(|d| d.as_millis() as u64).serialize(s)
}

/// A game: its types and a few free functions, on a unit struct. Everything else belongs to the types.
pub trait Game: Copy + Debug + Eq + Send + Sync + 'static {
    /// The fixed facts.
    const INFO: Info;
    /// The fixed facts of its official dialogue.
    const DIALOGUE: DialogueInfo = DialogueInfo::PLAIN;
    /// Whether [`View::legal`] lists every legal move, so that every other move is illegal.
    const LISTS_ALL_MOVES: bool = true;
    /// Number of seats, variants. `{}` in JSON must give the default.
    type Options: Data + Default + JsonSchema;
    /// One decision of one seat. Its text is the official protocol's own; parsing it back gives the same move.
    type Move: Data + Eq + std::hash::Hash + Display + FromStr<Err: Display> + JsonSchema;
    /// The full state of a match.
    type State: State<Self>;
    /// The match as one viewer may see it.
    type View: View<Self>;

    /// The options worth testing: every number of seats, every variant. The player's side of the dialogue with default
    /// settings must suit each of them.
    fn variants() -> Vec<Self::Options> {
        vec![Self::Options::default()]
    }

    /// The options of a match that people begin without choosing any, made of the usual ones. They differ where people expect
    /// other rules than a bot that was made for the contest's referee. By default they are the same.
    fn for_people(options: Self::Options) -> Self::Options {
        options
    }

    /// A fresh match. The same options and seed give the same match on every machine and in every version.
    fn deal(options: &Self::Options, seed: &Seed) -> Result<Self::State, BadOptions>;

    /// The engines, strongest (the default) first.
    fn engines() -> &'static [EngineSpec<Self>];

    /// The bot's side of the official dialogue.
    fn player(settings: &Settings) -> Result<Box<dyn Player<Self>>, BadOptions>;

    /// The referee's side of the official dialogue, for a foreign bot in `seat`: one of `INFO.bot_seats`, or
    /// one of `INFO.mirror_seats` if the settings say that the bot knows the mirror dialogue.
    ///
    /// # Errors
    /// When a setting is not among those in [`DialogueInfo::referee`], or has another value; when the seat needs another one.
    fn referee(seat: Seat, settings: &Settings) -> Result<Box<dyn Referee<Self>>, BadOptions>;

    /// Whether the official dialogue can tell a bot in this seat that its match begins with this state. It can with every deal.
    ///
    /// # Errors
    /// What the dialogue cannot tell a bot, as the end of that sentence.
    fn can_tell(start: &Self::State, seat: Seat) -> Result<(), String>;

    /// The options of a match that begins with this state. By default the first variant with as many seats.
    fn options_of(start: &Self::State) -> Self::Options {
        let fits =
            |o: &Self::Options| Self::deal(o, &Seed::default()).is_ok_and(|s| s.seats() == start.seats());
        Self::variants().into_iter().find(fits).unwrap_or_default()
    }

    /// Makes a match that is to begin with this state one with these options. By default they must be those of the state.
    ///
    /// # Errors
    /// When the state contradicts the options.
    fn set_options(start: &mut Self::State, options: &Self::Options) -> Result<(), BadOptions> {
        match Self::options_of(start) == *options {
            true => Ok(()),
            false => Err(BadOptions("these options contradict the position; leave them out".to_owned())),
        }
    }

    /// Draws anew what no seat knows of a state, such as the order of the deck. All views stay the same, and the result does not
    /// depend on what is replaced. By default there is nothing of this kind.
    fn redraw(state: &mut Self::State, rng: &mut Rng) {
        let _ = (state, rng);
    }

    /// For tests: changes lines that the bot of `reader` is about to read in the match `state`. A lenient referee, which
    /// lets the others break the rules, could send the changed lines. The moves that `reader` may make next stay the same,
    /// so a bot that goes on has a legal answer to everything. Lines that tell nothing of the others stay unchanged. By
    /// default, all lines stay unchanged.
    fn distort(state: &Self::State, reader: Seat, lines: &mut Lines, rng: &mut Rng) {
        let _ = (state, reader, lines, rng);
    }

    /// The penalty for a mistake of `seat`, which is to move.
    fn foul(state: &Self::State, seat: Seat, reason: &str) -> Foul<Self>;

    /// The game's own record formats for finished matches, besides the common one.
    fn formats() -> &'static [RecordFormat<Self>] {
        &[]
    }

    /// The formats of the files in which the contest's harness keeps matches or dialogues.
    fn harness_formats() -> &'static [HarnessFormat<Self>] {
        &[]
    }

    /// The phase and the kind of a decision: this move in this view, in which it is legal. By default all are alike.
    fn label(view: &Self::View, mv: &Self::Move) -> DecisionLabel {
        let _ = (view, mv);
        DecisionLabel::PLAIN
    }

    /// The numeric form of its views and moves, for learning programs. By default it has none.
    fn encoder() -> Option<&'static dyn Encode<Self>> {
        None
    }

    /// The rule that a move of the viewer, who is to move, breaks: a clause without a full stop, in the words of the game's
    /// README and with the numbers of its protocol. `None`: the move is legal, or the game names no rule.
    ///
    /// Everybody who follows the match may read it. If the match goes on after a mistake ([`Foul::Play`]), it must not tell
    /// the others more than the refusal itself does.
    fn broken_rule(view: &Self::View, mv: &Self::Move) -> Option<String> {
        let _ = (view, mv);
        None
    }

    /// The share of `clock`, the time left for all decisions of this seat in the match, to spend on this decision.
    fn allot(view: &Self::View, clock: Duration) -> Duration {
        let _ = view;
        Self::INFO.think.min(clock / 10)
    }
}

/// The full state of a match, including hidden cards and the undealt deck.
pub trait State<G: Game>: Data {
    /// Number of seats.
    fn seats(&self) -> u8;
    /// The seat whose decision is awaited.
    fn turn(&self) -> Turn;
    /// Plays a move of the seat to move. The move is legal by contract (see [`Table::play`]); chance comes from
    /// the seed inside, so the same seed and moves give the same state.
    fn play(&mut self, mv: &G::Move);
    /// The result; `Some` exactly when the match is over.
    fn outcome(&self) -> Option<Outcome>;
    /// The match as `viewer` may see it, built only from what that viewer may know.
    fn view(&self, viewer: Viewer) -> G::View;
    /// Appends what [`View::legal`] of the seat to move appends; nothing when the match is over. A game can override it to spare
    /// the time of building a view: random matches need nothing else of it.
    fn list_legal(&self, out: &mut Vec<G::Move>) {
        if let Turn::Of(seat) = self.turn() {
            self.view(Viewer::Seat(seat)).legal(out);
        }
    }
    /// Checks the invariants that hold after every move (nothing lost, nothing doubled); the text says which one is broken.
    fn audit(&self) -> Result<(), String>;
}

/// The match as one viewer may see it. Deserializing validates (`#[serde(try_from = "...")]`), so every view is a legal
/// position.
pub trait View<G: Game>: Data + JsonSchema {
    /// The seat, or the spectators, whose knowledge this is.
    fn viewer(&self) -> Viewer;
    /// The seat whose decision is awaited.
    fn turn(&self) -> Turn;
    /// Appends the viewer's legal moves, each once; none when it is not the viewer's turn. If a full list would be too long
    /// (Buraco's melds), appends a sensible part of it; [`View::is_legal`] decides on every move.
    fn legal(&self, out: &mut Vec<G::Move>);
    /// Appends the moves that the viewer may choose in advance, while another seat is to move, each once. Each must name the same
    /// choice whatever the others do until the viewer's next turn; then it may be illegal, and what it brings may have changed.
    /// None if the viewer is to move, for a spectator and when the match is over. By default a game has none.
    fn premoves(&self, out: &mut Vec<G::Move>) {
        let _ = out;
    }
    /// Whether the rules accept this move of the viewer now.
    fn is_legal(&self, mv: &G::Move) -> bool {
        let mut all = Vec::new();
        self.legal(&mut all);
        all.contains(mv)
    }
    /// A full state that is consistent with this view, its hidden parts drawn at random. Its view for the same viewer equals
    /// this view. Never called for a spectator.
    fn guess(&self, rng: &mut Rng) -> G::State;
    /// The table as an SVG picture, 1200 by 630, for previews of links, made of the board's own pieces ([`crate::picture::Art`]).
    /// It has no text elements, so no reader needs a font.
    /// `None`: the game draws none.
    fn picture(&self) -> Option<String> {
        None
    }
}
