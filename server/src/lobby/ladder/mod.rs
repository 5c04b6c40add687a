//! The permanent ladder: rated matches between online bots and built-in engines. One node runs it, by lease. It has no log:
//! its matches are rated matches, and its standings are the leaderboards. A bot plays check matches first (`check`).
//! Bots are paired in the order of a fair queue. The engines of its matches have a share of engine time of their own,
//! so it must not look at what else the engines do.

mod check;
mod check_list;
mod check_state;
mod pairs;
mod queue;
mod state;

use std::collections::HashSet;
use std::time::{Duration, Instant};

use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::admission::Payers;
use crate::catalogue::Offer;
use crate::domain::time::Millis;
use crate::domain::{EnginePlayer, PlayerKind};
use crate::error::{Code, Error};
use crate::lobby::bot_seats::has_room;
use crate::lobby::challenges::{create_match, engine_seat, random};
use crate::lobby::seating::{Terms, challenger_seat};
use crate::lobby::{Lobby, LobbySnapshot, change, rated_engines};
use crate::matches::clock::ClockSpec;
use crate::matches::event::LadderMatch;
use crate::matches::ledger::Caller;
use crate::matches::request::{NewMatch, Payment};
use crate::matches::service::Matches;
use crate::ratings::Rating;
use crate::store::StoredChallenge;
use crate::store::data::lobby::{LobbyChange, LobbyPlayer};
pub use check_list::{CheckShown, shown_checks};
pub use check_state::CheckState;
use pairs::pair_of;
pub(super) use pairs::{LadderEntrant, clock_for};
#[cfg(test)]
pub(super) use pairs::{information, may_meet};
use state::LadderState;

/// The clock of matches of engines alone, as [`pairs::clock_for`] gives for bots: they need less time, and an idle server
/// should be idle most of the time.
const CLOCK_OF_ENGINES_MS: (u64, u64) = (30_000, 500);

/// Settings of the ladder.
#[derive(Clone, Debug, clap::Args)]
pub struct LadderOptions {
    /// Whether online bots and built-in engines play rated matches on the permanent ladder.
    #[arg(long = "ladder", env = "KIBITZ_LADDER", value_name = "BOOL", default_value_t = true,
          action = clap::ArgAction::Set)]
    pub on: bool,
    /// The most matches on the permanent ladder that one bot begins in an hour, evenly spread. A bot that is online and
    /// free gets as many as its matches and the engine time of the ladder leave room for
    #[arg(long = "ladder-matches-per-hour", env = "KIBITZ_LADDER_MATCHES_PER_HOUR", value_name = "N",
          default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub matches_per_hour: u32,
    /// Whether engines play on it, too.
    #[arg(skip = true)]
    pub engines: bool,
    /// The shortest time between the beginnings of two matches between engines.
    #[arg(skip = Duration::from_secs(300))]
    pub pace: Duration,
    /// How often to look for pairs.
    #[arg(skip = Duration::from_secs(1))]
    pub every: Duration,
}

/// A bot that can play one more match of a game.
struct FreeBot {
    /// The place of the game among the offers.
    game: usize,
    bot: LadderEntrant,
    /// Whether it has a rating in the game.
    is_rated: bool,
    /// The time since which it is online.
    since_ms: Millis,
}

