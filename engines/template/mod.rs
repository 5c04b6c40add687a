#![doc = include_str!("README.md")]

mod engine;
mod picture;
mod protocol;
mod rules;
#[cfg(test)]
mod tests;
mod view;

use std::time::Duration;

pub use rules::{Move, Options, State};
pub use view::View;

use crate::game::{BadOptions, Foul, Game, Info, Outcome, Seat};
use crate::perfect_information::{AlternatingPlayer, AlternatingReferee, can_tell_start};
use crate::protocol::{Player, Referee, Settings};
use crate::rng::Seed;
use crate::search::EngineSpec;

/// The game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TakeAway;

impl Game for TakeAway {
    const INFO: Info = Info {
        think: Duration::from_millis(100),
        ..Info::without_contest("takeaway", "Take-away", "Taking counters from a heap; perfect information.")
    };
    type Options = Options;
    type Move = Move;
    type State = State;
    type View = View;

    fn deal(options: &Options, seed: &Seed) -> Result<State, BadOptions> {
        State::deal(options, seed)
    }

    fn engines() -> &'static [EngineSpec<Self>] {
        const { &[engine::SPEC, crate::search_kit::random::spec()] }
    }

    fn player(settings: &Settings) -> Result<Box<dyn Player<Self>>, BadOptions> {
        settings.only(&[])?;
        Ok(Box::new(AlternatingPlayer::default()))
    }

    fn referee(seat: Seat, settings: &Settings) -> Result<Box<dyn Referee<Self>>, BadOptions> {
        settings.only(&[])?;
        Ok(Box::new(AlternatingReferee::new(seat)))
    }

    fn can_tell(start: &State, _: Seat) -> Result<(), String> {
        can_tell_start::<Self>(start)
    }

    fn broken_rule(view: &View, mv: &Move) -> Option<String> {
        let left = view.state().counters;
        match mv.take {
            0 | 4.. => Some(format!("a move takes 1 to {} counters", rules::TAKES)),
            take if take > left => Some(format!("the heap has only {left} left")),
            _ => None,
        }
    }

    fn foul(_: &State, seat: Seat, reason: &str) -> Foul<Self> {
        Foul::End(Outcome::lost_by(seat, rules::points_of(seat.other()), reason))
    }
}
