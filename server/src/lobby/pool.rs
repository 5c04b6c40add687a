//! Quick pairing: tickets of players who wait for an opponent, and the choice of opponents. A ticket lasts as long as its
//! request.

use std::net::IpAddr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::{Instant, timeout_at};

use crate::admission::{Payers, Permit};
use crate::catalogue::{Catalogue, Offer};
use crate::domain::time::Millis;
use crate::domain::{EnginePlayer, MatchId, PlayerKind};
use crate::error::{Code, Error};
use crate::lobby::bot_seats::{has_room, sitter};
use crate::lobby::challenges::{PATIENCE_MS, random};
use crate::lobby::seating::{Sitter, Terms, challenger_seat, check_rated};
use crate::lobby::{Lobby, bots_online, change};
use crate::matches::clock::ClockSpec;
use crate::matches::service::Matches;
use crate::ratings::Rating;
use crate::store::lobby::{LobbyChange, LobbyPlayer, NewChallenge, Ticket};
use crate::store::{LeaderboardFilter, LobbyRows, StoredChallenge, refused_by_store};

/// Two players whose ratings differ by at most this much are paired at once; a larger difference needs a wait.
const NEAR_POINTS: f64 = 150.0;

/// The growth of the allowed difference with each second that the player who has waited longer has waited.
const POINTS_PER_S: f64 = 15.0;

/// The most engines of a leaderboard that are considered for a match against an engine.
const ENGINES: u32 = 100;

/// The request of a player who wants to be paired.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PoolWish {
    /// The game's short name.
    pub game: String,
    /// The clock.
    pub clock: Option<ClockSpec>,
    /// Whether the match is rated.
    pub rated: bool,
    /// The kinds of opponents.
    pub opponents: Vec<PlayerKind>,
    /// How long to wait before an online bot or an engine is taken, in milliseconds, if those are among the opponents.
    pub others_after_ms: u64,
    /// The points of the player's rating in the game.
    pub points: f64,
}

impl PoolWish {
    /// Reads the request of a ticket's holder.
    pub fn read(ticket: &Ticket) -> Option<Self> {
        serde_json::from_str(&ticket.terms).ok()
    }
}

/// A ticket of this node. Dropping it gives it back.
pub struct TicketGuard {
    lobby: &'static Lobby,
    matches: &'static Matches,
    id: String,
}

impl Drop for TicketGuard {
    fn drop(&mut self) {
        let (matches, id) = (self.matches, self.id.clone());
        drop(self.lobby.permits().remove(&id));
        self.lobby.tasks.spawn(async move {
            // If this fails, the ticket is removed when this node has stopped.
            let _ = change(matches, LobbyChange::Leave { id }).await;
        });
    }
}

impl Lobby {
    /// Takes a ticket. It is charged as the match to which it may lead. `network`: the address of the request.
    ///
    /// # Errors
    /// `unknown_game`, `bad_seats`, `bad_field`, `rated_clock`, `too_many`, `store_unavailable`.
    pub async fn ticket(
        &'static self,
        matches: &'static Matches,
        player: &LobbyPlayer,
        network: Option<IpAddr>,
        wish: &PoolWish,
    ) -> Result<TicketGuard, Error> {
        let offer = matches.games().find(&wish.game)?;
        challenger_seat(offer, sitter(&self.now(), player), PlayerKind::Person, None, true)?;
        if wish.rated && wish.clock.is_none() {
            return Err(Error::new(Code::RatedClock, "rated: a rated match needs a clock"));
        }
        if let Some(clock) = &wish.clock {
            clock.check().map_err(|detail| Error::new(Code::BadField, detail))?;
        }
        if wish.opponents.is_empty() {
            return Err(Error::new(Code::BadField, "opponents: name at least one of person, bot and engine"));
        }
        let permit = matches.admission().admit(Payers::new(network, [&player.who])).await?;
        let id = uuid::Uuid::now_v7().to_string();
        self.permits().insert(id.clone(), permit);
        let terms = serde_json::to_string(wish).expect("texts and numbers are JSON");
        let guard = TicketGuard { lobby: self, matches, id: id.clone() };
        let created_ms = matches.now().ms();
        change(matches, LobbyChange::Ticket { id, player: player.who.id.clone(), terms, created_ms }).await?;
        Ok(guard)
    }

