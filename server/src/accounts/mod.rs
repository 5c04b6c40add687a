//! Accounts: people and bots, each with a name and tokens; their creation, signing in, their changes, and the open connections that end with
//! the rights of their caller. It has no background work.

mod about;
mod changes;
mod registration;
pub mod sessions;
mod sign_in;
mod token_holders;
pub mod tokens;
mod vacations;

use crate::domain::PlayerRef;
use crate::domain::token::{Token, TokenKind};
use crate::error::{Code, Error};
use crate::matches::service::Matches;
use crate::store::{StoreChange, StoreError, refused_by_store};
use crate::tournaments::service::Tournaments;
use sessions::Sessions;
use sign_in::PasskeySite;

pub use about::About;
pub use registration::{BotOf, NewAccount, bad_invitation, find, register};
pub use sign_in::{BegunCeremony, PublicUrl, SignedIn};
pub use token_holders::TokenHolders;
pub use vacations::VacationState;

/// Settings of accounts.
#[derive(Clone, Debug, clap::Args)]
pub struct AccountOptions {
    /// The callers that may create a player: anyone, only those with an invitation (`kibitz admin invitations create`), or
    /// none.
    #[arg(long, env = "KIBITZ_REGISTRATION", value_enum, default_value_t = Registration::Open)]
    pub registration: Registration,
    /// The address at which people open the pages: scheme, host name, and port if it is not the usual one. Passkeys are bound to
    /// its host name; without it they work at localhost alone, over plain HTTP.
    #[arg(long, env = "KIBITZ_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<PublicUrl>,
    /// The days of vacation that each player has in a calendar year; 0: none. While a player is on vacation, their time in matches with
    /// a time for each move of a day or more does not run.
    #[arg(long, env = "KIBITZ_VACATION_DAYS", value_name = "DAYS", default_value_t = 30,
          value_parser = clap::value_parser!(u32).range(..=366))]
    pub vacation_days: u32,
}

/// The callers that may create a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Registration {
    /// Anyone.
    Open,
    /// Those who have an invitation.
    Invitation,
    /// No one.
    Closed,
}

/// The accounts of a server.
pub struct Accounts {
    /// The callers that may create a player.
    pub registration: Registration,
    /// The players whose tokens were used recently.
    pub token_holders: TokenHolders,
    /// The open connections of callers.
    pub sessions: &'static Sessions,
    passkey_site: PasskeySite,
    vacation_days: u32,
    matches: &'static Matches,
    tournaments: &'static Tournaments,
}

impl Accounts {
    /// The accounts of a server with these matches and tournaments, from which players leave when their account is deleted.
    pub fn new(
        options: &AccountOptions,
        matches: &'static Matches,
        tournaments: &'static Tournaments,
    ) -> Self {
        Self {
            registration: options.registration,
            token_holders: TokenHolders::default(),
            sessions: Box::leak(Box::default()),
            passkey_site: PasskeySite::new(options.public_url.as_ref()),
            vacation_days: options.vacation_days,
            matches,
            tournaments,
        }
    }

    /// Checks that a player may write what others read.
    ///
    /// # Errors
    /// `muted`.
    pub fn check_mute(&self, who: &PlayerRef) -> Result<(), Error> {
        self.matches.admission().restrictions.check_mute(who, self.matches.now().ms())
    }

    /// Reads the accounts, bans and vacations from the database, and which matches were deleted.
    pub async fn refresh(&self) -> Result<(), StoreError> {
        let store = self.matches.store();
        self.token_holders.forget();
        self.matches.admission().bans.replace(store.bans().await?);
        self.matches.admission().restrictions.replace(store.restrictions().await?);
        self.review_sessions().await?;
        self.matches.admission().blocks.replace(store.blocks().await?.into_iter().collect());
        self.matches.notified().replace(store.subscribed_players().await?.into_iter().collect());
        let now = self.matches.now().ms();
        for player in self.matches.vacations().replace(store.vacations_going_on(now).await?) {
            // Live matches show it, and set their timers anew.
            self.matches.tell_changed(&store.playing(player).await?);
        }
        let changed = self.matches.names().replace(store.former_names().await?);
        for player in changed {
            // Live matches show the new name from now on.
            let live = store.playing(player).await?;
            self.matches.tell_news(&live);
        }
        self.matches.end_deleted().await
    }

    /// Ends the open connections that have lost their rights.
    ///
    /// # Errors
    /// When the database cannot be read.
    pub async fn review_sessions(&self) -> Result<(), StoreError> {
        let now = self.matches.now().ms();
        let admission = self.matches.admission();
        self.sessions
            .review(
                self.matches.store(),
                |network| admission.bans.covers(network, now),
                |player| admission.restrictions.check_ban(player, now),
            )
            .await
    }

    /// Makes a change and applies it to this server at once; returns how many rows it changed.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn change(&self, change: StoreChange) -> Result<u64, Error> {
        let store = self.matches.store();
        let changed = store.change(change).await.map_err(|e| refused_by_store(&e))?;
        self.refresh().await.map_err(|e| refused_by_store(&e))?;
        Ok(changed)
    }
}

/// A new random token.
///
/// # Errors
/// `internal` if the system gives no random numbers.
pub fn fresh_token(kind: TokenKind) -> Result<Token, Error> {
    Token::fresh(kind).map_err(|e| Error::new(Code::Internal, format!("no randomness: {e}")))
}