impl Lobby {
    /// Runs the ladder whenever it is this node's duty, until the server stops.
    pub async fn run_ladder(&'static self, matches: &'static Matches, stopping: CancellationToken) {
        let options = &self.options.ladder;
        if !options.on {
            return;
        }
        let mut state = LadderState::new(options.matches_per_hour);
        let mut tick = interval(options.every);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stopping.cancelled() => return,
                _ = tick.tick() => {}
            }
            let lobby = self.now();
            match lobby.ladder_holder() {
                Some(holder) if holder == matches.store().node() => {
                    if let Err(e) = self.begin_next(matches, &lobby, &mut state).await {
                        tracing::debug!(error = %e, "the ladder cannot go on now");
                    }
                }
                Some(_) => state = LadderState::new(options.matches_per_hour),
                // A failed change is tried again.
                None => drop(change(matches, LobbyChange::KeepLadder).await),
            }
        }
    }

    /// Begins the matches that can begin now.
    async fn begin_next(
        &self,
        matches: &Matches,
        lobby: &LobbySnapshot,
        state: &mut LadderState,
    ) -> Result<(), Error> {
        state.forget_old();
        state.checks.forget_offline(lobby);
        state.forget_finished(matches).await?;
        let offers = matches.games().offers();
        let of_game = |(game, offer)| bots_with_room(lobby, state, game, offer);
        let free: Vec<FreeBot> = offers.iter().enumerate().flat_map(of_game).collect();
        let (mut turns, checks) = self.turns(matches, &free, lobby, state).await?;
        let mut engines: Vec<Option<Vec<LadderEntrant>>> = offers.iter().map(|_| None).collect();
        let mut is_first = true;
        while !turns.is_empty() {
            let next = turns.remove(0);
            let FreeBot { game, bot, .. } = &free[next];
            let offer = &offers[*game];
            let room = self.options.ladder.engines && state.has_room(offer.info.slug, matches.engine_slots());
            if let Some(place) = checks.get(&next) {
                if room {
                    self.begin_check(matches, &free[next], *place, state).await?;
                    is_first = false;
                    turns.retain(|turn| !state.is_busy(&free[*turn].bot.player.who.id));
                }
                continue;
            }
            if room && engines[*game].is_none() {
                engines[*game] = Some(engines_of(matches, offer).await?);
            }
            let bots = turns
                .iter()
                .filter(|turn| free[**turn].game == *game && !checks.contains_key(*turn))
                .map(|turn| &free[*turn].bot);
            let others: Vec<&LadderEntrant> =
                bots.chain(engines[*game].iter().flatten().filter(|_| room)).collect();
            let rules = state.rules(offer, &matches.admission().blocks)?;
            let Some(place) = rules.best_opponent(bot, &others) else { continue };
            self.begin_with_bots(matches, offer, bot, others[place], state).await?;
            is_first = false;
            turns.retain(|turn| !state.is_busy(&free[*turn].bot.player.who.id));
        }
        match is_first && self.options.ladder.engines && state.may_engines_begin(self.options.ladder.pace) {
            true => self.begin_of_engines(matches, state).await,
            false => Ok(()),
        }
    }

    /// Creates the match of a bot with a bot or an engine.
    async fn begin_with_bots(
        &self,
        matches: &Matches,
        offer: &Offer,
        bot: &LadderEntrant,
        other: &LadderEntrant,
        state: &mut LadderState,
    ) -> Result<(), Error> {
        let Some(clock) = clock_for([bot, other]) else { return Ok(()) };
        let toss = random()?[0] & 1 == 0;
        let seat = challenger_seat(offer, bot.seat_candidate(), other.seat_candidate(), None, toss)?;
        let terms = Terms { game: offer.info.slug.to_owned(), clock: Some(clock), rated: true, seat };
        let now = matches.now().ms();
        // The pairing is not stored: if this node fails meanwhile, the bots are paired again.
        let pairing = StoredChallenge {
            id: uuid::Uuid::now_v7().to_string(),
            challenger: bot.player.clone(),
            opponent: other.player.clone(),
            terms: terms.stored(),
            created_ms: now,
            until_ms: now,
            stage: String::new(),
            settled_ms: None,
            reason: None,
            match_id: None,
            tickets: None,
        };
        let bots = [bot, other].into_iter().filter(|entrant| entrant.policy.is_some());
        let bots: Vec<&str> = bots.map(|entrant| entrant.player.who.id.as_str()).collect();
        let pair = pair_of(&bot.player, &other.player);
        // Counted first: a bot for which no match can be created must not hold up the others.
        state.begin(offer.info.slug, &bots, &pair);
        let payment = Payment::Due(Payers::service());
        match create_match(matches, &pairing, Some(LadderMatch::Rated), payment).await {
            Ok(id) => {
                let opponent = if other.policy.is_none() { "engine" } else { "bot" };
                matches.metrics().ladder_match(offer.info.slug, opponent);
                if other.policy.is_none() {
                    state.with_engines.push((id, offer.info.slug));
                }
                Ok(())
            }
            Err(e) if e.code() == Code::RatedLimit => {
                state.rest(pair, &bots);
                Ok(())
            }
            Err(e) if matches!(e.code(), Code::StoreUnavailable | Code::Stopping) => Err(e),
            Err(e) => {
                tracing::debug!(game = offer.info.slug, ?bots, error = %e, "a match of the ladder cannot begin");
                Ok(())
            }
        }
    }

    /// Creates a match between two engines of the next game.
    async fn begin_of_engines(&self, matches: &Matches, state: &mut LadderState) -> Result<(), Error> {
        let offers = matches.games().offers();
        for _ in 0..offers.len() {
            state.of_engines_game = (state.of_engines_game + 1) % offers.len();
            let offer = &offers[state.of_engines_game];
            let engines = engines_of(matches, offer).await?;
            let rules = state.rules(offer, &matches.admission().blocks)?;
            let Some((a, b)) = rules.best_pair(&engines) else { continue };
            let toss = random()?[0] & 1 == 0;
            let (a, b) = (&engines[a].player, &engines[b].player);
            let pair = pair_of(a, b);
            let order = match_of_engines(offer, if toss { [a, b] } else { [b, a] })?;
            state.begin(offer.info.slug, &[], &pair);
            let payment = Payment::Due(Payers::service());
            match matches.create(order, &Caller::default(), None, payment).await {
                Ok(made) => {
                    matches.metrics().ladder_match(offer.info.slug, "engine");
                    state.of_engines = Some(made.id);
                    state.of_engines_since = Some(Instant::now());
                    return Ok(());
                }
                Err(e) if e.code() == Code::RatedLimit => state.rest(pair, &[]),
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }
}

/// The order for a match between engines, which have these seats.
fn match_of_engines(offer: &Offer, seats: [&LobbyPlayer; 2]) -> Result<NewMatch, Error> {
    Ok(NewMatch {
        game: offer.info.slug.to_owned(),
        options: None,
        seats: seats.into_iter().map(|engine| engine_seat(&engine.who)).collect::<Result<_, _>>()?,
        clock: Some(ClockSpec {
            initial_ms: Some(CLOCK_OF_ENGINES_MS.0),
            increment_ms: CLOCK_OF_ENGINES_MS.1,
            move_ms: None,
        }),
        idle_ms: None,
        private: false,
        hints: Some(false),
        seed: None,
        rated: true,
        tournament: None,
        ladder: Some(LadderMatch::Rated),
        position: None,
    })
}

/// The online bots that play the game on the ladder and can play one more match, each once. `place`: of the game among the offers.
fn bots_with_room(lobby: &LobbySnapshot, state: &LadderState, place: usize, offer: &Offer) -> Vec<FreeBot> {
    let game = offer.info.slug;
    let mut seen = HashSet::new();
    let bots = lobby.bots_online().filter_map(|(open, policy)| {
        let id = &open.player.who.id;
        let has_room = has_room(lobby, id, policy) && !state.is_busy(id);
        let wants = policy.ladder && policy.games.iter().any(|named| named == game);
        if !has_room || !wants || !seen.insert(id.clone()) {
            return None;
        }
        let rating = lobby.rating_of(id, game);
        let (is_rated, since_ms) = (rating.is_some(), open.since_ms);
        let rating = rating.unwrap_or(Rating::NEW);
        let bot = LadderEntrant { player: open.player.clone(), rating, policy: Some(policy.clone()) };
        Some(FreeBot { game: place, bot, is_rated, since_ms })
    });
    bots.collect()
}

/// The engines of a game that are on offer, at all their levels.
async fn engines_of(matches: &Matches, offer: &Offer) -> Result<Vec<LadderEntrant>, Error> {
    let game = offer.info.slug;
    let rated = rated_engines(matches, game).await?;
    let rating = |name: &str| rated.iter().find(|known| known.who.name == name).map(|known| known.rating);
    let on_offer = matches.games().engine_players().into_iter();
    let of_game = on_offer.filter(|who| EnginePlayer::parse(&who.name).is_some_and(|e| e.game == game));
    let entrants = of_game.map(|who| LadderEntrant {
        rating: rating(&who.name).unwrap_or(Rating::NEW),
        player: LobbyPlayer { who, kind: PlayerKind::Engine },
        policy: None,
    });
    Ok(entrants.collect())
}
