//! The key of a request that may be retried.

use crate::domain::token::KeyHash;

/// The `Idempotency-Key` of a request: the same request with the same key has an effect only once.
#[derive(Clone, Debug, PartialEq)]
pub struct IdempotencyKey {
    /// The value of the header.
    pub key: String,
    /// Hash of the request: method, path and body.
    pub request_hash: KeyHash,
}
