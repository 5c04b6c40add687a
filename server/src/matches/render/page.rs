//! The page of a match: its current state, as one viewer sees it.

use engines::erased::{AnyOptions, AnyPosition, MoveText};
use engines::game::{Seat, Viewer};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::domain::schema;
use crate::domain::schema::{GameSlug, HEX};
use crate::domain::time::Millis;
use crate::domain::{MatchId, Stage, TournamentRef};
use crate::matches::event::{EndKind, LadderMatch, Result as MatchResult, SeedFrom};
use crate::matches::ledger::Ledger;
use crate::matches::render::rendered::{RenderedEvent, ViewerPosition, json};
use crate::matches::render::{
    ClockPause, ClockShown, FromPosition, SeatShown, SeatsPresent, WhoShown, clock, dealt_out, look,
    mark_present, no_moves, seats,
};

/// The current state of a match, as one viewer sees it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "MatchPage")]
pub struct Page {
    #[serde(rename = "type")]
    kind: PageKind,
    /// The id of the match.
    #[schemars(with = "schema::MatchId")]
    id: String,
    /// The game's short name.
    #[schemars(with = "GameSlug")]
    game: String,
    /// The options of the deal, by the game's schema.
    #[schemars(with = "AnyOptions")]
    options: Value,
    stage: Stage,
    /// Whether only its players and holders of its key can see it.
    private: bool,
    /// Whether the players may ask engines for hints during the match.
    hints: bool,
    /// Whether the result changes the ratings of the players.
    rated: bool,
    /// The game of a tournament that it is played for.
    #[serde(skip_serializing_if = "Option::is_none")]
    tournament: Option<TournamentRef>,
    /// The kind of match of the permanent ladder that it is. Absent if it is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    ladder: Option<LadderMatch>,
    /// That it began with a position. Absent if it was dealt.
    #[serde(skip_serializing_if = "Option::is_none")]
    from_position: Option<FromPosition>,
    /// The time of its creation, in milliseconds since 1970.
    created_ms: Millis,
    /// The place of the last event.
    seq: u32,
    /// The number of moves made so far, those of penalties included. A move must name it.
    ply: u32,
    /// The seat to move.
    turn: Option<Seat>,
    /// The seats, in order.
    seats: Vec<SeatShown>,
    /// The clocks; null: no limits.
    clock: Option<ClockShown>,
    /// The match ends after this long without an event, in milliseconds (before the start, and after it without a
    /// clock).
    idle_ms: u64,
    /// The viewer's own seat.
    you: Option<Seat>,
    /// The view, by the game's schema; null before the start.
    #[schemars(with = "Option<AnyPosition>")]
    position: Option<Box<RawValue>>,
    /// The moves that the viewer may make now.
    #[schemars(with = "Vec<MoveText>")]
    legal_moves: Box<RawValue>,
    /// The result, if there is one.
    result: Option<MatchResult>,
    /// How it ended.
    ended: Option<EndKind>,
    /// SHA-256 of the bytes of the salt followed by those of the seed, hexadecimal. It is public before the first move,
    /// so that the deal can be checked after the last.
    #[schemars(regex(pattern = HEX))]
    commitment: String,
    /// The party that chose the seed.
    seed_from: SeedFrom,
    /// After the end: the seed of the deal, hexadecimal. Absent in matches of tournaments, where several games have the
    /// same deal: their records contain it, which are sealed until all of those are finished.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = HEX))]
    seed: Option<String>,
    /// After the end: the salt of the commitment, hexadecimal. Absent in matches of tournaments.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(regex(pattern = HEX))]
    salt: Option<String>,
    /// The match of which this one is the rematch.
    #[schemars(with = "Option<schema::MatchId>")]
    rematch_of: Option<String>,
    /// The rematch of this match.
    #[schemars(with = "Option<schema::MatchId>")]
    rematch: Option<String>,
}

/// The type of a page.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum PageKind {
    /// A page.
    Match,
}

/// The page of a match. `rematch`: its rematch, if there is one; `stand`: the pause of the running clock.
pub fn page(
    id: &MatchId,
    ledger: &Ledger,
    viewer: Viewer,
    rematch: Option<&MatchId>,
    present: SeatsPresent<'_>,
    stand: Option<ClockPause>,
    now_ms: Millis,
) -> Page {
    let created = ledger.created();
    let (position, legal_moves) = match dealt_out(ledger) {
        true => {
            let (position, moves) = look(ledger, viewer);
            (Some(position), moves)
        }
        false => (None, no_moves()),
    };
    let mut seats = seats(ledger.seats().iter().map(|seat| (WhoShown::of(&seat.chair), seat.out)));
    if ledger.stage() != Stage::Over {
        mark_present(&mut seats, present);
    }
    let ended = ledger.ended();
    let opened = ended.filter(|_| created.tournament.is_none());
    Page {
        kind: PageKind::Match,
        id: id.to_string(),
        game: created.game.clone(),
        options: created.options.clone(),
        stage: ledger.stage(),
        private: created.key.is_some(),
        hints: created.hints(),
        rated: created.rated,
        tournament: created.tournament.clone(),
        ladder: created.ladder,
        from_position: FromPosition::of(created),
        created_ms: ledger.created_ms(),
        seq: ledger.next_seq().saturating_sub(1),
        ply: ledger.ply(),
        turn: ledger.turn(),
        seats,
        clock: clock(ledger, ledger.turn_published_ms(), stand, now_ms),
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
        seed: opened.map(|e| e.seed.to_string()),
        salt: opened.map(|e| e.salt.clone()),
        rematch_of: created.rematch_of.clone(),
        rematch: rematch.map(MatchId::to_string),
    }
}

impl Page {
    /// The number of moves made so far.
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// The page as JSON, to be part of a larger value.
    pub fn to_raw(&self) -> Box<RawValue> {
        serde_json::value::to_raw_value(self).expect("plain values with text keys")
    }

    /// The page as viewers receive it.
    pub fn rendered(&self) -> RenderedEvent {
        let place = ViewerPosition { seq: self.seq, ply: self.ply, seat: self.you };
        RenderedEvent { seq: None, kind: "match", place, json: json(self) }
    }
}
