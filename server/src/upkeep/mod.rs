//! Background work of a server besides matches: follows changes to accounts and bans that other nodes make, deletes old
//! matches, checks the database file. Also the changes to accounts themselves.

mod erasure;

use std::path::Path;
use std::time::{Duration, Instant};

use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::app::App;
use crate::domain::time::Millis;
use crate::domain::token::{KeyHash, Token, TokenKind};
use crate::domain::{MatchId, PlayerRef};
use crate::error::{Code, Error};
use crate::matches::ledger::Caller;
use crate::matches::request::SeatAction;
use crate::moderation;
use crate::players::{About, NAME_HELD_MS, free_name, name_taken};
use crate::store::{StoreChange, StoreError, TokenHolder, refused_by_store};
use crate::tournaments::ledger::TournamentCommand;

/// How often to check for changes that other nodes on the database have made.
const POLL_INTERVAL: Duration = Duration::from_millis(400);

/// How often to look whether the database is away.
const CUT_OFF_POLL: Duration = Duration::from_millis(250);

/// After this long without a database, which is noticed after a second, a node ends its open connections.
const CUT_OFF: Duration = Duration::from_secs(1);

/// How often to look for old matches.
const DELETE_INTERVAL: Duration = Duration::from_secs(600);

/// How many matches are deleted in one transaction, and how long other requests then have the writer for themselves.
const BATCH: u32 = 4;
const BATCH_PAUSE: Duration = Duration::from_millis(50);

/// A database file up to this size, in bytes, is checked before the server is ready; a larger one soon afterwards.
const SMALL: u64 = 64 << 20;

/// The most rated matches of a game that may have ended after one whose result is annulled: their ratings are computed
/// again, and nothing else is written meanwhile.
const MAX_LATER: u32 = 10_000;

/// Works until the server stops. `checked`: the database file has just been checked.
pub async fn run(app: &'static App, checked: bool) {
    tokio::join!(
        watch_accounts(app),
        watch_database(app),
        delete_old_matches(app),
        check_file_regularly(app, checked),
        erasure::run(app)
    );
}

/// Checks the database file if it is small; returns whether it did.
pub async fn check_small(app: &App, file: &Path) -> bool {
    let small = std::fs::metadata(file).is_ok_and(|file| file.len() <= SMALL);
    if small && app.check_every.is_some() {
        check_file(app).await;
        return true;
    }
    false
}

/// Reads the accounts and bans from the database, and which matches were deleted.
pub async fn refresh(app: &App) -> Result<(), StoreError> {
    let store = app.matches.store();
    app.players.forget();
    app.bans.replace(store.bans().await?);
    app.matches.admission().restrictions.replace(store.restrictions().await?);
    review_sessions(app).await?;
    app.matches.admission().blocks.replace(store.blocks().await?.into_iter().collect());
    let changed = app.matches.names().replace(store.former_names().await?);
    for player in changed {
        // Live matches show the new name from now on.
        let live = store.playing(player).await?;
        app.matches.tell_news(&live);
    }
    app.matches.end_deleted().await
}

/// Ends the open connections that have lost their rights.
///
/// # Errors
/// When the database cannot be read.
pub async fn review_sessions(app: &App) -> Result<(), StoreError> {
    let now = app.matches.now().ms();
    let restrictions = &app.matches.admission().restrictions;
    app.sessions
        .review(
            app.matches.store(),
            |network| app.bans.covers(network, now),
            |player| restrictions.check_ban(player, now),
        )
        .await
}

async fn watch_accounts(app: &'static App) {
    let mut known = None;
    let mut poll = interval(POLL_INTERVAL);
    poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = app.stopping.cancelled() => return,
            _ = poll.tick() => {}
        }
        // A read that fails is repeated at the next tick; the log says elsewhere that the database is unavailable.
        let Ok(version) = app.matches.store().accounts_version().await else { continue };
        if known != Some(version) && refresh(app).await.is_ok() {
            known = Some(version);
        }
    }
}

/// Ends the open connections of a node that has lost its database, where others may have it: their clients then connect
/// elsewhere.
async fn watch_database(app: &'static App) {
    let store = app.matches.store();
    if !store.is_shared() {
        return;
    }
    let mut poll = interval(CUT_OFF_POLL);
    poll.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut away_since: Option<Instant> = None;
    loop {
        tokio::select! {
            () = app.stopping.cancelled() => return,
            _ = poll.tick() => {}
        }
        if store.health().is_ok() {
            away_since = None;
        } else if away_since.get_or_insert_with(Instant::now).elapsed() >= CUT_OFF {
            app.sessions.end_all(&Error::cut_off());
        }
    }
}

