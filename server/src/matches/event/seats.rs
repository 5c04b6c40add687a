//! The seats of a match in its events: who or what plays there.

use engines::search::Level;
use serde::{Deserialize, Serialize};

use crate::domain::token::KeyHash;
use crate::domain::{PlayerRef, ProgramHash};

/// A seat when the match is created.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SeatSetup {
    /// An engine plays here.
    Engine(EngineSeat),
    /// Anyone may take the seat.
    Open,
    /// The seat is reserved for one player.
    Reserved {
        /// The player. Its `key`: the hash of the token that takes the seat and then holds it.
        holder: Holder,
    },
    /// The seat is taken.
    Held {
        /// Its new holder.
        holder: Holder,
    },
}

impl SeatSetup {
    /// The holder of the seat, or the player for whom it is reserved; `None`: the seat is an engine's, or open.
    pub fn holder(&self) -> Option<&Holder> {
        match self {
            Self::Held { holder } | Self::Reserved { holder } => Some(holder),
            Self::Engine(_) | Self::Open => None,
        }
    }

    pub(super) fn holder_mut(&mut self) -> Option<&mut Holder> {
        match self {
            Self::Held { holder } | Self::Reserved { holder } => Some(holder),
            Self::Engine(_) | Self::Open => None,
        }
    }

    /// The hosted program that plays here, and the bot for which it does.
    pub fn program(&self) -> Option<(&ProgramRef, &PlayerRef)> {
        match self {
            Self::Held { holder } => holder.program.as_ref().zip(holder.player.as_ref()),
            Self::Engine(_) | Self::Open | Self::Reserved { .. } => None,
        }
    }

    /// Replaces the name of the player here. `name`: the new name for a player's id, if there is one.
    pub fn rename_player(&mut self, name: impl Fn(&str) -> Option<String>) {
        if let Self::Reserved { holder } | Self::Held { holder } = self {
            holder.rename_player(name);
        }
    }
}

/// The engine of a seat, as it was when the match was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EngineSeat {
    /// Its name.
    pub engine: String,
    /// Its version when the match was made.
    pub version: u32,
    /// Its level of play.
    pub level: Level,
    /// Its thinking time per move, in milliseconds.
    pub think_ms: u64,
    /// Most nodes of one search.
    #[serde(default)]
    pub nodes: Option<u64>,
}

/// The holder of a seat: the bearer of the token with this hash, or a player.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Holder {
    /// The hash of the seat's token.
    #[serde(default)]
    pub key: Option<KeyHash>,
    /// The account that holds it; `None`: a guest.
    #[serde(default)]
    pub player: Option<PlayerRef>,
    /// The name of a guest.
    #[serde(default)]
    pub name: Option<String>,
    /// The hosted program that plays for the account, which is a bot; `None`: its own client does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<ProgramRef>,
}

/// A program that the owner of a bot has uploaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProgramRef {
    /// The SHA-256 of the module, hexadecimal.
    #[schemars(with = "String", regex(pattern = "^[0-9a-f]{64}$"))]
    pub hash: ProgramHash,
    /// Its number among the programs of the bot.
    pub number: u32,
}

impl Holder {
    /// Replaces the name of the player. `name`: the new name for a player's id, if there is one.
    pub fn rename_player(&mut self, name: impl Fn(&str) -> Option<String>) {
        if let Some(player) = &mut self.player
            && let Some(name) = name(&player.id)
        {
            player.name = name;
        }
    }
}
