//! A run, checked before its first match: the players that meet on each deal. The settings determine all of it.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::clock::TimeLimits;
use super::lineup::line_ups;
use super::opening::{Dealer, DealtMatch};
use super::positions;
use super::spec::{Contestant, PlayerSpec};
use super::sprt::Sprt;
use crate::dialogue::knows_mirror;
use crate::erased::{AnyGame, StartPosition};
use crate::game::Seat;
use crate::rng::{Rng, Seed};

/// The settings of a run.
#[derive(Clone, Debug)]
pub struct PlanOptions {
    /// The players, at least two; or one, which plays itself.
    pub players: Vec<Contestant>,
    /// Number of matches. `None`: each position once in every line-up; without positions 100.
    pub games: Option<u32>,
    /// The seed of all deals and of all random numbers of engines.
    pub seed: Seed,
    /// The game's options, by its schema.
    pub options: Value,
    /// The length of openings: the moves of each deal that the arena makes at random, the same in all matches of the deal.
    /// `None`: none, or, if the game has the same deal for every seed or few different ones, as many as make deals differ.
    pub opening_plies: Option<u32>,
    /// The positions from which the matches begin, one after the other: all matches of a deal from one of them, with the same
    /// draw of what it leaves unknown. Empty: matches begin with deals.
    pub positions: Vec<StartPosition>,
    /// How long players may take.
    pub limits: TimeLimits,
    /// Matches played at the same time.
    pub concurrency: usize,
    /// Whether records keep the moves.
    pub keep_moves: bool,
    /// Whether records keep what programs read before a mistake, and the last lines of their standard error.
    pub keep_details: bool,
    /// The folder for a log file of each program in each match: its dialogue, times, and standard error.
    pub log_dir: Option<PathBuf>,
}

/// The number of matches of a run without positions, if the settings name none.
const USUAL_GAMES: u32 = 100;

/// The name of the positions in the settings as JSON; absent without positions.
pub(super) const POSITIONS: &str = "positions";

/// Settings of an impossible run; the text says why and what is possible.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadPlan(pub String);

/// One match to play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Its number, from 0.
    pub game: u32,
    /// Its deal, from 0.
    pub deal: u32,
    /// The seed of the deal.
    pub seed: Seed,
    /// The player of each seat, as an index.
    pub seats: Vec<usize>,
}

/// A run that can be played.
pub struct RunPlan {
    pub(super) game: &'static dyn AnyGame,
    pub(super) wanted: PlanOptions,
    pub(super) seats: usize,
    games: u32,
    line_ups: Vec<Vec<usize>>,
    opening_plies: u32,
    notes: Vec<String>,
    sprt: Option<Sprt>,
}

impl RunPlan {
    /// Checks the settings.
    ///
    /// # Errors
    /// When players, options or numbers do not fit the game.
    pub fn new(game: &'static dyn AnyGame, wanted: PlanOptions) -> Result<Self, BadPlan> {
        let bad = |text: String| Err(BadPlan(text));
        if wanted.players.is_empty() || wanted.players.len() > 16 {
            return bad("between 1 and 16 players can be named".to_owned());
        }
        if wanted.games == Some(0) || wanted.concurrency == 0 {
            return bad("at least one game, and one at a time, is needed".to_owned());
        }
        let names: Vec<&str> = wanted.players.iter().map(|p| p.name.as_str()).collect();
        if let Some((i, name)) = names.iter().enumerate().find(|(i, n)| names[..*i].contains(n)) {
            return bad(format!("'{name}' is the name of two players (the second is player {})", i + 1));
        }
        for player in &wanted.players {
            check_engine(game, player)?;
            if let Some(referee) = player.spec.referee() {
                game.check_referee(referee).map_err(|e| BadPlan(format!("{}: {}", player.name, e.detail)))?;
            }
        }
        if !wanted.positions.is_empty() && wanted.opening_plies.is_some_and(|plies| plies > 0) {
            return bad("matches begin either with positions or with openings, not with both".to_owned());
        }
        let seats = match wanted.positions.as_slice() {
            [] => game
                .deal(&wanted.options, &wanted.seed)
                .map(|table| table.seats().into())
                .map_err(|e| e.detail),
            positions => positions::check(game, positions, &wanted.options, &[]),
        };
        let seats: usize = seats.map_err(BadPlan)?;
        let foreign: Vec<usize> = game.info().bot_seats.iter().map(|s| usize::from(*s)).collect();
        let may = |player: usize, seat: usize| {
            wanted.players[player].spec.referee().is_none_or(|referee| {
                u8::try_from(seat).is_ok_and(|seat| game.info().bot_can_hold(seat, knows_mirror(referee)))
            })
        };
        let lines = line_ups(names.len(), seats, may);
        if lines.all.is_empty() {
            return bad(format!(
                "no line-up is possible: the official dialogue lets programs hold only {}",
                seat_list(&foreign)
            ));
        }
        let programs = seats_of_programs(&wanted.players, &lines.all);
        let chosen = match wanted.positions.as_slice() {
            [] => Dealer { game, options: &wanted.options }.choose(wanted.opening_plies, &programs),
            positions => positions::check(game, positions, &wanted.options, &programs).map(|_| (0, None)),
        };
        let (opening_plies, note) = chosen.map_err(BadPlan)?;
        let notes = note.into_iter().collect();
        let each = u32::try_from(wanted.positions.len() * lines.all.len()).unwrap_or(u32::MAX);
        let games = wanted.games.unwrap_or(if each == 0 { USUAL_GAMES } else { each });
        let line_ups = lines.all;
        let mut plan = Self { game, seats, games, line_ups, opening_plies, notes, sprt: None, wanted };
        plan.note_what_is_uneven(lines.left_out, &foreign);
        Ok(plan)
    }

