//! Quick pairing: tickets of players who wait for an opponent, and the choice of opponents. A ticket lasts as long as its
//! request.

use std::collections::{HashMap, HashSet};
use std::net::IpAddr;
use std::time::Duration;

use futures_util::{StreamExt, stream};
use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use crate::admission::{Payers, Permit};
use crate::catalogue::{Catalogue, Offer};
use crate::domain::request_id::carry;
use crate::domain::time::Millis;
use crate::domain::{EnginePlayer, MatchId, PlayerKind};
use crate::error::{Code, Error};
use crate::lobby::bot_seats::{has_room, seat_candidate};
use crate::lobby::challenges::{PATIENCE_MS, random};
use crate::lobby::pairing::{WaitingPlayers, have_seats};
use crate::lobby::seating::{SeatCandidate, Terms, challenger_seat, check_rated};
use crate::lobby::snapshot::{LobbySnapshot, WaitingTicket};
use crate::lobby::{Lobby, change, rated_engines};
use crate::matches::clock::ClockSpec;
use crate::matches::service::Matches;
use crate::ratings::Rating;
use crate::store::data::lobby::{LobbyChange, LobbyPlayer, NewChallenge, Ticket};
use crate::store::{StoredChallenge, refused_by_store};

/// How many pairs of players are stored at the same time.
const PAIRS_AT_ONCE: usize = 256;

/// The request of a player who wants to be paired.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "`clock` says all")]
pub struct PoolWish {
    /// The game's short name.
    pub game: String,
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

/// Two players who are to meet.
pub(super) struct ChosenPair {
    /// The ticket of one of them, who is the challenger.
    ticket: Ticket,
    /// What the challenger asks for.
    wish: PoolWish,
    opponent: LobbyPlayer,
    /// The opponent's ticket; the challenger's, if the opponent has none.
    second: String,
}

/// A ticket of this node. Dropping it gives it back.
pub struct TicketGuard {
    lobby: &'static Lobby,
    matches: &'static Matches,
    id: String,
    /// The id of the player.
    player: String,
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
        challenger_seat(offer, seat_candidate(&self.now(), player), PlayerKind::Person, None, true)?;
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
        let player = player.who.id.clone();
        let guard = TicketGuard { lobby: self, matches, id: id.clone(), player: player.clone() };
        let created_ms = matches.now().ms();
        change(matches, LobbyChange::Ticket { id, player, terms, created_ms }).await?;
        Ok(guard)
    }

    /// Waits until the ticket is paired and the match exists, for at most this long; `None`: no opponent was found.
    ///
    /// # Errors
    /// `not_accepted` if the match could not be created, `store_unavailable`.
    pub async fn paired(&self, ticket: &TicketGuard, stay: Duration) -> Result<Option<MatchId>, Error> {
        let is_settled = |lobby: &LobbySnapshot| {
            pairing(lobby, ticket).is_some_and(|pairing| pairing.settled_ms.is_some())
        };
        let settled = || self.wait_for(&ticket.player, is_settled);
        let mut found = timeout(stay, settled()).await.is_ok();
        if !found {
            // A ticket that cannot be given back any more has just been paired: its match is about to exist.
            let gone = change(ticket.matches, LobbyChange::Leave { id: ticket.id.clone() }).await? == 0;
            let patience = Duration::from_millis(PATIENCE_MS.unsigned_abs());
            found = gone && timeout(patience, settled()).await.is_ok();
        }
        if !found {
            return Ok(None);
        }
        match pairing(&self.now(), ticket) {
            Some(pairing) if pairing.has_failed() => {
                let reason = pairing.reason.clone().unwrap_or_default();
                Err(Error::new(Code::NotAccepted, format!("the match could not be created: {reason}")))
            }
            pairing => Ok(pairing.and_then(|pairing| pairing.match_id.clone())),
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

    /// Pairs the tickets of this node with those of any node, with online bots and with engines. Those who came first choose
    /// first. Stores nothing.
    pub(super) async fn choose_pairs(&self, matches: &Matches, lobby: &LobbySnapshot) -> Vec<ChosenPair> {
        let now = matches.now().ms();
        let mut own: Vec<&WaitingTicket> =
            lobby.tickets().filter(|waiting| waiting.ticket.node == matches.store().node()).collect();
        if own.is_empty() {
            return Vec::new();
        }
        own.sort_by_key(|waiting| (waiting.ticket.created_ms, &waiting.ticket.id));
        let mut free = WaitingPlayers::new(lobby.tickets());
        let blocks = &matches.admission().blocks;
        let (mut pairs, mut others) = (Vec::new(), OtherOpponents::default());
        for waiting in own {
            if !free.take(waiting) {
                continue;
            }
            let mine = &waiting.ticket.player.who;
            let allow = |other: &WaitingTicket| blocks.allow(mine, &other.ticket.player.who);
            let (opponent, second) = match free.take_opponent(matches.games(), waiting, now, allow) {
                Some(WaitingTicket { ticket: other, .. }) => (other.player.clone(), other.id.clone()),
                None => match others.choose(matches, lobby, waiting, now).await {
                    Some(opponent) => (opponent, waiting.ticket.id.clone()),
                    None => continue,
                },
            };
            let (ticket, wish) = (waiting.ticket.clone(), waiting.wish.clone());
            pairs.push(ChosenPair { ticket, wish, opponent, second });
        }
        pairs
    }

    /// Stores these pairs, and begins to create their matches.
    pub(super) async fn store_pairs(&'static self, matches: &'static Matches, pairs: Vec<ChosenPair>) {
        let pair = |pair| async move {
            // A pairing that fails now is tried again when the lobby is read next.
            let _ = self.pair(matches, pair).await;
        };
        stream::iter(pairs).for_each_concurrent(PAIRS_AT_ONCE, pair).await;
    }

    async fn pair(
        &'static self,
        matches: &'static Matches,
        ChosenPair { ticket, wish, opponent, second }: ChosenPair,
    ) -> Result<(), Error> {
        let offer = matches.games().find(&wish.game)?;
        let (lobby, toss) = (self.now(), random()?[0] & 1 == 0);
        let candidates = (seat_candidate(&lobby, &ticket.player), seat_candidate(&lobby, &opponent));
        let seat = challenger_seat(offer, candidates.0, candidates.1, None, toss)?;
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
        self.tasks.spawn(carry(async move {
            // If this fails, any node tries again.
            if let Ok(Some(challenge)) = matches.store().challenge(id).await {
                let _ = self.complete(matches, &challenge, permit).await;
            }
        }));
        Ok(())
    }
}

/// The pairing of a ticket.
fn pairing<'a>(lobby: &'a LobbySnapshot, ticket: &TicketGuard) -> Option<&'a StoredChallenge> {
    let is_of_ticket = |c: &&StoredChallenge| {
        c.tickets.as_ref().is_some_and(|tickets| tickets.split(' ').any(|id| id == ticket.id))
    };
    lobby.challenges_of(&ticket.player).find(is_of_ticket)
}