    /// Waits until the ticket is paired and the match exists, for at most this long; `None`: no opponent was found.
    ///
    /// # Errors
    /// `not_accepted` if the match could not be created, `store_unavailable`.
    pub async fn paired(&self, ticket: &TicketGuard, stay: Duration) -> Result<Option<MatchId>, Error> {
        let mut follow = self.follow();
        let until = Instant::now() + stay;
        let outcome = |rows: &LobbyRows| Some(pairing(rows, &ticket.id)?.clone());
        let is_settled = |rows: &std::sync::Arc<LobbyRows>| {
            pairing(rows, &ticket.id).is_some_and(|pairing| pairing.settled_ms.is_some())
        };
        let mut found = timeout_at(until, follow.wait_for(is_settled)).await.is_ok();
        if !found {
            // A ticket that cannot be given back any more has just been paired: its match is about to exist.
            let gone = change(ticket.matches, LobbyChange::Leave { id: ticket.id.clone() }).await? == 0;
            let patience = Duration::from_millis(PATIENCE_MS.unsigned_abs());
            found = gone && tokio::time::timeout(patience, follow.wait_for(is_settled)).await.is_ok();
        }
        if !found {
            return Ok(None);
        }
        match outcome(&self.now()) {
            Some(pairing) if pairing.has_failed() => {
                let reason = pairing.reason.unwrap_or_default();
                Err(Error::new(Code::NotAccepted, format!("the match could not be created: {reason}")))
            }
            pairing => Ok(pairing.and_then(|pairing| pairing.match_id)),
        }
    }