    /// The same run, ended as soon as the test has decided.
    ///
    /// # Errors
    /// When there are not two players at two seats: the test compares two.
    pub fn with_sprt(self, sprt: Sprt) -> Result<Self, BadPlan> {
        if self.wanted.players.len() != 2 || self.seats != 2 {
            let (players, seats) = (self.wanted.players.len(), self.seats);
            return Err(BadPlan(format!(
                "a sequential test compares two players at a table of two seats: here are {players} at {seats}"
            )));
        }
        Ok(Self { sprt: Some(sprt), ..self })
    }

    /// The test that ends the run early, if there is one.
    pub fn sprt(&self) -> Option<&Sprt> {
        self.sprt.as_ref()
    }

    fn note_what_is_uneven(&mut self, left_out: usize, foreign: &[usize]) {
        if left_out > 0 {
            let programs = self.wanted.players.iter().filter(|p| p.spec.referee().is_some());
            let names: Vec<&str> = programs.map(|p| p.name.as_str()).collect();
            self.notes.push(format!(
                "SEATS NOT EXCHANGED: the official dialogue lets programs ({}) hold only {}; {left_out} of {} line-ups \
                 of each deal are not played, so the score holds the advantage of the seat",
                names.join(", "),
                seat_list(foreign),
                left_out + self.line_ups.len(),
            ));
        }
        if !(self.games as usize).is_multiple_of(self.line_ups.len()) {
            self.notes.push(format!(
                "{} games are no multiple of {}: the last deal is not played in all line-ups",
                self.games,
                self.line_ups.len()
            ));
        }
    }

    /// Notes for readers of the results: deals that are all the same, seats that are not exchanged, an incomplete last deal.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The number of positions from which the matches begin; 0: they begin with deals.
    pub fn positions(&self) -> usize {
        self.wanted.positions.len()
    }

    /// Number of games.
    pub fn games(&self) -> u32 {
        self.games
    }

    /// The seed in its shortest form: a number if it is one.
    pub fn seed_text(&self) -> String {
        let (number, rest) = self.wanted.seed.0.split_at(8);
        match <[u8; 8]>::try_from(number) {
            Ok(number) if rest.iter().all(|b| *b == 0) => u64::from_le_bytes(number).to_string(),
            _ => self.wanted.seed.to_string(),
        }
    }

    /// Number of seats at the table.
    pub fn seats(&self) -> usize {
        self.seats
    }

    /// The players, in the order in which they were named.
    pub fn players(&self) -> &[Contestant] {
        &self.wanted.players
    }

    /// Number of games played on each deal.
    pub fn games_per_deal(&self) -> usize {
        self.line_ups.len()
    }

    /// Match number `game`.
    pub fn fixture(&self, game: u32) -> Fixture {
        let per_deal = u32::try_from(self.line_ups.len()).expect("there are few line-ups");
        let deal = game / per_deal;
        Fixture {
            game,
            deal,
            seed: Rng::stream(&self.wanted.seed, u64::from(deal)).seed(),
            seats: self.line_ups[(game % per_deal) as usize].clone(),
        }
    }

    /// The number of moves of each deal that the arena makes at random before the players.
    pub fn opening_plies(&self) -> u32 {
        self.opening_plies
    }

