//! A small game for the arena's tests: take 1 to 3 from a pile; the player who takes the last one wins. With kind `CHATTY`
//! a bot's process lasts a match, speaks first and has a match clock. With kind `BRIEF` it lasts a move, up to four players
//! take part, and a mistake costs a move of 1.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use engines::game::{
    BadOptions, ContestScore, Foul, Game, Info, Outcome, Process, Seat, State, Turn, View, Viewer,
};
use engines::protocol::{Awaits, Lines, Player, PlayerAwaits, ProtocolError, Referee, Settings};
use engines::rng::{Rng, Seed};
use engines::search::{Candidate, Decision, Engine, EngineSpec, Search};
use engines::search_kit::random;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) const CHATTY: u8 = 0;
pub(super) const BRIEF: u8 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Toy<const KIND: u8>;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Options {
    players: u8,
}

impl Default for Options {
    fn default() -> Self {
        Self { players: 2 }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub(super) struct Take(u8);

impl fmt::Display for Take {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "take {}", self.0)
    }
}

impl FromStr for Take {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        let number = s.strip_prefix("take ").ok_or("a move is 'take N'")?;
        number.parse().map(Self).map_err(|_| "a move is 'take N'".to_owned())
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Pile {
    left: u8,
    players: u8,
    to_move: Seat,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct ToyView {
    pile: Pile,
    viewer: Viewer,
}

impl<const KIND: u8> State<Toy<KIND>> for Pile {
    fn seats(&self) -> u8 {
        self.players
    }

    fn turn(&self) -> Turn {
        if self.left == 0 { Turn::Over } else { Turn::Of(self.to_move) }
    }

    fn play(&mut self, mv: &Take) {
        self.left -= mv.0;
        self.to_move = Seat((self.to_move.0 + 1) % self.players);
    }

    fn outcome(&self) -> Option<Outcome> {
        let winner = (self.to_move.0 + self.players - 1) % self.players;
        let points = (0..self.players).map(|s| i32::from(s == winner)).collect();
        (self.left == 0).then(|| Outcome::by_points(points, "the pile is gone"))
    }

    fn view(&self, viewer: Viewer) -> ToyView {
        ToyView { pile: self.clone(), viewer }
    }

    fn audit(&self) -> Result<(), String> {
        Ok(())
    }
}

impl<const KIND: u8> View<Toy<KIND>> for ToyView {
    fn viewer(&self) -> Viewer {
        self.viewer
    }

    fn turn(&self) -> Turn {
        State::<Toy<KIND>>::turn(&self.pile)
    }

    fn legal(&self, out: &mut Vec<Take>) {
        if Viewer::Seat(self.pile.to_move) == self.viewer {
            out.extend((1..=self.pile.left.min(3)).map(Take));
        }
    }

    fn guess(&self, _: &mut Rng) -> Pile {
        self.pile.clone()
    }
}

/// Misbehaves, then plays 1: it sleeps regardless of its host (`SLEEPS`) or panics.
struct MisbehavingEngine<const SLEEPS: bool>;

impl<const KIND: u8, const SLEEPS: bool> Engine<Toy<KIND>> for MisbehavingEngine<SLEEPS> {
    fn choose(&mut self, _: &ToyView, search: &mut Search<'_>) -> Decision<Toy<KIND>> {
        assert!(SLEEPS, "this engine panics");
        search.tick();
        std::thread::sleep(Duration::from_millis(500));
        let candidates = vec![Candidate { mv: Take(1), value: 0.5, visits: 1 }];
        Decision { mv: Take(1), value: 0.5, candidates, line: Vec::new(), depth: 0 }
    }
}

const fn misbehaving<const KIND: u8, const SLEEPS: bool>(name: &'static str) -> EngineSpec<Toy<KIND>> {
    EngineSpec {
        name,
        version: 1,
        instant: false,
        summary: "",
        make: || Box::new(MisbehavingEngine::<SLEEPS>),
    }
}

impl<const KIND: u8> Game for Toy<KIND> {
    const INFO: Info = Info {
        slug: if KIND == CHATTY { "chatty" } else { "brief" },
        title: "Toy",
        summary: "Take the last one.",
        min_seats: 2,
        max_seats: 4,
        bot_seats: &[0, 1, 2, 3],
        mirror_seats: &[],
        contest_score: Some(ContestScore::Places),
        perfect_information: true,
        process: if KIND == CHATTY { Process::PerMatch } else { Process::PerMove },
        move_limit: None,
        match_limit: if KIND == CHATTY { Some(Duration::from_millis(8000)) } else { None },
        think: Duration::from_millis(5),
        max_position_bytes: 1000,
        max_dialogue_bytes: 10_000,
    };
    type Options = Options;
    type Move = Take;
    type State = Pile;
    type View = ToyView;

    fn deal(options: &Options, seed: &Seed) -> Result<Pile, BadOptions> {
        match options.players {
            2..=4 => {
                let left = 12 + Rng::new(seed).below(10) as u8;
                Ok(Pile { left, players: options.players, to_move: Seat(0) })
            }
            _ => Err(BadOptions("players: 2 to 4".to_owned())),
        }
    }

    fn engines() -> &'static [EngineSpec<Self>] {
        const { &[random::spec(), misbehaving::<KIND, true>("sleeps"), misbehaving::<KIND, false>("panics")] }
    }

    fn player(_: &Settings) -> Result<Box<dyn Player<Self>>, BadOptions> {
        Ok(Box::new(ToyPlayer))
    }

    fn referee(_: Seat, settings: &Settings) -> Result<Box<dyn Referee<Self>>, BadOptions> {
        settings.only(&[])?;
        Ok(Box::new(ToyReferee { greeted: KIND == BRIEF, words: Vec::new() }))
    }

    fn foul(state: &Pile, seat: Seat, reason: &str) -> Foul<Self> {
        match KIND {
            CHATTY => {
                let points = (0..state.players).map(|s| i32::from(s != seat.0)).collect();
                Foul::End(Outcome::by_points(points, reason))
            }
            _ => Foul::Play(Take(1)),
        }
    }
}

/// The bot's side. The arena uses only its first line.
struct ToyPlayer;

impl<const KIND: u8> Player<Toy<KIND>> for ToyPlayer {
    fn start(&mut self, out: &mut Lines) -> PlayerAwaits<Toy<KIND>> {
        out.extend((KIND == CHATTY).then(|| "hello".to_owned()));
        Awaits::Entry
    }

