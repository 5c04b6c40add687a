//! Restrictions of players, invitations and reports, as the store keeps them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::domain::time::Millis;
use crate::domain::token::KeyHash;

/// What the operator forbids a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RestrictionKind {
    /// To write what others read.
    Mute,
    /// Everything.
    Ban,
}

impl RestrictionKind {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Mute, Self::Ban];

    /// The word by which the database stores it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mute => "mute",
            Self::Ban => "ban",
        }
    }

    /// The kind of this name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A mute or a ban of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Restriction {
    /// The reason, which the player gets to read.
    pub reason: String,
    /// Its beginning.
    pub created_ms: Millis,
    /// Its end; `None`: when it is lifted.
    pub until_ms: Option<Millis>,
}

/// A restriction with its player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestrictedPlayer {
    /// The player's id.
    pub player: String,
    /// The player's name.
    pub name: String,
    /// What the player may not do.
    pub kind: RestrictionKind,
    /// Why, and for how long.
    pub restriction: Restriction,
}

/// An invitation to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewInvitation {
    /// The hash of its code.
    pub key: KeyHash,
    /// A note for the operator.
    pub note: String,
    /// How many players it is for.
    pub uses: u32,
    /// The time of its creation.
    pub created_ms: Millis,
    /// Its end; `None`: when it is revoked.
    pub until_ms: Option<Millis>,
}

/// The length of an invitation's short id, in characters.
pub(crate) const INVITATION_ID: usize = 12;

/// A code that lets people register while registration is closed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invitation {
    /// Its short id, from which its code cannot be computed.
    pub id: String,
    /// A note for the operator.
    pub note: String,
    /// How many players it is for.
    pub uses: u32,
    /// How many players it has created.
    pub used: u32,
    /// The time of its creation.
    pub created_ms: Millis,
    /// Its end; `None`: when it is revoked.
    pub until_ms: Option<Millis>,
}

/// What a report is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReportSubject {
    /// The match with this id.
    Match(String),
    /// The name or the description of the player with this id.
    Player(String),
    /// A message in the chat of a match.
    Chat(String, u32),
    /// The title of a tournament.
    Tournament(String),
}

impl ReportSubject {
    /// The kind, the id, and the number of a message (else 0), as they are stored.
    pub(in crate::store) fn stored(&self) -> (&'static str, &str, u32) {
        match self {
            Self::Match(id) => ("match", id, 0),
            Self::Player(id) => ("player", id, 0),
            Self::Chat(id, n) => ("chat", id, *n),
            Self::Tournament(id) => ("tournament", id, 0),
        }
    }

    /// The subject that is stored like this; `None`: it was stored by a newer version.
    pub(in crate::store) fn read(kind: &str, id: String, n: u32) -> Option<Self> {
        match kind {
            "match" => Some(Self::Match(id)),
            "player" => Some(Self::Player(id)),
            "chat" => Some(Self::Chat(id, n)),
            "tournament" => Some(Self::Tournament(id)),
            _ => None,
        }
    }
}

/// A report to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewReport {
    /// A fresh id.
    pub id: String,
    /// What it is about.
    pub subject: ReportSubject,
    /// The id of the person who reports, or a key of the address of a guest.
    pub reporter: String,
    /// What the reporter says about it.
    pub reason: String,
    /// The time of the report.
    pub created_ms: Millis,
    /// The most open reports of the reporter.
    pub most: u32,
}

/// A report with what it is about, as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredReport {
    /// The id, by which the operator settles it.
    pub id: String,
    /// What it is about.
    pub subject: ReportSubject,
    /// The name of the player who reported; `None`: a guest.
    pub reporter: Option<String>,
    /// What the reporter says about it.
    pub reason: String,
    /// The time of the report.
    pub created_ms: Millis,
    /// The name of the reported player, or of the player who wrote the reported message.
    pub player: Option<String>,
    /// The reported description, message or summary of a tournament, as JSON.
    pub text: Option<String>,
}
