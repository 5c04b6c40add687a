#![doc = include_str!("README.md")]

mod encoding;
pub mod engine;
mod label;

mod picture;
mod protocol;

pub mod rules;
#[cfg(test)]
mod tests;
mod view;

use std::time::Duration;

pub use rules::{Color, Colors, Move, Options, State};
pub use view::View;

use crate::dialogue::{CountedTime, DialogueInfo, SettingInfo, SettingValues};
use crate::encoding::Encode;
use crate::game::{BadOptions, ContestScore, Foul, Game, Info, Process, RecordFormat, Seat, VALUE_BYTES};
use crate::harness_file::HarnessFormat;
use crate::label::DecisionLabel;
use crate::protocol::{Lines, Player, Referee, Settings};
use crate::rng::{Rng, Seed};
use crate::search::EngineSpec;

/// The game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Splendor;

impl Game for Splendor {
    const INFO: Info = Info {
        slug: "splendor",
        title: "Splendor",
        summary: "Collecting chips and gem cards towards 15 points; 1 to 4 players, hidden decks.",
        min_seats: 1,
        max_seats: 4,
        bot_seats: &[0, 1, 2, 3],
        mirror_seats: &[],
        contest_score: Some(ContestScore::Places),
        perfect_information: false,
        process: Process::PerMove,
        move_limit: Some(Duration::from_secs(10)),
        match_limit: None,
        think: Duration::from_secs(1),
        max_position_bytes: view::MOST_VALUES * VALUE_BYTES,
        max_dialogue_bytes: protocol::MAX_BYTES,
        judge_nodes: 4_000,
    };
    const DIALOGUE: DialogueInfo = DialogueInfo {
        settings: &[
            SettingInfo {
                name: "base",
                values: SettingValues::Words(&["auto", "0", "1"]),
                default: "auto",
                meaning: "What the input's header counts players and rounds from. `auto` finds out from the position.",
            },
            SettingInfo {
                name: "base_before",
                values: SettingValues::Kept(&["auto", "0", "1"]),
                default: "auto",
                meaning: "What earlier processes of this match and others asked to keep. The shim passes it on from its memory.",
            },
        ],
        referee: &[SettingInfo {
            name: "base",
            values: SettingValues::Words(&["1", "0"]),
            default: "1",
            meaning: "What the header that the bot reads counts players and rounds from.",
        }],
        pass: Some("1 0"),
        counts: CountedTime::Processor,
    };
    type Options = Options;
    type Move = Move;
    type State = State;
    type View = View;

    fn variants() -> Vec<Options> {
        [2, 1, 3, 4].map(|players| Options { players }).to_vec()
    }

    fn deal(options: &Options, seed: &Seed) -> Result<State, BadOptions> {
        State::deal(options, seed)
    }

    fn engines() -> &'static [EngineSpec<Self>] {
        const { &[engine::SPEC, engine::GREEDY, engine::CASUAL, engine::PLAIN, crate::search_kit::random::spec()] }
    }

    fn player(settings: &Settings) -> Result<Box<dyn Player<Self>>, BadOptions> {
        Ok(Box::new(protocol::PlayerDialogue::new(settings)?))
    }

    fn referee(seat: Seat, settings: &Settings) -> Result<Box<dyn Referee<Self>>, BadOptions> {
        Ok(Box::new(protocol::RefereeDialogue::new(seat, settings)?))
    }

    fn formats() -> &'static [RecordFormat<Self>] {
        const { &[protocol::FORMAT] }
    }

    fn harness_formats() -> &'static [HarnessFormat<Self>] {
        const { &[protocol::SAVED_GAME, protocol::INPUT] }
    }

    fn distort(_: &State, reader: Seat, lines: &mut Lines, rng: &mut Rng) {
        protocol::distort(reader, lines, rng);
    }

    fn label(view: &View, mv: &Move) -> DecisionLabel {
        label::label(view, mv)
    }

    fn encoder() -> Option<&'static dyn Encode<Self>> {
        Some(&Self)
    }

    fn broken_rule(view: &View, mv: &Move) -> Option<String> {
        view.broken_rule(mv)
    }

    /// A bot reads the whole position at each move.
    fn can_tell(_: &State, _: Seat) -> Result<(), String> {
        Ok(())
    }

    fn redraw(state: &mut State, rng: &mut Rng) {
        for deck in &mut state.decks {
            deck.sort_unstable();
            rng.shuffle(deck);
        }
    }

    /// A mistake makes the action void: the turn passes. An explicit pass has the same effect unless a noble is due.
    fn foul(state: &State, _: Seat, _: &str) -> Foul<Self> {
        Foul::Play(if state.board.noble_due().is_some() { Move::Void } else { Move::PASS })
    }
}
