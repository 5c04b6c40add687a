//! What the owner of a bot, and the operator, change about programs.

use crate::domain::{PlayerRef, ProgramHash, ProgramState};
use crate::error::{Code, Error};
use crate::programs::upload::disabled;
use crate::programs::{ProgramShown, Programs, no_such_program};
use crate::store::{ListedProgram, ProgramChange, refused_by_store};

/// The longest note, in characters.
const LONGEST_NOTE: usize = 200;

/// What to change about a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProgramPatch {
    /// The new note.
    pub note: Option<String>,
    /// `Active` or `Retired`.
    pub state: Option<ProgramState>,
    /// Whether others may download it.
    pub published: Option<bool>,
}

/// Checks the note of a program.
pub(super) fn check_note(note: &str) -> Result<(), Error> {
    let fits = note.chars().count() <= LONGEST_NOTE && !note.chars().any(char::is_control);
    let detail = format!("note: at most {LONGEST_NOTE} characters on one line");
    if fits { Ok(()) } else { Err(Error::new(Code::BadField, detail)) }
}

impl Programs {
    /// Changes a program of a bot.
    ///
    /// # Errors
    /// `bad_field`, `no_such_program`, `program_state`, `program_disabled`, `store_unavailable`.
    pub async fn patch(
        &self,
        bot: &PlayerRef,
        number: u32,
        patch: ProgramPatch,
    ) -> Result<ProgramShown, Error> {
        self.one_stored(bot, number).await?;
        let id = || bot.id.clone();
        if let Some(note) = patch.note {
            check_note(&note)?;
            self.change(ProgramChange::SetNote { bot: id(), number, note }).await?;
        }
        if let Some(published) = patch.published {
            self.change(ProgramChange::Publish { bot: id(), number, published }).await?;
        }
        match patch.state {
            None => {}
            Some(ProgramState::Active) => self.activate(bot, number).await?,
            Some(ProgramState::Retired) => self.retire(bot, number).await?,
            Some(_) => return Err(Error::new(Code::BadField, "state: must be active or retired")),
        }
        self.one(bot, number).await
    }

    async fn activate(&self, bot: &PlayerRef, number: u32) -> Result<(), Error> {
        let at_ms = self.now();
        if self.change(ProgramChange::Activate { bot: bot.id.clone(), number, at_ms }).await? > 0 {
            tracing::info!(bot = bot.name, number, "a program plays from now on");
            return Ok(());
        }
        let program = self.one_stored(bot, number).await?;
        match (program.state, program.banned) {
            (_, Some(reason)) => Err(disabled(&reason)),
            (ProgramState::Active, None) => Ok(()),
            (ProgramState::Checking, None) => {
                Err(Error::new(Code::ProgramState, "its check has not ended yet"))
            }
            (ProgramState::Refused, None) => Err(Error::new(Code::ProgramState, "it has failed its check")),
            (ProgramState::Ready | ProgramState::Retired, None) => {
                Err(Error::new(Code::ProgramState, "it was changed at the same time; try again"))
            }
        }
    }

    async fn retire(&self, bot: &PlayerRef, number: u32) -> Result<(), Error> {
        if self.change(ProgramChange::Retire { bot: bot.id.clone(), number }).await? > 0 {
            tracing::info!(bot = bot.name, number, "a program plays no longer");
            return Ok(());
        }
        match self.one_stored(bot, number).await?.state {
            ProgramState::Retired => Ok(()),
            state => Err(Error::new(Code::ProgramState, format!("it is {}, not active", state.name()))),
        }
    }

    /// Deletes a program of a bot, in any state.
    ///
    /// # Errors
    /// `no_such_program`, `store_unavailable`.
    pub async fn delete(&self, bot: &PlayerRef, number: u32) -> Result<(), Error> {
        match self.change(ProgramChange::Delete { bot: bot.id.clone(), number }).await? {
            0 => Err(no_such_program(bot, number)),
            _ => Ok(()),
        }
    }

    /// Disables a module for all bots, or changes the reason. Its programs stop playing.
    ///
    /// # Errors
    /// `bad_field`, `store_unavailable`.
    pub async fn disable(&self, hash: &ProgramHash, reason: &str) -> Result<(), Error> {
        check_note(reason).map_err(|e| Error::new(Code::BadField, e.detail().replace("note", "reason")))?;
        let (hash, reason) = (hash.clone(), reason.to_owned());
        tracing::info!(%hash, reason, "the operator disabled a program");
        self.change(ProgramChange::Ban { hash, reason, at_ms: self.now() }).await.map(drop)
    }

    /// Enables a module again.
    ///
    /// # Errors
    /// `no_such_program` if it was not disabled, `store_unavailable`.
    pub async fn enable(&self, hash: &ProgramHash) -> Result<(), Error> {
        if self.change(ProgramChange::Unban(hash.clone())).await? == 0 {
            return Err(Error::new(Code::NoSuchProgram, "no program with this hash is disabled"));
        }
        tracing::info!(%hash, "the operator enabled a program");
        Ok(())
    }

    /// All programs, for the operator: those after this bot's id and number, and only those of a module.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn list(
        &self,
        after: (String, u32),
        hash: Option<ProgramHash>,
        limit: u32,
    ) -> Result<Vec<ListedProgram>, Error> {
        self.matches.store().list_programs(after, hash, limit).await.map_err(|e| refused_by_store(&e))
    }
}