    /// The points of a connected player's rating in a game, else those of a new player.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn points(&self, matches: &Matches, player: &LobbyPlayer, game: &str) -> Result<f64, Error> {
        let profile = matches.store().player(player.who.name.clone()).await;
        let profile = profile.map_err(|e| refused_by_store(&e))?;
        let ratings = profile.map(|profile| profile.ratings).unwrap_or_default();
        let rating = ratings.into_iter().find(|rating| rating.game == game);
        Ok(rating.map_or(Rating::NEW, |rating| rating.rating).points())
    }

    /// Pairs the tickets of this node with those of any node, with online bots and with engines.
    pub(super) async fn pair_waiting(&'static self, matches: &'static Matches, rows: &LobbyRows) {
        let now = matches.now().ms();
        let mut free: Vec<(Ticket, PoolWish)> = rows.tickets.iter().filter_map(read).collect();
        free.sort_by(|(a, _), (b, _)| (a.created_ms, &a.id).cmp(&(b.created_ms, &b.id)));
        // Until the lobby is read again, these bots play one match more than it says.
        let mut taken = Vec::new();
        while let Some(place) = free.iter().position(|(ticket, _)| ticket.node == matches.store().node()) {
            let (ticket, wish) = free.remove(place);
            let Ok(offer) = matches.games().find(&wish.game) else { continue };
            let blocks = &matches.admission().blocks;
            let allow = |other: &Ticket| blocks.allow(&ticket.player.who, &other.player.who);
            let other = best_opponent(offer, (&ticket, &wish), &free, now, allow);
            let (opponent, second) = match other {
                Some(place) => {
                    let (other, _) = free.remove(place);
                    (other.player, other.id)
                }
                None => match self.other_opponent(matches, rows, offer, (&ticket, &wish), now).await {
                    Some(opponent) if !taken.contains(&opponent.who.id) => {
                        if opponent.kind == PlayerKind::Bot {
                            taken.push(opponent.who.id.clone());
                        }
                        (opponent, ticket.id.clone())
                    }
                    _ => continue,
                },
            };
            // A pairing that fails now is tried again when the lobby is read next.
            let _ = self.pair(matches, &ticket, &wish, opponent, second).await;
        }
    }

    /// An online bot or an engine for a player who has waited long enough.
    async fn other_opponent(
        &self,
        matches: &Matches,
        rows: &LobbyRows,
        offer: &Offer,
        (ticket, wish): (&Ticket, &PoolWish),
        now: Millis,
    ) -> Option<LobbyPlayer> {
        if now.saturating_sub(ticket.created_ms)
            < Millis::try_from(wish.others_after_ms).unwrap_or(Millis::MAX)
        {
            return None;
        }
        let blocks = &matches.admission().blocks;
        let bot = best_bot(offer, rows, ticket, wish, |bot| blocks.allow(&ticket.player.who, &bot.who));
        if !wish.opponents.contains(&PlayerKind::Engine) {
            return bot.map(|(_, bot)| bot);
        }
        let filter = LeaderboardFilter {
            game: wish.game.clone(),
            kind: Some(PlayerKind::Engine),
            provisional: true,
            after: None,
            limit: ENGINES,
        };
        let rated = matches.store().leaderboard(filter).await.ok()?;
        let engines = rated.into_iter().map(|engine| (engine.rating.points(), engine.who.name));
        let engine = best_engine(matches.games(), wish, engines);
        match (bot, engine) {
            (Some((bot_far, bot)), Some((engine_far, _))) if bot_far <= engine_far => Some(bot),
            (_, Some((_, engine))) => Some(engine),
            (bot, None) => bot.map(|(_, bot)| bot),
        }
    }

    async fn pair(
        &'static self,
        matches: &'static Matches,
        ticket: &Ticket,
        wish: &PoolWish,
        opponent: LobbyPlayer,
        second: String,
    ) -> Result<(), Error> {
        let offer = matches.games().find(&wish.game)?;
        let (rows, toss) = (self.now(), random()?[0] & 1 == 0);
        let sitters = (sitter(&rows, &ticket.player), sitter(&rows, &opponent));
        let seat = challenger_seat(offer, sitters.0, sitters.1, None, toss)?;
        let terms = Terms { game: wish.game.clone(), clock: wish.clock, rated: wish.rated, seat };
        let created_ms = matches.now().ms();
        let challenge = NewChallenge {
            id: uuid::Uuid::now_v7().to_string(),
            challenger: ticket.player.who.id.clone(),
            opponent: opponent.who.id.clone(),
            terms: terms.stored(),
            created_ms,
            until_ms: created_ms.saturating_add(PATIENCE_MS),
        };
        let (id, first) = (challenge.id.clone(), ticket.id.clone());
        let tickets = [first.clone(), second.clone()];
        if change(matches, LobbyChange::Pair { challenge, first, second }).await? == 0 {
            return Ok(());
        }
        // A ticket of another node has its permit there until its request ends.
        let permit = tickets.iter().filter_map(|ticket| self.permits().remove(ticket)).reduce(Permit::join);
        self.tasks.spawn(async move {
            // If this fails, any node tries again.
            if let Ok(Some(challenge)) = matches.store().challenge(id).await {
                let _ = self.complete(matches, &challenge, permit).await;
            }
        });
        Ok(())
    }
}

fn read(ticket: &Ticket) -> Option<(Ticket, PoolWish)> {
    Some((ticket.clone(), PoolWish::read(ticket)?))
}

/// The pairing of a ticket.
fn pairing<'a>(rows: &'a LobbyRows, ticket: &str) -> Option<&'a StoredChallenge> {
    let of_ticket = |c: &&StoredChallenge| {
        c.tickets.as_ref().is_some_and(|tickets| tickets.split(' ').any(|id| id == ticket))
    };
    rows.challenges.iter().find(of_ticket)
}

/// Whether a game has seats for these players.
fn have_seats(offer: &Offer, one: impl Into<Sitter>, other: impl Into<Sitter>) -> bool {
    challenger_seat(offer, one, other, None, true).is_ok()
}

