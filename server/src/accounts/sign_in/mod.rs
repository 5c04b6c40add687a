//! Signing in with a passkey, with a recovery code or with the account's own token. Each sign-in makes a token of the scope
//! `account`, which is listed and revoked as the player's other tokens are.

mod ceremony;
mod recovery_code;
mod site;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use webauthn_rs::prelude::{
    CredentialID, Passkey, PublicKeyCredential, RegisterPublicKeyCredential, Uuid, WebauthnError,
};

use crate::accounts::Accounts;
use crate::accounts::tokens::check_name;
use crate::domain::PlayerRef;
use crate::domain::scope::TokenScope;
use crate::domain::time::Millis;
use crate::domain::token::{Token, TokenKind};
use crate::error::{Code, Error};
use crate::store::{
    ListedPasskey, NewPasskey, NewToken, SignInChange, SignInProof, StoreChange, StoreError, refused_by_store,
};
use ceremony::{CeremonyPurpose, open, seal};
use recovery_code::{RECOVERY_CODES, RecoveryCode};

pub(super) use site::PasskeySite;
pub use site::PublicUrl;

/// The most passkeys of a player.
const MOST_PASSKEYS: u32 = 10;

/// The most sign-ins of a player at a time. One more ends the one that was used longest ago.
const MOST_SIGN_INS: u32 = 20;

/// How long a sign-in is valid, in milliseconds: a year.
const SIGN_IN_MS: Millis = 365 * 86_400_000;

/// The beginning of a ceremony.
pub struct BegunCeremony {
    /// Its sealed state, which the answer must contain.
    pub ceremony: String,
    /// The options of the ceremony for the browser, as WebAuthn defines them in JSON.
    pub options: Value,
}

/// A sign-in.
#[expect(missing_docs, reason = "`token` says all")]
pub struct SignedIn {
    /// The player.
    pub who: PlayerRef,
    /// The id of its token.
    pub id: String,
    pub token: Token,
    /// The time at which it expires.
    pub expires_ms: Millis,
}

impl Accounts {
    /// The host name for which passkeys are made.
    pub fn passkey_host(&self) -> &str {
        &self.passkey_site.host
    }

    /// The address at which pages must be opened for passkeys; `None`: at any port of `localhost`.
    pub fn passkey_origin(&self) -> Option<&str> {
        self.passkey_site.origin.as_deref()
    }

    /// The address at which people open the pages, if the operator has named it.
    pub fn public_origin(&self) -> Option<&str> {
        self.passkey_origin()
    }

    /// Begins to make a passkey for a player.
    ///
    /// # Errors
    /// `not_a_person`, `too_many`, `store_unavailable`.
    pub async fn begin_passkey(&self, who: &PlayerRef) -> Result<BegunCeremony, Error> {
        let user = person(who)?;
        let known = self.passkeys(who).await?;
        if known.len() >= MOST_PASSKEYS as usize {
            return Err(too_many());
        }
        // The browser refuses a device that has a passkey of this player already.
        let ids = known.iter().filter_map(|passkey| URL_SAFE_NO_PAD.decode(&passkey.credential_id).ok());
        let ids: Vec<CredentialID> = ids.collect();
        let webauthn = &self.passkey_site.webauthn;
        let begun = webauthn.start_passkey_registration(user, &who.name, &who.name, Some(ids));
        let (options, state) = begun.map_err(internal)?;
        let mut options = json_of(&options.public_key)?;
        // A discoverable credential: the device keeps the player's id, so the player types no name to sign in.
        options["authenticatorSelection"]["residentKey"] = "required".into();
        options["authenticatorSelection"]["requireResidentKey"] = true.into();
        let store = self.matches.store();
        let purpose = CeremonyPurpose::NewPasskey(&who.id);
        let ceremony = seal(store.pepper(), purpose, &state, self.matches.now().ms())?;
        Ok(BegunCeremony { ceremony, options })
    }

