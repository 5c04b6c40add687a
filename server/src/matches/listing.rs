//! What lists say of a match, and what it is worth for the players in it. Made from the ledger and the events that
//! are about to be appended, since both are stored together.

use engines::game::Seat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::MatchId;
use crate::domain::PlayerRef;
use crate::domain::Stage;
use crate::domain::time::Millis;
use crate::matches::event::{Created, Ended, Event, Result as MatchResult, SeatSetup};
use crate::matches::ledger::Ledger;
use crate::matches::render::WhoShown;
use crate::store::MatchRow;

/// What lists say of a match besides the columns of its row.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Summary {
    /// Who sits where.
    pub seats: Vec<SeatListed>,
    /// Whether its seats may ask engines for advice while they play; not there for matches from before that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hints: Option<bool>,
    /// The result, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<MatchResult>,
}

/// A seat in a list.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeatListed {
    /// Who sits there or may.
    #[serde(flatten)]
    pub who: WhoShown,
    /// Its place in the result, 1 = winner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u8>,
    /// Its points in the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<i32>,
}

/// The row of a match that begins with these events.
pub fn first_row(created: &Created, created_ms: Millis, rest: &[Event]) -> MatchRow {
    row(created, created_ms, created_ms, created.seats.clone(), Stage::Open, rest)
}

/// The row of a match when these events have happened; `None` where they change nothing that lists say.
pub fn next_row(ledger: &Ledger, events: &[Event], now_ms: Millis) -> Option<MatchRow> {
    let tells =
        |e: &Event| matches!(e, Event::Joined { .. } | Event::Left { .. } | Event::Started | Event::Ended(_));
    events.iter().any(tells).then(|| {
        let chairs = ledger.seats().iter().map(|seat| seat.chair.clone()).collect();
        row(ledger.created(), ledger.created_ms(), now_ms, chairs, ledger.stage(), events)
    })
}

fn row(
    created: &Created,
    created_ms: Millis,
    now_ms: Millis,
    mut chairs: Vec<SeatSetup>,
    mut stage: Stage,
    events: &[Event],
) -> MatchRow {
    let mut ended: Option<&Ended> = None;
    for event in events {
        match event {
            Event::Joined { seat, holder } => {
                chairs[seat.index()] = SeatSetup::Held { holder: holder.clone() }
            }
            Event::Left { seat, .. } => chairs[seat.index()] = SeatSetup::Open,
            Event::Started => stage = Stage::Running,
            Event::Ended(end) => {
                stage = Stage::Over;
                ended = Some(end);
            }
            _ => {}
        }
    }
    let result = ended.and_then(|end| end.result.clone());
    let listed = |(seat, chair): (usize, &SeatSetup)| SeatListed {
        who: WhoShown::of(chair),
        rank: result.as_ref().and_then(|r| r.ranks.get(seat).copied()),
        points: result.as_ref().and_then(|r| r.points.as_ref()?.get(seat).copied()),
    };
    let players = chairs.iter().enumerate().filter_map(|(seat, chair)| {
        let seat = Seat(u8::try_from(seat).ok()?);
        Some((player(chair)?.clone(), result.as_ref().map(|r| worth(&r.ranks, seat))))
    });
    let players = players.collect();
    let summary = Summary {
        seats: chairs.iter().enumerate().map(listed).collect(),
        hints: Some(created.hints()),
        result: result.clone(),
    };
    MatchRow {
        game: created.game.clone(),
        stage,
        private: created.key.is_some(),
        created_ms,
        ended_ms: ended.map(|_| now_ms),
        rematch_of: created.rematch_of.as_deref().and_then(MatchId::parse),
        summary: serde_json::to_string(&summary).expect("plain values with text keys"),
        players,
    }
}

/// The player in a seat, or for whom it is kept.
fn player(chair: &SeatSetup) -> Option<&PlayerRef> {
    match chair {
        SeatSetup::Held { holder } | SeatSetup::Reserved { holder } => holder.player.as_ref(),
        SeatSetup::Engine(_) | SeatSetup::Open => None,
    }
}

/// What a result is worth for a seat, 0 to 1: a win is 1, a place shared by k winners is 1/k, else 0.
fn worth(ranks: &[u8], seat: Seat) -> f64 {
    let winners = ranks.iter().filter(|rank| **rank == 1).count();
    if ranks.get(seat.index()) == Some(&1) { 1.0 / winners as f64 } else { 0.0 }
}
