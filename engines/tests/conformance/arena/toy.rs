//! A small game for the arena's tests: take 1 to 3 from a pile; the player who takes the last one wins. With kind `CHATTY`
//! a bot's process lasts a match, speaks first and has a match clock. With kind `BRIEF` it lasts a move, up to four players
//! take part, and a mistake costs a move of 1. With kinds `OPEN` and `SILENT` every deal is the same pile, and two bots read the
//! first line once and then each other's moves; the line of `OPEN` tells the position, that of `SILENT` only the seat.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use engines::game::{
    BadOptions, ContestScore, Foul, Game, Info, Outcome, Process, Seat, State, Turn, View, Viewer,
};
use engines::protocol::{
    Awaits, Lines, Player, PlayerAwaits, PlayerDecision, ProtocolError, Referee, Settings,
};
use engines::rng::{Rng, Seed};
use engines::search::{Candidate, Decision, Engine, EngineSpec, Search};
use engines::search_kit::random;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) const CHATTY: u8 = 0;
pub(super) const BRIEF: u8 = 1;
pub(super) const OPEN: u8 = 2;
pub(super) const SILENT: u8 = 3;

/// The pile of the kinds whose deals are all the same.
const PILE: u8 = 40;

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

/// Always takes as many as it can, or always one: engines without chance.
struct SteadyEngine<const MOST: bool>;

impl<const KIND: u8, const MOST: bool> Engine<Toy<KIND>> for SteadyEngine<MOST> {
    fn choose(&mut self, view: &ToyView, search: &mut Search<'_>) -> Decision<Toy<KIND>> {
        search.tick();
        let mv = Take(if MOST { view.pile.left.min(3) } else { 1 });
        let candidates = vec![Candidate { mv, value: 0.5, visits: 1 }];
        Decision { mv, value: 0.5, candidates, line: Vec::new(), depth: 0 }
    }
}

