#![doc = include_str!("README.md")]

mod allot;
mod broken_rule;
mod encoding;
pub mod engine;
mod label;
mod picture;
mod protocol;
mod rules;
#[cfg(test)]
mod tests;
mod view;

use std::time::Duration;

pub use rules::{Colour, Move, Options, State};
pub use view::View;

use crate::dialogue::{DialogueInfo, SettingInfo, SettingValues};
use crate::encoding::Encode;
use crate::game::{BadOptions, ContestScore, Foul, Game, Info, Outcome, Process, Seat, VALUE_BYTES};
use crate::harness_file::HarnessFormat;
use crate::label::DecisionLabel;
use crate::protocol::{Lines, Player, Referee, Settings};
use crate::rng::{Rng, Seed};
use crate::search::EngineSpec;

/// The game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Azul;

/// Points of a seat that breaks the rules, runs out of time or crashes.
const FOUL_POINTS: i32 = -50;

impl Game for Azul {
    const INFO: Info = Info {
        slug: "azul",
        title: "Azul",
        summary: "Drafting tiles for a wall: two players, nothing hidden, chance only in the refills.",
        min_seats: 2,
        max_seats: 2,
        bot_seats: &[0, 1],
        mirror_seats: &[],
        contest_score: Some(ContestScore::Points),
        perfect_information: false,
        process: Process::PerMatch,
        move_limit: None,
        match_limit: Some(Duration::from_secs(30)),
        think: Duration::from_millis(500),
        max_position_bytes: view::MOST_VALUES * VALUE_BYTES,
        max_dialogue_bytes: protocol::MAX_BYTES,
        judge_nodes: 4_000,
    };
    const DIALOGUE: DialogueInfo = DialogueInfo {
        referee: &[],
        settings: &[
            SettingInfo {
                name: "input",
                values: SettingValues::Words(&["state", "update", "both"]),
                default: "state",
                meaning: "What the bot asks the runner for: the position, the moves since the last turn, or both.",
            },
            SettingInfo {
                name: "opened",
                values: SettingValues::Words(&["no", "yes"]),
                default: "no",
                meaning: "`yes`: the bot has printed that first word already, so it is not printed again.",
            },
        ],
        ..DialogueInfo::PLAIN
    };
    type Options = Options;
    type Move = Move;
    type State = State;
    type View = View;

    fn deal(options: &Options, seed: &Seed) -> Result<State, BadOptions> {
        State::deal(options, seed)
    }

    fn engines() -> &'static [EngineSpec<Self>] {
        const {
            &[
                engine::SPEC,
                engine::GREEDY,
                engine::ALPHABETA,
                engine::PLAIN,
                crate::search_kit::random::spec(),
                engine::CASUAL,
            ]
        }
    }

    /// Settings: `input` is `state` (default), `update` or `both`, the format that the bot asks the runner for. `opened` is
    /// `no` (default) or `yes`, which means that the bot has already printed that word.
    fn player(settings: &Settings) -> Result<Box<dyn Player<Self>>, BadOptions> {
        Ok(Box::new(protocol::PlayerDialogue::new(settings)?))
    }

    fn referee(seat: Seat, settings: &Settings) -> Result<Box<dyn Referee<Self>>, BadOptions> {
        settings.only(&[])?;
        Ok(Box::new(protocol::RefereeDialogue::new(seat)))
    }

    fn harness_formats() -> &'static [HarnessFormat<Self>] {
        const { &[protocol::DIALOGUE] }
    }

    fn distort(_: &State, _: Seat, lines: &mut Lines, rng: &mut Rng) {
        protocol::distort(lines, rng);
    }

    /// A bot that asks for `state` or `both` reads the whole position at each turn. One that asks for `update` is told when it
    /// asks: see `protocol::RefereeDialogue`.
    fn can_tell(_: &State, _: Seat) -> Result<(), String> {
        Ok(())
    }

    fn redraw(state: &mut State, rng: &mut Rng) {
        *state = State::at(*state.position(), rng.seed());
    }

    fn label(view: &View, mv: &Move) -> DecisionLabel {
        label::label(view, mv)
    }

    fn encoder() -> Option<&'static dyn Encode<Self>> {
        Some(&Self)
    }

    fn broken_rule(view: &View, mv: &Move) -> Option<String> {
        broken_rule::broken_rule(view, mv)
    }

    fn foul(state: &State, seat: Seat, reason: &str) -> Foul<Self> {
        let mut points = state.position().boards.map(|b| i32::from(b.score)).to_vec();
        points[seat.index()] = FOUL_POINTS;
        Foul::End(Outcome::lost_by(seat, points, reason))
    }

    fn allot(view: &View, clock: Duration) -> Duration {
        allot::share(view.position(), clock)
    }
}
