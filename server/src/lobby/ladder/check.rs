//! Checks of bots. Before its first rated match of a game on the ladder, a bot plays a short unrated match from each seat that it
//! can hold against a weak, fast engine. What a bot has passed follows from its stored matches, so it survives a restart.

use std::collections::HashMap;
use std::time::Instant;

use engines::search::Level;

use crate::admission::Payers;
use crate::catalogue::Offer;
use crate::domain::time::Millis;
use crate::domain::{MatchId, PlayerKind, PlayerRef, Stage};
use crate::error::{Code, Error};
use crate::lobby::ladder::FreeBot;
use crate::lobby::ladder::check_state::{
    CheckOutcome, CheckPlace, CheckState, PlayedCheck, places_of, state_of,
};
use crate::lobby::ladder::pairs::{LadderEntrant, clock_for, may_meet};
use crate::lobby::ladder::state::LadderState;
use crate::lobby::policy::Policy;
use crate::lobby::{Lobby, LobbySnapshot};
use crate::matches::bots::bot_check::CheckReport;
use crate::matches::event::LadderMatch;
use crate::matches::ledger::Caller;
use crate::matches::listing::MatchSummary;
use crate::matches::render::WhoKind;
use crate::matches::request::{NewMatch, NewSeat, Payment};
use crate::matches::service::Matches;
use crate::ratings::Rating;
use crate::store::data::lobby::LobbyPlayer;
use crate::store::{ListedMatch, MatchFilter, refused_by_store};

/// The longest thinking time of the engine in a check match, in milliseconds.
const THINK_MS: u64 = 50;

/// How many matches of a bot are read at a time, and how often at most, to find its check matches. If they are older, the bot is
/// checked again.
const PAGE: u32 = 100;
const MAX_PAGES: usize = 20;

