//! The moves with which a player begins: the first own move in each of the player's last matches, and how those matches ended.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use engines::erased::{AnyGame, MoveText};
use engines::game::{Seat, Viewer};
use serde_json::Value;

use crate::domain::{MatchId, Stage};
use crate::error::{Code, Error};
use crate::matches::event::{Event, LoggedEvent, Moved};
use crate::matches::listing::MatchSummary;
use crate::matches::registry::parse;
use crate::matches::render::WhoKind;
use crate::matches::service::Matches;
use crate::store::{ListedMatch, MatchFilter, refused_by_store};

/// How many of a player's last matches are looked at.
pub const MATCHES: u32 = 100;
/// How many events of each match are read. The player's first move is among them, unless others make many moves before.
const EVENTS: u32 = 32;
/// A first move that was played in this many matches or fewer can be chance: if none was played more often, none is shown.
const FEW: u32 = 3;
/// The most moves that are shown.
const MOST: usize = 3;

/// The beginning of a match with a result.
pub struct BegunMatch {
    id: MatchId,
    /// The player's seat.
    seat: Seat,
    /// The value of the result for the player, 0 to 1.
    worth: f64,
    /// The first events.
    log: Vec<LoggedEvent>,
}

/// A move with which a player began, with the last match in which it was played.
pub struct FirstMove {
    /// The move.
    pub text: MoveText,
    /// In how many matches it was played.
    pub played: u32,
    /// The mean value of their results, 0 to 1.
    pub score: f64,
    /// The last of them.
    pub id: MatchId,
    /// The number of moves before it there.
    pub ply: u32,
    /// The position there, as the player saw it.
    pub position: Value,
}

impl Matches {
    /// The beginnings of a player's last public matches of a game that have a result, the newest first. `player`: the id.
    ///
    /// # Errors
    /// `store_unavailable`; `internal` if a row or a log is damaged.
    pub async fn beginnings(&self, player: &str, game: &str) -> Result<Vec<BegunMatch>, Error> {
        let filter = MatchFilter {
            game: Some(game.to_owned()),
            stage: Some(Stage::Over),
            player: Some(player.to_owned()),
            limit: MATCHES,
            ..MatchFilter::default()
        };
        let listed = self.store().list(filter).await.map_err(|e| refused_by_store(&e))?;
        let mut begun = Vec::new();
        for one in listed {
            if let Some((seat, worth)) = result_of(&one, player)? {
                begun.push((one.id, seat, worth));
            }
        }
        let ids = begun.iter().map(|(id, ..)| id.clone()).collect();
        let logs = self.store().beginnings(ids, EVENTS).await.map_err(|e| refused_by_store(&e))?;
        let mut read = Vec::new();
        for ((id, seat, worth), stored) in begun.into_iter().zip(logs) {
            let log: Result<_, _> = (0..).zip(&stored).map(|(seq, event)| parse(seq, event)).collect();
            read.push(BegunMatch { id, seat, worth, log: log? });
        }
        Ok(read)
    }
}

/// The seat of a player and the value of the result; `None`: there is no result that everybody may see.
fn result_of(listed: &ListedMatch, player: &str) -> Result<Option<(Seat, f64)>, Error> {
    let broken = |e| Error::new(Code::Internal, format!("the summary of match {}: {e}", listed.id));
    let summary: MatchSummary = serde_json::from_str(&listed.row.summary).map_err(broken)?;
    let own = listed.row.players.iter().find(|(who, _)| who.id == player);
    let Some((who, Some(worth))) = own.filter(|_| !summary.sealed) else { return Ok(None) };
    let is_own = |kind: WhoKind, name: Option<&str>| kind == WhoKind::Player && name == Some(&who.name);
    let seat = summary.seats.iter().position(|seat| is_own(seat.who.kind, seat.who.name.as_deref()));
    Ok(seat.and_then(|seat| u8::try_from(seat).ok()).map(|seat| (Seat(seat), *worth)))
}

