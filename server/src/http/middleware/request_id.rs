//! The id of a request, which the response and the log repeat. A proxy or client may send its own.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::extract::Request;
use axum::http::{Extensions, HeaderName, HeaderValue};
use tower_http::request_id::{MakeRequestId, RequestId};

use crate::domain::token;

/// The header with the id.
pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest id that a client may send, in bytes.
const LONGEST: usize = 128;

/// Removes an id that is too long, is not visible ASCII, or contains a token, since logs and responses would repeat it.
pub(super) fn drop_unusable(mut request: Request) -> Request {
    let usable = |id: &HeaderValue| {
        (1..=LONGEST).contains(&id.len())
            && id.as_bytes().iter().all(u8::is_ascii_graphic)
            && id.to_str().is_ok_and(|text| token::hidden(text.to_owned()) == text)
    };
    if request.headers().get(REQUEST_ID).is_some_and(|id| !usable(id)) {
        request.headers_mut().remove(REQUEST_ID);
    }
    request
}

/// The id, if the request has one.
pub(super) fn of(extensions: &Extensions) -> Option<&str> {
    extensions.get::<RequestId>()?.header_value().to_str().ok()
}

/// Makes ids by hashing a counter with a random key: they are unique, and a client cannot count other clients' requests
/// by them. A random UUID would cost a system call for every request.
#[derive(Clone, Default)]
pub(super) struct FreshIds(Arc<(AtomicU64, RandomState)>);

impl MakeRequestId for FreshIds {
    fn make_request_id<B>(&mut self, _: &axum::http::Request<B>) -> Option<RequestId> {
        let (counter, key) = &*self.0;
        let id = format!("{:016x}", key.hash_one(counter.fetch_add(1, Ordering::Relaxed)));
        HeaderValue::try_from(id).ok().map(RequestId::new)
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;

    fn kept(id: &[u8]) -> bool {
        let request = Request::builder().header(REQUEST_ID, id).body(Body::empty()).unwrap();
        drop_unusable(request).headers().contains_key(REQUEST_ID)
    }

    #[test]
    fn only_short_visible_ids_are_kept() {
        assert!(kept(b"3f-A.7") && kept(&[b'x'; LONGEST]));
        let secret = token::Token::fresh(token::TokenKind::Seat).unwrap();
        assert!(!kept(secret.reveal().as_bytes()));
        assert!(!kept(b"") && !kept(&[b'x'; LONGEST + 1]) && !kept(b"a b") && !kept("ä".as_bytes()));
    }

    #[test]
    fn ids_of_one_server_differ() {
        let mut ids = FreshIds::default();
        let request = Request::new(Body::empty());
        let mut id = || ids.make_request_id(&request).unwrap().into_header_value();
        assert_ne!(id(), id());
    }
}
