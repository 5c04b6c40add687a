//! Passkeys, recovery codes and sign-ins, as the store keeps them.

use crate::domain::PlayerRef;
use crate::domain::time::Millis;
use crate::domain::token::KeyHash;
use crate::store::NewToken;

/// A passkey to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPasskey {
    /// Its id here.
    pub id: String,
    /// The id of its player.
    pub player: String,
    /// The name that the player gave it.
    pub name: String,
    /// Its id on the device, in URL-safe base 64.
    pub credential_id: String,
    /// The public key and the counter, JSON.
    pub credential: String,
    /// The time of its creation.
    pub created_ms: Millis,
    /// The time at which the challenge was made that it answered.
    pub challenge_ms: Millis,
    /// The most passkeys of the player.
    pub most: u32,
}

/// A passkey in its player's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedPasskey {
    /// Its id here.
    pub id: String,
    /// The name that the player gave it.
    pub name: String,
    /// Its id on the device, in URL-safe base 64.
    pub credential_id: String,
    /// The time of its creation.
    pub created_ms: Millis,
    /// The time of the last sign-in with it; `None`: never used.
    pub used_ms: Option<Millis>,
}

/// A passkey, to check an answer of its device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPasskey {
    /// Its id here.
    pub id: String,
    /// Its player.
    pub who: PlayerRef,
    /// The public key and the counter, JSON.
    pub credential: String,
}

/// What a player has shown to sign in. It is used up together with the sign-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignInProof {
    /// The answer of a passkey.
    Passkey {
        /// Its id here.
        id: String,
        /// The public key and the new counter, JSON.
        credential: String,
        /// The time at which the answered challenge was made. An older one than was answered before is refused.
        challenge_ms: Millis,
    },
    /// A recovery code with this hash.
    RecoveryCode(KeyHash),
    /// The account's own token with this hash, which is not used up. The sign-in ends when it is replaced.
    Token(KeyHash),
}

/// A change to the ways in which a player can sign in.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "`id`, `proof` and `token` say all")]
pub enum SignInChange {
    /// Adds a passkey. Changes nothing if the player has too many, or was deleted.
    AddPasskey(NewPasskey),
    /// Gives a passkey another name.
    RenamePasskey {
        /// The id of its player.
        player: String,
        id: String,
        /// The new name.
        name: String,
    },
    /// Removes a passkey from its player's account.
    RemovePasskey {
        /// The id of its player.
        player: String,
        id: String,
    },
    /// Replaces the recovery codes of a player. Changes nothing if the player was deleted.
    ReplaceRecoveryCodes {
        /// The id of the player.
        player: String,
        /// The hashes of the new ones.
        keys: Vec<KeyHash>,
    },
    /// Removes all passkeys and recovery codes of a player.
    Forget {
        /// The id of the player.
        player: String,
    },
    /// Uses a proof up, and adds the token of the sign-in. Of the player's other sign-ins, those beyond the limit end that were
    /// used longest ago. Changes nothing if the proof is no longer valid, or if the player was deleted.
    SignIn { proof: SignInProof, token: NewToken },
}