const fn steady<const KIND: u8, const MOST: bool>(name: &'static str) -> EngineSpec<Toy<KIND>> {
    EngineSpec { name, version: 1, instant: true, summary: "", make: || Box::new(SteadyEngine::<MOST>) }
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
        slug: ["chatty", "brief", "open", "silent"][KIND as usize],
        title: "Toy",
        summary: "Take the last one.",
        min_seats: 2,
        max_seats: 4,
        bot_seats: &[0, 1, 2, 3],
        mirror_seats: &[],
        contest_score: Some(ContestScore::Places),
        perfect_information: true,
        process: if KIND == BRIEF { Process::PerMove } else { Process::PerMatch },
        move_limit: None,
        match_limit: if KIND == CHATTY { Some(Duration::from_millis(8000)) } else { None },
        think: Duration::from_millis(5),
        max_position_bytes: 1000,
        max_dialogue_bytes: 10_000,
        judge_nodes: 1,
    };
    type Options = Options;
    type Move = Take;
    type State = Pile;
    type View = ToyView;

    fn deal(options: &Options, seed: &Seed) -> Result<Pile, BadOptions> {
        match options.players {
            2..=4 => {
                let left = if KIND < OPEN { 12 + Rng::new(seed).below(10) as u8 } else { PILE };
                Ok(Pile { left, players: options.players, to_move: Seat(0) })
            }
            _ => Err(BadOptions("players: 2 to 4".to_owned())),
        }
    }

    fn engines() -> &'static [EngineSpec<Self>] {
        const {
            &[
                random::spec(),
                misbehaving::<KIND, true>("sleeps"),
                misbehaving::<KIND, false>("panics"),
                steady::<KIND, true>("most"),
                steady::<KIND, false>("least"),
            ]
        }
    }

    fn player(_: &Settings) -> Result<Box<dyn Player<Self>>, BadOptions> {
        Ok(Box::new(ToyPlayer { own: Seat(0), pile: None }))
    }

    fn referee(seat: Seat, settings: &Settings) -> Result<Box<dyn Referee<Self>>, BadOptions> {
        settings.only(&[])?;
        Ok(Box::new(ToyReferee { seat, greeted: KIND != CHATTY, words: Vec::new() }))
    }

    fn can_tell(start: &Pile, _: Seat) -> Result<(), String> {
        match KIND {
            SILENT if (start.left, start.to_move) != (PILE, Seat(0)) => Err("more than its seat".to_owned()),
            // Its bots take the first pile that they read to be a deal.
            CHATTY if !(12..=21).contains(&start.left) || start.to_move != Seat(0) => {
                Err("less than a deal".to_owned())
            }
            _ => Ok(()),
        }
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

/// The bot's side. It plays only the kinds whose deals are all the same; of the others the arena uses only its first line.
struct ToyPlayer {
    own: Seat,
    pile: Option<Pile>,
}

impl ToyPlayer {
    fn awaits<const KIND: u8>(&self) -> PlayerAwaits<Toy<KIND>> {
        match &self.pile {
            Some(pile) if pile.left > 0 && pile.to_move == self.own => Awaits::Decision(PlayerDecision {
                view: Box::new(ToyView { pile: pile.clone(), viewer: Viewer::Seat(self.own) }),
                clock: None,
            }),
            _ => Awaits::Entry,
        }
    }

    fn play<const KIND: u8>(&mut self, mv: &Take) -> PlayerAwaits<Toy<KIND>> {
        if let Some(pile) = &mut self.pile {
            State::<Toy<KIND>>::play(pile, mv);
        }
        self.awaits()
    }
}

impl<const KIND: u8> Player<Toy<KIND>> for ToyPlayer {
    fn start(&mut self, out: &mut Lines) -> PlayerAwaits<Toy<KIND>> {
        out.extend((KIND == CHATTY).then(|| "hello".to_owned()));
        Awaits::Entry
    }

    fn line(&mut self, line: &str, _: &mut Lines) -> Result<PlayerAwaits<Toy<KIND>>, ProtocolError> {
        if KIND < OPEN {
            return Ok(Awaits::Entry);
        }
        if self.pile.is_some() {
            return Ok(self.play(&line.parse().map_err(ProtocolError)?));
        }
        let numbers: Vec<u8> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
        let (own, left, to_move) = match numbers[..] {
            [own, left, to_move] => (own, left, to_move),
            [own] => (own, PILE, 0),
            _ => return Err(ProtocolError::new("no first line")),
        };
        self.own = Seat(own);
        self.pile = Some(Pile { left, players: 2, to_move: Seat(to_move) });
        Ok(self.awaits())
    }

    fn cope(&mut self, _: Option<&str>, _: &mut Lines) -> PlayerAwaits<Toy<KIND>> {
        Awaits::Entry
    }

    fn played(&mut self, mv: &Take, out: &mut Lines) -> PlayerAwaits<Toy<KIND>> {
        out.push(mv.to_string());
        self.play(mv)
    }
}

struct ToyReferee {
    seat: Seat,
    greeted: bool,
    /// Words of a move that may continue in the next line.
    words: Vec<String>,
}

impl<const KIND: u8> Referee<Toy<KIND>> for ToyReferee {
    fn open(&mut self, state: &Pile, out: &mut Lines) {
        match KIND {
            OPEN => out.push(format!("{} {} {}", self.seat.0, state.left, state.to_move.0)),
            SILENT => out.push(self.seat.0.to_string()),
            _ => {}
        }
    }

    fn prompt(&mut self, state: &Pile, clock: Option<Duration>, out: &mut Lines) {
        assert!(self.greeted, "a prompt came before the greeting");
        self.words.clear();
        if KIND < OPEN {
            let clock = clock.map_or_else(|| "-".to_owned(), |c| c.as_millis().to_string());
            out.push(format!("{} {clock}", state.left));
        }
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

    fn moved(&mut self, _: &Pile, by: Seat, mv: &Take, _: &Pile, out: &mut Lines) {
        if KIND >= OPEN && by != self.seat {
            out.push(mv.to_string());
        }
    }
}