    /// Adds the passkey that a device has made.
    ///
    /// # Errors
    /// `bad_field`, `ceremony_over`, `bad_passkey`, `not_a_person`, `too_many`, `store_unavailable`.
    pub async fn add_passkey(
        &self,
        who: &PlayerRef,
        name: String,
        ceremony: &str,
        answer: Map<String, Value>,
    ) -> Result<ListedPasskey, Error> {
        person(who)?;
        check_name(&name)?;
        let (store, now) = (self.matches.store(), self.matches.now().ms());
        let (state, challenge_ms) =
            open(store.pepper(), CeremonyPurpose::NewPasskey(&who.id), ceremony, now)?;
        let answer: RegisterPublicKeyCredential = read_answer(answer)?;
        let checked = self.passkey_site.webauthn.finish_passkey_registration(&answer, &state);
        let passkey = checked.map_err(|why| {
            tracing::debug!(player = who.id, %why, "a passkey was refused");
            Error::new(Code::BadPasskey, "credential: it does not answer this ceremony of this site")
        })?;
        let new = NewPasskey {
            id: Uuid::now_v7().hyphenated().to_string(),
            player: who.id.clone(),
            name,
            credential_id: URL_SAFE_NO_PAD.encode(passkey.cred_id()),
            credential: json_of(&passkey)?.to_string(),
            created_ms: now,
            challenge_ms,
            most: MOST_PASSKEYS,
        };
        match store.change(StoreChange::SignIn(SignInChange::AddPasskey(new.clone()))).await {
            // Another request was faster, or the player was deleted meanwhile.
            Ok(0) => Err(too_many()),
            Ok(_) => {
                let NewPasskey { id, name, credential_id, created_ms, .. } = new;
                Ok(ListedPasskey { id, name, credential_id, created_ms, used_ms: None })
            }
            Err(StoreError::Conflict) => {
                Err(Error::new(Code::BadPasskey, "credential: this server has this passkey already"))
            }
            Err(e) => Err(refused_by_store(&e)),
        }
    }

