//! Runs the tournaments: one node runs each of them, by lease. Its actor looks at the log and at the matches of the
//! tournament, does what is to be done next, and appends it. Everything follows from what is stored, so that another node,
//! or this one after a crash, goes on from there.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::time::{MissedTickBehavior, interval, sleep};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::admission::Payers;
use crate::catalogue::Catalogue;
use crate::domain::{MatchId, Stage, TournamentId, TournamentStage};
use crate::error::{Code, Error};
use crate::matches::ledger::Caller;
use crate::matches::request::{NewMatch, Payment};
use crate::matches::service::Matches;
use crate::store::{MatchStatus, RunningTournament, StoreChange, refused_by_store};
use crate::tournaments::event::TournamentEvent;
use crate::tournaments::ledger::{GameState, Tournament, TournamentCommand, TournamentRefusal};
use crate::tournaments::play;
use crate::tournaments::service::{LoadedTournament, Tournaments, running_matches};
use crate::tournaments::window::Attendance;

/// How often to look for tournaments that no living node runs.
const CLAIM_INTERVAL: Duration = Duration::from_millis(500);

/// How often to look for finished matches.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// How long to wait after a failure.
const RETRY: Duration = Duration::from_secs(2);

/// The most matches that are created before they are recorded.
const CREATED_AT_ONCE: usize = 16;

/// The parts of the server that the runner uses.
#[expect(missing_docs, reason = "the fields have the names of their types")]
#[derive(Clone, Copy)]
pub struct RunnerDeps {
    pub tournaments: &'static Tournaments,
    pub matches: &'static Matches,
    /// The games on offer.
    pub games: &'static Catalogue,
}

