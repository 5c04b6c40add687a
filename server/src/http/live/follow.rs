//! What streams of events and WebSockets to a match have in common: where they begin and why they end.

use axum::http::{HeaderMap, HeaderValue};

use crate::error::{Code, Error};
use crate::http::request::extract::unknown;

/// Why a stream ends before its match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The reader has not kept up.
    TooSlow,
    /// The server is stopping.
    Stopping,
    /// The match is no longer followed here.
    Lost,
}

impl Cut {
    /// Its stable name.
    pub fn code(self) -> &'static str {
        match self {
            Self::TooSlow => "too_slow",
            Self::Stopping => "stopping",
            Self::Lost => "internal",
        }
    }

    /// What to tell the reader, who has read up to there.
    pub fn detail(self, last: Option<u32>) -> String {
        let what = match self {
            Self::TooSlow => "too slow",
            Self::Stopping => "the server is stopping",
            Self::Lost => "the server failed here",
        };
        match last {
            Some(seq) => format!("{what}: come back with since={seq}"),
            None => format!("{what}: come back"),
        }
    }
}

/// From which event on to tell.
pub struct Since {
    /// After this one; `None`: only what happens from now on.
    pub seq: Option<u32>,
    /// Whether the reader was here before: it reconnected by itself.
    pub again: bool,
}

impl Since {
    /// What the request says. A header beats the query: browsers that come back repeat the query and add the header.
    ///
    /// # Errors
    /// `bad_query`.
    pub fn of(headers: &HeaderMap, query: &[(String, String)]) -> Result<Self, Error> {
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
    fn where_to_go_on() {
        let since = |id: Option<&str>, query: &[(&str, &str)]| {
            let mut headers = HeaderMap::new();
            if let Some(id) = id {
                headers.insert("last-event-id", HeaderValue::from_bytes(id.as_bytes()).unwrap());
            }
            let query: Vec<_> = query.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
            Since::of(&headers, &query).map(|since| since.seq)
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