    /// The passkeys of a player, the oldest first.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn passkeys(&self, who: &PlayerRef) -> Result<Vec<ListedPasskey>, Error> {
        self.matches.store().passkeys(who.id.clone()).await.map_err(|e| refused_by_store(&e))
    }

    /// Gives a passkey another name.
    ///
    /// # Errors
    /// `bad_field`, `no_such_passkey`, `store_unavailable`.
    pub async fn rename_passkey(&self, who: &PlayerRef, id: String, name: String) -> Result<(), Error> {
        check_name(&name)?;
        self.change_passkey(SignInChange::RenamePasskey { player: who.id.clone(), id, name }).await
    }

    /// Removes a passkey. Sign-ins with it go on.
    ///
    /// # Errors
    /// `no_such_passkey`, `store_unavailable`.
    pub async fn remove_passkey(&self, who: &PlayerRef, id: String) -> Result<(), Error> {
        self.change_passkey(SignInChange::RemovePasskey { player: who.id.clone(), id }).await
    }

    async fn change_passkey(&self, change: SignInChange) -> Result<(), Error> {
        let changed = self.matches.store().change(StoreChange::SignIn(change)).await;
        match changed.map_err(|e| refused_by_store(&e))? {
            0 => Err(Error::new(Code::NoSuchPasskey, "you have no passkey with this id")),
            _ => Ok(()),
        }
    }

    /// Removes all passkeys and recovery codes of a player.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn forget_passkeys(&self, who: &PlayerRef) -> Result<(), Error> {
        let forget = StoreChange::SignIn(SignInChange::Forget { player: who.id.clone() });
        self.matches.store().change(forget).await.map(drop).map_err(|e| refused_by_store(&e))
    }

    /// Makes new recovery codes for a player, which cannot be read again. Older ones become invalid.
    ///
    /// # Errors
    /// `not_a_person`, `no_such_player`, `store_unavailable`.
    pub async fn new_recovery_codes(&self, who: &PlayerRef) -> Result<Vec<String>, Error> {
        person(who)?;
        let codes: Result<Vec<_>, _> = (0..RECOVERY_CODES).map(|_| RecoveryCode::fresh()).collect();
        let codes = codes.map_err(|e| Error::new(Code::Internal, format!("no randomness: {e}")))?;
        let keys = codes.iter().map(RecoveryCode::hash).collect();
        let wanted = SignInChange::ReplaceRecoveryCodes { player: who.id.clone(), keys };
        let added = self.matches.store().change(StoreChange::SignIn(wanted)).await;
        match added.map_err(|e| refused_by_store(&e))? {
            0 => Err(Error::new(Code::NoSuchPlayer, "the account was deleted meanwhile")),
            _ => Ok(codes.iter().map(RecoveryCode::reveal).collect()),
        }
    }

    /// How many recovery codes a player has left.
    ///
    /// # Errors
    /// `store_unavailable`.
    pub async fn recovery_codes_left(&self, who: &PlayerRef) -> Result<i64, Error> {
        self.matches.store().recovery_codes(who.id.clone()).await.map_err(|e| refused_by_store(&e))
    }

    /// Begins a sign-in with a passkey, of whichever player.
    ///
    /// # Errors
    /// `internal` if the system gives no random numbers.
    pub fn begin_sign_in(&self) -> Result<BegunCeremony, Error> {
        let (options, state) =
            self.passkey_site.webauthn.start_discoverable_authentication().map_err(internal)?;
        let options = json_of(&options.public_key)?;
        let (store, now) = (self.matches.store(), self.matches.now().ms());
        Ok(BegunCeremony { ceremony: seal(store.pepper(), CeremonyPurpose::SignIn, &state, now)?, options })
    }

    /// Signs in with the answer of a passkey. `name`: by which the player knows the sign-in.
    ///
    /// # Errors
    /// `bad_field`, `ceremony_over`, `sign_in_refused`, `banned`, `store_unavailable`.
    pub async fn sign_in_with_passkey(
        &self,
        ceremony: &str,
        answer: Map<String, Value>,
        name: String,
    ) -> Result<SignedIn, Error> {
        check_name(&name)?;
        let (store, now) = (self.matches.store(), self.matches.now().ms());
        let (state, challenge_ms) = open(store.pepper(), CeremonyPurpose::SignIn, ceremony, now)?;
        let answer: PublicKeyCredential = read_answer(answer)?;
        let webauthn = &self.passkey_site.webauthn;
        let (user, credential_id) =
            webauthn.identify_discoverable_authentication(&answer).map_err(refused)?;
        let stored = store.passkey(URL_SAFE_NO_PAD.encode(credential_id)).await;
        let stored = stored.map_err(|e| refused_by_store(&e))?.ok_or_else(not_known)?;
        if Uuid::parse_str(&stored.who.id) != Ok(user) {
            return Err(not_known());
        }
        let mut passkey: Passkey = serde_json::from_str(&stored.credential)
            .map_err(|e| Error::new(Code::Internal, format!("passkey {}: {e}", stored.id)))?;
        let result =
            webauthn.finish_discoverable_authentication_v2(&answer, state, &passkey).map_err(refused)?;
        passkey.update_credential(&result);
        let credential = json_of(&passkey)?.to_string();
        self.sign_in(stored.who, SignInProof::Passkey { id: stored.id, credential, challenge_ms }, name, now)
            .await
    }

    /// Signs in with a recovery code, which is then used up. `name`: by which the player knows the sign-in.
    ///
    /// # Errors
    /// `bad_field`, `sign_in_refused`, `banned`, `store_unavailable`.
    pub async fn sign_in_with_code(&self, code: &str, name: String) -> Result<SignedIn, Error> {
        check_name(&name)?;
        let key = RecoveryCode::parse(code).ok_or_else(not_known)?.hash();
        let holder = self.matches.store().recovery_code_holder(key).await;
        let who = holder.map_err(|e| refused_by_store(&e))?.ok_or_else(not_known)?;
        self.sign_in(who, SignInProof::RecoveryCode(key), name, self.matches.now().ms()).await
    }

    /// Signs in with the account's own token, which the caller need not keep. `name`: by which the player knows the sign-in. It ends
    /// when the account's own token is replaced.
    ///
    /// # Errors
    /// `bad_field`, `sign_in_refused`, `not_a_person`, `banned`, `store_unavailable`.
    pub async fn sign_in_with_token(&self, token: &str, name: String) -> Result<SignedIn, Error> {
        check_name(&name)?;
        let Some((TokenKind::Player, token)) = Token::parse(token) else { return Err(not_known()) };
        let holder = self.matches.store().token_holder(token.hash()).await;
        let who = holder.map_err(|e| refused_by_store(&e))?.ok_or_else(not_known)?.who;
        person(&who)?;
        self.sign_in(who, SignInProof::Token(token.hash()), name, self.matches.now().ms()).await
    }

    async fn sign_in(
        &self,
        who: PlayerRef,
        proof: SignInProof,
        name: String,
        now: Millis,
    ) -> Result<SignedIn, Error> {
        self.matches.admission().restrictions.check_ban(&who, now)?;
        let token = super::fresh_token(TokenKind::Scoped)?;
        let (id, expires_ms) = (Uuid::now_v7().hyphenated().to_string(), now.saturating_add(SIGN_IN_MS));
        let new = NewToken {
            id: id.clone(),
            key: token.hash(),
            player: who.id.clone(),
            bot: None,
            name,
            scope: TokenScope::Account,
            created_ms: now,
            expires_ms: Some(expires_ms),
            most: MOST_SIGN_INS,
        };
        match self.change(StoreChange::SignIn(SignInChange::SignIn { proof, token: new })).await? {
            // The passkey was removed, its answer or the code was used, the token replaced, or the player deleted meanwhile.
            0 => Err(not_known()),
            _ => Ok(SignedIn { who, id, token, expires_ms }),
        }
    }
}

