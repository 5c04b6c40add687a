//! Idempotent requests. The result of a request is stored with its key and returned when the request is sent again. No
//! secret is stored, since tokens are derived from the key.

use engines::game::Seat;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::domain::token::{KeyHash, Token, TokenKind};
use crate::domain::{IdempotencyKey, MatchId};
use crate::error::{Code, Error};
use crate::matches::event::Event;
use crate::matches::ledger::Caller;
use crate::matches::registry::MatchRegistry;
use crate::matches::request::MatchTokens;
use crate::store::{StoredRequest, refused_by_store};

/// A request that is to be stored with its result.
#[derive(Clone, Debug)]
pub(super) struct RequestStamp {
    key: KeyHash,
    request_hash: KeyHash,
    /// The hash of the token that the caller will get.
    pub token: Option<KeyHash>,
}

/// The stored result of a request. Contains no secret.
#[derive(Serialize, Deserialize)]
struct StoredAnswer {
    id: String,
    seats: Vec<(Seat, SeatGrant)>,
    private: bool,
    /// Whether the caller got a token that proves that they created the match.
    #[serde(default, rename = "maker")]
    creator: bool,
}

/// How the caller holds a seat.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SeatGrant {
    /// By a token created with the match.
    Made,
    /// By a token created when joining.
    Joined,
    /// By a token that they already had.
    Owned,
}

impl RequestStamp {
    /// The stamp of a request by this caller.
    pub(super) fn new(caller: &Caller, retry: &IdempotencyKey) -> Self {
        let mut hash = Sha256::new_with_prefix(b"match");
        let player = caller.player.as_ref().map_or("", |player| player.id.as_str());
        let seat = caller.seat_key.map_or_else(String::new, |key| key.to_string());
        for part in [player, seat.as_str(), retry.key.as_str()] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        Self { key: KeyHash(hash.finalize().into()), request_hash: retry.request_hash, token: None }
    }

    fn keep(&self, answer: &StoredAnswer) -> StoredRequest {
        let answer = serde_json::to_string(answer).expect("plain values with text keys");
        StoredRequest { key: self.key, request_hash: self.request_hash, answer }
    }

    /// The request to join, with its result.
    pub(super) fn of_join(&self, id: &MatchId, events: &[Event]) -> StoredRequest {
        let seats = events.iter().filter_map(|event| match event {
            Event::Joined { seat, holder } if self.token.is_some() && holder.key == self.token => {
                Some((*seat, SeatGrant::Joined))
            }
            Event::Joined { seat, .. } => Some((*seat, SeatGrant::Owned)),
            _ => None,
        });
        self.keep(&StoredAnswer {
            id: id.to_string(),
            seats: seats.collect(),
            private: false,
            creator: false,
        })
    }

    /// The request to create a match, with its result.
    pub(super) fn of_creation(&self, admission: &MatchTokens) -> StoredRequest {
        let granted =
            |token: &Option<Token>| if token.is_some() { SeatGrant::Made } else { SeatGrant::Owned };
        let seats = admission.seats.iter().map(|(seat, token)| (*seat, granted(token)));
        let private = admission.key.is_some();
        let creator = admission.creator.is_some();
        self.keep(&StoredAnswer { id: admission.id.to_string(), seats: seats.collect(), private, creator })
    }
}

/// Creates the tokens of a request: from its key if it has one, so that they can be created again.
pub(super) struct TokenFactory<'a> {
    pub pepper: &'a [u8; 32],
    pub key: Option<&'a str>,
}

impl TokenFactory<'_> {
    fn make(&self, kind: TokenKind, context: &str) -> Result<Token, Error> {
        match self.key {
            Some(key) => Ok(Token::derived(kind, self.pepper, key, context)),
            None => Token::fresh(kind).map_err(|e| Error::new(Code::Internal, format!("no randomness: {e}"))),
        }
    }

    /// The token of a seat of a new match.
    pub(super) fn seat(&self, id: &MatchId, seat: Seat) -> Result<Token, Error> {
        self.make(TokenKind::Seat, &format!("match {id} seat {seat}"))
    }

    /// The token of the caller who joins a match.
    pub(super) fn joiner(&self, id: &MatchId) -> Result<Token, Error> {
        self.make(TokenKind::Seat, &format!("match {id} join"))
    }

    /// The token that proves who created a match.
    pub(super) fn creator(&self, id: &MatchId) -> Result<Token, Error> {
        self.make(TokenKind::Creator, &format!("match {id} maker"))
    }

    /// The key of a private match.
    pub(super) fn match_key(&self, id: &MatchId) -> Result<Token, Error> {
        self.make(TokenKind::Match, &format!("match {id} key"))
    }
}

impl MatchRegistry {
    /// The result of this request, if it was sent before.
    pub(super) async fn asked_before(
        &self,
        stamp: &RequestStamp,
        retry: &IdempotencyKey,
    ) -> Result<Option<MatchTokens>, Error> {
        let found = self.store.request(stamp.key).await.map_err(|e| refused_by_store(&e))?;
        let Some(found) = found else { return Ok(None) };
        if found.request_hash != stamp.request_hash {
            let detail = "this Idempotency-Key was used for another request; use a fresh one";
            return Err(Error::new(Code::IdempotencyKeyReused, detail));
        }
        let unread = || Error::new(Code::Internal, "the stored answer to a request cannot be read");
        let answer: StoredAnswer = serde_json::from_str(&found.answer).map_err(|_| unread())?;
        let id = MatchId::parse(&answer.id).ok_or_else(unread)?;
        let tokens = TokenFactory { pepper: self.store.pepper(), key: Some(&retry.key) };
        let token = |(seat, granted)| {
            let token = match granted {
                SeatGrant::Made => Some(tokens.seat(&id, seat)?),
                SeatGrant::Joined => Some(tokens.joiner(&id)?),
                SeatGrant::Owned => None,
            };
            Ok((seat, token))
        };
        let seats = answer.seats.into_iter().map(token).collect::<Result<_, Error>>()?;
        let key = if answer.private { Some(tokens.match_key(&id)?) } else { None };
        let creator = if answer.creator { Some(tokens.creator(&id)?) } else { None };
        Ok(Some(MatchTokens { id, seats, key, creator }))
    }
    /// The result of a request that the store knows already.
    ///
    /// # Errors
    /// `internal` if the request has no key or no result.
    pub(super) async fn answered_before(
        &self,
        stamp: Option<&RequestStamp>,
        retry: Option<&IdempotencyKey>,
    ) -> Result<MatchTokens, Error> {
        let (Some(stamp), Some(retry)) = (stamp, retry) else {
            return Err(Error::new(
                Code::Internal,
                "the store reports a conflict for a request without a key",
            ));
        };
        let admission = self.asked_before(stamp, retry).await?;
        admission
            .ok_or_else(|| Error::new(Code::Internal, "a request was sent before but has no stored result"))
    }
}
