//! The permanent ladder: rated matches between online bots and built-in engines, paired by rating and uncertainty. One node
//! runs it, by lease. It has no log: its matches are rated matches, and its standings are the leaderboards. It uses only
//! spare engine time: it begins a match with an engine only after a quiet time.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::admission::Payers;
use crate::admission::blocks::Blocks;
use crate::catalogue::Offer;
use crate::domain::{EnginePlayer, MatchId, PlayerKind, Stage};
use crate::error::{Code, Error};
use crate::lobby::bot_seats::has_room;
use crate::lobby::challenges::{create_match, engine_seat, random};
use crate::lobby::policy::{Policy, PolicyFrom};
use crate::lobby::seating::{Terms, challenger_seat};
use crate::lobby::{Lobby, bots_online, change};
use crate::matches::clock::ClockSpec;
use crate::matches::ledger::Caller;
use crate::matches::request::{NewMatch, Payment};
use crate::matches::service::Matches;
use crate::ratings::Rating;
use crate::store::lobby::{LobbyChange, LobbyPlayer};
use crate::store::{LeaderboardFilter, LobbyRows, StoredChallenge, refused_by_store};

/// The clock of its matches, if the bots have no other wish: the time for all moves, and what each move adds.
const CLOCK_MS: (u64, u64) = (180_000, 2_000);

/// The same for matches of engines alone: they need less time, and an idle server should be idle most of the time.
const CLOCK_OF_ENGINES_MS: (u64, u64) = (30_000, 500);

/// The most engines that are read from a game's leaderboard.
const ENGINES: u32 = 200;

/// How long a pair that has reached the limit per day is left alone.
const RESTED: Duration = Duration::from_secs(3600);

/// A match that was just created is not in the picture of the lobby yet: for this long its bots count as playing it.
const APPEARS_WITHIN: Duration = Duration::from_secs(5);

/// Number of matches remembered, to vary the pairs.
const MAX_REMEMBERED: u32 = 1000;

/// Settings of the ladder.
#[derive(Clone, Debug, clap::Args)]
pub struct LadderOptions {
    /// Whether online bots and built-in engines play rated matches on the permanent ladder.
    #[arg(long = "ladder", env = "KIBITZ_LADDER", value_name = "BOOL", default_value_t = true,
          action = clap::ArgAction::Set)]
    pub on: bool,
    /// An engine plays on the ladder only when no engine has searched for anyone for this long.
    #[arg(skip = Duration::from_secs(20))]
    pub quiet: Duration,
    /// The shortest time between the beginnings of two matches between engines.
    #[arg(skip = Duration::from_secs(300))]
    pub pace: Duration,
    /// How often to look for pairs.
    #[arg(skip = Duration::from_secs(1))]
    pub every: Duration,
}

/// A player whom the ladder can pair.
#[derive(Clone, Debug)]
pub(super) struct Climber {
    /// The player.
    pub player: LobbyPlayer,
    /// The rating in the game.
    pub rating: Rating,
    /// The policy of a bot; `None`: an engine.
    pub policy: Option<Policy>,
}

/// The state of the ladder, on the node that runs it.
struct LadderState {
    /// The time since which the node runs the ladder.
    since: Instant,
    /// The match between engines that is being played.
    of_engines: Option<MatchId>,
    /// The time at which it began.
    of_engines_since: Option<Instant>,
    /// How often two players were paired while this node ran the ladder.
    paired: HashMap<Pair, u32>,
    /// Pairs that have met too often today, with the time.
    rested: HashMap<Pair, Instant>,
    /// Bots who were just paired.
    busy: HashMap<String, Instant>,
    /// The game of the last match between engines.
    game: usize,
}

impl LadderState {
    fn new() -> Self {
        Self {
            since: Instant::now(),
            of_engines: None,
            of_engines_since: None,
            paired: HashMap::new(),
            rested: HashMap::new(),
            busy: HashMap::new(),
            game: 0,
        }
    }
}

/// The ids of two players, the smaller first.
type Pair = (String, String);

pub(super) fn pair_of(a: &LobbyPlayer, b: &LobbyPlayer) -> Pair {
    let (a, b) = (a.who.id.clone(), b.who.id.clone());
    if a < b { (a, b) } else { (b, a) }
}

