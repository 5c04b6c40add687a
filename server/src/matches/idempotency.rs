//! Requests that may be sent again: what they came to is stored with their key, and given again without a secret being
//! kept, since tokens are derived from the key.

use engines::game::Seat;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::domain::MatchId;
use crate::domain::token::{KeyHash, Token, TokenKind};
use crate::error::{Code, Error};
use crate::matches::event::Event;
use crate::matches::ledger::Caller;
use crate::matches::registry::{MatchRegistry, refused_by_store};
use crate::matches::service::{Admission, IdempotencyKey};
use crate::store::StoredRequest;

/// A request to be kept with what comes of it.
#[derive(Clone, Debug)]
pub struct RequestStamp {
    key: KeyHash,
    asked: KeyHash,
    /// The hash of the token that the caller is to get.
    pub token: Option<KeyHash>,
}

/// What a request came to. Holds no secret.
#[derive(Serialize, Deserialize)]
struct StoredAnswer {
    id: String,
    seats: Vec<(Seat, Granted)>,
    private: bool,
    /// Whether the caller got a token that shows who made the match.
    #[serde(default)]
    maker: bool,
}

/// How the caller holds a seat.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Granted {
    /// By a token made with the match.
    Made,
    /// By a token made on joining.
    Joined,
    /// By what they had already.
    Owned,
}

impl RequestStamp {
    /// The stamp of a request by this caller.
    pub fn new(caller: &Caller, retry: &IdempotencyKey) -> Self {
        let mut hash = Sha256::new_with_prefix(b"match");
        let player = caller.player.as_ref().map_or("", |player| player.id.as_str());
        let seat = caller.seat_key.map_or_else(String::new, |key| key.to_string());
        for part in [player, seat.as_str(), retry.key.as_str()] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        Self { key: KeyHash(hash.finalize().into()), asked: retry.asked, token: None }
    }

    fn keep(&self, answer: &StoredAnswer) -> StoredRequest {
        let answer = serde_json::to_string(answer).expect("plain values with text keys");
        StoredRequest { key: self.key, asked: self.asked, answer }
    }

    /// It came to this seat.
    pub fn of_join(&self, id: &MatchId, events: &[Event]) -> StoredRequest {
        let seats = events.iter().filter_map(|event| match event {
            Event::Joined { seat, holder } if self.token.is_some() && holder.key == self.token => {
                Some((*seat, Granted::Joined))
            }
            Event::Joined { seat, .. } => Some((*seat, Granted::Owned)),
            _ => None,
        });
        self.keep(&StoredAnswer { id: id.to_string(), seats: seats.collect(), private: false, maker: false })
    }

    /// It came to this match.
    pub fn of_creation(&self, admission: &Admission) -> StoredRequest {
        let granted = |token: &Option<Token>| if token.is_some() { Granted::Made } else { Granted::Owned };
        let seats = admission.seats.iter().map(|(seat, token)| (*seat, granted(token)));
        let private = admission.key.is_some();
        let maker = admission.maker.is_some();
        self.keep(&StoredAnswer { id: admission.id.to_string(), seats: seats.collect(), private, maker })
    }
}

/// Makes the tokens of a request: from its key where it has one, so that they can be made again.
pub struct Mint<'a> {
    pub pepper: &'a [u8; 32],
    pub key: Option<&'a str>,
}

impl Mint<'_> {
    fn make(&self, kind: TokenKind, context: &str) -> Result<Token, Error> {
        match self.key {
            Some(key) => Ok(Token::derived(kind, self.pepper, key, context)),
            None => Token::fresh(kind).map_err(|e| Error::new(Code::Internal, format!("no randomness: {e}"))),
        }
    }

    /// The token of a seat of a match that is being made.
    pub fn seat(&self, id: &MatchId, seat: Seat) -> Result<Token, Error> {
        self.make(TokenKind::Seat, &format!("match {id} seat {seat}"))
    }

    /// The token of whoever joins a match.
    pub fn joiner(&self, id: &MatchId) -> Result<Token, Error> {
        self.make(TokenKind::Seat, &format!("match {id} join"))
    }

    /// What shows who made a match.
    pub fn maker(&self, id: &MatchId) -> Result<Token, Error> {
        self.make(TokenKind::Creator, &format!("match {id} maker"))
    }

    /// The key of a private match.
    pub fn key(&self, id: &MatchId) -> Result<Token, Error> {
        self.make(TokenKind::Match, &format!("match {id} key"))
    }
}

impl MatchRegistry {
    /// What this request came to before, if it was made.
    pub async fn asked_before(
        &self,
        stamp: &RequestStamp,
        retry: &IdempotencyKey,
    ) -> Result<Option<Admission>, Error> {
        let found = self.store.request(stamp.key).await.map_err(|e| refused_by_store(&e))?;
        let Some(found) = found else { return Ok(None) };
        if found.asked != stamp.asked {
            let detail = "this Idempotency-Key was used for another request; use a fresh one";
            return Err(Error::new(Code::IdempotencyKeyReused, detail));
        }
        let unread = || Error::new(Code::Internal, "the stored answer to a request cannot be read");
        let answer: StoredAnswer = serde_json::from_str(&found.answer).map_err(|_| unread())?;
        let id = MatchId::parse(&answer.id).ok_or_else(unread)?;
        let mint = Mint { pepper: self.store.pepper(), key: Some(&retry.key) };
        let token = |(seat, granted)| {
            let token = match granted {
                Granted::Made => Some(mint.seat(&id, seat)?),
                Granted::Joined => Some(mint.joiner(&id)?),
                Granted::Owned => None,
            };
            Ok((seat, token))
        };
        let seats = answer.seats.into_iter().map(token).collect::<Result<_, Error>>()?;
        let key = if answer.private { Some(mint.key(&id)?) } else { None };
        let maker = if answer.maker { Some(mint.maker(&id)?) } else { None };
        Ok(Some(Admission { id, seats, key, maker }))
    }
}