/// The place of the waiting player whose rating is nearest, if it is near enough for the longer wait of the two. People come
/// before bots.
pub(super) fn best_opponent(
    offer: &Offer,
    (ticket, wish): (&Ticket, &PoolWish),
    waiting: &[(Ticket, PoolWish)],
    now: Millis,
    allow: impl Fn(&Ticket) -> bool,
) -> Option<usize> {
    let suits = |other: &Ticket, other_wish: &PoolWish| {
        wish.game == other_wish.game
            && (wish.clock, wish.rated) == (other_wish.clock, other_wish.rated)
            && wish.opponents.contains(&other.player.kind)
            && other_wish.opponents.contains(&ticket.player.kind)
            && ticket.player.who.owner_id() != other.player.who.owner_id()
            && have_seats(offer, ticket.player.kind, other.player.kind)
            && allow(other)
    };
    let far = |other: &Ticket, other_wish: &PoolWish| {
        let waited_ms = now.saturating_sub(ticket.created_ms.min(other.created_ms)).max(0);
        let allowed = NEAR_POINTS + POINTS_PER_S * (waited_ms as f64 / 1000.0);
        let far = (wish.points - other_wish.points).abs();
        (far <= allowed).then_some(far)
    };
    let candidates = waiting.iter().enumerate().filter(|(_, (other, wish))| suits(other, wish));
    let near = candidates.filter_map(|(place, (other, wish))| {
        Some(((other.player.kind != PlayerKind::Person, far(other, wish)?), place))
    });
    near.min_by(|((a, a_far), _), ((b, b_far), _)| a.cmp(b).then(a_far.total_cmp(b_far)))
        .map(|(_, place)| place)
}

/// The online bot with the nearest rating that accepts and can play one more match; with the difference.
fn best_bot(
    offer: &Offer,
    rows: &LobbyRows,
    ticket: &Ticket,
    wish: &PoolWish,
    allow: impl Fn(&LobbyPlayer) -> bool,
) -> Option<(f64, LobbyPlayer)> {
    if !wish.opponents.contains(&PlayerKind::Bot) {
        return None;
    }
    let player = sitter(rows, &ticket.player);
    let terms = Terms { game: wish.game.clone(), clock: wish.clock, rated: wish.rated, seat: 0 };
    let candidates = bots_online(rows).filter_map(|(open, policy)| {
        let bot = &open.player;
        let of_bot = |id: &str| id == bot.who.id;
        let has_room = has_room(rows, &bot.who.id, &policy);
        let mine = bot.who.owner_id() == ticket.player.who.owner_id();
        let sits = Sitter { kind: bot.kind, mirror: policy.knows_mirror() };
        if !has_room
            || !have_seats(offer, player, sits)
            || mine
            || !allow(bot)
            || policy.accepts(bot, &terms, &ticket.player).is_err()
        {
            return None;
        }
        check_rated(wish.rated, wish.clock.as_ref(), &ticket.player, bot).ok()?;
        let of_game = rows.ratings.iter().find(|(player, game, _)| of_bot(player) && *game == wish.game);
        let points = of_game.map_or(Rating::NEW, |(_, _, rating)| *rating).points();
        Some(((points - wish.points).abs(), bot.clone()))
    });
    candidates.min_by(|(a, _), (b, _)| a.total_cmp(b))
}

/// The engine on offer whose rating is nearest, with the difference; the game's best engine at its usual level if none has
/// a rating. `rated`: points and names.
fn best_engine(
    games: &Catalogue,
    wish: &PoolWish,
    rated: impl Iterator<Item = (f64, String)>,
) -> Option<(f64, LobbyPlayer)> {
    let offer = games.find(&wish.game).ok()?;
    let on_offer = |engine: &EnginePlayer| {
        offer.engines.iter().any(|known| known.name == engine.engine && known.version == engine.version)
    };
    let engines = rated.filter_map(|(points, name)| {
        let engine = EnginePlayer::parse(&name).filter(on_offer)?;
        Some(((points - wish.points).abs(), engine))
    });
    let usual = || {
        let best = offer.engines.first()?;
        let (game, engine) = (wish.game.clone(), best.name.clone());
        let far = (Rating::NEW.points() - wish.points).abs();
        Some((far, EnginePlayer { game, engine, version: best.version, level: Default::default() }))
    };
    let (far, engine) = engines.min_by(|(a, _), (b, _)| a.total_cmp(b)).or_else(usual)?;
    Some((far, LobbyPlayer { who: engine.player(), kind: PlayerKind::Engine }))
}
