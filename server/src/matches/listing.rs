//! The row of a match in lists, and the score of its players. Both are made from the ledger and the events about to be
//! appended, since row and events are stored together.

use engines::game::Seat;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::names::is_of_deleted;
use crate::domain::time::Millis;
use crate::domain::{EnginePlayer, MatchId, PlayerRef, Stage};
use crate::matches::clock::ClockSpec;
use crate::matches::event::{
    Created, Ended, EngineSeat, Event, LadderMatch, LoggedEvent, Result as MatchResult, SeatSetup,
};
use crate::matches::ledger::{Ledger, SeatNow};
use crate::matches::render::{WhoKind, WhoShown};
use crate::store::{MatchRow, ProgramResult, RatedBegin, RatedResult, SeatOutcome};

/// The data that lists show of a match besides the columns of its row.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MatchSummary {
    /// By number.
    pub seats: Vec<SeatListed>,
    /// Whether its seats may ask engines for advice while they play. Absent for older matches, which had no such rule.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hints: Option<bool>,
    /// The time control. Absent without one, and for older matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock: Option<ClockSpec>,
    /// Whether the result changes the ratings of the players. Absent if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rated: bool,
    /// The kind of match of the permanent ladder that it is. Absent if it is none, and for older matches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ladder: Option<LadderMatch>,
    /// Whether it is sealed: only its players see it and its result until all games of its tournament with the same deal are
    /// finished. Absent if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub sealed: bool,
    /// The result, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<MatchResult>,
}

impl MatchSummary {
    /// Replaces the name of a player. A deleted player is shown as a guest.
    pub fn rename(&mut self, from: &str, to: &str) {
        for seat in &mut self.seats {
            let is_theirs = matches!(seat.who.kind, WhoKind::Player | WhoKind::Reserved)
                && seat.who.name.as_deref() == Some(from);
            if is_theirs {
                seat.who.name = Some(to.to_owned());
                if is_of_deleted(to) && seat.who.kind == WhoKind::Player {
                    seat.who.kind = WhoKind::Guest;
                }
            }
        }
    }

    /// Whether guests have seats in it, and no player with a name has one.
    pub fn is_of_guests(&self) -> bool {
        let has = |kind| self.seats.iter().any(|seat| seat.who.kind == kind);
        has(WhoKind::Guest) && !has(WhoKind::Player) && !has(WhoKind::Reserved)
    }
}

/// A seat of a match, as lists of matches show it.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SeatListed {
    /// The holder of the seat, or the one who may take it.
    #[serde(flatten)]
    pub who: WhoShown,
    /// Its rank in the result; 1 is the winner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rank: Option<u8>,
    /// Its points in the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub points: Option<i32>,
}

/// The row of a match that begins with these events.
pub fn first_row(created: &Created, created_ms: Millis, rest: &[Event]) -> MatchRow {
    row(created, [created_ms; 2], created.seats.clone(), (Stage::Open, false), rest, created.shares_deal())
}

/// The row of a match after these events; `None` if they change nothing that lists show.
pub fn next_row(ledger: &Ledger, events: &[Event], now_ms: Millis) -> Option<MatchRow> {
    let is_listed =
        |e: &Event| matches!(e, Event::Joined { .. } | Event::Left { .. } | Event::Started | Event::Ended(_));
    events.iter().any(is_listed).then(|| {
        let setups = ledger.seats().iter().map(|seat| seat.chair.clone()).collect();
        let (created, times) = (ledger.created(), [ledger.created_ms(), now_ms]);
        row(created, times, setups, (ledger.stage(), ledger.has_begun()), events, created.shares_deal())
    })
}

/// The row of a match that is over, with its result, and the result that changes ratings: when it is not sealed any more.
/// `None`: it is not over.
pub fn opened(ledger: &Ledger) -> Option<(MatchRow, Option<RatedResult>)> {
    let (created, ended) = (ledger.created(), ledger.ended()?);
    let setups = ledger.seats().iter().map(|seat| seat.chair.clone()).collect();
    let times = [ledger.created_ms(), ledger.last_ms()];
    let before = (ledger.stage(), ledger.has_begun());
    let row = row(created, times, setups, before, &[Event::Ended(ended.clone())], false);
    Some((row, result_for_ratings(ledger, ended, &[])))
}

/// A row after these events. `times`: of the creation and of the events. `before`: the stage before them, and whether the match
/// had begun.
fn row(
    created: &Created,
    [created_ms, now_ms]: [Millis; 2],
    mut setups: Vec<SeatSetup>,
    (mut stage, mut begun): (Stage, bool),
    events: &[Event],
    sealed: bool,
) -> MatchRow {
    let mut ended: Option<&Ended> = None;
    for event in events {
        match event {
            Event::Joined { seat, holder } => {
                setups[seat.index()] = SeatSetup::Held { holder: holder.clone() }
            }
            Event::Left { seat, .. } => setups[seat.index()] = SeatSetup::Open,
            Event::Started => (stage, begun) = (Stage::Running, true),
            Event::Ended(end) => {
                stage = Stage::Over;
                ended = Some(end);
            }
            _ => {}
        }
    }
    let result = ended.and_then(|end| end.result.clone()).filter(|_| !sealed);
    let listed = |(seat, chair): (usize, &SeatSetup)| SeatListed {
        who: WhoShown::of(chair),
        rank: result.as_ref().and_then(|r| r.ranks.get(seat).copied()),
        points: result.as_ref().and_then(|r| r.points.as_ref()?.get(seat).copied()),
    };
    let players = setups.iter().enumerate().filter_map(|(seat, chair)| {
        let seat = Seat(u8::try_from(seat).ok()?);
        Some((player(created, chair)?, result.as_ref().map(|r| score(&r.ranks, seat))))
    });
    let players = players.collect();
    let summary = MatchSummary {
        seats: setups.iter().enumerate().map(listed).collect(),
        hints: Some(created.hints()),
        clock: created.clock,
        rated: created.rated,
        ladder: created.ladder,
        sealed,
        result: result.clone(),
    };
    MatchRow {
        game: created.game.clone(),
        stage,
        private: created.key.is_some(),
        never_begun: stage == Stage::Over && !begun,
        created_ms,
        ended_ms: ended.map(|_| now_ms),
        rematch_of: created.rematch_of.as_deref().and_then(MatchId::parse),
        summary: serde_json::to_string(&summary).expect("plain values with text keys"),
        players,
    }
}