    fn line(&mut self, _: &str, _: &mut Lines) -> Result<PlayerAwaits<Toy<KIND>>, ProtocolError> {
        Ok(Awaits::Entry)
    }

    fn cope(&mut self, _: Option<&str>, _: &mut Lines) -> PlayerAwaits<Toy<KIND>> {
        Awaits::Entry
    }

    fn played(&mut self, _: &Take, _: &mut Lines) -> PlayerAwaits<Toy<KIND>> {
        Awaits::Entry
    }
}

struct ToyReferee {
    greeted: bool,
    /// Words of a move that may continue in the next line.
    words: Vec<String>,
}

impl<const KIND: u8> Referee<Toy<KIND>> for ToyReferee {
    fn open(&mut self, _: &Pile, _: &mut Lines) {}

    fn prompt(&mut self, state: &Pile, clock: Option<Duration>, out: &mut Lines) {
        assert!(self.greeted, "a prompt came before the greeting");
        self.words.clear();
        let clock = clock.map_or_else(|| "-".to_owned(), |c| c.as_millis().to_string());
        out.push(format!("{} {clock}", state.left));
    }

    fn line(&mut self, _: &Pile, line: &str) -> Result<Option<Take>, ProtocolError> {
        if !self.greeted {
            self.greeted = line == "hello";
            return if self.greeted { Ok(None) } else { Err(ProtocolError::new("say hello")) };
        }
        self.words.extend(line.split_whitespace().map(str::to_owned));
        if KIND == BRIEF && self.words.len() < 2 {
            return Ok(None);
        }
        std::mem::take(&mut self.words).join(" ").parse().map(Some).map_err(ProtocolError)
    }

    fn moved(&mut self, _: &Pile, _: Seat, _: &Take, _: &Pile, _: &mut Lines) {}
}
