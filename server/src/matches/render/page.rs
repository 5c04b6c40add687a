//! The page of a match: as it is now, for one viewer.

use std::sync::Arc;

use engines::erased::{AnyOptions, AnyPosition, MoveText};
use engines::game::{Seat, Viewer};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::domain::MatchId;
use crate::domain::Stage;
use crate::domain::time::Millis;
use crate::matches::event::{EndKind, Result as MatchResult, SeedFrom};
use crate::matches::ledger::Ledger;
use crate::matches::render::{
    ClockPause, ClockShown, SeatShown, WhoShown, clock, dealt_out, json, look, seats,
};
use crate::matches::service::RenderedEvent;
use crate::schema;
use crate::schema::{GameSlug, HEX};

/// A match as it is now, for one viewer.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MatchPage")]
pub struct Page {
    #[serde(rename = "type")]
    kind: PageKind,
    /// The match.
    #[schemars(with = "schema::MatchId")]
    id: String,
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    game: String,
    /// The options of the deal, by the game's schema.
    #[schemars(with = "AnyOptions")]
    options: Value,
    /// Where it is in its life.
    stage: Stage,
    /// Whether only its seats and who has its key see it.
    private: bool,
    /// Whether its seats may ask engines for advice while they play: all who sit there have agreed to it.
    hints: bool,
    /// When it was made, in milliseconds since 1970.
    created_ms: Millis,
    /// The place of the last event.
    seq: u32,
    /// Moves made so far, those of penalties included: what a move must name.
    ply: u32,
    /// Whose move is awaited.
    turn: Option<Seat>,
    /// Who sits where.
    seats: Vec<SeatShown>,
    /// The clocks; null: without limits.
    clock: Option<ClockShown>,
    /// Ends when nothing happens for so long, in milliseconds (before the start; and after it, without a clock).
    idle_ms: u64,
    /// The viewer's own seat.
    you: Option<Seat>,
    /// The view, by the game's schema; null before the start.
    #[schemars(with = "Option<AnyPosition>")]
    position: Option<Value>,
    /// What the viewer may play now.
    legal_moves: Vec<MoveText>,
    /// The result, where there is one.
    result: Option<MatchResult>,
    /// How it ended.
    ended: Option<EndKind>,
    /// SHA-256 of the salt's bytes followed by the seed's, hexadecimal: told before the first move, so that the deal
    /// can be checked after the last.
    #[schemars(regex(pattern = HEX))]
    commitment: String,
    /// Who chose the seed.
    seed_from: SeedFrom,
    /// What the deal was made from, hexadecimal, when it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = HEX))]
    seed: Option<String>,
    /// The commitment's salt, hexadecimal, when it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = HEX))]
    salt: Option<String>,
    /// The match that this one is the rematch of.
    #[schemars(with = "Option<schema::MatchId>")]
    rematch_of: Option<String>,
    /// The rematch of this one.
    #[schemars(with = "Option<schema::MatchId>")]
    rematch: Option<String>,
}

/// That it is a page.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum PageKind {
    /// It is.
    Match,
}

/// The page of a match. `rematch`: the match that followed it; `stand`: that the clock of the seat to move stands.
pub fn page(
    id: &MatchId,
    ledger: &Ledger,
    viewer: Viewer,
    rematch: Option<&MatchId>,
    stand: Option<ClockPause>,
    now_ms: Millis,
) -> Arc<RenderedEvent> {
    let created = ledger.created();
    let (position, legal_moves) = match dealt_out(ledger) {
        true => {
            let (position, moves) = look(ledger, viewer);
            (Some(position), moves)
        }
        false => (None, Vec::new()),
    };
    let ended = ledger.ended();
    let page = Page {
        kind: PageKind::Match,
        id: id.to_string(),
        game: created.game.clone(),
        options: created.options.clone(),
        stage: ledger.stage(),
        private: created.key.is_some(),
        hints: created.hints(),
        created_ms: ledger.created_ms(),
        seq: ledger.next_seq().saturating_sub(1),
        ply: ledger.ply(),
        turn: ledger.turn(),
        seats: seats(ledger.seats().iter().map(|seat| (WhoShown::of(&seat.chair), seat.out))),
        clock: clock(ledger, ledger.turn_out_ms(), stand, now_ms),
        idle_ms: created.idle_ms,
        you: match viewer {
            Viewer::Seat(seat) => Some(seat),
            Viewer::Spectator => None,
        },
        position,
        legal_moves,
        result: ended.and_then(|e| e.result.clone()),
        ended: ended.map(|e| e.how),
        commitment: created.commitment.clone(),
        seed_from: created.seed_from,
        seed: ended.map(|e| e.seed.to_string()),
        salt: ended.map(|e| e.salt.clone()),
        rematch_of: created.rematch_of.clone(),
        rematch: rematch.map(MatchId::to_string),
    };
    Arc::new(RenderedEvent { seq: None, kind: "match", json: json(&page) })
}
