//! Changes to accounts, bans and old matches.

use crate::domain::time::Millis;
use crate::domain::token::KeyHash;
use crate::domain::{MatchId, PlayerRef, TournamentId};
use crate::store::data::lobby::LobbyChange;
use crate::store::data::moderation::{NewInvitation, NewReport, Restriction, RestrictionKind};
use crate::store::data::push::PushChange;
use crate::store::data::puzzles::PuzzleTry;
use crate::store::data::sign_in::SignInChange;
use crate::store::data::vacations::VacationChange;
use crate::store::{
    AnalysisChange, ChatLine, ImportedRating, KeptTurn, MessageDeletion, NameErasure, NewToken,
    ProgramChange, RatedResult, TournamentAppend,
};

/// A change to accounts, bans or old matches, which the writer carries out.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "`engines`, `result`, `node`, `turns` and `id` say all")]
pub enum StoreChange {
    /// Replaces the account's own token, and ends the sign-ins that were made with it.
    ReplaceToken {
        /// The player's id.
        player: String,
        /// The hash of the new token.
        key: KeyHash,
        /// Whether all other tokens of the player become invalid, too.
        end_others: bool,
        /// The hash of the token of the request: unless all others end, it stays valid if it is of a sign-in.
        by: Option<KeyHash>,
    },
    /// Adds a token with a scope; those of the player that have expired are removed. Changes nothing if the player has too
    /// many, or if the player or the bot was deleted.
    AddToken(NewToken),
    /// Makes a token with a scope invalid.
    EndToken {
        /// The id of the player who owns it.
        player: String,
        /// The id of the token.
        id: String,
    },
    /// Records that a token with a scope was used.
    UseToken {
        /// The id of the token.
        id: String,
        /// The time of the use.
        at_ms: Millis,
    },
    /// Changes passkeys and recovery codes, or signs in with one.
    SignIn(SignInChange),
    /// Changes subscriptions to notifications, or notifications; the result is as [`PushChange`] says.
    Push(PushChange),
    /// Begins a vacation of a player, or moves its end; the result is as [`VacationChange`] says.
    Vacation(VacationChange),
    /// Renames the player. Changes nothing if the name looks like another player's, or was given up too recently.
    RenamePlayer {
        /// The player's id.
        player: String,
        /// The new name.
        name: String,
        /// The time of the change.
        at_ms: Millis,
        /// The time until which no other player can take the old name.
        held_until_ms: Millis,
    },
    /// Deletes the account, and those of the player's bots. The rows stay without names and without tokens, because matches
    /// refer to them.
    DeletePlayer {
        /// The player's id.
        player: String,
        /// The time of the change.
        at_ms: Millis,
        /// The time until which no player can take the name.
        held_until_ms: Millis,
    },
    /// Makes the account's own token invalid, without a new one.
    RevokeToken {
        /// The player's id.
        player: String,
    },
    /// Replaces the player's description of itself.
    SetAbout {
        /// The player's id.
        player: String,
        /// JSON.
        about: String,
    },
    /// Adds built-in engines as players, unless they exist already.
    AddEngines {
        engines: Vec<PlayerRef>,
        /// The time of the change.
        at_ms: Millis,
    },
    /// Annuls the result of a rated match. Ratings, histories and results against opponents are then as if it had never
    /// been. Changes nothing if the match was not rated, or was annulled before. All writers wait meanwhile, so it is for
    /// matches after which few others of the game ended: see [`crate::store::RatingStore::rated_since`].
    AnnulMatch {
        /// The match.
        id: MatchId,
        /// The time of the change.
        at_ms: Millis,
    },
    /// Counts the result of a rated match whose events were written without it, as an import does. Changes nothing if it was counted
    /// before.
    CountResult {
        /// The match.
        id: MatchId,
        /// The time at which it ended.
        at_ms: Millis,
        result: RatedResult,
    },
    /// Sets a rating, as an import does.
    SetRating(ImportedRating),
    /// Adds a tournament, or appends events to one, which can open sealed matches. Changes nothing if the events do not follow the
    /// stored ones, if the request was carried out before, or if the organizer has too many tournaments.
    AppendTournament(Box<TournamentAppend>),
    /// Makes a node run a tournament that has begun. Changes nothing if another living node runs it.
    RunTournament {
        /// The tournament.
        id: TournamentId,
        node: String,
    },
    /// Changes the lobby; the result is the number of rows that changed.
    Lobby(LobbyChange),
    /// Changes the analysis of a match.
    Analysis(AnalysisChange),
    /// Counts the first try of a player at a puzzle. Changes nothing if the player has tried it before, or if there is no such puzzle.
    TryPuzzle(PuzzleTry),
    /// Changes the programs of bots; the result is as [`ProgramChange`] says.
    Program(ProgramChange),
    /// Adds a message to a match's chat. Changes nothing if the match or the author has too many.
    Say(ChatLine),
    /// Deletes a message of a match's chat. Changes nothing if it was deleted before.
    Unsay(MessageDeletion),
    /// Keeps what a bot wrote to standard error, and used, in some turns of a match. Changes nothing if the match was deleted.
    KeepBotOutput {
        /// The match.
        id: MatchId,
        turns: Vec<KeptTurn>,
    },
    /// Deletes a match that is over, with its events, its chat, its analysis, its bots' output and the reports about it.
    DeleteMatch {
        /// The match.
        id: MatchId,
        /// The time of the change.
        at_ms: Millis,
    },
    /// Deletes a tournament that has not begun or is over. The matches of its games stay.
    DeleteTournament(TournamentId),
    /// Removes the name of a deleted player from some logs.
    EraseName(Box<NameErasure>),
    /// Mutes or bans a player.
    Restrict {
        /// The player's id.
        player: String,
        /// What the player may not do.
        kind: RestrictionKind,
        /// Why, and for how long.
        restriction: Restriction,
    },
    /// Lifts a mute or a ban.
    Unrestrict {
        /// The player's id.
        player: String,
        /// What the player may do again.
        kind: RestrictionKind,
    },
    /// Adds an invitation.
    Invite(NewInvitation),
    /// Deletes the invitation with this short id.
    RevokeInvitation(String),
    /// Adds a report. Changes nothing if the reporter has reported the same before, or has too many open reports.
    Report(NewReport),
    /// Takes a report off the list.
    DeleteReport {
        id: String,
        /// Only if this is its reporter; `None`: in any case.
        reporter: Option<String>,
    },
    /// A player blocks another one. Changes nothing if that is so already, or if the player has blocked too many.
    Block {
        /// The id of the player.
        player: String,
        /// The id of the other one.
        blocked: String,
        /// The time of the change.
        at_ms: Millis,
        /// The most players that one can block.
        most: u32,
    },
    /// A player blocks another one no longer.
    Unblock {
        /// The id of the player.
        player: String,
        /// The id of the other one.
        blocked: String,
    },
    /// Bans a network, or changes its ban.
    Ban(Ban),
    /// Ends the ban of this network, given as in [`Ban::network`].
    Unban(String),
    /// Deletes old matches. The newest match always stays, because its numbers must not be used again.
    DeleteMatches {
        /// Only matches that ended before this time.
        ended_before_ms: Millis,
        /// The maximum number of matches to delete.
        most: u32,
    },
}

impl StoreChange {
    /// Whether it changes ratings.
    pub(in crate::store) fn changes_ratings(&self) -> bool {
        match self {
            Self::AppendTournament(append) => append.opened.iter().any(|opened| opened.rated.is_some()),
            Self::Program(change) => change.changes_ratings(),
            Self::CountResult { .. } | Self::SetRating(_) | Self::TryPuzzle(_) => true,
            _ => matches!(self, Self::AnnulMatch { .. } | Self::DeletePlayer { .. }),
        }
    }

    /// Whether nodes must learn of it because it concerns the programs of bots.
    pub(in crate::store) fn changes_programs(&self) -> bool {
        match self {
            Self::Program(change) => change.is_news(),
            _ => matches!(self, Self::DeletePlayer { .. }),
        }
    }
}

/// A banned network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ban {
    /// In CIDR notation.
    pub network: String,
    /// The reason, for the operator.
    pub reason: String,
    /// The beginning of the ban.
    pub created_ms: Millis,
    /// The end of the ban; `None`: never.
    pub until_ms: Option<Millis>,
}
