//! The choice of opponents among the players who wait. Pure. The players are sorted by rating, so that the choice looks only
//! at those nearby.

use std::collections::{BTreeMap, HashMap};

use crate::catalogue::{Catalogue, Offer};
use crate::domain::PlayerKind;
use crate::domain::time::Millis;
use crate::lobby::pool::PoolWish;
use crate::lobby::seating::{SeatCandidate, challenger_seat};
use crate::lobby::snapshot::WaitingTicket;
use crate::matches::clock::ClockSpec;

/// Two players whose ratings differ by at most this much are paired at once; a larger difference needs a wait.
const NEAR_POINTS: f64 = 150.0;

/// The growth of the allowed difference with each second that the player who has waited longer has waited.
const POINTS_PER_S: f64 = 15.0;

/// The kind of match that a player asks for. Only players who ask for the same one meet.
type MatchKind = (String, Option<ClockSpec>, bool);

/// The place of a waiting player: the points of their rating, the time since which they wait, and their ticket.
#[derive(Clone, Debug, PartialEq, PartialOrd)]
struct Place<'a>(f64, Millis, &'a str);

impl Eq for Place<'_> {}

impl Ord for Place<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0).then_with(|| (self.1, self.2).cmp(&(other.1, other.2)))
    }
}

impl<'a> Place<'a> {
    fn of(waiting: &'a WaitingTicket) -> Self {
        Self(waiting.wish.points, waiting.ticket.created_ms, &waiting.ticket.id)
    }
}

/// The players who wait for the same kind of match.
#[derive(Default)]
struct Group<'a> {
    people: BTreeMap<Place<'a>, &'a WaitingTicket>,
    bots: BTreeMap<Place<'a>, &'a WaitingTicket>,
    /// The time since which the first of them waits.
    since_ms: Millis,
}

/// The players who wait and are not paired yet.
pub(super) struct WaitingPlayers<'a> {
    groups: HashMap<MatchKind, Group<'a>>,
}

impl<'a> WaitingPlayers<'a> {
    /// The players with these tickets.
    pub(super) fn new(tickets: impl Iterator<Item = &'a WaitingTicket>) -> Self {
        let mut groups: HashMap<MatchKind, Group<'a>> = HashMap::new();
        for waiting in tickets {
            let fresh = || Group { since_ms: Millis::MAX, ..Group::default() };
            let group = groups.entry(kind_of(&waiting.wish)).or_insert_with(fresh);
            group.since_ms = group.since_ms.min(waiting.ticket.created_ms);
            group.of_kind(waiting.ticket.player.kind).insert(Place::of(waiting), waiting);
        }
        Self { groups }
    }

    /// Takes a player out; `false`: they are paired already.
    pub(super) fn take(&mut self, waiting: &'a WaitingTicket) -> bool {
        let group = self.groups.get_mut(&kind_of(&waiting.wish));
        let of_kind = group.map(|group| group.of_kind(waiting.ticket.player.kind));
        of_kind.is_some_and(|players| players.remove(&Place::of(waiting)).is_some())
    }

    /// Takes out the player whose rating is nearest to that of `waiting`, if it is near enough for the longer wait of the two.
    /// People come before bots. `allow`: whether the two may meet.
    pub(super) fn take_opponent(
        &mut self,
        games: &Catalogue,
        waiting: &'a WaitingTicket,
        now: Millis,
        allow: impl Fn(&WaitingTicket) -> bool,
    ) -> Option<&'a WaitingTicket> {
        let offer = games.find(&waiting.wish.game).ok()?;
        let group = self.groups.get_mut(&kind_of(&waiting.wish))?;
        let longest_ms = now.saturating_sub(group.since_ms.min(waiting.ticket.created_ms));
        let farthest = allowed_difference(longest_ms);
        let fits = |other: &WaitingTicket| may_meet(offer, waiting, other, now) && allow(other);
        let opponents = [PlayerKind::Person, PlayerKind::Bot];
        for kind in opponents.into_iter().filter(|kind| waiting.wish.opponents.contains(kind)) {
            let players = group.of_kind(kind);
            let found = outwards(players, Place::of(waiting))
                .take_while(|other| difference(waiting, other) <= farthest)
                .find(|other| fits(other));
            if let Some(other) = found {
                players.remove(&Place::of(other));
                return Some(other);
            }
        }
        None
    }
}

impl<'a> Group<'a> {
    fn of_kind(&mut self, kind: PlayerKind) -> &mut BTreeMap<Place<'a>, &'a WaitingTicket> {
        match kind {
            PlayerKind::Person => &mut self.people,
            PlayerKind::Bot | PlayerKind::Engine => &mut self.bots,
        }
    }
}

fn kind_of(wish: &PoolWish) -> MatchKind {
    (wish.game.clone(), wish.clock, wish.rated)
}

/// The players in the order of their distance from this place.
fn outwards<'a, 'p>(
    players: &'p BTreeMap<Place<'a>, &'a WaitingTicket>,
    from: Place<'a>,
) -> impl Iterator<Item = &'a WaitingTicket> + use<'a, 'p> {
    let points = from.0;
    let far = move |(place, _): &(&Place<'a>, &&'a WaitingTicket)| (place.0 - points).abs();
    let mut below = players.range(..from.clone()).rev().peekable();
    let mut above = players.range(from..).peekable();
    std::iter::from_fn(move || {
        let next_is_below = match (below.peek(), above.peek()) {
            (Some(below), Some(above)) => far(below) < far(above),
            (below, _) => below.is_some(),
        };
        let next = if next_is_below { below.next() } else { above.next() };
        next.map(|(_, waiting)| *waiting)
    })
}

fn difference(one: &WaitingTicket, other: &WaitingTicket) -> f64 {
    (one.wish.points - other.wish.points).abs()
}

/// How much two ratings may differ after a wait.
fn allowed_difference(waited_ms: Millis) -> f64 {
    NEAR_POINTS + POINTS_PER_S * (waited_ms.max(0) as f64 / 1000.0)
}

/// Whether two players who ask for the same kind of match may meet now.
fn may_meet(offer: &Offer, one: &WaitingTicket, other: &WaitingTicket, now: Millis) -> bool {
    let (ticket, other_ticket) = (&one.ticket, &other.ticket);
    let waited_ms = now.saturating_sub(ticket.created_ms.min(other_ticket.created_ms));
    one.wish.opponents.contains(&other_ticket.player.kind)
        && other.wish.opponents.contains(&ticket.player.kind)
        && ticket.player.who.owner_id() != other_ticket.player.who.owner_id()
        && have_seats(offer, ticket.player.kind, other_ticket.player.kind)
        && difference(one, other) <= allowed_difference(waited_ms)
}

/// Whether a game has seats for these players.
pub(super) fn have_seats(
    offer: &Offer,
    one: impl Into<SeatCandidate>,
    other: impl Into<SeatCandidate>,
) -> bool {
    challenger_seat(offer, one, other, None, true).is_ok()
}