/// The moves up to and including the first one of a seat; `None`: it made none, or not without a penalty before.
fn until_first(log: &[LoggedEvent], seat: Seat) -> Option<Vec<&Moved>> {
    let mut moves = Vec::new();
    for LoggedEvent { event, .. } in log {
        match event {
            Event::Moved(moved) => moves.push(moved),
            Event::TakenBack { ply, .. } => moves.truncate(*ply as usize),
            Event::Fouled(_) => break,
            _ => {}
        }
    }
    let first = moves.iter().position(|moved| moved.seat == seat)?;
    moves.truncate(first + 1);
    Some(moves)
}

/// The moves that were most often the first one, at most three; none if each of them was played in a few matches only.
///
/// # Errors
/// `internal` if a log is damaged.
pub fn first_moves(game: &dyn AnyGame, beginnings: &[BegunMatch]) -> Result<Vec<FirstMove>, Error> {
    let mut by_move: BTreeMap<&str, Vec<(&BegunMatch, Vec<&Moved>)>> = BTreeMap::new();
    for begun in beginnings {
        if let Some(moves) = until_first(&begun.log, begun.seat)
            && let Some(own) = moves.last()
        {
            by_move.entry(&own.notation).or_default().push((begun, moves));
        }
    }
    let mut found: Vec<_> = by_move.into_values().collect();
    found.sort_by_key(|played| Reverse(played.len()));
    if found.first().is_none_or(|most| most.len() <= FEW as usize) {
        return Ok(Vec::new());
    }
    found.truncate(MOST);
    found.iter().map(|played| shown(game, played)).collect()
}

/// A first move; `played`: the matches in which it was played, the newest first, each with the moves up to it.
fn shown(game: &dyn AnyGame, played: &[(&BegunMatch, Vec<&Moved>)]) -> Result<FirstMove, Error> {
    let (begun, moves) = &played[0];
    let broken = |what: String| Error::new(Code::Internal, format!("the log of match {}: {what}", begun.id));
    let (Some(LoggedEvent { event: Event::Created(created), .. }), Some((own, before))) =
        (begun.log.first(), moves.split_last())
    else {
        return Err(broken("it does not begin with the creation".to_owned()));
    };
    let mut table = game.restore(&created.state).map_err(|e| broken(e.detail))?;
    for moved in before {
        table.play(moved.seat, &moved.notation).map_err(|e| broken(e.detail))?;
    }
    Ok(FirstMove {
        text: table.move_text(&own.notation).map_err(|e| broken(e.detail))?,
        played: u32::try_from(played.len()).unwrap_or(MATCHES),
        score: played.iter().map(|(one, _)| one.worth).sum::<f64>() / played.len() as f64,
        id: begun.id.clone(),
        ply: own.ply,
        position: table.view(Viewer::Seat(begun.seat)).to_json(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn move_that_was_taken_back_is_not_the_first_one() {
        let event = |event| LoggedEvent { seq: 0, at_ms: 0, event };
        let moved = |seat: u8, ply, notation: &str| {
            let (seat, notation) = (Seat(seat), notation.to_owned());
            event(Event::Moved(Moved { seat, ply, notation, times: Default::default(), left_ms: None }))
        };
        let mut log = vec![event(Event::Started), moved(1, 0, "a"), moved(0, 1, "b"), moved(1, 2, "c")];
        let first = |log: &[LoggedEvent]| {
            let moves = until_first(log, Seat(0))?;
            Some(moves.iter().map(|one| one.notation.clone()).collect::<Vec<_>>().join(" "))
        };
        assert_eq!(first(&log).as_deref(), Some("a b"));
        log.push(event(Event::TakenBack { seat: Seat(0), ply: 1 }));
        assert_eq!(first(&log), None);
        log.push(moved(0, 1, "d"));
        assert_eq!(first(&log).as_deref(), Some("a d"));
    }
}