/// The checks that the node that runs the ladder knows, by bot and game. Lost with the node, without harm.
#[derive(Default)]
pub(super) struct KnownChecks(HashMap<(String, &'static str), KnownCheck>);

/// What is known of a bot without reading its matches again.
struct KnownCheck {
    /// The time since which the bot was online.
    since_ms: Millis,
    /// Whether it knew the mirror dialogue.
    mirror: bool,
    state: CheckState,
    /// The check matches that were being played.
    running: Vec<MatchId>,
}

impl KnownChecks {
    /// The state of a bot's check, if it is known.
    fn get(&self, free: &FreeBot, game: &'static str, lobby: &LobbySnapshot) -> Option<CheckState> {
        let bot = &free.bot.player.who.id;
        let known = self.0.get(&(bot.clone(), game))?;
        let is_running = |id: &MatchId| lobby.is_playing(bot, id);
        let is_valid = known.since_ms == free.since_ms
            && known.mirror == knows_mirror(free)
            && known.running.iter().all(is_running);
        is_valid.then(|| known.state.clone())
    }

    fn set(&mut self, free: &FreeBot, game: &'static str, state: &CheckState, played: &[PlayedCheck]) {
        let running = played.iter().filter(|check| check.outcome == CheckOutcome::Unfinished);
        let known = KnownCheck {
            since_ms: free.since_ms,
            mirror: knows_mirror(free),
            state: state.clone(),
            running: running.map(|check| check.id.clone()).collect(),
        };
        self.0.insert((free.bot.player.who.id.clone(), game), known);
    }

    /// Forgets the bots that are offline.
    pub(super) fn forget_offline(&mut self, lobby: &LobbySnapshot) {
        self.0.retain(|(bot, _), _| !lobby.connections_of(bot).is_empty());
    }
}

fn knows_mirror(free: &FreeBot) -> bool {
    free.bot.policy.as_ref().is_some_and(Policy::knows_mirror)
}

/// The check matches of a bot in a game, the newest first.
///
/// # Errors
/// `store_unavailable`, `internal` if a log is damaged.
async fn checks_of(matches: &Matches, bot: &str, game: &str) -> Result<Vec<PlayedCheck>, Error> {
    let mut played = Vec::new();
    for (listed, place) in check_matches(matches, bot, Some(game), MAX_PAGES).await? {
        let outcome = outcome_of(matches, &listed.id, listed.row.stage).await?;
        let created_ms = listed.row.created_ms;
        played.push(PlayedCheck { id: listed.id, place, created_ms, outcome });
    }
    Ok(played)
}

/// The check matches among a bot's last matches, the newest first, each with the bot's place. `pages`: how many pages of matches
/// to read.
///
/// # Errors
/// `store_unavailable`.
pub(super) async fn check_matches(
    matches: &Matches,
    bot: &str,
    game: Option<&str>,
    pages: usize,
) -> Result<Vec<(ListedMatch, CheckPlace)>, Error> {
    let (mut found, mut before) = (Vec::new(), None);
    for _ in 0..pages {
        let filter = MatchFilter {
            game: game.map(str::to_owned),
            player: Some(bot.to_owned()),
            before: before.take(),
            limit: PAGE,
            ..MatchFilter::default()
        };
        let page = matches.store().list(filter).await.map_err(|e| refused_by_store(&e))?;
        before = page.last().filter(|_| page.len() == PAGE as usize).map(|last| last.id.clone());
        for listed in page {
            let Ok(summary) = serde_json::from_str::<MatchSummary>(&listed.row.summary) else { continue };
            if summary.ladder != Some(LadderMatch::Check) {
                continue;
            }
            let is_bot = |kind| matches!(kind, WhoKind::Player | WhoKind::Reserved);
            let seat = summary.seats.iter().position(|seat| is_bot(seat.who.kind));
            let Some(seat) = seat.and_then(|seat| u8::try_from(seat).ok()) else { continue };
            let Ok(seats) = u8::try_from(summary.seats.len()) else { continue };
            found.push((listed, CheckPlace { seats, seat }));
        }
        if before.is_none() {
            break;
        }
    }
    Ok(found)
}

async fn outcome_of(matches: &Matches, id: &MatchId, stage: Stage) -> Result<CheckOutcome, Error> {
    if stage != Stage::Over {
        return Ok(CheckOutcome::Unfinished);
    }
    let log = matches.own_log(id).await?.unwrap_or_default();
    let legal = CheckReport::of(&log).map_or(0, |checked| checked.legal);
    Ok(if legal > 0 { CheckOutcome::LegalMoves } else { CheckOutcome::VoidOnly })
}

impl Lobby {
    /// Whether an online bot has passed its check in a game; `None`: it is offline.
    ///
    /// # Errors
    /// `store_unavailable`, `internal` if a log is damaged.
    pub async fn check_of(
        &self,
        matches: &Matches,
        bot: &PlayerRef,
        offer: &Offer,
    ) -> Result<Option<CheckState>, Error> {
        let lobby = self.now();
        let Some((open, policy)) = lobby.policies_of(&bot.id).next() else { return Ok(None) };
        let played = checks_of(matches, &bot.id, offer.info.slug).await?;
        Ok(Some(state_of(places_of(offer, policy.knows_mirror()), &played, open.since_ms)))
    }

    /// The free bots whose turn it may be, in order, without those whose checks are running or have failed; and the places of check
    /// matches that are due, by turn.
    pub(super) async fn turns(
        &self,
        matches: &Matches,
        free: &[FreeBot],
        lobby: &LobbySnapshot,
        state: &mut LadderState,
    ) -> Result<(Vec<usize>, HashMap<usize, CheckPlace>), Error> {
        let offers = matches.games().offers();
        let names: Vec<(&str, &'static str)> =
            free.iter().map(|free| (free.bot.player.who.id.as_str(), offers[free.game].info.slug)).collect();
        let (mut turns, mut checks) = (Vec::new(), HashMap::new());
        for turn in state.queue.order(&names, Instant::now()) {
            match self.check_on_ladder(matches, &free[turn], lobby, state).await {
                Ok(CheckState::Passed) => turns.push(turn),
                Ok(CheckState::Due(place)) => {
                    checks.insert(turn, place);
                    turns.push(turn);
                }
                Ok(CheckState::Running | CheckState::Failed) => {}
                Err(e) if e.code() == Code::StoreUnavailable => return Err(e),
                // A match of one bot that cannot be read does not hold up the others.
                Err(e) => tracing::debug!(bot = names[turn].0, error = %e, "the check of a bot is not known"),
            }
        }
        Ok((turns, checks))
    }

    /// The state of a bot's check, as far as the ladder needs it: a bot with a rating has passed.
    async fn check_on_ladder(
        &self,
        matches: &Matches,
        free: &FreeBot,
        lobby: &LobbySnapshot,
        state: &mut LadderState,
    ) -> Result<CheckState, Error> {
        let offer = &matches.games().offers()[free.game];
        let game = offer.info.slug;
        // A hosted program was checked when it was uploaded. Without engines on the ladder there is no opponent for a check.
        if free.is_rated
            || matches.is_hosted(&free.bot.player.who.id, game)
            || !self.options.ladder.engines
            || !plays_engines(free, offer)
        {
            return Ok(CheckState::Passed);
        }
        if let Some(known) = state.checks.get(free, game, lobby) {
            return Ok(known);
        }
        let played = checks_of(matches, &free.bot.player.who.id, game).await?;
        let check = state_of(places_of(offer, knows_mirror(free)), &played, free.since_ms);
        state.checks.set(free, game, &check, &played);
        Ok(check)
    }

    /// Creates a check match in which the bot has this place.
    pub(super) async fn begin_check(
        &self,
        matches: &Matches,
        free: &FreeBot,
        place: CheckPlace,
        state: &mut LadderState,
    ) -> Result<(), Error> {
        let offer = &matches.games().offers()[free.game];
        let game = offer.info.slug;
        // The bot has as much time as in its rated matches.
        let Some(clock) = clock_for([&free.bot]) else { return Ok(()) };
        let think_ms = Some(THINK_MS.min(matches.max_think_ms()));
        let engine = || NewSeat::Engine { engine: None, level: Level::Easy, think_ms, nodes: None };
        let mut seats = vec![NewSeat::Me { name: None }];
        seats.resize_with(usize::from(place.seats), engine);
        seats.rotate_right(usize::from(place.seat));
        let order = NewMatch {
            game: game.to_owned(),
            options: offer.game.options_for(place.seats),
            seats,
            clock: Some(clock),
            idle_ms: None,
            private: false,
            hints: Some(false),
            seed: None,
            rated: false,
            tournament: None,
            ladder: Some(LadderMatch::Check),
            position: None,
        };
        let who = &free.bot.player.who;
        let caller = Caller { player: Some(who.clone()), ..Caller::default() };
        state.begin_check(game, &who.id);
        state.checks.0.remove(&(who.id.clone(), game));
        match matches.create(order, &caller, None, Payment::Due(Payers::service())).await {
            Ok(made) => {
                matches.metrics().ladder_match(game, "check");
                state.with_engines.push((made.id, game));
                Ok(())
            }
            Err(e) if matches!(e.code(), Code::StoreUnavailable | Code::Stopping) => Err(e),
            Err(e) => {
                tracing::debug!(game, bot = who.id, error = %e, "a check match cannot begin");
                Ok(())
            }
        }
    }
}

/// Whether the ladder would give this bot rated matches with engines.
fn plays_engines(free: &FreeBot, offer: &Offer) -> bool {
    let who = PlayerRef::new(String::new(), String::new());
    let player = LobbyPlayer { who, kind: PlayerKind::Engine };
    may_meet(&free.bot, &LadderEntrant { player, rating: Rating::NEW, policy: None }, offer)
}
