#![doc = include_str!("README.md")]

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

pub use rules::{Card, Cards, Meld, MeldRules, Move, Options, PublicTable, State};
pub use view::View;

use crate::encoding::Encode;
use crate::game::{BadOptions, ContestScore, Foul, Game, Info, Outcome, Process, Seat, VALUE_BYTES};
use crate::harness_file::HarnessFormat;
use crate::label::DecisionLabel;
use crate::protocol::{Lines, Player, Referee, Settings};
use crate::rng::{Rng, Seed};
use crate::search::EngineSpec;

/// The game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Buraco;

impl Game for Buraco {
    const INFO: Info = Info {
        slug: "buraco",
        title: "Buraco",
        summary: "Rummy for two with long sequences, a wild 2 and a pile to take: hidden hands.",
        min_seats: 2,
        max_seats: 2,
        bot_seats: &[0, 1],
        mirror_seats: &[],
        contest_score: Some(ContestScore::Points),
        perfect_information: false,
        process: Process::PerMatch,
        move_limit: Some(Duration::from_secs(3)),
        match_limit: None,
        think: Duration::from_millis(500),
        max_position_bytes: view::MOST_VALUES * VALUE_BYTES,
        max_dialogue_bytes: protocol::MAX_BYTES,
        judge_nodes: 64_000,
    };
    const LISTS_ALL_MOVES: bool = false;
    type Options = Options;
    type Move = Move;
    type State = State;
    type View = View;

    /// Every choice of the starter, with the rules of the contest's referee, which the dialogue follows.
    fn variants() -> Vec<Options> {
        [None, Some(0), Some(1)].map(|starter| Options { starter, ..Options::default() }).to_vec()
    }

    fn for_people(options: Options) -> Options {
        Options { meld_rules: MeldRules::Written, ..options }
    }

    fn deal(options: &Options, seed: &Seed) -> Result<State, BadOptions> {
        State::deal(options, seed)
    }

    fn engines() -> &'static [EngineSpec<Self>] {
        use engine::{CASUAL, DRAWER, GREEDY, SIMPLE2, SIMPLE3, SIMPLE3_PLAIN, SIMPLE3_STOCK, SPEC};
        const {
            &[
                SPEC,
                GREEDY,
                SIMPLE3,
                SIMPLE3_STOCK,
                SIMPLE3_PLAIN,
                SIMPLE2,
                CASUAL,
                DRAWER,
                crate::search_kit::random::spec(),
            ]
        }
    }

    fn player(settings: &Settings) -> Result<Box<dyn Player<Self>>, BadOptions> {
        settings.only(&[])?;
        Ok(Box::new(protocol::PlayerDialogue::default()))
    }

    fn referee(seat: Seat, settings: &Settings) -> Result<Box<dyn Referee<Self>>, BadOptions> {
        settings.only(&[])?;
        Ok(Box::new(protocol::RefereeDialogue::new(seat)))
    }

    fn harness_formats() -> &'static [HarnessFormat<Self>] {
        const { &[protocol::LOG, protocol::START] }
    }

    fn distort(_: &State, _: Seat, lines: &mut Lines, rng: &mut Rng) {
        protocol::distort(lines, rng);
    }

    /// The referee's first lines are the own hand, the top of the pile and the seat to move; a bot takes the other hand to be
    /// as large.
    fn can_tell(start: &State, _: Seat) -> Result<(), String> {
        let open = &start.open;
        let is_start = open.melds.iter().all(Vec::is_empty) && open.pile().len() == 1 && !open.drawn;
        let is_unknown = open.known.iter().all(Vec::is_empty);
        match is_start && is_unknown && start.hands[0].len() == start.hands[1].len() {
            true => Ok(()),
            false => Err("more than its hand and one card of the pile: the match must begin before the first draw, without melds, \
                          with equal hands"
                .to_owned()),
        }
    }

    fn options_of(start: &State) -> Options {
        Options { starter: None, meld_rules: start.open.meld_rules() }
    }

    fn set_options(start: &mut State, options: &Options) -> Result<(), BadOptions> {
        if options.starter.is_some() {
            return Err(BadOptions("starter: the position says which seat is to move".to_owned()));
        }
        match options.meld_rules == start.open.meld_rules() {
            true => Ok(()),
            false => Err(BadOptions("meld_rules: the position says how melds are checked".to_owned())),
        }
    }

    fn redraw(state: &mut State, rng: &mut Rng) {
        state.stock.sort_unstable();
        rng.shuffle(&mut state.stock);
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

    fn foul(state: &State, seat: Seat, reason: &str) -> Foul<Self> {
        Foul::End(Outcome::lost_by(seat, state.points().to_vec(), reason))
    }
}
