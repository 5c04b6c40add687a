#![doc = include_str!("README.md")]

mod broken_rule;
mod encoding;
mod engine;
mod label;
mod picture;
mod protocol;
mod rules;
#[cfg(test)]
mod tests;
mod view;

use std::time::Duration;

pub use rules::{Move, Options, State};
pub use view::View;

use crate::dialogue::{DialogueInfo, MIRROR};
use crate::encoding::Encode;
use crate::game::{BadOptions, ContestScore, Foul, Game, Info, Outcome, Process, Seat, VALUE_BYTES};
use crate::harness_file::HarnessFormat;
use crate::label::DecisionLabel;
use crate::perfect_information::{AlternatingPlayer, can_tell_start};
use crate::protocol::{Lines, Player, Referee, Settings};
use crate::rng::{Rng, Seed};
use crate::search::EngineSpec;

/// The game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ioiwari;

impl Game for Ioiwari {
    const INFO: Info = Info {
        slug: "ioiwari",
        title: "Ioiwari",
        summary: "Sowing beads on a ring of seven pits; perfect information, solved.",
        min_seats: 2,
        max_seats: 2,
        bot_seats: &[0],
        mirror_seats: &[1],
        contest_score: Some(ContestScore::Result { win: 4, draw: 2, loss: 0 }),
        perfect_information: true,
        process: Process::PerMatch,
        move_limit: Some(Duration::from_secs(1)),
        match_limit: None,
        think: Duration::from_millis(100),
        max_position_bytes: view::MOST_VALUES * VALUE_BYTES,
        max_dialogue_bytes: protocol::MAX_BYTES,
        judge_nodes: 1,
    };
    const DIALOGUE: DialogueInfo = DialogueInfo { referee: &[MIRROR], ..DialogueInfo::PLAIN };
    type Options = Options;
    type Move = Move;
    type State = State;
    type View = View;

    fn deal(options: &Options, seed: &Seed) -> Result<State, BadOptions> {
        State::deal(options, seed)
    }

    fn engines() -> &'static [EngineSpec<Self>] {
        const { &[engine::SPEC, engine::SENSIBLE, crate::search_kit::random::spec()] }
    }

    fn player(settings: &Settings) -> Result<Box<dyn Player<Self>>, BadOptions> {
        settings.only(&[])?;
        Ok(Box::new(AlternatingPlayer::default()))
    }

    fn referee(seat: Seat, settings: &Settings) -> Result<Box<dyn Referee<Self>>, BadOptions> {
        Ok(Box::new(protocol::referee(seat, settings)?))
    }

    fn harness_formats() -> &'static [HarnessFormat<Self>] {
        const { &[protocol::DIALOGUE] }
    }

    fn distort(_: &State, _: Seat, lines: &mut Lines, rng: &mut Rng) {
        protocol::distort(lines, rng);
    }

    fn can_tell(start: &State, _: Seat) -> Result<(), String> {
        can_tell_start::<Self>(start)
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
        Foul::End(Outcome::lost_by(seat, state.banks.map(i32::from).to_vec(), reason))
    }
}
