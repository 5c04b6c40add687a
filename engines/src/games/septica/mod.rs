#![doc = include_str!("README.md")]

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

pub use rules::{Draws, Move, Options, Rank, ShortDeck, State};
pub use view::View;

use crate::dialogue::{DialogueInfo, MIRROR, SettingInfo, SettingValues};
use crate::encoding::Encode;
use crate::game::{BadOptions, ContestScore, Foul, Game, Info, Outcome, Process, Seat, VALUE_BYTES};
use crate::harness_file::HarnessFormat;
use crate::label::DecisionLabel;
use crate::protocol::{Lines, Player, Referee, Settings};
use crate::rng::{Rng, Seed};
use crate::search::EngineSpec;

/// The game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Septica;

/// A setting that states whether the computer waits for our `0` or card in a trick that we led.
macro_rules! zero {
    ($name:literal, $situation:literal) => {
        SettingInfo {
            name: $name,
            values: SettingValues::Words(&["auto", "yes", "no"]),
            default: "auto",
            meaning: concat!(
                "In a trick that we led: ",
                $situation,
                " `yes`: it awaits our `0` or a card; `no`: it ends the trick itself; `auto` waits 300 ms once to find out."
            ),
        }
    };
}

impl Game for Septica {
    const INFO: Info = Info {
        slug: "septica",
        title: "Septica",
        summary: "Tricks with 32 cards for two: sevens and the led rank cut, tens and aces count.",
        min_seats: 2,
        max_seats: 2,
        bot_seats: &[1],
        mirror_seats: &[0],
        contest_score: Some(ContestScore::Result { win: 1, draw: 1, loss: 0 }),
        perfect_information: false,
        process: Process::PerMatch,
        move_limit: None,
        match_limit: None,
        think: Duration::from_millis(2),
        max_position_bytes: view::MOST_VALUES * VALUE_BYTES,
        max_dialogue_bytes: protocol::MAX_BYTES,
        judge_nodes: 100_000,
    };
    const DIALOGUE: DialogueInfo = DialogueInfo {
        referee: &[MIRROR],
        settings: &[
            SettingInfo {
                name: "matches",
                values: SettingValues::From(1),
                default: "1000",
                meaning: "The bot stops after this many scores.",
            },
            SettingInfo {
                name: "draws",
                values: SettingValues::Words(&["player", "split"]),
                default: "player",
                meaning: "How equal points count: as the player's win, as in the contest, or half for each.",
            },
            zero!("final_zero", "the computer answered; both hands and the deck are empty."),
            zero!(
                "empty_hand_zero",
                "the computer answered; our hand and the deck are empty, the computer holds cards."
            ),
            zero!("deck_left_zero", "the computer answered; our hand is empty, the deck is not."),
            zero!("last_card_zero", "the computer answered with its last card; we hold cards."),
            zero!("unanswered_zero", "the computer has no card to answer ours with."),
        ],
        ..DialogueInfo::PLAIN
    };
    type Options = Options;
    type Move = Move;
    type State = State;
    type View = View;

    /// Every way of dealing a short deck, with equal points as the player's win, as in the contest. The dialogue reveals
    /// neither. The player's side assumes this value of equal points unless its settings give another.
    fn variants() -> Vec<Options> {
        ShortDeck::ALL.map(|short_deck| Options { short_deck, draws: Draws::Player }).to_vec()
    }

    fn deal(options: &Options, seed: &Seed) -> Result<State, BadOptions> {
        Ok(State::deal(options, seed))
    }

    fn engines() -> &'static [EngineSpec<Self>] {
        const {
            &[
                engine::SPEC,
                engine::GREEDY,
                engine::PAGE,
                engine::POINTS,
                engine::PAGE_LEADS,
                crate::search_kit::random::spec(),
            ]
        }
    }

    fn player(settings: &Settings) -> Result<Box<dyn Player<Self>>, BadOptions> {
        Ok(Box::new(protocol::PlayerDialogue::new(settings)?))
    }

    fn referee(seat: Seat, settings: &Settings) -> Result<Box<dyn Referee<Self>>, BadOptions> {
        Ok(Box::new(protocol::RefereeDialogue::new(seat, settings)?))
    }

    fn harness_formats() -> &'static [HarnessFormat<Self>] {
        const { &[protocol::DIALOGUE] }
    }

    fn distort(state: &State, seat: Seat, lines: &mut Lines, rng: &mut Rng) {
        protocol::distort(state, seat, lines, rng);
    }

    /// The first line is the bot's hand. Then its dialogue says who leads, and it takes all other cards to be unseen.
    fn can_tell(start: &State, _: Seat) -> Result<(), String> {
        let is_full = start.hands.iter().all(|hand| hand.len() == rules::HAND);
        match is_full && start.trick.is_empty() && start.taken.iter().all(Vec::is_empty) {
            true => Ok(()),
            false => {
                Err("more than its first cards: the match must begin before the first one is played"
                    .to_owned())
            }
        }
    }

    fn options_of(start: &State) -> Options {
        start.options
    }

    /// A view does not say how a short deck is dealt.
    fn set_options(start: &mut State, options: &Options) -> Result<(), BadOptions> {
        if start.options.draws != options.draws {
            return Err(BadOptions("draws: the position gives equal points another value".to_owned()));
        }
        start.options = *options;
        Ok(())
    }

    fn redraw(state: &mut State, rng: &mut Rng) {
        state.deck.sort_unstable();
        rng.shuffle(&mut state.deck);
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
        Foul::End(Outcome::lost_by(seat, state.open().points().map(i32::from).to_vec(), reason))
    }
}