/// Runs tournaments until the server stops.
pub async fn run(deps: RunnerDeps, stopping: CancellationToken) {
    let mut actors: HashMap<TournamentId, (DropGuard, tokio::task::JoinHandle<()>)> = HashMap::new();
    let mut tick = interval(CLAIM_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut appended = deps.tournaments.appended();
    loop {
        tokio::select! {
            () = stopping.cancelled() => return,
            _ = tick.tick() => {}
            // One may have begun here.
            Ok(()) = appended.changed() => {}
        }
        actors.retain(|_, (_, task)| !task.is_finished());
        // A read that fails is repeated at the next tick; the log says elsewhere that the database is unavailable.
        let Ok(running) = deps.matches.store().running_tournaments().await else { continue };
        for RunningTournament { id, holder } in running {
            let is_ours = match holder.as_deref() {
                Some(holder) => holder == deps.matches.store().node(),
                None => claim(deps.matches, &id).await,
            };
            if !is_ours {
                // Dropping the guard ends the actor.
                actors.remove(&id);
            } else {
                actors.entry(id.clone()).or_insert_with(|| {
                    let cancelled = stopping.child_token();
                    let task = tokio::spawn(act(deps, id, cancelled.clone()));
                    (cancelled.drop_guard(), task)
                });
            }
        }
    }
}

async fn claim(matches: &Matches, id: &TournamentId) -> bool {
    let node = matches.store().node().to_owned();
    let claimed = matches.store().change(StoreChange::RunTournament { id: id.clone(), node }).await;
    claimed.is_ok_and(|changed| changed > 0)
}

/// The actor of a tournament.
async fn act(deps: RunnerDeps, id: TournamentId, cancelled: CancellationToken) {
    tracing::debug!(id = id.as_str(), "this node runs the tournament");
    let mut attendance = Attendance::default();
    loop {
        let work = async {
            match step(deps, &id, &mut attendance).await {
                Ok(true) => return true,
                Ok(false) => sleep(POLL_INTERVAL).await,
                Err(e) => {
                    tracing::warn!(id = id.as_str(), error = %e, "a tournament cannot go on now");
                    sleep(RETRY).await;
                }
            }
            false
        };
        tokio::select! {
            () = cancelled.cancelled() => return,
            over = work => if over { return },
        }
    }
}

/// Does what is to be done now. Returns whether the tournament needs no node any more.
async fn step(deps: RunnerDeps, id: &TournamentId, attendance: &mut Attendance) -> Result<bool, Error> {
    let RunnerDeps { tournaments, matches, games } = deps;
    let mut now = match tournaments.load(matches, id).await {
        Err(e) if e.code() == Code::NoSuchTournament => return Ok(true),
        loaded => loaded?,
    };
    if now.state.stage.is_over() {
        return Ok(true);
    }
    let has_window = now.state.setup.window_ms.is_some();
    if has_window {
        attendance.look(&now.state, &matches.admission().connected(), Instant::now());
    }
    let mut finished = finished(matches, &now.state).await?;
    if now.waits(matches.now().ms()) {
        postpone(&now.state, &mut finished, attendance);
    }
    if !finished.is_empty() {
        now = tournaments.append(matches, id, |state| decide_all(state, &finished)).await?;
    }
    let waits = now.waits(matches.now().ms());
    let state = &now.state;
    let mut gone = match has_window && !waits {
        true => attendance.forfeits(state, Instant::now()),
        false => Vec::new(),
    };
    let can_play = |entrant: usize| !has_window || attendance.can_play(entrant, waits);
    let starts = to_start(matches, state, can_play);
    let without_engine = starts
        .iter()
        .map(|game| (*game, play::missing_engines(state, *game, games)))
        .filter(|(_, absent)| !absent.is_empty())
        .map(|(game, absent)| TournamentCommand::Forfeit { game, absent });
    gone.extend(without_engine);
    if !gone.is_empty() {
        tournaments.append(matches, id, |state| decide_all(state, &gone)).await?;
        return Ok(false);
    }
    let absent = if waits { attendance.absent(state) } else { Vec::new() };
    if !state.decide(TournamentCommand::Proceed { absent: absent.clone() })?.is_empty() {
        now = tournaments.append(matches, id, |state| proceed(state, &absent)).await?;
    }
    let starts = to_start(matches, &now.state, can_play);
    for games in starts.chunks(CREATED_AT_ONCE) {
        begin(deps, &now, games).await?;
    }
    Ok(now.state.stage.is_over())
}

/// Turns forfeits of players who did not come into postponements.
fn postpone(state: &Tournament, finished: &mut [TournamentCommand], attendance: &mut Attendance) {
    for command in finished {
        let TournamentCommand::Forfeit { game, absent } = command else { continue };
        for seat in absent.iter() {
            attendance.missed(state.games[*game].seats[*seat], Instant::now());
        }
        *command = TournamentCommand::Postpone { game: *game };
    }
}

/// The games to begin now. Games of engines alone take engines from others, so their number at a time is limited. A bot that
/// is online plays as many at a time as its policy says. `can_play`: whether the games of an entrant need not wait.
fn to_start(matches: &Matches, state: &Tournament, can_play: impl Fn(usize) -> bool) -> Vec<usize> {
    let engine_games = matches.options().engine_matches;
    let at_once = |entrant: usize| {
        if !can_play(entrant) {
            return 0;
        }
        let player = &state.entrants[entrant].player;
        let most = matches.admission().most_at_once(player).map_or(usize::MAX, |most| most as usize);
        if player.is_engine() { usize::MAX } else { state.setup.per_entrant.min(most) }
    };
    let running = running_matches(state);
    let of_engines = running.iter().filter(|(game, _)| play::is_of_engines(state, *game)).count();
    let mut free = engine_games.max(1).saturating_sub(of_engines);
    let mut games = state.to_start(at_once);
    games.retain(|game| {
        if !play::is_of_engines(state, *game) {
            return true;
        }
        let fits = free > 0;
        free = free.saturating_sub(1);
        fits
    });
    games
}

/// All events that follow from the state alone.
fn proceed(state: &Tournament, absent: &[usize]) -> Result<Vec<TournamentEvent>, Error> {
    let (mut state, mut all) = (state.clone(), Vec::new());
    loop {
        let events = state.decide(TournamentCommand::Proceed { absent: absent.to_vec() })?;
        if events.is_empty() {
            return Ok(all);
        }
        events.iter().cloned().for_each(|event| state.apply(event));
        all.extend(events);
    }
}

/// The events of these commands, each as if the ones before it were done. A command that came too late is left out.
fn decide_all(state: &Tournament, commands: &[TournamentCommand]) -> Result<Vec<TournamentEvent>, Error> {
    let (mut state, mut all) = (state.clone(), Vec::new());
    if state.stage.is_over() {
        return Ok(all);
    }
    for command in commands {
        let events = match state.decide(command.clone()) {
            Ok(events) => events,
            Err(TournamentRefusal::WrongGame(_)) => continue,
            Err(e) => return Err(e.into()),
        };
        events.iter().cloned().for_each(|event| state.apply(event));
        all.extend(events);
    }
    Ok(all)
}

/// The outcomes of the running games whose matches are over.
async fn finished(matches: &Matches, state: &Tournament) -> Result<Vec<TournamentCommand>, Error> {
    let running = running_matches(state);
    if running.is_empty() {
        return Ok(Vec::new());
    }
    let ids = running.iter().map(|(_, id)| id.clone()).collect();
    let found = matches.store().match_status(ids).await.map_err(|e| refused_by_store(&e))?;
    let found: HashMap<MatchId, MatchStatus> =
        found.into_iter().map(|status| (status.id.clone(), status)).collect();
    let mut commands = Vec::new();
    for (game, id) in running {
        match found.get(&id) {
            Some(status) if status.stage == Stage::Over => {
                commands.push(play::outcome(matches, game, status).await?);
            }
            Some(_) => {}
            // It was deleted.
            None => commands.push(TournamentCommand::GameOver { game, scores: None }),
        }
    }
    Ok(commands)
}

/// Creates the matches of these games and records them. If the server stops in between, the same orders find the same
/// matches again.
async fn begin(deps: RunnerDeps, now: &Arc<LoadedTournament>, games: &[usize]) -> Result<(), Error> {
    let RunnerDeps { tournaments, matches, .. } = deps;
    let server = Caller::default();
    let (mut started, mut failed) = (Vec::new(), None);
    for game in games {
        let (order, key) = play::order(&now.id, &now.state, *game)?;
        let payers = || Payment::Due(Payers::new(None, [&now.state.setup.organizer]));
        let create = |order| matches.create(order, &server, Some(key.clone()), payers());
        let mut made = create(order.clone()).await;
        if made.as_ref().is_err_and(|e| e.code() == Code::RatedLimit) {
            // The players have met too often today: the tournament goes on, their ratings do not.
            made = create(NewMatch { rated: false, ..order }).await;
        }
        match made {
            Ok(made) => started.push(TournamentCommand::GameStarted { game: *game, match_id: made.id }),
            // The organizer has reached a limit: the rest begins later.
            Err(e) if e.code() == Code::TooMany => break,
            Err(e) => {
                failed = Some(e);
                break;
            }
        }
    }
    let after = tournaments.append(matches, &now.id, |state| decide_all(state, &started)).await?;
    if after.state.stage.is_over() {
        end_unrecorded(matches, &after.state, &started).await?;
    }
    failed.map_or(Ok(()), Err)
}

/// Ends matches that were created while the tournament was aborted.
async fn end_unrecorded(
    matches: &Matches,
    state: &Tournament,
    started: &[TournamentCommand],
) -> Result<(), Error> {
    debug_assert!(state.stage == TournamentStage::Aborted, "games were to begin");
    for command in started {
        let TournamentCommand::GameStarted { game, match_id } = command else { continue };
        if state.games[*game].state == GameState::Running(match_id.clone()) {
            continue;
        }
        match matches.terminate(match_id).await {
            Ok(_) => {}
            Err(e) if matches!(e.code(), Code::MatchOver | Code::NoSuchMatch) => {}
            Err(e) => return Err(e),
        }
    }
    Ok(())
}