    /// The match of a fixture before the first move of its players.
    ///
    /// # Errors
    /// If a position of the plan cannot begin a match; one sentence.
    pub fn deal(&self, fixture: &Fixture) -> Result<DealtMatch, String> {
        let positions = &self.wanted.positions;
        if let Some(position) = positions.get(fixture.deal as usize % positions.len().max(1)) {
            let start = positions::begin(self.game, position, &self.wanted.options, &fixture.seed)?;
            return Ok(DealtMatch { table: start.table, opening: Vec::new() });
        }
        let dealer = Dealer { game: self.game, options: &self.wanted.options };
        dealer.deal(&fixture.seed, self.opening_plies)
    }

    /// The settings as JSON, with the versions of the engines: all that determines this run.
    pub fn to_json(&self) -> Value {
        let players: Vec<Value> = self
            .wanted
            .players
            .iter()
            .map(|p| {
                let mut json = json!({"name": p.name, "spec": p.text});
                if let Some(engine) = self.engine_of(p) {
                    json["engine"] = json!(engine);
                }
                json
            })
            .collect();
        let mut json = json!({
            "format": "kibitz arena 1",
            "game": self.game.info().slug,
            "options": self.wanted.options,
            "players": players,
            "games": self.games,
            "games_per_deal": self.line_ups.len(),
            "seed": self.wanted.seed,
            "opening_plies": self.opening_plies,
            "limits": self.wanted.limits,
            "sprt": self.sprt,
            "concurrency": self.wanted.concurrency,
            "notes": self.notes,
        });
        if !self.wanted.positions.is_empty() {
            json[POSITIONS] = json!(self.wanted.positions);
        }
        json
    }

    /// The first difference between this run and the one with these settings, in words; `None` if their games are the
    /// same. The number of games and of concurrent games does not matter.
    pub fn difference(&self, settings: &Value) -> Option<String> {
        let own = self.to_json();
        let differs = |what: &str, theirs: &Value, ours: &Value| {
            (theirs != ours).then(|| format!("{what} is {theirs} there and {ours} here"))
        };
        let whole = |key: &str| differs(key, &settings[key], &own[key]);
        let players = || {
            let (theirs, ours) = (settings["players"].as_array()?, own["players"].as_array()?);
            let count = differs("the number of players", &json!(theirs.len()), &json!(ours.len()));
            let mut each = theirs.iter().zip(ours).enumerate().flat_map(|(i, (t, o))| {
                ["name", "spec", "engine"].map(|key| (format!("{key} of player {}", i + 1), &t[key], &o[key]))
            });
            count.or_else(|| each.find_map(|(what, theirs, ours)| differs(&what, theirs, ours)))
        };
        // Builds without openings did not write their length.
        let theirs = settings.get("opening_plies").cloned().unwrap_or_else(|| json!(0));
        let opening = || differs("opening_plies", &theirs, &own["opening_plies"]);
        let positions = || {
            (settings[POSITIONS] != own[POSITIONS])
                .then(|| "its matches begin with other positions".to_owned())
        };
        ["format", "game", "options"]
            .into_iter()
            .find_map(whole)
            .or_else(players)
            .or_else(|| ["players", "games_per_deal", "seed"].into_iter().find_map(whole))
            .or_else(opening)
            .or_else(positions)
            .or_else(|| ["limits", "sprt"].into_iter().find_map(whole))
    }

    /// Name and version of a player that is an engine.
    pub fn engine_of(&self, player: &Contestant) -> Option<String> {
        let PlayerSpec::Engine { name, .. } = &player.spec else { return None };
        let engines = self.game.engines();
        let found = engines.iter().find(|e| name.as_ref().is_none_or(|n| *n == e.name));
        found.map(|e| format!("{} {}", e.name, e.version))
    }
}

/// The seats that programs hold in some line-up.
fn seats_of_programs(players: &[Contestant], line_ups: &[Vec<usize>]) -> Vec<Seat> {
    let is_program = |player: &usize| players[*player].spec.referee().is_some();
    let held = |seat: &Seat| line_ups.iter().any(|line| line.get(seat.index()).is_some_and(is_program));
    (0..=u8::MAX).map(Seat).filter(held).collect()
}

fn check_engine(game: &dyn AnyGame, player: &Contestant) -> Result<(), BadPlan> {
    let PlayerSpec::Engine { name: Some(name), .. } = &player.spec else { return Ok(()) };
    let engines: Vec<String> = game.engines().into_iter().map(|e| e.name).collect();
    if engines.contains(name) {
        return Ok(());
    }
    let text = format!("no engine is called '{name}' here: there are {}", engines.join(", "));
    Err(BadPlan(format!("player {}: {text}", player.name)))
}

fn seat_list(seats: &[usize]) -> String {
    let numbers: Vec<String> = seats.iter().map(usize::to_string).collect();
    if let [one] = numbers.as_slice() {
        format!("seat {one}")
    } else {
        format!("seats {}", numbers.join(", "))
    }
}
