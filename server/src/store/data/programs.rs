//! The store's data about programs of bots.

use std::collections::BTreeMap;

use bytes::Bytes;

use crate::domain::time::Millis;
use crate::domain::{PlayerRef, ProgramHash, ProgramState};
use crate::ratings::Rating;

/// A program of a bot.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "`state` says all")]
pub struct StoredProgram {
    /// The id of the bot.
    pub bot: String,
    /// Its number among the bot's programs, from 1.
    pub number: u32,
    /// The game's short name.
    pub game: String,
    /// The hash of its module.
    pub hash: ProgramHash,
    /// The size of its module, in bytes.
    pub size: u64,
    /// The owner's note.
    pub note: String,
    /// The time of the upload.
    pub created_ms: Millis,
    pub state: ProgramState,
    /// Whether it becomes active when its check has passed.
    pub activate: bool,
    /// The settings of the referee's side of its dialogue that it needs, by name.
    pub referee: BTreeMap<String, String>,
    /// The report of its check, as JSON.
    pub report: Option<String>,
    /// Whether others may download it.
    pub published: bool,
    /// When it became active for the last time.
    pub activated_ms: Option<Millis>,
    /// Why the operator has disabled its module.
    pub banned: Option<String>,
    /// What it has achieved in its matches.
    pub tally: ProgramTally,
}

/// What a program has achieved in the matches that it has played for its bot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ProgramTally {
    /// Matches that it won alone.
    pub won: u64,
    /// Matches in which it shared the first place.
    pub drawn: u64,
    /// Matches in which another seat came before it.
    pub lost: u64,
    /// Its mistakes in all its matches.
    pub mistakes: u64,
    /// The rated matches that count.
    pub rated: u64,
    /// The bot's rating after the last of them; `None`: there is none.
    pub rating: Option<Rating>,
}

/// The result of a match for a program that played in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramResult {
    /// The id of the bot.
    pub bot: String,
    /// Its number among the bot's programs.
    pub number: u32,
    /// How the match ended for it.
    pub outcome: SeatOutcome,
}

/// How a match ended for a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeatOutcome {
    /// With the first place alone.
    Won,
    /// With a shared first place.
    Drawn,
    /// Behind another seat.
    Lost,
}

/// A program that plays for a bot.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "`bot` says all")]
pub struct ActiveProgram {
    pub bot: PlayerRef,
    /// The game's short name.
    pub game: String,
    /// Its number among the bot's programs.
    pub number: u32,
    /// The hash of its module.
    pub hash: ProgramHash,
    /// The settings of the referee's side of its dialogue that it needs, by name.
    pub referee: BTreeMap<String, String>,
    /// The bot's policy, as JSON; `None`: the usual one.
    pub policy: Option<String>,
}

/// A program to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewProgram {
    /// The id of the bot.
    pub bot: String,
    /// The id of its owner, who is charged.
    pub owner: String,
    /// The game's short name.
    pub game: String,
    /// The hash of its module.
    pub hash: ProgramHash,
    /// The module, which is stored once for each hash.
    pub module: Bytes,
    /// The owner's note.
    pub note: String,
    /// The time of the upload.
    pub created_ms: Millis,
    /// Whether it becomes active when its check has passed.
    pub activate: bool,
    /// The most programs that the owner's bots can get on a day.
    pub most_per_day: u32,
    /// The most bytes that the modules of all programs of the owner's bots may have together.
    pub most_bytes: u64,
    /// The most programs that a bot keeps: older ones that are neither active nor being checked go.
    pub most_kept: u32,
}

/// A change to the programs of bots.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "`node`, `note` and `hash` say all")]
pub enum ProgramChange {
    /// Adds a program; the result is its number. Changes nothing (0) if the bot has a program of the game with this module, if the
    /// module is banned, if a limit is reached, or if the bot was deleted.
    Add(Box<NewProgram>),
    /// Makes a node check it. Changes nothing if it does not wait, or another living node checks it.
    Claim {
        /// The id of the bot.
        bot: String,
        /// The number of the program.
        number: u32,
        node: String,
    },
    /// The node has checked it. If it passed, it is ready, or active if its upload asked for that. Changes nothing if the program was
    /// deleted, or is no longer the node's.
    Checked {
        /// The id of the bot.
        bot: String,
        /// The number of the program.
        number: u32,
        node: String,
        /// Whether it passed.
        passed: bool,
        /// The settings of the dialogue that it needs, as JSON.
        referee: String,
        /// The report, as JSON.
        report: String,
        /// The time of the change.
        at_ms: Millis,
    },
    /// Makes it the bot's active program of its game. The one before retires, and if its module is another one, the bot's rating in
    /// that game becomes less certain. Changes nothing if it is active, if it has not passed its check, or if its module is banned.
    Activate {
        /// The id of the bot.
        bot: String,
        /// The number of the program.
        number: u32,
        /// The time of the change.
        at_ms: Millis,
    },
    /// Retires the active program. Changes nothing if it is not active.
    Retire {
        /// The id of the bot.
        bot: String,
        /// The number of the program.
        number: u32,
    },
    /// Replaces the note.
    SetNote {
        /// The id of the bot.
        bot: String,
        /// The number of the program.
        number: u32,
        note: String,
    },
    /// Lets others download it, or no longer.
    Publish {
        /// The id of the bot.
        bot: String,
        /// The number of the program.
        number: u32,
        /// Whether others may.
        published: bool,
    },
    /// Deletes it, in any state. Its number is not used again.
    Delete {
        /// The id of the bot.
        bot: String,
        /// The number of the program.
        number: u32,
    },
    /// Replaces the policy of a bot for its programs. Changes nothing if the bot was deleted.
    SetPolicy {
        /// The id of the bot.
        bot: String,
        /// The policy, as JSON.
        policy: String,
    },
    /// Adds what programs of a bot have used.
    AddFuel {
        /// The id of the bot.
        bot: String,
        /// The day: days since 1970, in UTC.
        day: i64,
        /// How much.
        fuel: u64,
    },
    /// Disables a module, or changes the reason.
    Ban {
        hash: ProgramHash,
        /// The reason, which its owners see.
        reason: String,
        /// The time of the change.
        at_ms: Millis,
    },
    /// Enables a module again. Changes nothing if it was not disabled.
    Unban(ProgramHash),
}

impl ProgramChange {
    /// Whether it can change a rating.
    pub(in crate::store) const fn changes_ratings(&self) -> bool {
        matches!(self, Self::Activate { .. } | Self::Checked { passed: true, .. })
    }

    /// Whether nodes must learn of it: it concerns what plays for bots, or what is to be checked.
    pub(in crate::store) const fn is_news(&self) -> bool {
        !matches!(
            self,
            Self::AddFuel { .. } | Self::SetNote { .. } | Self::Publish { .. } | Self::Claim { .. }
        )
    }
}

/// What the programs of a person's bots use of the limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramUsage {
    /// Programs that the bots got on that day.
    pub uploads: u64,
    /// Bytes of the modules of all programs.
    pub bytes: u64,
}

/// A program in the operator's list.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "`program` says all")]
pub struct ListedProgram {
    /// The name of the bot.
    pub bot: String,
    /// The name of its owner.
    pub owner: String,
    pub program: StoredProgram,
}

/// A module that the operator has disabled.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "`hash` and `reason` say all")]
pub struct BannedProgram {
    pub hash: ProgramHash,
    pub reason: String,
    /// Since when.
    pub created_ms: Millis,
}
