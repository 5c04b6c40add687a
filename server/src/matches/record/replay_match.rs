//! A record as a match to replay with a program.

use std::time::Duration;

use engines::arena::{RecordedAnswer, RecordedTurn, ReplayMatch, ReplaySeat};
use engines::game::Seat;
use engines::protocol::Settings;

use crate::matches::event::{FoulKind, MoveTimes};
use crate::matches::record::{Record, RecordedEvent, RecordedSeat};

impl Record {
    /// The match with the turns that count; `None`: the record does not begin with the creation of a match.
    pub fn replay_match(&self) -> Option<ReplayMatch> {
        let created = self.creation()?;
        let seat = |(name, seat): (String, &RecordedSeat)| ReplaySeat {
            name,
            is_bot: !matches!(seat, RecordedSeat::Engine { .. }),
            ..ReplaySeat::default()
        };
        let mut seats: Vec<ReplaySeat> = self.names().into_iter().zip(&created.seats).map(seat).collect();
        let per_move = created.clock.and_then(|clock| clock.move_ms);
        let mut left = vec![created.clock.and_then(|clock| clock.initial_ms); seats.len()];
        let mut turns: Vec<RecordedTurn> = Vec::new();
        for entry in &self.events {
            let (seat, answer, played, times, left_ms) = match &entry.what {
                RecordedEvent::Moved { seat, notation, times, left_ms, .. } => {
                    (seat, RecordedAnswer::Move(notation.clone()), Some(notation.clone()), times, left_ms)
                }
                RecordedEvent::Fouled { seat, kind, detail, instead, times, left_ms, .. } => {
                    (seat, answer(*kind, detail), instead.clone(), times, left_ms)
                }
                RecordedEvent::TakenBack { ply, .. } => {
                    turns.truncate(*ply as usize);
                    continue;
                }
                RecordedEvent::RefereeSet { seat, settings } => {
                    if let Some(seat) = seats.get_mut(seat.index()) {
                        seat.referee = Settings(settings.clone());
                    }
                    continue;
                }
                _ => continue,
            };
            let before = left.get(seat.index()).copied().flatten();
            turns.push(turn(*seat, answer, played, times, [per_move, before].into_iter().flatten().min()));
            if let Some(left) = left.get_mut(seat.index()) {
                *left = *left_ms;
            }
        }
        Some(ReplayMatch { start: created.state.clone(), turns, seats })
    }
}

fn turn(
    seat: Seat,
    answer: RecordedAnswer,
    played: Option<String>,
    times: &MoveTimes,
    left_ms: Option<u64>,
) -> RecordedTurn {
    let taken = (answer != RecordedAnswer::NotAsked).then(|| Duration::from_micros(times.think_us));
    RecordedTurn { seat, answer, played, taken, left: left_ms.map(Duration::from_millis) }
}

fn answer(kind: FoulKind, detail: &str) -> RecordedAnswer {
    let kind = match kind {
        FoulKind::Time => "time",
        FoulKind::IllegalMove => "illegal move",
        FoulKind::BadLine => "bad line",
        FoulKind::Crash => "crash",
        FoulKind::Out => return RecordedAnswer::NotAsked,
    };
    RecordedAnswer::Fault(format!("{kind}: {detail}"))
}
