//! The match of a game: its order, and its outcome.

use crate::catalogue::Catalogue;
use crate::domain::token::KeyHash;
use crate::domain::{EnginePlayer, IdempotencyKey, PlayerRef, TournamentId, TournamentRef};
use crate::error::{Code, Error};
use crate::matches::event::{EndKind, Event, LoggedEvent, SeatSetup};
use crate::matches::listing::MatchSummary;
use crate::matches::options::IDLE_RANGE;
use crate::matches::request::{NewMatch, NewSeat};
use crate::matches::service::Matches;
use crate::store::MatchStatus;
use crate::tournaments::GameScores;
use crate::tournaments::deal::{creation_key, seed_of};
use crate::tournaments::ledger::{Tournament, TournamentCommand};
use sha2::{Digest, Sha256};

/// The seats of a game whose engines this server does not have any more.
pub(super) fn missing_engines(state: &Tournament, game: usize, games: &Catalogue) -> Vec<usize> {
    let is_missing = |seat: &usize| {
        let player = &state.entrants[state.games[game].seats[*seat]].player;
        engine_of(player).is_some_and(|engine| {
            games.find(&engine.game).and_then(|offer| offer.engine(Some(&engine.engine))).is_err()
        })
    };
    (0..state.games[game].seats.len()).filter(is_missing).collect()
}

fn engine_of(player: &PlayerRef) -> Option<EnginePlayer> {
    player.is_engine().then(|| EnginePlayer::parse(&player.name)).flatten()
}

/// Whether only engines play the game.
pub(super) fn is_of_engines(state: &Tournament, game: usize) -> bool {
    state.games[game].seats.iter().all(|entrant| state.entrants[*entrant].player.is_engine())
}

/// The order of the match of a game, and the key with which the same order creates nothing new.
///
/// # Errors
/// `internal` if the tournament's secret cannot be read.
pub(super) fn order(
    id: &TournamentId,
    state: &Tournament,
    number: usize,
) -> Result<(NewMatch, IdempotencyKey), Error> {
    let (setup, game) = (&state.setup, &state.games[number]);
    let secret = crate::domain::token::unhex(&setup.secret)
        .ok_or_else(|| Error::new(Code::Internal, format!("the secret of tournament {id} cannot be read")))?;
    let players: Vec<&PlayerRef> =
        game.seats.iter().map(|entrant| &state.entrants[*entrant].player).collect();
    let seats = players.iter().map(|player| match engine_of(player) {
        Some(engine) => {
            NewSeat::Engine { engine: Some(engine.engine), level: engine.level, think_ms: None, nodes: None }
        }
        None => NewSeat::Reserved { player: PlayerRef::clone(player) },
    });
    let is_first = |(at, player): (usize, &&PlayerRef)| {
        players[..at].iter().all(|other| other.owner_id() != player.owner_id())
    };
    let order = NewMatch {
        game: setup.game.clone(),
        options: setup.options.clone(),
        seats: seats.collect(),
        clock: Some(setup.clock),
        // A match whose players stay away ends by itself after the grace.
        idle_ms: Some(setup.grace_ms.clamp(*IDLE_RANGE.start(), *IDLE_RANGE.end())),
        private: false,
        hints: Some(false),
        seed: Some(seed_of(&secret, game.deal)),
        // Players of the same owner cannot play each other for ratings.
        rated: setup.rated && players.iter().enumerate().all(is_first),
        tournament: Some(TournamentRef {
            id: id.to_string(),
            game: number,
            shares_deal: state.is_sealed(number),
        }),
        ladder: None,
        position: None,
    };
    let key = creation_key(&secret, id.as_str(), number, game.attempts + 1);
    let request_hash = KeyHash(Sha256::digest(key.as_bytes()).into());
    Ok((order, IdempotencyKey { key, request_hash }))
}

/// The outcome of the match of a game that is over.
///
/// # Errors
/// `store_unavailable`, `internal`.
pub(super) async fn outcome(
    matches: &Matches,
    game: usize,
    status: &MatchStatus,
) -> Result<TournamentCommand, Error> {
    let unread = |e| Error::new(Code::Internal, format!("the summary of match {}: {e}", status.id));
    let summary: MatchSummary = serde_json::from_str(&status.summary).map_err(unread)?;
    if let Some(result) = summary.result {
        return Ok(TournamentCommand::GameOver {
            game,
            scores: Some(GameScores::of_result(&result.ranks, result.points.clone())),
        });
    }
    // It has none, or it is sealed, or it was deleted meanwhile.
    Ok(match matches.own_log(&status.id).await? {
        Some(log) => by_log(game, &log),
        None => TournamentCommand::GameOver { game, scores: None },
    })
}

/// The command for a match that is over, by its log: a player who did not come forfeits the game; any other end without a
/// result voids it.
fn by_log(game: usize, log: &[LoggedEvent]) -> TournamentCommand {
    let ended = log.iter().find_map(|logged| match &logged.event {
        Event::Ended(ended) => Some(ended),
        _ => None,
    });
    if let Some(result) = ended.and_then(|ended| ended.result.as_ref()) {
        return TournamentCommand::GameOver {
            game,
            scores: Some(GameScores::of_result(&result.ranks, result.points.clone())),
        };
    }
    let how = ended.map(|ended| ended.how);
    let started = log.iter().any(|logged| logged.event == Event::Started);
    let reserved = log.iter().find_map(|logged| match &logged.event {
        Event::Created(created) => Some(&created.seats),
        _ => None,
    });
    let came = |seat: usize| {
        log.iter().any(
            |logged| matches!(&logged.event, Event::Joined { seat: joined, .. } if joined.index() == seat),
        )
    };
    let is_absent = |(seat, setup): (usize, &SeatSetup)| {
        (matches!(setup, SeatSetup::Reserved { .. }) && !came(seat)).then_some(seat)
    };
    let absent: Vec<usize> = reserved.into_iter().flatten().enumerate().filter_map(is_absent).collect();
    if how == Some(EndKind::Abandoned) && !started && !absent.is_empty() {
        TournamentCommand::Forfeit { game, absent }
    } else {
        TournamentCommand::GameOver { game, scores: None }
    }
}
