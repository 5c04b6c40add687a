//! The programs that play now, as this node knows them: matches take them from here for the seats of their bots.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

#[cfg(feature = "programs")]
use crate::bot_runner::LoadFailure;
use crate::domain::ProgramHash;
use crate::domain::time::{DAY_MS, Millis, ServerClock};
use crate::matches::bots::hosted::{
    BoxedFuture, HostedPrograms, PlayingProgram, ProgramPlace, ProgramUnavailable,
};
use crate::matches::event::ProgramRef;
#[cfg(feature = "programs")]
use crate::programs::places::Places;
#[cfg(feature = "programs")]
use crate::programs::runner::bytes_of;
use crate::store::{ActiveProgram as StoredActive, ProgramChange, Store, StoreChange, StoreError};

/// What runs the programs of matches.
#[cfg(feature = "programs")]
type MatchRunners = Places;
#[cfg(not(feature = "programs"))]
type MatchRunners = std::convert::Infallible;

/// The programs that play now.
pub struct Hosting {
    store: Arc<dyn Store>,
    now: ServerClock,
    /// Held while what plays is changed here or read again, so that what was read later is what stays.
    reading: tokio::sync::Mutex<()>,
    /// `None`: this server runs no programs.
    runners: Option<MatchRunners>,
    /// All of them, by bot and game.
    active: RwLock<HashMap<(String, String), StoredActive>>,
    /// The modules that the operator has disabled, and why.
    banned: RwLock<HashMap<ProgramHash, String>>,
    /// The fuel that bots have used and that is not stored yet.
    spent: Mutex<HashMap<String, u64>>,
    /// What they have used today, as far as it is stored; and the day.
    used: Mutex<(i64, HashMap<String, u64>)>,
}

impl Hosting {
    /// No programs yet.
    pub fn new(store: Arc<dyn Store>, now: ServerClock, runners: Option<MatchRunners>) -> Self {
        Self {
            store,
            now,
            reading: tokio::sync::Mutex::default(),
            runners,
            active: RwLock::default(),
            banned: RwLock::default(),
            spent: Mutex::default(),
            used: Mutex::default(),
        }
    }

    /// Whether this server runs programs.
    pub fn is_on(&self) -> bool {
        self.runners.is_some()
    }

    /// Reads from the database what plays now.
    ///
    /// # Errors
    /// When it cannot be read; then what was known stays.
    pub async fn refresh(&self) -> Result<(), StoreError> {
        let _reading = self.reading.lock().await;
        self.read_again().await
    }

    /// Changes programs. When it returns, the next match of this node takes what plays now. Returns how many programs it changed.
    ///
    /// # Errors
    /// When nothing was changed.
    pub async fn change(&self, change: ProgramChange) -> Result<u64, StoreError> {
        let _reading = self.reading.lock().await;
        let changed = self.store.change(StoreChange::Program(change)).await?;
        if let Err(e) = self.read_again().await {
            tracing::debug!(error = %e, "the programs of bots cannot be read; they are read again soon");
        }
        Ok(changed)
    }

    /// Waits until a change that this node has stored already is also known to its matches.
    pub async fn settled(&self) {
        drop(self.reading.lock().await);
    }

    async fn read_again(&self) -> Result<(), StoreError> {
        let read = self.store.active_programs().await?;
        let known = read.into_iter().map(|active| ((active.bot.id.clone(), active.game.clone()), active));
        let known = known.collect();
        let banned = self.store.banned_programs().await?.into_iter().map(|ban| (ban.hash, ban.reason));
        *self.banned.write().unwrap_or_else(PoisonError::into_inner) = banned.collect();
        *self.active.write().unwrap_or_else(PoisonError::into_inner) = known;
        Ok(())
    }

    /// The programs that play, each bot's together.
    pub fn by_bot(&self) -> HashMap<String, Vec<StoredActive>> {
        let mut bots: HashMap<String, Vec<StoredActive>> = HashMap::new();
        for active in self.active.read().unwrap_or_else(PoisonError::into_inner).values() {
            bots.entry(active.bot.id.clone()).or_default().push(active.clone());
        }
        bots
    }

    /// Whether a program plays for the bot with this id in any game.
    pub fn plays_for(&self, bot: &str) -> bool {
        self.active.read().unwrap_or_else(PoisonError::into_inner).keys().any(|(id, _)| id == bot)
    }