impl Lobby {
    /// Runs the ladder whenever it is this node's duty, until the server stops.
    pub async fn run_ladder(&'static self, matches: &'static Matches, stopping: CancellationToken) {
        if !self.options.ladder.on {
            return;
        }
        let mut state = LadderState::new();
        let mut tick = interval(self.options.ladder.every);
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stopping.cancelled() => return,
                _ = tick.tick() => {}
            }
            let rows = self.now();
            match rows.ladder_keeper.as_deref() {
                Some(keeper) if keeper == matches.store().node() => {
                    if let Err(e) = self.climb(matches, &rows, &mut state).await {
                        tracing::debug!(error = %e, "the ladder cannot go on now");
                    }
                }
                Some(_) => state = LadderState::new(),
                // A failed change is tried again.
                None => drop(change(matches, LobbyChange::KeepLadder).await),
            }
        }
    }

    /// Begins the matches that can begin now.
    async fn climb(&self, matches: &Matches, rows: &LobbyRows, state: &mut LadderState) -> Result<(), Error> {
        state.busy.retain(|_, since| since.elapsed() < APPEARS_WITHIN);
        state.rested.retain(|_, since| since.elapsed() < RESTED);
        if state.paired.values().sum::<u32>() > MAX_REMEMBERED {
            state.paired.clear();
        }
        let blocks = &matches.admission().blocks;
        for offer in matches.games().offers() {
            let mut bots = bots_with_room(rows, state, offer);
            while let Some((a, b)) = best_pair(&bots, offer, state, blocks)? {
                let (b, a) = (bots.remove(a.max(b)), bots.remove(a.min(b)));
                self.begin_with_bots(matches, offer, &a, &b, state).await?;
            }
        }
        let quiet = self.options.ladder.quiet;
        let is_quiet = matches.engines_last_used().unwrap_or(state.since).elapsed() >= quiet;
        if !is_quiet || is_running(matches, &mut state.of_engines).await? {
            return Ok(());
        }
        for offer in matches.games().offers() {
            let bots = bots_with_room(rows, state, offer);
            if bots.is_empty() {
                continue;
            }
            let mut all = engines(matches, offer).await?;
            let first = all.len();
            all.extend(bots);
            let with_bot = |a: usize, b: usize| (a < first) != (b < first);
            if let Some((a, b)) = best_of(&all, offer, state, blocks, with_bot)? {
                return self.begin_with_bots(matches, offer, &all[b.max(a)], &all[a.min(b)], state).await;
            }
        }
        if state.of_engines_since.is_some_and(|since| since.elapsed() < self.options.ladder.pace) {
            return Ok(());
        }
        self.begin_of_engines(matches, state).await
    }

    /// Creates the match of a bot with a bot or an engine.
    async fn begin_with_bots(
        &self,
        matches: &Matches,
        offer: &Offer,
        bot: &Climber,
        other: &Climber,
        state: &mut LadderState,
    ) -> Result<(), Error> {
        let Some(clock) = clock_for([bot, other]) else { return Ok(()) };
        let toss = random()?[0] & 1 == 0;
        let seat = challenger_seat(offer, bot.player.kind, other.player.kind, None, toss)?;
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
        for climber in [bot, other].into_iter().filter(|climber| climber.policy.is_some()) {
            state.busy.insert(climber.player.who.id.clone(), Instant::now());
        }
        let pair = pair_of(&bot.player, &other.player);
        *state.paired.entry(pair.clone()).or_default() += 1;
        match create_match(matches, &pairing, Payment::Due(Payers::service())).await {
            Err(e) if e.code() == Code::RatedLimit => {
                state.rested.insert(pair, Instant::now());
                Ok(())
            }
            created => created.map(drop),
        }
    }

    /// Creates a match between two engines of the next game.
    async fn begin_of_engines(&self, matches: &Matches, state: &mut LadderState) -> Result<(), Error> {
        let offers = matches.games().offers();
        for _ in 0..offers.len() {
            state.game = (state.game + 1) % offers.len();
            let offer = &offers[state.game];
            let engines = engines(matches, offer).await?;
            let Some((a, b)) = best_pair(&engines, offer, state, &matches.admission().blocks)? else {
                continue;
            };
            let toss = random()?[0] & 1 == 0;
            let (a, b) = (&engines[a].player, &engines[b].player);
            let seats = if toss { [a, b] } else { [b, a] };
            let order = NewMatch {
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
            };
            let pair = pair_of(a, b);
            *state.paired.entry(pair.clone()).or_default() += 1;
            let payment = Payment::Due(Payers::service());
            match matches.create(order, &Caller::default(), None, payment).await {
                Ok(made) => {
                    state.of_engines = Some(made.id);
                    state.of_engines_since = Some(Instant::now());
                    return Ok(());
                }
                Err(e) if e.code() == Code::RatedLimit => {
                    state.rested.insert(pair, Instant::now());
                }
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }
}

/// Whether this match is still being played; forgets it otherwise.
async fn is_running(matches: &Matches, of_engines: &mut Option<MatchId>) -> Result<bool, Error> {
    let Some(id) = of_engines else { return Ok(false) };
    let found = matches.store().match_status(vec![id.clone()]).await.map_err(|e| refused_by_store(&e))?;
    let is_running = found.first().is_some_and(|status| status.stage != Stage::Over);
    if !is_running {
        *of_engines = None;
    }
    Ok(is_running)
}

/// The online bots that play the game on the ladder and can play one more match, each once.
fn bots_with_room(rows: &LobbyRows, state: &LadderState, offer: &Offer) -> Vec<Climber> {
    let game = offer.info.slug;
    let mut seen = HashSet::new();
    let climbers = bots_online(rows).filter_map(|(open, policy)| {
        let id = &open.player.who.id;
        let has_room = has_room(rows, id, &policy) && !state.busy.contains_key(id);
        let wants = policy.ladder && policy.games.iter().any(|named| named == game);
        if !has_room || !wants || !seen.insert(id.clone()) {
            return None;
        }
        let rating = rows.ratings.iter().find(|(player, of, _)| player == id && of == game);
        let rating = rating.map_or(Rating::NEW, |(_, _, rating)| *rating);
        Some(Climber { player: open.player.clone(), rating, policy: Some(policy) })
    });
    climbers.collect()
}

/// The engines of a game that are on offer, at all their levels.
async fn engines(matches: &Matches, offer: &Offer) -> Result<Vec<Climber>, Error> {
    let game = offer.info.slug;
    let filter = LeaderboardFilter {
        game: game.to_owned(),
        kind: Some(PlayerKind::Engine),
        provisional: true,
        after: None,
        limit: ENGINES,
    };
    let rated = matches.store().leaderboard(filter).await.map_err(|e| refused_by_store(&e))?;
    let rating = |name: &str| rated.iter().find(|known| known.who.name == name).map(|known| known.rating);
    let on_offer = matches.games().engine_players().into_iter();
    let of_game = on_offer.filter(|who| EnginePlayer::parse(&who.name).is_some_and(|e| e.game == game));
    let climbers = of_game.map(|who| Climber {
        rating: rating(&who.name).unwrap_or(Rating::NEW),
        player: LobbyPlayer { who, kind: PlayerKind::Engine },
        policy: None,
    });
    Ok(climbers.collect())
}

/// The pair whose match tells most about their strength.
fn best_pair(
    climbers: &[Climber],
    offer: &Offer,
    state: &LadderState,
    blocks: &Blocks,
) -> Result<Option<(usize, usize)>, Error> {
    best_of(climbers, offer, state, blocks, |_, _| true)
}

fn best_of(
    climbers: &[Climber],
    offer: &Offer,
    state: &LadderState,
    blocks: &Blocks,
    fits: impl Fn(usize, usize) -> bool,
) -> Result<Option<(usize, usize)>, Error> {
    let noise = random()?;
    let mut best: Option<(f64, (usize, usize))> = None;
    for a in 0..climbers.len() {
        for b in a + 1..climbers.len() {
            let (one, other) = (&climbers[a], &climbers[b]);
            let pair = pair_of(&one.player, &other.player);
            let may_meet = may_meet(one, other, offer) && blocks.allow(&one.player.who, &other.player.who);
            if !fits(a, b) || state.rested.contains_key(&pair) || !may_meet {
                continue;
            }
            let times = state.paired.get(&pair).copied().unwrap_or(0);
            // The choice between equal pairs is random.
            let lot = 1.0 + f64::from(noise[(a * 7 + b) % noise.len()]) / 1024.0;
            let value = information(one.rating, other.rating) * lot / f64::from(1 + times);
            if best.is_none_or(|(most, _)| value > most) {
                best = Some((value, (a, b)));
            }
        }
    }
    Ok(best.map(|(_, pair)| pair))
}

/// How much the result of a match tells about the strength of two players: the more open the result and the more uncertain
/// their ratings, the more.
pub(super) fn information(a: Rating, b: Rating) -> f64 {
    let expected = 1.0 / (1.0 + 10_f64.powf((b.points() - a.points()) / 400.0));
    expected * (1.0 - expected) * (a.sigma.powi(2) + b.sigma.powi(2))
}

/// Whether two players can play a rated match on the ladder: they belong to different people, the game has seats for both,
/// and each accepts the other.
pub(super) fn may_meet(a: &Climber, b: &Climber, offer: &Offer) -> bool {
    let Some(clock) = clock_for([a, b]) else { return false };
    let terms = Terms { game: offer.info.slug.to_owned(), clock: Some(clock), rated: true, seat: 0 };
    let accepts = |own: &Climber, other: &Climber| {
        own.policy.as_ref().is_none_or(|policy| {
            // For a bot that plays only bots, an engine counts as a bot.
            match other.player.kind == PlayerKind::Engine && policy.from == PolicyFrom::Bots {
                true => policy.accepts_terms(&terms).is_ok(),
                false => policy.accepts(&own.player, &terms, &other.player).is_ok(),
            }
        })
    };
    a.player.who.owner_id() != b.player.who.owner_id()
        && challenger_seat(offer, a.player.kind, b.player.kind, None, true).is_ok()
        && accepts(a, b)
        && accepts(b, a)
}

/// The clock that all of these accept; `None`: there is none.
pub(super) fn clock_for<'a>(climbers: impl IntoIterator<Item = &'a Climber>) -> Option<ClockSpec> {
    let ranges = climbers.into_iter().filter_map(|climber| climber.policy.as_ref()?.clock_ms);
    let [least, most] = ranges.fold([1_000, u64::MAX], |all, own| [all[0].max(own[0]), all[1].min(own[1])]);
    let clock = ClockSpec {
        initial_ms: Some(CLOCK_MS.0.clamp(least, most.max(least))),
        increment_ms: CLOCK_MS.1,
        move_ms: None,
    };
    (least <= most && clock.check().is_ok()).then_some(clock)
}
