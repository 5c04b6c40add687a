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
use crate::lobby::ladder::pairs::{LadderEntrant, clock_for, may_meet};
use crate::lobby::ladder::state::LadderState;
use crate::lobby::policy::Policy;
use crate::lobby::{Lobby, LobbySnapshot};
use crate::matches::bot_check::CheckReport;
use crate::matches::event::LadderMatch;
use crate::matches::ledger::Caller;
use crate::matches::listing::MatchSummary;
use crate::matches::render::WhoKind;
use crate::matches::request::{NewMatch, NewSeat, Payment};
use crate::matches::service::Matches;
use crate::ratings::Rating;
use crate::store::lobby::LobbyPlayer;
use crate::store::{MatchFilter, refused_by_store};

/// The longest thinking time of the engine in a check match, in milliseconds.
const THINK_MS: u64 = 50;

/// How many matches of a bot are read at a time, and how often at most, to find its check matches. If they are older, the bot is
/// checked again.
const PAGE: u32 = 100;
const MAX_PAGES: usize = 20;

/// A check match of a bot in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PlayedCheck {
    id: MatchId,
    seat: u8,
    created_ms: Millis,
    outcome: CheckOutcome,
}

/// What a check match has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckOutcome {
    /// It is not over.
    Unfinished,
    /// The bot made a legal move.
    LegalMoves,
    /// Every answer of the bot was void, or it gave none.
    VoidOnly,
}

/// Whether a bot has passed its check in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckState {
    /// It has made legal moves: it gets rated matches.
    Passed,
    /// It has still to play a check match from this seat.
    Due(u8),
    /// Check matches are being played.
    Running,
    /// It has made no legal move since it came online.
    Failed,
}

impl CheckState {
    /// What it means for the bot, in one sentence. `title`: the title of the game.
    pub fn verdict(&self, title: &str) -> String {
        match self {
            Self::Passed => format!("passed: the bot now gets rated matches of {title} on the ladder"),
            Self::Due(seat) => format!("a check match from seat {seat} follows"),
            Self::Running => "another check match is being played".to_owned(),
            Self::Failed => format!(
                "failed: no answer of the bot was a legal move, so it gets no rated matches of {title} on the ladder. Correct it and \
                 start it again: then it is checked again"
            ),
        }
    }
}

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

/// The seats of a match of two that a bot can hold. `mirror`: whether it knows the mirror dialogue.
fn seats_of(offer: &Offer, mirror: bool) -> impl Iterator<Item = u8> {
    [0, 1].into_iter().filter(move |seat| offer.info.bot_can_hold(*seat, mirror))
}

/// Follows from the check matches of a bot that is online since `since_ms` and can hold these seats. A match without a legal move
/// counts until the bot comes online again.
pub(super) fn state_of(
    seats: impl Iterator<Item = u8>,
    played: &[PlayedCheck],
    since_ms: Millis,
) -> CheckState {
    let (mut running, mut legal) = (false, false);
    for seat in seats {
        let has = |outcome: CheckOutcome, after_ms: Millis| {
            let mut of_seat =
                played.iter().filter(|check| check.seat == seat && check.created_ms >= after_ms);
            of_seat.any(|check| check.outcome == outcome)
        };
        if has(CheckOutcome::LegalMoves, Millis::MIN) {
            legal = true;
        } else if has(CheckOutcome::Unfinished, Millis::MIN) {
            running = true;
        } else if !has(CheckOutcome::VoidOnly, since_ms) {
            return CheckState::Due(seat);
        }
    }
    match (running, legal) {
        (true, _) => CheckState::Running,
        (false, true) => CheckState::Passed,
        (false, false) => CheckState::Failed,
    }
}