async fn delete_old_matches(app: &'static App) {
    let Some(days) = app.retention_days else { return };
    let age = Duration::from_secs(u64::from(days) * 24 * 3600);
    let mut every = interval(DELETE_INTERVAL);
    every.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = app.stopping.cancelled() => return,
            _ = every.tick() => {}
        }
        match expire(app, age).await {
            Ok(0) => {}
            Ok(deleted) => tracing::info!(deleted, days, "old matches were deleted"),
            Err(e) => tracing::warn!(error = %e, "old matches could not be deleted"),
        }
    }
}

async fn check_file_regularly(app: &'static App, mut checked: bool) {
    let Some(every) = app.check_every else { return };
    loop {
        if !std::mem::take(&mut checked) {
            check_file(app).await;
        }
        tokio::select! {
            () = app.stopping.cancelled() => return,
            () = sleep(every) => {}
        }
    }
}

/// Checks the database file. The store logs damage, and `/readyz` shows it.
async fn check_file(app: &App) {
    if let Err(e) = app.matches.store().check_file().await {
        tracing::warn!(error = %e, "the database file could not be checked");
    }
}

/// Deletes matches that ended this long ago, a few at a time; returns how many.
///
/// # Errors
/// If the database does not work. The matches deleted until then stay deleted.
pub async fn expire(app: &App, age: Duration) -> Result<u64, StoreError> {
    let age = Millis::try_from(age.as_millis()).unwrap_or(Millis::MAX);
    let ended_before_ms = app.matches.now().ms().saturating_sub(age);
    let mut all = 0;
    loop {
        let deleted =
            app.matches.store().change(StoreChange::DeleteMatches { ended_before_ms, most: BATCH }).await?;
        all += deleted;
        if deleted == 0 || app.stopping.is_cancelled() {
            return Ok(all);
        }
        sleep(BATCH_PAUSE).await;
    }
}

/// Makes a change and applies it to this server at once; returns how many rows it changed.
///
/// # Errors
/// `store_unavailable`.
pub async fn change(app: &App, change: StoreChange) -> Result<u64, Error> {
    let store = app.matches.store();
    let changed = store.change(change).await.map_err(|e| refused_by_store(&e))?;
    refresh(app).await.map_err(|e| refused_by_store(&e))?;
    Ok(changed)
}

/// A new random token.
///
/// # Errors
/// `internal` if the system gives no random numbers.
pub fn fresh_token(kind: TokenKind) -> Result<Token, Error> {
    Token::fresh(kind).map_err(|e| Error::new(Code::Internal, format!("no randomness: {e}")))
}

/// Replaces the account's own token. `end_others`: whether all tokens with a scope that the player owns, or that act for the
/// player, become invalid, too.
///
/// # Errors
/// `bad_field` if the token is in use, `no_such_player`, `not_a_person` for an engine, `store_unavailable`.
pub async fn change_token(app: &App, who: &PlayerRef, token: &Token, end_others: bool) -> Result<(), Error> {
    has_account(who)?;
    let wanted = StoreChange::ReplaceToken { player: who.id.clone(), key: token.hash(), end_others };
    match app.matches.store().change(wanted).await {
        Ok(0) => return Err(gone()),
        Ok(_) => {}
        Err(StoreError::Conflict) => {
            return Err(Error::new(Code::BadField, "token: it is in use; create a random one"));
        }
        Err(e) => return Err(refused_by_store(&e)),
    }
    refresh(app).await.map_err(|e| refused_by_store(&e))
}

/// Writes that a token with a scope is used, now and then. The request does not wait for that.
pub fn note_use(app: &'static App, key: KeyHash, holder: &TokenHolder, now: Millis) {
    let Some(id) = app.players.use_to_write(key, holder, now) else { return };
    tokio::spawn(async move {
        // The time is for information. The next use that is written corrects it.
        if let Err(e) = app.matches.store().change(StoreChange::UseToken { id, at_ms: now }).await {
            tracing::debug!(error = %e, "the use of a token could not be written");
        }
    });
}

/// Makes the account's own token invalid, without a new one.
///
/// # Errors
/// `no_such_player`, `store_unavailable`.
pub async fn revoke_token(app: &App, who: &PlayerRef) -> Result<(), Error> {
    let changed = change(app, StoreChange::RevokeToken { player: who.id.clone() }).await?;
    if changed == 0 { Err(gone()) } else { Ok(()) }
}

/// Replaces the player's description of itself. A muted player can only empty it.
///
/// # Errors
/// `bad_field`, `muted`, `no_such_player`, `store_unavailable`.
pub async fn change_about(app: &App, who: &PlayerRef, about: &About) -> Result<(), Error> {
    if *about != About::default() {
        moderation::check_mute(app, who)?;
    }
    let wanted = StoreChange::SetAbout { player: who.id.clone(), about: about.stored()? };
    match app.matches.store().change(wanted).await.map_err(|e| refused_by_store(&e))? {
        0 => Err(gone()),
        _ => Ok(()),
    }
}

