//! What a server does in the background besides matches: learns of changes to accounts and bans that other servers make,
//! deletes old matches, looks for damage in the database file. And the changes to accounts themselves.

use std::path::Path;
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::app::App;
use crate::domain::PlayerRef;
use crate::domain::time::Millis;
use crate::domain::token::{Token, TokenKind};
use crate::error::{Code, Error};
use crate::matches::ledger::Caller;
use crate::matches::refused_by_store;
use crate::matches::service::SeatAction;
use crate::players::{NAME_HELD_MS, free_name, name_taken};
use crate::store::{StoreChange, StoreError};

/// How often to look for changes that other servers on the database have made.
const LOOK: Duration = Duration::from_secs(1);

/// How often old matches are looked for.
const EXPIRE_EVERY: Duration = Duration::from_secs(600);

/// How many matches are deleted in one transaction, and how long the writer belongs to others after it.
const BATCH: u32 = 4;
const BREATHER: Duration = Duration::from_millis(50);

/// A database file up to this size, in bytes, is checked before the server is ready; a larger one soon after.
const SMALL: u64 = 64 << 20;

/// Works until the server stops. `checked`: the database file was checked just now.
pub async fn run(app: &'static App, checked: bool) {
    tokio::join!(watch_accounts(app), keep_tidy(app), look_for_damage(app, checked));
}

/// Looks for damage in the database file if that takes no time to speak of; whether it did.
pub async fn check_small(app: &App, file: &Path) -> bool {
    let small = std::fs::metadata(file).is_ok_and(|file| file.len() <= SMALL);
    if small && app.check_every.is_some() {
        examine(app).await;
        return true;
    }
    false
}

/// Takes over the accounts and bans as they are in the database now.
pub async fn refresh(app: &App) -> Result<(), StoreError> {
    let store = app.matches.store();
    app.players.forget();
    app.bans.replace(store.bans().await?);
    let changed = app.matches.names().replace(store.former_names().await?);
    for player in changed {
        // The live ones tell the new name from now on.
        let live = store.playing(player).await?;
        app.matches.tell_news(&live);
    }
    Ok(())
}

async fn watch_accounts(app: &'static App) {
    let mut known = None;
    let mut look = interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = app.stopping.cancelled() => return,
            _ = look.tick() => {}
        }
        // What cannot be read now is tried again at the next tick; others log that the database is unavailable.
        let Ok(version) = app.matches.store().accounts_version().await else { continue };
        if known != Some(version) && refresh(app).await.is_ok() {
            known = Some(version);
        }
    }
}

async fn keep_tidy(app: &'static App) {
    let Some(days) = app.retention_days else { return };
    let age = Duration::from_secs(u64::from(days) * 24 * 3600);
    let mut every = interval(EXPIRE_EVERY);
    every.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = app.stopping.cancelled() => return,
            _ = every.tick() => {}
        }
        match expire(app, age).await {
            Ok(0) => {}
            Ok(deleted) => tracing::info!(deleted, days, "matches that had long been over were deleted"),
            Err(e) => tracing::warn!(error = %e, "old matches could not be deleted"),
        }
    }
}

async fn look_for_damage(app: &'static App, mut checked: bool) {
    let Some(every) = app.check_every else { return };
    loop {
        if !std::mem::take(&mut checked) {
            examine(app).await;
        }
        tokio::select! {
            () = app.stopping.cancelled() => return,
            () = sleep(every) => {}
        }
    }
}

/// Damage is logged where it is found, and shown by `/readyz`.
async fn examine(app: &App) {
    if let Err(e) = app.matches.store().check_file().await {
        tracing::warn!(error = %e, "the database file could not be checked");
    }
}

/// Deletes matches that were over this long ago, a few at a time; how many.
///
/// # Errors
/// When the database cannot do it now. What was deleted until then stays deleted.
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
        sleep(BREATHER).await;
    }
}

/// Makes a change and lets it hold here at once; how many rows it changed.
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
/// `internal` where the system gives no random numbers.
pub fn fresh_token(kind: TokenKind) -> Result<Token, Error> {
    Token::fresh(kind).map_err(|e| Error::new(Code::Internal, format!("no randomness: {e}")))
}

/// The player's token is this one from now on.
///
/// # Errors
/// `bad_field` where the token is in use, `no_such_player`, `store_unavailable`.
pub async fn change_token(app: &App, who: &PlayerRef, token: &Token) -> Result<(), Error> {
    let wanted = StoreChange::ReplaceToken { player: who.id.clone(), key: token.hash() };
    match app.matches.store().change(wanted).await {
        Ok(0) => return Err(gone()),
        Ok(_) => {}
        Err(StoreError::Conflict) => {
            return Err(Error::new(Code::BadField, "token: it is in use; make a random one"));
        }
        Err(e) => return Err(refused_by_store(&e)),
    }
    refresh(app).await.map_err(|e| refused_by_store(&e))
}

/// The player has another name from now on.
///
/// # Errors
/// `bad_field`, `name_taken`, `store_unavailable`.
pub async fn rename_player(app: &App, who: &PlayerRef, name: &str) -> Result<(), Error> {
    let name = free_name(name, app.matches.engine_names())?;
    let at_ms = app.matches.now().ms();
    let held_until_ms = at_ms.saturating_add(NAME_HELD_MS);
    let wanted =
        StoreChange::RenamePlayer { player: who.id.clone(), name: name.clone(), at_ms, held_until_ms };
    if change(app, wanted).await? == 0 { Err(name_taken(&name)) } else { Ok(()) }
}

/// The account ends: open matches are left and running ones resigned, then token, name and results go.
///
/// # Errors
/// `no_such_player`, `store_unavailable`.
pub async fn delete_player(app: &App, who: &PlayerRef) -> Result<(), Error> {
    let caller = Caller { player: Some(who.clone()), ..Caller::default() };
    let playing = app.matches.store().playing(who.id.clone()).await.map_err(|e| refused_by_store(&e))?;
    for id in playing {
        // It may begin or end meanwhile. A seat that is kept for the player stays kept until the match ends.
        for act in [SeatAction::Leave, SeatAction::Resign] {
            match app.matches.act(&id, &caller, act).await {
                Ok(_) => break,
                Err(e) if e.code() == Code::StoreUnavailable => return Err(e),
                Err(e) => tracing::debug!(id = id.as_str(), error = %e, "a deleted player's match goes on"),
            }
        }
    }
    let at_ms = app.matches.now().ms();
    let held_until_ms = at_ms.saturating_add(NAME_HELD_MS);
    let changed =
        change(app, StoreChange::DeletePlayer { player: who.id.clone(), at_ms, held_until_ms }).await?;
    if changed == 0 { Err(gone()) } else { Ok(()) }
}

fn gone() -> Error {
    Error::new(Code::NoSuchPlayer, "the account was deleted meanwhile")
}
