//! Tables without their types: a match and its referee.

use std::time::Duration;

use serde_json::Value;

use crate::erased::adapter::position::ErasedPosition;
use crate::erased::adapter::{from_value, read_move, to_value};
use crate::erased::{AnyTable, MoveInput, MoveText, Position, ReadMove, Refusal, RefusalCode};
use crate::game::{Game, Outcome, Seat, State, Turn, Viewer};
use crate::protocol::{Lines, Settings};
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

    fn read(&self, mv: MoveInput<'_>) -> Result<ReadMove, Refusal> {
        let mv: G::Move = match mv {
            MoveInput::Json(json) => from_value(RefusalCode::BadMove, json)?,
            MoveInput::Notation(notation) => read_move::<G>(notation)?,
        };
        Ok(ReadMove { text: MoveText::of(&mv), typed: Box::new(mv) })
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