/// Annuls the result of a rated match.
///
/// # Errors
/// `not_counted`, `too_late`, `store_unavailable`.
pub async fn annul(app: &App, id: &MatchId) -> Result<(), Error> {
    let later = app.matches.store().rated_since(id.clone(), MAX_LATER + 1).await;
    if later.map_err(|e| refused_by_store(&e))?.is_some_and(|later| later > u64::from(MAX_LATER)) {
        let detail = format!("more than {MAX_LATER} rated matches of the game ended after this one");
        return Err(Error::new(Code::TooLate, detail));
    }
    let wanted = StoreChange::AnnulMatch { id: id.clone(), at_ms: app.matches.now().ms() };
    if change(app, wanted).await? > 0 {
        return Ok(());
    }
    let detail = "the match has not ended as a rated match with a result, or its result was annulled before";
    Err(Error::new(Code::NotCounted, detail))
}

fn has_account(who: &PlayerRef) -> Result<(), Error> {
    if who.is_engine() {
        return Err(Error::new(Code::NotAPerson, "this player is a built-in engine, which has no account"));
    }
    Ok(())
}

/// Renames the player.
///
/// # Errors
/// `bad_field`, `name_taken`, `not_a_person` for an engine, `store_unavailable`.
pub async fn rename_player(app: &App, who: &PlayerRef, name: &str) -> Result<(), Error> {
    has_account(who)?;
    let name = free_name(name, app.matches.engine_names())?;
    let at_ms = app.matches.now().ms();
    let held_until_ms = at_ms.saturating_add(NAME_HELD_MS);
    let wanted =
        StoreChange::RenamePlayer { player: who.id.clone(), name: name.clone(), at_ms, held_until_ms };
    if change(app, wanted).await? == 0 { Err(name_taken(&name)) } else { Ok(()) }
}

/// Deletes the account and those of the player's bots: leaves open matches, resigns running ones, deletes tournaments that have
/// not begun and the titles of the others, then removes tokens, names, results, and all that the player wrote. What is in
/// the logs of matches follows within seconds ([`erasure`]).
///
/// # Errors
/// `no_such_player`, `not_a_person` for an engine, `store_unavailable`.
pub async fn delete_player(app: &App, who: &PlayerRef) -> Result<(), Error> {
    has_account(who)?;
    for bot in app.matches.store().bots(who.id.clone()).await.map_err(|e| refused_by_store(&e))? {
        leave_matches(app, &bot.who).await?;
    }
    leave_matches(app, who).await?;
    leave_tournaments(app, who).await?;
    let at_ms = app.matches.now().ms();
    let held_until_ms = at_ms.saturating_add(NAME_HELD_MS);
    let changed =
        change(app, StoreChange::DeletePlayer { player: who.id.clone(), at_ms, held_until_ms }).await?;
    if changed == 0 { Err(gone()) } else { Ok(()) }
}

/// Leaves the open matches of a player, and resigns the running ones.
async fn leave_matches(app: &App, who: &PlayerRef) -> Result<(), Error> {
    let caller = Caller { player: Some(who.clone()), ..Caller::default() };
    let playing = app.matches.store().playing(who.id.clone()).await.map_err(|e| refused_by_store(&e))?;
    for id in playing {
        // The match may begin or end meanwhile. A seat that is reserved for the player stays reserved until the match ends.
        for act in [SeatAction::Leave, SeatAction::Resign] {
            match app.matches.act(&id, &caller, act).await {
                Ok(_) => break,
                Err(e) if e.code() == Code::StoreUnavailable => return Err(e),
                Err(e) => tracing::debug!(id = id.as_str(), error = %e, "a deleted player's match goes on"),
            }
        }
    }
    Ok(())
}

/// Deletes the tournaments of a player that have not begun, and the titles of the others.
async fn leave_tournaments(app: &App, who: &PlayerRef) -> Result<(), Error> {
    let (tournaments, matches) = (&app.tournaments, &app.matches);
    let organized = matches.store().organized(who.id.clone()).await;
    for id in organized.map_err(|e| refused_by_store(&e))? {
        let done = match tournaments.delete_unplayed(matches, &id).await {
            Err(e) if e.code() == Code::TournamentStage => {
                tournaments.command(matches, &id, &TournamentCommand::RemoveTitle).await.map(drop)
            }
            done => done,
        };
        match done {
            Err(e) if e.code() == Code::NoSuchTournament => {}
            done => done?,
        }
    }
    Ok(())
}

fn gone() -> Error {
    Error::new(Code::NoSuchPlayer, "the account was deleted meanwhile")
}
