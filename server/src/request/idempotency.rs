//! The header `Idempotency-Key`, with which a client can safely send a request again.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{Method, header};
use sha2::{Digest, Sha256};

use crate::app::App;
use crate::domain::IdempotencyKey;
use crate::domain::token::KeyHash;
use crate::error::{Code, Error};

/// The length of a key, in bytes.
const LENGTH: std::ops::RangeInclusive<usize> = 16..=200;

/// The key of a request, if it has one, and the request's method and path.
pub(crate) struct IdempotencyHeader {
    key: Option<String>,
    method: Method,
    path: String,
}

impl FromRequestParts<&'static App> for IdempotencyHeader {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, _: &&'static App) -> Result<Self, Error> {
        let mut keys = parts.headers.get_all("idempotency-key").iter();
        let key = keys.next().map(|value| read(value).ok_or_else(bad)).transpose()?;
        if keys.next().is_some() {
            return Err(bad());
        }
        Ok(Self { key, method: parts.method.clone(), path: parts.uri.path().to_owned() })
    }
}

impl IdempotencyHeader {
    /// The key and a hash of the request; `body`: that of the request.
    pub(crate) fn retry(self, body: &[u8]) -> Option<IdempotencyKey> {
        let mut hash = Sha256::new();
        for part in [self.method.as_str().as_bytes(), self.path.as_bytes(), body] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let hash = KeyHash(hash.finalize().into());
        self.key.map(|key| IdempotencyKey { key, request_hash: hash })
    }
}

fn read(value: &header::HeaderValue) -> Option<String> {
    let fits = LENGTH.contains(&value.len()) && value.as_bytes().iter().all(u8::is_ascii_graphic);
    fits.then(|| value.to_str().ok().map(str::to_owned)).flatten()
}

fn bad() -> Error {
    let detail = format!(
        "Idempotency-Key must be one text of {} to {} visible ASCII characters that cannot be guessed, such as a \
         random UUID",
        LENGTH.start(),
        LENGTH.end()
    );
    Error::new(Code::BadIdempotencyKey, detail)
}
