//! Tables without their types: a match and its referee.

use std::time::Duration;

use serde_json::Value;

use crate::erased::adapter::encoded::move_of;
use crate::erased::adapter::position::ErasedPosition;
use crate::erased::adapter::{read_input, read_move, to_value};
use crate::erased::{AnyTable, MoveInput, Position, ReadMove, Refusal, RefusalCode};
use crate::game::{Game, Illegal, Outcome, Seat, State, Turn, Viewer};
use crate::protocol::{Lines, Settings};
use crate::rng::Rng;
use crate::session::RefereedMatch;

impl<G: Game> AnyTable for RefereedMatch<G> {
    fn seats(&self) -> u8 {
        self.table().state().seats()
    }

    fn state_json(&self) -> Value {
        to_value(self.table().state())
    }

    fn fork(&self) -> Box<dyn AnyTable> {
        Box::new(RefereedMatch::of(self.table().clone()))
    }

    fn ply(&self) -> u32 {
        self.table().ply()
    }

    fn turn(&self) -> Turn {
        RefereedMatch::turn(self)
    }

    fn outcome(&self) -> Option<Outcome> {
        self.table().outcome()
    }

    fn view(&self, viewer: Viewer) -> Box<dyn Position> {
        Box::new(ErasedPosition::<G>(self.table().state().view(viewer)))
    }

    fn play(&mut self, seat: Seat, notation: &str) -> Result<(), Refusal> {
        Ok(RefereedMatch::play(self, seat, &read_move::<G>(notation)?)?)
    }

    fn play_random(&mut self, rng: &mut Rng) -> bool {
        RefereedMatch::play_random(self, rng).is_some()
    }

    fn play_action(&mut self, seat: Seat, index: u32) -> Result<(), Refusal> {
        match RefereedMatch::turn(self) {
            Turn::Of(mover) if mover == seat => {
                let mv = move_of::<G>(&self.table().state().view(Viewer::Seat(seat)), index)?;
                Ok(RefereedMatch::play(self, seat, &mv)?)
            }
            Turn::Of(mover) => Err(Illegal::NotYourTurn(mover).into()),
            Turn::Over => Err(Illegal::Over.into()),
        }
    }

    fn read(&self, mv: MoveInput<'_>) -> Result<ReadMove, Refusal> {
        read_input::<G>(mv)
    }

    fn after(&self, seat: Seat, mv: &ReadMove) -> Result<Box<dyn AnyTable>, Refusal> {
        let mut after = RefereedMatch::of(self.table().clone());
        match mv.typed.downcast_ref::<G::Move>() {
            Some(typed) => RefereedMatch::play(&mut after, seat, typed)?,
            // Another game's table read the move: use its text.
            None => AnyTable::play(&mut after, seat, &mv.text.notation)?,
        }
        Ok(Box::new(after))
    }

    fn foul(&mut self, seat: Seat, reason: &str) -> Result<Option<String>, Refusal> {
        Ok(RefereedMatch::foul(self, seat, reason)?.map(|mv| mv.to_string()))
    }

    fn can_tell(&self, seat: Seat) -> Result<(), Refusal> {
        G::can_tell(self.table().state(), seat).map_err(|why| {
            let detail = format!("seat {seat}: the official dialogue cannot tell a bot {why}");
            Refusal::new(RefusalCode::NoBotSeat, detail)
        })
    }

    fn seat_bot(&mut self, seat: Seat, settings: &Settings) -> Result<(), Refusal> {
        // Later the bot knows what has happened since the start.
        if AnyTable::ply(self) == 0 {
            AnyTable::can_tell(self, seat)?;
        }
        RefereedMatch::seat_bot(self, seat, settings).map_err(|e| Refusal::new(RefusalCode::BadOptions, e.0))
    }

    fn suits(&self, seat: Seat, text: &str, other: &Settings) -> bool {
        RefereedMatch::suits(self, seat, text, other)
    }

    fn prompt(&mut self, seat: Seat, clock: Option<Duration>) {
        RefereedMatch::prompt(self, seat, clock);
    }

    fn take_lines(&mut self, seat: Seat) -> Lines {
        RefereedMatch::take_lines(self, seat)
    }

    fn hear(&mut self, seat: Seat, line: &str) -> Result<Option<String>, Refusal> {
        Ok(RefereedMatch::hear(self, seat, line)?.map(|mv| mv.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::games::GAMES;
    use crate::rng::Seed;

    /// The quick way plays the same matches as picking among the listed moves and playing the text, with the same random numbers.
    #[test]
    fn random_move_is_one_of_the_listed_ones() {
        for game in GAMES {
            let dealt = || game.deal(&json!({}), &Seed::from(5)).expect("the usual options are valid");
            let (mut quick, mut slow) = (dealt(), dealt());
            let (mut a, mut b) = (Rng::new(&Seed::from(6)), Rng::new(&Seed::from(6)));
            while quick.play_random(&mut a) {
                let Turn::Of(seat) = slow.turn() else { panic!("{}: over too early", game.info().slug) };
                let view = slow.view(Viewer::Seat(seat));
                let notations = view.legal_notations();
                let texts: Vec<String> = view.legal_moves().into_iter().map(|mv| mv.notation).collect();
                assert_eq!((notations.clone(), view.viewer()), (texts, Viewer::Seat(seat)));
                slow.play(seat, b.pick(&notations).expect("a legal move")).expect("a listed move is legal");
                assert_eq!(quick.ply(), slow.ply());
            }
            assert_eq!((quick.state_json(), quick.outcome()), (slow.state_json(), slow.outcome()));
            assert!(quick.outcome().is_some());
        }
    }
}
