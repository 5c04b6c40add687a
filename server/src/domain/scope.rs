//! The rights of players' tokens: the one table of which token has which right.

use crate::domain::time::Millis;
use crate::domain::token::KeyHash;

/// A right of a token, which a request needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// See what only this player may see. Every token has this right.
    Read,
    /// Play as this player: matches, moves, chat, challenges, quick pairing.
    Play,
    /// Change what belongs to this player: the description, bots, blocks, tournaments, tokens.
    Manage,
    /// Replace the account's own token, or delete the account.
    Account,
}

/// The scope of a player's token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenScope {
    /// The account's own token, and those of sign-ins: all rights.
    Account,
    /// Reads and manages.
    Manage,
    /// Reads and plays.
    Play,
    /// Reads, and does nothing else.
    Read,
    /// Reads and plays, as one bot of the player.
    Bot,
}

impl TokenScope {
    /// Whether a token of this scope has this right. A bot's token has it as the bot.
    pub const fn grants(self, right: Right) -> bool {
        match right {
            Right::Read => true,
            Right::Play => matches!(self, Self::Account | Self::Play | Self::Bot),
            Right::Manage => matches!(self, Self::Account | Self::Manage),
            Right::Account => matches!(self, Self::Account),
        }
    }

    /// The rights that a token must have to make one of this scope: those that the new one will have. A person who manages
    /// their bots can let others play as them, with the bots' own tokens.
    pub const fn rights_to_make(self) -> &'static [Right] {
        match self {
            Self::Account => &[Right::Account],
            Self::Play => &[Right::Manage, Right::Play],
            Self::Manage | Self::Read | Self::Bot => &[Right::Manage],
        }
    }

    /// The scope as it is stored, and as requests write it. A request adds the bot's name: `bot:NAME`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Account => "account",
            Self::Manage => "manage",
            Self::Play => "play",
            Self::Read => "read",
            Self::Bot => "bot",
        }
    }

    /// The scope with this name.
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Account, Self::Manage, Self::Play, Self::Read, Self::Bot]
            .into_iter()
            .find(|s| s.name() == name)
    }
}

/// A player's token that a caller has shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownToken {
    /// By which it is stored.
    pub hash: KeyHash,
    /// The rights that it gives.
    pub scope: TokenScope,
    /// The time at which it expires; `None`: never.
    pub expires_ms: Option<Millis>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCOPES: [TokenScope; 5] =
        [TokenScope::Account, TokenScope::Manage, TokenScope::Play, TokenScope::Read, TokenScope::Bot];
    const RIGHTS: [Right; 4] = [Right::Read, Right::Play, Right::Manage, Right::Account];

    #[test]
    fn names_are_read_back() {
        for scope in SCOPES {
            assert_eq!(TokenScope::parse(scope.name()), Some(scope));
        }
        assert_eq!(TokenScope::parse("all"), None);
    }

    #[test]
    fn no_token_makes_one_with_a_right_that_it_lacks() {
        for own in SCOPES {
            for new in SCOPES.into_iter().filter(|new| *new != TokenScope::Bot) {
                let may_make = new.rights_to_make().iter().all(|right| own.grants(*right));
                let gains = RIGHTS.into_iter().any(|right| new.grants(right) && !own.grants(right));
                assert!(!(may_make && gains), "{own:?} makes {new:?}");
            }
            let bot = TokenScope::Bot.rights_to_make().iter().all(|right| own.grants(*right));
            assert_eq!(bot, own.grants(Right::Manage), "{own:?}");
        }
    }
}