/// The player who holds a seat or for whom it is reserved. An engine is a player in rated matches.
fn player(created: &Created, chair: &SeatSetup) -> Option<PlayerRef> {
    match chair {
        SeatSetup::Held { holder } | SeatSetup::Reserved { holder } => holder.player.clone(),
        SeatSetup::Engine(engine) if created.rated => Some(engine_player(created, engine).player()),
        SeatSetup::Engine(_) | SeatSetup::Open => None,
    }
}

/// The engine in a seat of a match, as a player.
pub fn engine_player(created: &Created, engine: &EngineSeat) -> EnginePlayer {
    let EngineSeat { engine, version, level, .. } = engine;
    EnginePlayer { game: created.game.clone(), engine: engine.clone(), version: *version, level: *level }
}

/// The result that changes ratings now, if a rated match ended with a result in these events. Ratings would reveal the
/// result of a sealed match: it changes them when it is opened.
pub fn rated_result(ledger: &Ledger, events: &[Event]) -> Option<RatedResult> {
    let ended = events.iter().find_map(|event| match event {
        Event::Ended(ended) => Some(ended),
        _ => None,
    })?;
    if ledger.created().shares_deal() { None } else { result_for_ratings(ledger, ended, events) }
}

/// The result of a match for ratings; `events`: those that the ledger does not contain yet. A match in which a seat that did
/// not win never made a move says nothing about strength.
fn result_for_ratings(ledger: &Ledger, ended: &Ended, events: &[Event]) -> Option<RatedResult> {
    let created = ledger.created();
    let result = ended.result.as_ref().filter(|_| created.rated)?;
    let moves_now = |seat| events.iter().any(|e| matches!(e, Event::Moved(moved) if moved.seat == seat));
    let took_part =
        |(seat, place): (u8, &u8)| *place == 1 || ledger.has_moved(Seat(seat)) || moves_now(Seat(seat));
    if !(0..).zip(&result.ranks).all(took_part) {
        return None;
    }
    let players = ledger.seats().iter().map(|seat| player(created, &seat.chair).map(|player| player.id));
    let seats: Option<Vec<_>> =
        players.zip(&result.ranks).map(|(player, place)| Some((player?, *place))).collect();
    let program = |seat: &SeatNow| seat.chair.program().map(|(program, _)| program.number);
    let programs: Vec<_> = ledger.seats().iter().map(program).collect();
    let programs = if programs.iter().any(Option::is_some) { programs } else { Vec::new() };
    Some(RatedResult { game: created.game.clone(), seats: seats?, programs })
}

/// The results of the hosted programs in a match that ends with these events.
pub fn program_results(ledger: &Ledger, events: &[LoggedEvent]) -> Vec<ProgramResult> {
    let result = events.iter().find_map(|logged| match &logged.event {
        Event::Ended(ended) => ended.result.as_ref(),
        _ => None,
    });
    let Some(MatchResult { ranks, .. }) = result else { return Vec::new() };
    let of_seat = |(seat, rank): (&SeatNow, &u8)| {
        let (program, bot) = seat.chair.program()?;
        let outcome = match (rank, ranks.iter().filter(|rank| **rank == 1).count()) {
            (1, 1) => SeatOutcome::Won,
            (1, _) => SeatOutcome::Drawn,
            _ => SeatOutcome::Lost,
        };
        Some(ProgramResult { bot: bot.id.clone(), number: program.number, outcome })
    };
    ledger.seats().iter().zip(ranks).filter_map(of_seat).collect()
}

/// The owners of the seats of a rated match that begins with these events. `setups`: the seats before the events.
/// `is_new`: whether the events create the match; a match of a tournament, whose players are known, counts from then on, so
/// that the tournament can play it unrated. `most`: the limit on rated matches of a pair.
pub fn rated_begin<'a>(
    created: &Created,
    setups: impl Iterator<Item = &'a SeatSetup>,
    events: &[Event],
    is_new: bool,
    most: u32,
) -> Option<RatedBegin> {
    let begins = if created.tournament.is_some() { is_new } else { events.contains(&Event::Started) };
    if !created.rated || !begins {
        return None;
    }
    let joined = |seat: usize| {
        events.iter().find_map(|event| match event {
            Event::Joined { seat: taken, holder } if taken.index() == seat => holder.player.clone(),
            _ => None,
        })
    };
    let players =
        setups.enumerate().filter_map(|(seat, setup)| joined(seat).or_else(|| player(created, setup)));
    Some(RatedBegin { owners: players.map(|player| player.owner_id().to_owned()).collect(), most })
}

/// The score of a seat, 0 to 1: a win is 1, a first place shared by k winners is 1/k, everything else 0.
fn score(ranks: &[u8], seat: Seat) -> f64 {
    let winners = ranks.iter().filter(|rank| **rank == 1).count();
    if ranks.get(seat.index()) == Some(&1) { 1.0 / winners as f64 } else { 0.0 }
}
