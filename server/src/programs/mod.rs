//! Programs of bots: their upload, their check, their versions, and what they may cost. The process that runs programs is behind
//! [`ProgramRunner`]: the server itself never compiles or runs one. It must not know the form of requests.

mod changes;
mod check;
mod hosting;
mod online;
#[cfg(feature = "programs")]
mod places;
mod policy;
mod proof;
mod runner;
mod shown;
mod upload;

use std::collections::HashMap;
use std::sync::Mutex;

use tokio_util::sync::CancellationToken;

use crate::catalogue::Catalogue;
use crate::domain::time::{DAY_MS, Millis};
use crate::domain::{PlayerRef, ProgramHash};
use crate::error::{Code, Error};
use crate::matches::service::Matches;
use crate::store::{ProgramChange, StoredProgram, refused_by_store};

pub use changes::ProgramPatch;
pub use hosting::Hosting;
#[cfg(feature = "programs")]
pub use places::Places;
pub use runner::{CompileFailure, NoRunner, ProgramRunner};
pub use shown::{FuelShown, ProgramReport, ProgramShown, ProgramsShown, PublicProgram};
pub use upload::ProgramUpload;

/// How many units of fuel make a second of a program's clock.
pub const FUEL_PER_SECOND: u64 = 4_000_000_000;

/// How many programs of a bot are kept; older ones that are not active go.
const KEPT: u32 = 10;

/// Settings of the programs of bots.
#[derive(Clone, Debug, clap::Args)]
pub struct ProgramOptions {
    /// How long the programs of one bot may run on a day (UTC), in seconds of their clock.
    #[arg(long, env = "KIBITZ_BOTS_FUEL_PER_DAY", value_name = "SECONDS", default_value_t = 14_400,
          value_parser = clap::value_parser!(u64).range(..=1_000_000_000))]
    pub bots_fuel_per_day: u64,
    /// The most programs that all bots of one player can get on a day (UTC); 0: no programs can be uploaded.
    #[arg(long, env = "KIBITZ_MAX_PROGRAMS_PER_DAY", value_name = "N", default_value_t = 50)]
    pub max_programs_per_day: u32,
    /// The most bytes that the programs of all bots of one player may have together.
    #[arg(long, env = "KIBITZ_MAX_PROGRAM_BYTES_PER_PLAYER", value_name = "BYTES", default_value_t = 256 << 20)]
    pub max_program_bytes_per_player: u64,
}

impl ProgramOptions {
    /// The fuel that the programs of a bot may use on a day.
    pub fn fuel_per_day(&self) -> u64 {
        self.bots_fuel_per_day.saturating_mul(FUEL_PER_SECOND)
    }
}

/// The programs of all bots.
pub struct Programs {
    matches: &'static Matches,
    games: &'static Catalogue,
    options: ProgramOptions,
    /// Runs the programs that are checked.
    runner: &'static dyn ProgramRunner,
    /// The programs that play.
    hosting: &'static Hosting,
    /// How often the check of a module could not be played, for a reason that may pass.
    failures: Mutex<HashMap<ProgramHash, u32>>,
    stopping: CancellationToken,
}

impl Programs {
    /// The programs in the database of these matches, which the runner compiles and runs for their checks, and which play in matches
    /// while they are active.
    pub fn new(
        matches: &'static Matches,
        options: ProgramOptions,
        (runner, hosting): (&'static dyn ProgramRunner, &'static Hosting),
        stopping: CancellationToken,
    ) -> Self {
        Self {
            matches,
            games: matches.games(),
            options,
            runner,
            hosting,
            failures: Mutex::default(),
            stopping,
        }
    }

    /// Settings.
    pub fn options(&self) -> &ProgramOptions {
        &self.options
    }

    /// Whether programs can be checked and run here.
    ///
    /// # Errors
    /// `programs_off`.
    fn check_runner(&self) -> Result<(), Error> {
        match self.runner.is_off() {
            Some(why) => Err(Error::new(Code::ProgramsOff, why)),
            None => Ok(()),
        }
    }

    /// The programs of a bot, the newest first, as they are stored. The next match of this node takes the one that they call active.
    async fn stored(&self, bot: &PlayerRef) -> Result<Vec<StoredProgram>, Error> {
        let stored = self.matches.store().programs(bot.id.clone()).await.map_err(|e| refused_by_store(&e))?;
        self.hosting.settled().await;
        Ok(stored)
    }

    /// The program of a bot with this number, as it is stored.
    async fn one_stored(&self, bot: &PlayerRef, number: u32) -> Result<StoredProgram, Error> {
        let found = self.stored(bot).await?.into_iter().find(|program| program.number == number);
        found.ok_or_else(|| no_such_program(bot, number))
    }

    async fn change(&self, change: ProgramChange) -> Result<u64, Error> {
        self.hosting.change(change).await.map_err(|e| refused_by_store(&e))
    }

    fn now(&self) -> Millis {
        self.matches.now().ms()
    }

    fn today(&self) -> i64 {
        self.now().div_euclid(DAY_MS)
    }

    /// The programs of a bot, for its owner.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn of_bot(&self, bot: &PlayerRef) -> Result<ProgramsShown, Error> {
        let programs = self.stored(bot).await?.into_iter().map(ProgramShown::from).collect();
        let used = self.matches.store().program_fuel(bot.id.clone(), self.today()).await;
        let used = used.map_err(|e| refused_by_store(&e))?;
        Ok(ProgramsShown { programs, fuel: FuelShown::new(used, self.options.fuel_per_day()) })
    }

    /// A program of a bot, for its owner.
    ///
    /// # Errors
    /// `no_such_program`, `store_unavailable`.
    pub async fn one(&self, bot: &PlayerRef, number: u32) -> Result<ProgramShown, Error> {
        self.one_stored(bot, number).await.map(ProgramShown::from)
    }

    /// The programs of a bot that everybody may know: those that play, and those that its owner has published.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn public(&self, bot: &PlayerRef) -> Result<Vec<PublicProgram>, Error> {
        Ok(self.stored(bot).await?.iter().filter_map(PublicProgram::of).collect())
    }

    /// The module of a program. `only_published`: for somebody else than the owner.
    ///
    /// # Errors
    /// `no_such_program`, `store_unavailable`.
    pub async fn module(
        &self,
        bot: &PlayerRef,
        number: u32,
        only_published: bool,
    ) -> Result<bytes::Bytes, Error> {
        let program = self.one_stored(bot, number).await?;
        if only_published && (!program.published || program.banned.is_some()) {
            return Err(no_such_program(bot, number));
        }
        let module = self.matches.store().module(program.hash).await.map_err(|e| refused_by_store(&e))?;
        module.ok_or_else(|| no_such_program(bot, number))
    }
}

fn no_such_program(bot: &PlayerRef, number: u32) -> Error {
    Error::new(Code::NoSuchProgram, format!("{} has no program {number}, or it is not published", bot.name))
}
