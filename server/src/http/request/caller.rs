//! Who asks: what a request shows to prove it. Tokens are read here and go no further than their hashes; nothing here
//! may log, and no refusal repeats what was sent.

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};

use crate::app::App;
use crate::domain::token::{Token, TokenKind};
use crate::error::{Code, Error};
use crate::http::request::origin::Origin;
use crate::matches::ledger::Caller;

/// The header with the key of a private match.
pub const MATCH_KEY: &str = "match-key";

/// What browsers offer as subprotocols of a WebSocket, since they can set no headers there: the one that is taken, and
/// the beginnings of those that carry secrets.
pub const SUBPROTOCOL: &str = "kibitz";
const TOKEN_PROTOCOL: &str = "token.";
const KEY_PROTOCOL: &str = "key.";

/// The caller of a request; nobody in particular where nothing is shown.
pub struct Who(pub Caller);

impl FromRequestParts<&'static App> for Who {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Error> {
        let shown = Shown::read(&parts.headers)?;
        let network = Some(Origin::of(&parts.extensions, &parts.headers, app).network());
        let mut caller = Caller { match_key: shown.key.map(|key| key.hash()), network, ..Caller::default() };
        match shown.bearer {
            Some((TokenKind::Player, token)) => {
                caller.player = Some(app.players.by_token(app.matches.store(), token.hash()).await?);
            }
            Some((_, token)) => caller.seat_key = Some(token.hash()),
            None => {}
        }
        Ok(Self(caller))
    }
}

/// What a request shows.
#[derive(Debug, Default, PartialEq)]
struct Shown {
    bearer: Option<(TokenKind, Token)>,
    key: Option<Token>,
}

impl Shown {
    fn read(headers: &HeaderMap) -> Result<Self, Error> {
        let mut shown = Self::default();
        for value in headers.get_all(header::AUTHORIZATION) {
            let bearer = text(value).and_then(|value| {
                let (scheme, token) = value.split_once(' ')?;
                scheme.eq_ignore_ascii_case("bearer").then(|| token.trim_matches(' '))
            });
            shown.bearer(bearer.ok_or_else(|| bad("Authorization must be: Bearer TOKEN"))?)?;
        }
        for value in headers.get_all(MATCH_KEY) {
            shown.key(text(value).unwrap_or(""))?;
        }
        for value in headers.get_all(header::SEC_WEBSOCKET_PROTOCOL) {
            for protocol in text(value).unwrap_or("").split(',').map(str::trim) {
                if let Some(token) = protocol.strip_prefix(TOKEN_PROTOCOL) {
                    shown.bearer(token)?;
                } else if let Some(key) = protocol.strip_prefix(KEY_PROTOCOL) {
                    shown.key(key)?;
                }
            }
        }
        Ok(shown)
    }

    fn bearer(&mut self, text: &str) -> Result<(), Error> {
        let token = match Token::parse(text) {
            None => {
                return Err(bad(
                    "the token is garbled: it is kbs_..., kbp_... or kbc_... and 43 more characters",
                ));
            }
            Some((TokenKind::Admin, _)) => {
                return Err(bad(
                    "this is an operator's token: it is only for paths that begin with /v1/admin",
                ));
            }
            Some((TokenKind::Match, _)) => {
                return Err(bad("this is the key of a private match: it belongs into the header Match-Key"));
            }
            Some(token) => token,
        };
        match &self.bearer {
            Some(other) if *other != token => Err(bad("two different tokens are shown")),
            _ => {
                self.bearer = Some(token);
                Ok(())
            }
        }
    }

    fn key(&mut self, text: &str) -> Result<(), Error> {
        let Some((TokenKind::Match, key)) = Token::parse(text) else {
            return Err(bad("the match's key is garbled: it is kbm_... and 43 more characters"));
        };
        match &self.key {
            Some(other) if *other != key => Err(bad("two different keys of a match are shown")),
            _ => {
                self.key = Some(key);
                Ok(())
            }
        }
    }
}

fn text(value: &HeaderValue) -> Option<&str> {
    value.to_str().ok().map(str::trim)
}

fn bad(what: &str) -> Error {
    Error::new(Code::BadToken, what)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(headers: &[(&str, &str)]) -> Result<Shown, Error> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: header::HeaderName = name.parse().unwrap();
            map.append(name, value.parse().unwrap());
        }
        Shown::read(&map)
    }

    #[test]
    fn tokens_are_found_wherever_they_may_stand() {
        let seat = Token::fresh(TokenKind::Seat).unwrap();
        let key = Token::fresh(TokenKind::Match).unwrap();
        let both = Shown { bearer: Some((TokenKind::Seat, seat.clone())), key: Some(key.clone()) };
        let bearer = format!("bEaReR  {}", seat.reveal());
        assert_eq!(read(&[("authorization", &bearer), ("match-key", key.reveal())]).unwrap(), both);
        let offered = format!("kibitz, token.{},key.{}", seat.reveal(), key.reveal());
        assert_eq!(read(&[("sec-websocket-protocol", &offered)]).unwrap(), both);
        let twice = [("authorization", &*bearer), ("sec-websocket-protocol", &offered)];
        assert_eq!(read(&twice).unwrap(), both, "the same token twice is one token");
        assert_eq!(read(&[("sec-websocket-protocol", "chat, soap")]).unwrap(), Shown::default());
    }

    #[test]
    fn what_is_garbled_is_refused_and_not_repeated() {
        let [seat, other, key] =
            [TokenKind::Seat, TokenKind::Seat, TokenKind::Match].map(|kind| Token::fresh(kind).unwrap());
        let [seat, other, key] = [&seat, &other, &key].map(|token| format!("Bearer {}", token.reveal()));
        for headers in [
            &[("authorization", "Basic a2liaXR6")][..],
            &[("authorization", "")],
            &[("authorization", &seat[7..])],
            &[("authorization", &seat[..40])],
            &[("authorization", &format!("{seat}="))],
            &[("authorization", &seat), ("authorization", &other)],
            &[("authorization", &key)],
            &[("match-key", &seat[7..])],
            &[("match-key", &key[7..30])],
            &[("authorization", &seat), ("sec-websocket-protocol", &format!("token.{}", &other[7..]))],
        ] {
            let e = read(headers).unwrap_err();
            assert_eq!(e.code(), Code::BadToken, "{headers:?}");
            assert!(![&seat, &other, &key].iter().any(|t| e.detail().contains(&t[15..30])), "{e}");
        }
    }
}
