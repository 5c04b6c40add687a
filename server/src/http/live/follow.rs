//! The common parts of streams and WebSockets of a match: the event from which they continue, and the reason for an
//! early end.

use axum::http::{HeaderMap, HeaderValue};

use crate::error::{Code, Error};
use crate::request::extract::unknown;

/// The reason why a stream ends before its match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Interruption {
    /// The reader is too slow.
    TooSlow,
    /// The server is stopping.
    Stopping,
    /// The server can no longer follow the match.
    Lost,
    /// The token was replaced or revoked.
    Revoked,
    /// The token has expired.
    Expired,
    /// The address or the player was banned.
    Banned,
    /// This node has lost its database.
    CutOff,
}

impl From<&Error> for Interruption {
    /// The end of a connection that has lost its rights, or whose node has lost its database.
    fn from(why: &Error) -> Self {
        match why.code() {
            Code::Banned => Self::Banned,
            Code::TokenExpired => Self::Expired,
            Code::StoreUnavailable => Self::CutOff,
            _ => Self::Revoked,
        }
    }
}

impl Interruption {
    /// The codes of all interruptions.
    pub(crate) fn codes() -> [&'static str; 7] {
        use Interruption::{Banned, CutOff, Expired, Lost, Revoked, Stopping, TooSlow};
        [TooSlow, Stopping, Lost, Revoked, Expired, Banned, CutOff].map(Self::code)
    }

    /// Its stable code.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::TooSlow => "too_slow",
            Self::Stopping => "stopping",
            Self::Lost => "internal",
            Self::Revoked => Code::BadToken.name(),
            Self::Expired => Code::TokenExpired.name(),
            Self::Banned => Code::Banned.name(),
            Self::CutOff => Code::StoreUnavailable.name(),
        }
    }

    /// The message for the reader; `last`: the `seq` of the last event that was sent.
    pub(crate) fn detail(self, last: Option<u32>) -> String {
        let what = match self {
            Self::TooSlow => "too slow",
            Self::Stopping => "the server is stopping",
            Self::Lost => "the server failed here",
            Self::Revoked => return Error::token_ended().detail().to_owned(),
            Self::Expired => return Error::token_expired().detail().to_owned(),
            Self::Banned => {
                return "the operator of this server has banned this address or this player".to_owned();
            }
            Self::CutOff => return Error::cut_off().detail().to_owned(),
        };
        match last {
            Some(seq) => format!("{what}: come back with since={seq}"),
            None => format!("{what}: come back"),
        }
    }
}

/// The events that a reader asks for.
pub(crate) struct ResumePoint {
    /// The events after this one; `None`: only events from now on.
    pub seq: Option<u32>,
    /// Whether the reader reconnected by itself (`Last-Event-ID`).
    pub again: bool,
}

impl ResumePoint {
    /// Reads the request. The header takes precedence over the query: a browser that reconnects repeats the query and
    /// adds the header.
    ///
    /// # Errors
    /// `bad_query`.
    pub(crate) fn of(headers: &HeaderMap, query: &[(String, String)]) -> Result<Self, Error> {
        let bad = |what: &str| Error::new(Code::BadQuery, format!("{what} must be the seq of an event"));
        let mut seq = None;
        for (name, value) in query {
            match name.as_str() {
                "since" => seq = Some(value.parse().map_err(|_| bad("since"))?),
                _ => return Err(unknown(name, "since")),
            }
        }
        match headers.get("last-event-id").map(HeaderValue::to_str) {
            None => Ok(Self { seq, again: false }),
            Some(Ok(id)) => {
                Ok(Self { seq: Some(id.trim().parse().map_err(|_| bad("Last-Event-ID"))?), again: true })
            }
            Some(Err(_)) => Err(bad("Last-Event-ID")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn header_beats_the_query_and_bad_values_are_refused() {
        let since = |id: Option<&str>, query: &[(&str, &str)]| {
            let mut headers = HeaderMap::new();
            if let Some(id) = id {
                headers.insert("last-event-id", HeaderValue::from_bytes(id.as_bytes()).unwrap());
            }
            let query: Vec<_> = query.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
            ResumePoint::of(&headers, &query).map(|since| since.seq)
        };
        assert_eq!(since(None, &[]).unwrap(), None);
        assert_eq!(since(None, &[("since", "3")]).unwrap(), Some(3));
        assert_eq!(since(Some("5"), &[("since", "3")]).unwrap(), Some(5));
        for (id, query) in [
            (Some("-1"), ""),
            (Some("ä"), ""),
            (Some(""), ""),
            (None, "x"),
            (None, "-1"),
            (None, "4294967296"),
        ] {
            let query = if id.is_none() { vec![("since", query)] } else { vec![] };
            assert_eq!(since(id, &query).unwrap_err().code(), Code::BadQuery, "{id:?} {query:?}");
        }
        assert!(!since(None, &[("token", "secret")]).unwrap_err().detail().contains("secret"));
    }
}
