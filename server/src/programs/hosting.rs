//! The programs that play now, as this node knows them: matches take them from here for the seats of their bots.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use engines::arena::SandboxSeat;

#[cfg(feature = "programs")]
use crate::bot_runner::{BotRunner, LoadFailure};
use crate::domain::ProgramHash;
use crate::domain::time::{DAY_MS, Millis, ServerClock};
use crate::matches::event::ProgramRef;
use crate::matches::hosted::{BoxedFuture, HostedPrograms, PlayingProgram, ProgramUnavailable};
#[cfg(feature = "programs")]
use crate::programs::runner::bytes_of;
use crate::store::{ActiveProgram as StoredActive, ProgramChange, Store, StoreChange, StoreError};

/// What runs the programs of matches.
#[cfg(feature = "programs")]
type MatchRunner = BotRunner;
#[cfg(not(feature = "programs"))]
type MatchRunner = std::convert::Infallible;

/// The programs that play now.
pub struct Hosting {
    store: Arc<dyn Store>,
    now: ServerClock,
    /// `None`: this server runs no programs.
    runner: Option<MatchRunner>,
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
    pub fn new(store: Arc<dyn Store>, now: ServerClock, runner: Option<MatchRunner>) -> Self {
        Self {
            store,
            now,
            runner,
            active: RwLock::default(),
            banned: RwLock::default(),
            spent: Mutex::default(),
            used: Mutex::default(),
        }
    }

    /// Whether this server runs programs.
    pub fn is_on(&self) -> bool {
        self.runner.is_some()
    }

    /// Reads from the database what plays now.
    ///
    /// # Errors
    /// When it cannot be read; then what was known stays.
    pub async fn refresh(&self) -> Result<(), StoreError> {
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
        self.runner.as_ref()?;
        let active = self.active.read().unwrap_or_else(PoisonError::into_inner);
        let found = active.get(&(bot.to_owned(), game.to_owned()))?;
        let program = ProgramRef { hash: found.hash.clone(), number: found.number };
        Some(PlayingProgram { program, referee: found.referee.clone() })
    }

    #[cfg(feature = "programs")]
    fn load<'a>(&'a self, program: &'a ProgramRef) -> BoxedFuture<'a, Result<(), ProgramUnavailable>> {
        Box::pin(async move {
            let runner = self.runner.as_ref().ok_or_else(off)?;
            self.check_ban(&program.hash)?;
            let hash = bytes_of(&program.hash);
            if runner.has(&hash) {
                return Ok(());
            }
            let for_now = |e: &dyn std::fmt::Display| ProgramUnavailable::ForNow(e.to_string());
            let read = self.store.module(program.hash.clone()).await.map_err(|e| for_now(&e))?;
            let gone = || ProgramUnavailable::ForGood("its program was deleted".to_owned());
            let module = read.ok_or_else(gone)?;
            let runner = runner.clone();
            let loaded = tokio::task::spawn_blocking(move || runner.load(hash, &module)).await;
            loaded.map_err(|e| for_now(&e))?.map_err(|e| match e {
                LoadFailure::Refused(why) => ProgramUnavailable::ForGood(why),
                LoadFailure::NoRunner(why) => ProgramUnavailable::ForNow(why),
            })
        })
    }

    #[cfg(not(feature = "programs"))]
    fn load<'a>(&'a self, _: &'a ProgramRef) -> BoxedFuture<'a, Result<(), ProgramUnavailable>> {
        Box::pin(std::future::ready(Err(off())))
    }

    #[cfg(feature = "programs")]
    fn seat(&self, program: &ProgramRef, seed: [u8; 32]) -> Result<Box<dyn SandboxSeat>, String> {
        let runner = self.runner.as_ref().ok_or("this server runs no programs of bots")?;
        runner.seat_of(bytes_of(&program.hash), seed).map_err(|e| e.to_string())
    }

    #[cfg(not(feature = "programs"))]
    fn seat(&self, _: &ProgramRef, _: [u8; 32]) -> Result<Box<dyn SandboxSeat>, String> {
        Err("this server runs no programs of bots".to_owned())
    }

    fn spent(&self, bot: &str, fuel: u64) {
        *self.spent_now().entry(bot.to_owned()).or_default() += fuel;
    }
}

fn off() -> ProgramUnavailable {
    ProgramUnavailable::ForNow("this server runs no programs of bots".to_owned())
}