/// Online bots and engines for players who have waited long enough.
#[derive(Default)]
struct OtherOpponents {
    /// The bots that were chosen: until the lobby is read again, they play one match more than it says.
    chosen: HashSet<String>,
    /// The rated engines of the games that were asked for: points and names.
    engines: HashMap<String, Vec<(f64, String)>>,
}

impl OtherOpponents {
    async fn choose(
        &mut self,
        matches: &Matches,
        lobby: &LobbySnapshot,
        WaitingTicket { ticket, wish }: &WaitingTicket,
        now: Millis,
    ) -> Option<LobbyPlayer> {
        let after_ms = Millis::try_from(wish.others_after_ms).unwrap_or(Millis::MAX);
        if now.saturating_sub(ticket.created_ms) < after_ms {
            return None;
        }
        let offer = matches.games().find(&wish.game).ok()?;
        let blocks = &matches.admission().blocks;
        let allow = |bot: &LobbyPlayer| {
            !self.chosen.contains(&bot.who.id) && blocks.allow(&ticket.player.who, &bot.who)
        };
        let bot = best_bot(offer, lobby, ticket, wish, allow);
        let engine = match wish.opponents.contains(&PlayerKind::Engine) {
            true => best_engine(matches.games(), wish, self.engines_of(matches, &wish.game).await?),
            false => None,
        };
        let chosen = match (bot, engine) {
            (Some((bot_far, bot)), Some((engine_far, _))) if bot_far <= engine_far => Some(bot),
            (_, Some((_, engine))) => Some(engine),
            (bot, None) => bot.map(|(_, bot)| bot),
        };
        if let Some(bot) = chosen.as_ref().filter(|chosen| chosen.kind == PlayerKind::Bot) {
            self.chosen.insert(bot.who.id.clone());
        }
        chosen
    }

    async fn engines_of(&mut self, matches: &Matches, game: &str) -> Option<&[(f64, String)]> {
        if !self.engines.contains_key(game) {
            let rated = rated_engines(matches, game).await.ok()?;
            let engines = rated.into_iter().map(|engine| (engine.rating.points(), engine.who.name));
            self.engines.insert(game.to_owned(), engines.collect());
        }
        self.engines.get(game).map(Vec::as_slice)
    }
}

/// The online bot with the nearest rating that accepts and can play one more match; with the difference.
fn best_bot(
    offer: &Offer,
    lobby: &LobbySnapshot,
    ticket: &Ticket,
    wish: &PoolWish,
    allow: impl Fn(&LobbyPlayer) -> bool,
) -> Option<(f64, LobbyPlayer)> {
    if !wish.opponents.contains(&PlayerKind::Bot) {
        return None;
    }
    let player = seat_candidate(lobby, &ticket.player);
    let terms = Terms { game: wish.game.clone(), clock: wish.clock, rated: wish.rated, seat: 0 };
    let candidates = lobby.bots_online().filter_map(|(open, policy)| {
        let bot = &open.player;
        let mine = bot.who.owner_id() == ticket.player.who.owner_id();
        let sits = SeatCandidate { kind: bot.kind, mirror: policy.knows_mirror() };
        if !has_room(lobby, &bot.who.id, policy)
            || !have_seats(offer, player, sits)
            || mine
            || !allow(bot)
            || policy.accepts(bot, &terms, &ticket.player).is_err()
        {
            return None;
        }
        check_rated(wish.rated, wish.clock.as_ref(), &ticket.player, bot).ok()?;
        let points = lobby.rating_of(&bot.who.id, &wish.game).unwrap_or(Rating::NEW).points();
        Some(((points - wish.points).abs(), bot.clone()))
    });
    candidates.min_by(|(a, _), (b, _)| a.total_cmp(b))
}

/// The engine on offer whose rating is nearest, with the difference; the game's best engine at its usual level if none has
/// a rating. `rated`: points and names.
fn best_engine(games: &Catalogue, wish: &PoolWish, rated: &[(f64, String)]) -> Option<(f64, LobbyPlayer)> {
    let offer = games.find(&wish.game).ok()?;
    let on_offer = |engine: &EnginePlayer| {
        offer.engines.iter().any(|known| known.name == engine.engine && known.version == engine.version)
    };
    let engines = rated.iter().filter_map(|(points, name)| {
        let engine = EnginePlayer::parse(name).filter(on_offer)?;
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
