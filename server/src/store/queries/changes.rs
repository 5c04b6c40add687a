//! Carries out changes, each by the function of its topic.

use crate::store::database::Connection;
use crate::store::database_error::DatabaseError;
use crate::store::queries::history::{analyses, chat, deletions};
use crate::store::queries::people::{accounts, blocks, erasure, moderation, passkeys, players, tokens};
use crate::store::queries::{bot_output, lobby, programs, push, puzzles, ratings, tournaments, vacations};
use crate::store::{SignInChange, StoreChange};

/// Carries out a change; returns the number of players, bans, matches or other rows that it changed.
pub(in crate::store) async fn carry_out(
    db: &mut Connection<'_>,
    node: &str,
    change: &StoreChange,
) -> Result<u64, DatabaseError> {
    match change {
        StoreChange::Lobby(change) => lobby::carry_out(db, node, change).await,
        StoreChange::AppendTournament(append) => tournaments::append(db, append).await,
        StoreChange::RunTournament { id, node } => tournaments::run(db, id, node).await,
        StoreChange::DeleteTournament(id) => tournaments::delete(db, id).await,
        StoreChange::Analysis(change) => analyses::carry_out(db, change).await,
        StoreChange::TryPuzzle(tried) => puzzles::count_try(db, tried).await,
        StoreChange::Program(change) => programs::carry_out(db, change).await,
        StoreChange::Say(line) => chat::say(db, line).await,
        StoreChange::Unsay(deletion) => chat::unsay(db, deletion).await,
        StoreChange::KeepBotOutput { id, turns } => bot_output::keep(db, id, turns).await,
        StoreChange::CountResult { id, .. } => Ok(u64::from(!ratings::is_counted(db, id).await?)),
        StoreChange::SetRating(imported) => ratings::set(db, imported).await,
        StoreChange::EraseName(erasure) => erasure::erase(db, erasure).await,
        StoreChange::DeleteMatches { ended_before_ms, most } => {
            deletions::delete_old(db, *ended_before_ms, *most).await
        }
        StoreChange::Invite(invitation) => moderation::invite(db, invitation).await,
        StoreChange::RevokeInvitation(id) => moderation::revoke_invitation(db, id).await,
        StoreChange::Report(report) => moderation::report(db, report).await,
        StoreChange::DeleteReport { id, reporter } => {
            moderation::delete_report(db, id, reporter.as_deref()).await
        }
        // Its hash is new, so no node has anything to forget.
        StoreChange::AddToken(token) => tokens::add(db, token).await,
        StoreChange::UseToken { id, at_ms } => tokens::record_use(db, id, *at_ms).await,
        // They are read each time; no node keeps them.
        StoreChange::SignIn(change) if !matches!(change, SignInChange::SignIn { .. }) => {
            passkeys::carry_out(db, change).await
        }
        StoreChange::Push(change) => push::carry_out(db, change).await,
        // It is read with the player each time; no node keeps it.
        StoreChange::SetAbout { player, about } => players::set_about(db, player, about).await,
        change => change_accounts(db, change).await,
    }
}

/// Carries out a change of which every node must learn.
async fn change_accounts(db: &mut Connection<'_>, change: &StoreChange) -> Result<u64, DatabaseError> {
    let rows = match change {
        StoreChange::ReplaceToken { player, key, end_others, by } => {
            accounts::replace_token(db, player, *key, *end_others, *by).await?
        }
        StoreChange::EndToken { player, id } => tokens::revoke(db, player, id).await?,
        // A sign-in can end older ones.
        StoreChange::SignIn(change @ SignInChange::SignIn { .. }) => passkeys::carry_out(db, change).await?,
        StoreChange::RevokeToken { player } => players::revoke(db, player).await?,
        StoreChange::RenamePlayer { player, name, at_ms, held_until_ms } => {
            accounts::rename(db, player, name, *at_ms, *held_until_ms).await?
        }
        StoreChange::DeletePlayer { player, at_ms, held_until_ms } => {
            accounts::delete_with_bots(db, player, *at_ms, *held_until_ms).await?
        }
        StoreChange::AddEngines { engines, at_ms } => players::add_engines(db, engines, *at_ms).await?,
        StoreChange::AnnulMatch { id, at_ms } => ratings::annul(db, id, *at_ms).await?,
        StoreChange::DeleteMatch { id, at_ms } => deletions::delete_match(db, id, *at_ms).await?,
        StoreChange::Restrict { player, kind, restriction } => {
            moderation::restrict(db, player, *kind, restriction).await?
        }
        StoreChange::Unrestrict { player, kind } => moderation::unrestrict(db, player, *kind).await?,
        StoreChange::Block { player, blocked, at_ms, most } => {
            blocks::block(db, player, blocked, *at_ms, *most).await?
        }
        StoreChange::Unblock { player, blocked } => blocks::unblock(db, player, blocked).await?,
        StoreChange::Ban(ban) => blocks::ban(db, ban).await?,
        StoreChange::Vacation(change) => vacations::carry_out(db, change).await?,
        StoreChange::Unban(network) => blocks::unban(db, network).await?,
        _ => 0,
    };
    if rows > 0 {
        accounts::count_up(db).await?;
    }
    Ok(rows)
}