/// The check matches of a bot in a game, the newest first.
///
/// # Errors
/// `store_unavailable`, `internal` if a log is damaged.
async fn checks_of(matches: &Matches, bot: &str, game: &str) -> Result<Vec<PlayedCheck>, Error> {
    let (mut played, mut before) = (Vec::new(), None);
    for _ in 0..MAX_PAGES {
        let filter = MatchFilter {
            game: Some(game.to_owned()),
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
            let outcome = outcome_of(matches, &listed.id, listed.row.stage).await?;
            let created_ms = listed.row.created_ms;
            played.push(PlayedCheck { id: listed.id, seat, created_ms, outcome });
        }
        if before.is_none() {
            break;
        }
    }
    Ok(played)
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
        Ok(Some(state_of(seats_of(offer, policy.knows_mirror()), &played, open.since_ms)))
    }

    /// The free bots whose turn it may be, in order, without those whose checks are running or have failed; and the seats of check
    /// matches that are due, by turn.
    pub(super) async fn turns(
        &self,
        matches: &Matches,
        free: &[FreeBot],
        lobby: &LobbySnapshot,
        state: &mut LadderState,
    ) -> Result<(Vec<usize>, HashMap<usize, u8>), Error> {
        let offers = matches.games().offers();
        let names: Vec<(&str, &'static str)> =
            free.iter().map(|free| (free.bot.player.who.id.as_str(), offers[free.game].info.slug)).collect();
        let (mut turns, mut checks) = (Vec::new(), HashMap::new());
        for turn in state.queue.order(&names, Instant::now()) {
            match self.check_on_ladder(matches, &free[turn], lobby, state).await {
                Ok(CheckState::Passed) => turns.push(turn),
                Ok(CheckState::Due(seat)) => {
                    checks.insert(turn, seat);
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
        // Without engines on the ladder there is no opponent for a check.
        if free.is_rated || !self.options.ladder.engines || !plays_engines(free, offer) {
            return Ok(CheckState::Passed);
        }
        if let Some(known) = state.checks.get(free, game, lobby) {
            return Ok(known);
        }
        let played = checks_of(matches, &free.bot.player.who.id, game).await?;
        let check = state_of(seats_of(offer, knows_mirror(free)), &played, free.since_ms);
        state.checks.set(free, game, &check, &played);
        Ok(check)
    }

    /// Creates a check match in which the bot has this seat.
    pub(super) async fn begin_check(
        &self,
        matches: &Matches,
        free: &FreeBot,
        seat: u8,
        state: &mut LadderState,
    ) -> Result<(), Error> {
        let offer = &matches.games().offers()[free.game];
        let game = offer.info.slug;
        // The bot has as much time as in its rated matches.
        let Some(clock) = clock_for([&free.bot]) else { return Ok(()) };
        let think_ms = Some(THINK_MS.min(matches.max_think_ms()));
        let engine = NewSeat::Engine { engine: None, level: Level::Easy, think_ms, nodes: None };
        let mut seats = vec![NewSeat::Me { name: None }, engine];
        seats.rotate_right(usize::from(seat));
        let order = NewMatch {
            game: game.to_owned(),
            options: None,
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

#[cfg(test)]
mod tests {
    use super::*;
    use CheckOutcome::{LegalMoves, Unfinished, VoidOnly};

    /// Check matches: seat, time of creation, outcome.
    fn played(all: &[(u8, Millis, CheckOutcome)]) -> Vec<PlayedCheck> {
        let check = |(seat, created_ms, outcome): &(u8, Millis, CheckOutcome)| PlayedCheck {
            id: MatchId::fresh(),
            seat: *seat,
            created_ms: *created_ms,
            outcome: *outcome,
        };
        all.iter().map(check).collect()
    }

    #[test]
    fn bot_passes_after_a_match_from_each_seat() {
        let state = |all: &[_]| state_of([0, 1].into_iter(), &played(all), 100);
        assert_eq!(state(&[]), CheckState::Due(0));
        assert_eq!(state(&[(0, 100, Unfinished)]), CheckState::Due(1));
        assert_eq!(state(&[(0, 100, LegalMoves)]), CheckState::Due(1));
        assert_eq!(state(&[(0, 100, LegalMoves), (1, 200, Unfinished)]), CheckState::Running);
        assert_eq!(state(&[(0, 100, LegalMoves), (1, 200, LegalMoves)]), CheckState::Passed);
        assert_eq!(state(&[(0, 100, LegalMoves), (1, 200, VoidOnly)]), CheckState::Passed);
        // Matches from before a restart count.
        assert_eq!(state(&[(0, 10, LegalMoves)]), CheckState::Due(1));
        assert_eq!(state(&[(0, 10, LegalMoves), (1, 20, LegalMoves)]), CheckState::Passed);
        assert_eq!(state_of([1].into_iter(), &played(&[(1, 10, LegalMoves)]), 100), CheckState::Passed);
    }

    #[test]
    fn bot_without_a_legal_move_is_checked_again_when_it_comes_online_again() {
        let all = played(&[(0, 100, VoidOnly), (1, 200, VoidOnly)]);
        assert_eq!(state_of([0, 1].into_iter(), &all, 100), CheckState::Failed);
        assert_eq!(state_of([0, 1].into_iter(), &all, 201), CheckState::Due(0));
        assert_eq!(state_of([0, 1].into_iter(), &all[..1], 100), CheckState::Due(1));
    }
}
