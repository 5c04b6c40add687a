//! The check of a program: the runner compiles it, and it plays short matches in every seat.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use engines::arena::{Backends, BotCheck, BotCheckReport, PlayerSpec};
use engines::erased::AnyGame;
use engines::protocol::Settings;
use engines::rng::Seed;

use crate::programs::{CompileFailure, ProgramRunner, Programs};
use crate::store::{ProgramChange, StoreChange, StoreError, StoredProgram};

/// How long a check may take. What was not played by then is left out.
const LONGEST: Duration = Duration::from_secs(300);

/// How often the check of a module is tried if it cannot be played for a reason that may pass.
const TRIES: u32 = 3;

/// The deals of a check are always the same.
const SEED: u64 = 1;

/// How a check ended.
enum Outcome {
    /// With a report.
    Checked(Box<BotCheckReport>),
    /// It could not be played, for this reason, which may pass.
    Failed(String),
}

impl Programs {
    /// Checks the next program that waits. Returns whether there was one.
    ///
    /// # Errors
    /// When the database cannot be used; the check is done again later.
    pub async fn check_next(&self) -> Result<bool, StoreError> {
        let (store, node) = (self.matches.store(), self.matches.node().to_owned());
        if self.runner.is_off().is_some() {
            return Ok(false);
        }
        let waiting = store.unchecked_programs(node.clone(), self.now(), 1).await?;
        let Some(program) = waiting.into_iter().next() else { return Ok(false) };
        let (bot, number) = (program.bot.clone(), program.number);
        let claim = ProgramChange::Claim { bot, number, node: node.clone() };
        if store.change(StoreChange::Program(claim)).await? == 0 {
            // Another node was first.
            return Ok(true);
        }
        let Some(outcome) = self.check(&program).await? else { return Ok(true) };
        let report = match outcome {
            Outcome::Checked(report) => *report,
            Outcome::Failed(why) if self.fails(&program) < TRIES => {
                tracing::warn!(hash = %program.hash, why, "a program could not be checked");
                // The job waits before it tries again.
                return Ok(false);
            }
            Outcome::Failed(why) => match self.games.find(&program.game) {
                Ok(offer) => BotCheckReport::of_void(offer.game, &spec(&program), why),
                Err(_) => return Ok(true),
            },
        };
        self.finish(program, node, report).await?;
        Ok(true)
    }

    /// Counts a failure; returns how many there were.
    fn fails(&self, program: &StoredProgram) -> u32 {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let count = failures.entry(program.hash.clone()).or_default();
        *count += 1;
        *count
    }

    async fn finish(
        &self,
        program: StoredProgram,
        node: String,
        report: BotCheckReport,
    ) -> Result<(), StoreError> {
        let store = self.matches.store();
        self.failures.lock().unwrap_or_else(PoisonError::into_inner).remove(&program.hash);
        let StoredProgram { bot, number, hash, .. } = program;
        let (fuel, passed) = (report.all_fuel(), report.can_play());
        tracing::info!(bot, number, %hash, passed, mistakes = report.all_mistakes(), "a program was checked");
        if fuel > 0 {
            let used = ProgramChange::AddFuel { bot: bot.clone(), day: self.today(), fuel };
            store.change(StoreChange::Program(used)).await?;
        }
        let json = |value| serde_json::to_string(value).expect("texts and numbers are JSON");
        let referee = json(&report.known_settings());
        let report = serde_json::to_string(&report).expect("texts and numbers are JSON");
        let at_ms = self.now();
        let checked = ProgramChange::Checked { bot, number, node, passed, referee, report, at_ms };
        self.hosting.change(checked).await.map(drop)
    }

    /// Plays the check. `None`: the program is gone, or the server stops.
    async fn check(&self, program: &StoredProgram) -> Result<Option<Outcome>, StoreError> {
        let Ok(offer) = self.games.find(&program.game) else {
            return Ok(Some(Outcome::Failed(format!("this server has no game {}", program.game))));
        };
        if let Some(reason) = &program.banned {
            let why = format!("the operator of this server has disabled it: {reason}");
            let report = BotCheckReport::of_void(offer.game, &spec(program), why);
            return Ok(Some(Outcome::Checked(Box::new(report))));
        }
        let Some(module) = self.matches.store().module(program.hash.clone()).await? else { return Ok(None) };
        let (runner, spec, stop) = (self.runner, spec(program), Arc::new(AtomicBool::new(false)));
        let stopped = Arc::clone(&stop);
        let mut work = tokio::task::spawn_blocking(move || {
            let outcome = play(runner, offer.game, &module, spec, &stopped);
            runner.rest();
            outcome
        });
        tokio::select! {
            outcome = &mut work => return Ok(Some(outcome.unwrap_or_else(|e| Outcome::Failed(e.to_string())))),
            () = self.stopping.cancelled() => {}
            () = tokio::time::sleep(LONGEST) => {}
        }
        stop.store(true, Ordering::Relaxed);
        let outcome = work.await.unwrap_or_else(|e| Outcome::Failed(e.to_string()));
        Ok((!self.stopping.is_cancelled()).then_some(outcome))
    }
}

/// The program as a player of the arena: the runner knows it by its hash.
fn spec(program: &StoredProgram) -> PlayerSpec {
    PlayerSpec::Program { file: program.hash.to_string(), referee: Settings::default() }
}

fn play(
    runner: &'static dyn ProgramRunner,
    game: &'static dyn AnyGame,
    module: &[u8],
    bot: PlayerSpec,
    stop: &Arc<AtomicBool>,
) -> Outcome {
    match runner.compile(module) {
        Ok(()) => {}
        Err(CompileFailure::Refused(why)) => {
            return Outcome::Checked(Box::new(BotCheckReport::of_void(game, &bot, why)));
        }
        Err(CompileFailure::ForNow(why)) => return Outcome::Failed(why),
    }
    let check = BotCheck { bot: bot.clone(), deals: None, seed: Seed::from(SEED), move_limit: None };
    let backends = Backends { programs: runner, ..Backends::NONE };
    match check.run(game, backends, stop, |_, _| {}) {
        Err(why) => Outcome::Failed(why),
        Ok(report) => match &report.void {
            Some(why) => Outcome::Failed(why.clone()),
            None if report.stopped && report.matches == 0 => {
                let why = format!("no match of it ended within {} s", LONGEST.as_secs());
                Outcome::Checked(Box::new(BotCheckReport::of_void(game, &bot, why)))
            }
            None => Outcome::Checked(Box::new(report)),
        },
    }
}