    fn spent_now(&self) -> MutexGuard<'_, HashMap<String, u64>> {
        // No holder of the lock can panic half-way.
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores what bots have used since the last call.
    ///
    /// # Errors
    /// When it cannot be stored; the next call tries again.
    pub async fn store_fuel(&self) -> Result<(), StoreError> {
        let spent = std::mem::take(&mut *self.spent_now());
        let mut failed = Ok(());
        for (bot, fuel) in spent {
            let add = ProgramChange::AddFuel { bot: bot.clone(), day: day(self.now.ms()), fuel };
            if let Err(e) = self.store.change(StoreChange::Program(add)).await {
                *self.spent_now().entry(bot).or_default() += fuel;
                failed = Err(e);
                continue;
            }
            if let Ok(used) = self.store.program_fuel(bot.clone(), day(self.now.ms())).await {
                self.note_used(bot, used);
            }
        }
        failed
    }

    /// What the programs of a bot have used today, as far as this node knows.
    ///
    /// # Errors
    /// When it was never read, and cannot be now.
    pub async fn used_today(&self, bot: &str) -> Result<u64, StoreError> {
        let today = day(self.now.ms());
        {
            let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
            if used.0 != today {
                *used = (today, HashMap::new());
            }
            if let Some(used) = used.1.get(bot) {
                return Ok(*used);
            }
        }
        let used = self.store.program_fuel(bot.to_owned(), today).await?;
        self.note_used(bot.to_owned(), used);
        Ok(used)
    }

    /// Whether a module may run.
    #[cfg(feature = "programs")]
    fn check_ban(&self, hash: &ProgramHash) -> Result<(), ProgramUnavailable> {
        let banned = self.banned.read().unwrap_or_else(PoisonError::into_inner);
        let why = |reason| format!("the operator has disabled its program: {reason}");
        banned.get(hash).map_or(Ok(()), |reason| Err(ProgramUnavailable::ForGood(why(reason))))
    }

    fn note_used(&self, bot: String, used: u64) {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).1.insert(bot, used);
    }
}

fn day(now: Millis) -> i64 {
    now.div_euclid(DAY_MS)
}

impl HostedPrograms for Hosting {
    fn active(&self, bot: &str, game: &str) -> Option<PlayingProgram> {
        self.runners.as_ref()?;
        let active = self.active.read().unwrap_or_else(PoisonError::into_inner);
        let found = active.get(&(bot.to_owned(), game.to_owned()))?;
        let program = ProgramRef { hash: found.hash.clone(), number: found.number };
        Some(PlayingProgram { program, referee: found.referee.clone() })
    }

    #[cfg(feature = "programs")]
    fn load<'a>(
        &'a self,
        program: &'a ProgramRef,
        seated: Option<&'a Arc<dyn ProgramPlace>>,
    ) -> BoxedFuture<'a, Result<Arc<dyn ProgramPlace>, ProgramUnavailable>> {
        Box::pin(async move {
            let runners = self.runners.as_ref().ok_or_else(off)?;
            self.check_ban(&program.hash)?;
            let hash = bytes_of(&program.hash);
            if let Some(place) = seated.filter(|place| place.has(program)) {
                return Ok(Arc::clone(place));
            }
            let place = runners.choose();
            if place.runner.has(&hash) {
                return Ok(place);
            }
            let for_now = |e: &dyn std::fmt::Display| ProgramUnavailable::ForNow(e.to_string());
            let read = self.store.module(program.hash.clone()).await.map_err(|e| for_now(&e))?;
            let gone = || ProgramUnavailable::ForGood("its program was deleted".to_owned());
            let module = read.ok_or_else(gone)?;
            let runner = place.runner.clone();
            let loaded = tokio::task::spawn_blocking(move || runner.load(hash, &module)).await;
            loaded.map_err(|e| for_now(&e))?.map_err(|e| match e {
                LoadFailure::Refused(why) => ProgramUnavailable::ForGood(why),
                LoadFailure::NoRunner(why) => ProgramUnavailable::ForNow(why),
            })?;
            Ok(place as Arc<dyn ProgramPlace>)
        })
    }

    #[cfg(not(feature = "programs"))]
    fn load<'a>(
        &'a self,
        _: &'a ProgramRef,
        _: Option<&'a Arc<dyn ProgramPlace>>,
    ) -> BoxedFuture<'a, Result<Arc<dyn ProgramPlace>, ProgramUnavailable>> {
        Box::pin(std::future::ready(Err(off())))
    }

    fn spent(&self, bot: &str, fuel: u64) {
        *self.spent_now().entry(bot.to_owned()).or_default() += fuel;
    }
}

fn off() -> ProgramUnavailable {
    ProgramUnavailable::ForNow("this server runs no programs of bots".to_owned())
}