/// The id of a person as devices keep it.
fn person(who: &PlayerRef) -> Result<Uuid, Error> {
    let is_person = who.owner.is_none() && !who.is_engine();
    let id = Uuid::parse_str(&who.id).ok().filter(|_| is_person);
    id.ok_or_else(|| {
        Error::new(Code::NotAPerson, "only people sign in; a bot's program sends its token with each request")
    })
}

fn json_of(value: &impl serde::Serialize) -> Result<Value, Error> {
    serde_json::to_value(value).map_err(|e| Error::new(Code::Internal, format!("a passkey as JSON: {e}")))
}

fn read_answer<T: DeserializeOwned>(answer: Map<String, Value>) -> Result<T, Error> {
    let wrong = |e| Error::new(Code::BadField, format!("credential: {e}"));
    serde_json::from_value(Value::Object(answer)).map_err(wrong)
}

fn too_many() -> Error {
    Error::new(Code::TooMany, format!("a player can have {MOST_PASSKEYS} passkeys: remove one first"))
}

fn internal(why: WebauthnError) -> Error {
    Error::new(Code::Internal, format!("a ceremony could not begin: {why}"))
}

fn refused(why: WebauthnError) -> Error {
    tracing::debug!(%why, "a sign-in with a passkey was refused");
    not_known()
}

/// The same refusal for whatever is wrong: it says nothing about the accounts of this server.
fn not_known() -> Error {
    let detail = "this passkey, recovery code or token does not sign in here: it was removed, replaced or used, or belongs to another site";
    Error::new(Code::SignInRefused, detail)
}
