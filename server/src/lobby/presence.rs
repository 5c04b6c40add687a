//! Exchanges with the other nodes which seats of matches are connected, by the database.

use crate::lobby::change;
use crate::matches::service::Matches;
use crate::store::data::lobby::{LobbyChange, LobbyNews};

/// Tells the matches which seats are connected to other nodes, and the database which seats are connected to this one.
pub(super) async fn share(matches: &Matches, news: &LobbyNews) {
    let changed = news.changed.as_ref().map(|keys| &keys.matches);
    let (came, left) = matches.update_presence(changed, &news.rows.own_seats, &news.rows.other_seats);
    if !came.is_empty() || !left.is_empty() {
        // A failed change is repeated when the lobby is read next.
        let _ = change(matches, LobbyChange::Seats { came, left }).await;
    }
}
