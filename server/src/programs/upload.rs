//! The upload of a program.

use bytes::Bytes;

use crate::domain::{MAX_MODULE_BYTES, PlayerRef, ProgramHash};
use crate::error::{Code, Error};
use crate::programs::changes::check_note;
use crate::programs::{KEPT, ProgramShown, Programs};
use crate::store::{NewProgram, ProgramChange, StoredProgram, refused_by_store};

/// The first bytes of a WebAssembly module in the binary format, version 1.
const MAGIC: &[u8] = b"\0asm\x01\0\0\0";

/// A program that the owner of a bot uploads.
#[derive(Clone, Debug)]
pub struct ProgramUpload {
    /// The game's short name.
    pub game: String,
    /// The module as it came, not checked yet.
    pub module: Bytes,
    /// A note for the owner.
    pub note: String,
    /// Whether it becomes active when its check has passed.
    pub activate: bool,
}

impl Programs {
    /// Adds a program to a bot, and queues its check. If the bot has a program of the game with the same module, that one is the
    /// result; it becomes active if it can and the upload asks for it. Returns whether the program is new.
    ///
    /// # Errors
    /// `programs_off`, `unknown_game`, `bad_module`, `bad_field`, `body_too_large`, `program_disabled`, `too_many`,
    /// `no_such_player`, `store_unavailable`.
    pub async fn upload(
        &self,
        bot: &PlayerRef,
        upload: ProgramUpload,
    ) -> Result<(ProgramShown, bool), Error> {
        self.check_runner()?;
        let ProgramUpload { game, module, note, activate } = upload;
        let game = self.games.find(&game)?.info.slug.to_owned();
        check_note(&note)?;
        check_module(&module)?;
        let hash = ProgramHash::of(&module);
        if let Some(known) = self.known(bot, &game, &hash).await? {
            return Ok((self.again(bot, known, activate).await?, false));
        }
        self.check_limits(bot, module.len()).await?;
        let new = NewProgram {
            bot: bot.id.clone(),
            owner: bot.owner_id().to_owned(),
            game: game.clone(),
            hash: hash.clone(),
            module,
            note,
            created_ms: self.now(),
            activate,
            most_per_day: self.options.max_programs_per_day,
            most_bytes: self.options.max_program_bytes_per_player,
            most_kept: KEPT,
        };
        let size = new.module.len();
        match self.change(ProgramChange::Add(Box::new(new))).await? {
            // The program of another request came first, or reached a limit; or the module is disabled.
            0 => match self.known(bot, &game, &hash).await? {
                Some(known) => Ok((self.again(bot, known, activate).await?, false)),
                None => Err(self.refusal(bot, &hash, size).await?),
            },
            number => {
                let number = u32::try_from(number).unwrap_or(u32::MAX);
                tracing::info!(bot = bot.name, number, game, %hash, size, "a program was uploaded");
                Ok((self.one(bot, number).await?, true))
            }
        }
    }

    /// The program of a bot with this module, in this game.
    async fn known(
        &self,
        bot: &PlayerRef,
        game: &str,
        hash: &ProgramHash,
    ) -> Result<Option<StoredProgram>, Error> {
        let programs = self.stored(bot).await?;
        Ok(programs.into_iter().find(|program| program.game == game && program.hash == *hash))
    }

    async fn again(
        &self,
        bot: &PlayerRef,
        known: StoredProgram,
        activate: bool,
    ) -> Result<ProgramShown, Error> {
        if activate && known.state.may_become_active() {
            let (bot, number) = (bot.id.clone(), known.number);
            self.change(ProgramChange::Activate { bot, number, at_ms: self.now() }).await?;
        }
        self.one(bot, known.number).await
    }

    /// Why a program was not added.
    async fn refusal(&self, bot: &PlayerRef, hash: &ProgramHash, size: usize) -> Result<Error, Error> {
        let banned = self.matches.store().banned_programs().await.map_err(|e| refused_by_store(&e))?;
        if let Some(ban) = banned.into_iter().find(|ban| ban.hash == *hash) {
            return Ok(disabled(&ban.reason));
        }
        self.check_limits(bot, size).await?;
        Ok(Error::new(Code::NoSuchPlayer, "the bot was deleted meanwhile"))
    }

    /// Whether the owner of a bot may upload so many bytes more.
    async fn check_limits(&self, bot: &PlayerRef, size: usize) -> Result<(), Error> {
        let options = &self.options;
        let (store, today) = (self.matches.store(), self.today());
        let usage = store.program_usage(bot.owner_id().to_owned(), today);
        let usage = usage.await.map_err(|e| refused_by_store(&e))?;
        let too_many = |detail: String| Err(Error::new(Code::TooMany, detail));
        if usage.uploads >= u64::from(options.max_programs_per_day) {
            return too_many(format!(
                "your bots have got {} programs today (UTC), which is the most (--max-programs-per-day)",
                usage.uploads
            ));
        }
        if usage.bytes + size as u64 > options.max_program_bytes_per_player {
            return too_many(format!(
                "with this one the programs of your bots would have more than {} bytes (--max-program-bytes-per-player): delete \
                 old ones",
                options.max_program_bytes_per_player
            ));
        }
        let fuel = store.program_fuel(bot.id.clone(), today).await.map_err(|e| refused_by_store(&e))?;
        if fuel >= options.fuel_per_day() {
            return too_many(format!(
                "the programs of {} have used what they may use today (UTC), so another one cannot be checked \
                 (--bots-fuel-per-day)",
                bot.name
            ));
        }
        Ok(())
    }
}

/// Checks what can be seen at once.
fn check_module(module: &[u8]) -> Result<(), Error> {
    if module.len() > MAX_MODULE_BYTES {
        return Err(Error::new(
            Code::BodyTooLarge,
            format!("a module has at most {MAX_MODULE_BYTES} bytes; this one has {}", module.len()),
        ));
    }
    if !module.starts_with(MAGIC) {
        let detail = "the body is not a WebAssembly module: it must be the file that a compiler for wasm32-wasi has written";
        return Err(Error::new(Code::BadModule, detail));
    }
    Ok(())
}

/// The refusal of a module that the operator has disabled.
pub(super) fn disabled(reason: &str) -> Error {
    Error::new(
        Code::ProgramDisabled,
        format!("the operator of this server has disabled this program: {reason}"),
    )
}
