//! The caller of a request, the tokens that prove the caller's identity, and the only check of what a player's token
//! allows: a handler names the right that it needs by the type of its caller. Tokens are read here and only their hashes are
//! passed on. Nothing here may log, and no error repeats the contents of the request.

use std::net::IpAddr;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, header};

use crate::app::App;
use crate::domain::scope::{Right, ShownToken};
use crate::domain::token::{Token, TokenKind};
use crate::error::{Code, Error};
use crate::matches::ledger::Caller;
use crate::request::origin::Origin;

/// The header with the key of a private match.
pub(crate) const MATCH_KEY: &str = "match-key";

/// The subprotocol that WebSockets are opened with. Browsers cannot set headers there, so they offer further
/// subprotocols with these prefixes to send their tokens.
pub(crate) const SUBPROTOCOL: &str = "kibitz";
const TOKEN_PROTOCOL: &str = "token.";
const KEY_PROTOCOL: &str = "key.";

/// A caller who reads, and may see what only they may see.
pub(crate) struct Reads(pub Caller);

impl FromRequestParts<&'static App> for Reads {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Error> {
        read_with(parts, app, Right::Read).await.map(Self)
    }
}

/// A caller who plays. Guests and holders of a seat's token may, too, where a match lets them.
pub(crate) struct Plays(pub Caller);

impl FromRequestParts<&'static App> for Plays {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Error> {
        read_with(parts, app, Right::Play).await.map(Self)
    }
}

/// A caller who changes what belongs to their account.
pub(crate) struct Manages(pub Caller);

impl FromRequestParts<&'static App> for Manages {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Error> {
        read_with(parts, app, Right::Manage).await.map(Self)
    }
}

/// A caller with the account's own token.
pub(crate) struct OwnsAccount(pub Caller);

impl FromRequestParts<&'static App> for OwnsAccount {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Error> {
        read_with(parts, app, Right::Account).await.map(Self)
    }
}

/// The caller of a request whose answer is the same for all. It does nothing for a player; a token that is wrong is refused
/// nevertheless.
pub(crate) struct Anyone {
    /// The network address that limits count for.
    pub network: Option<IpAddr>,
    /// The player's token: a stream ends with it.
    pub token: Option<ShownToken>,
}

impl FromRequestParts<&'static App> for Anyone {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Error> {
        let Caller { network, token, .. } = read(parts, app).await?;
        Ok(Self { network, token })
    }
}

impl Caller {
    /// Checks that the player's token has this right. A caller without such a token has none of a player's rights to check:
    /// the match knows whether a seat's token or a guest may act.
    ///
    /// # Errors
    /// `play_scope_needed`, `manage_scope_needed`, `account_token_needed`.
    pub(crate) fn require(&self, right: Right) -> Result<(), Error> {
        match self.token {
            Some(token) if !token.scope.grants(right) => Err(Error::scope_needed(right, token.scope)),
            _ => Ok(()),
        }
    }
}

/// The caller, whose token has this right if it is a player's.
async fn read_with(parts: &Parts, app: &'static App, right: Right) -> Result<Caller, Error> {
    let caller = read(parts, app).await?;
    caller.require(right)?;
    Ok(caller)
}

/// The caller; the default caller if the request contains no token.
async fn read(parts: &Parts, app: &'static App) -> Result<Caller, Error> {
    let credentials = Credentials::read(&parts.headers)?;
    let network = Some(Origin::of(&parts.extensions, &parts.headers, app).network());
    let mut caller =
        Caller { match_key: credentials.key.map(|key| key.hash()), network, ..Caller::default() };
    match credentials.bearer {
        Some((TokenKind::Player | TokenKind::Scoped, token)) => {
            let (hash, now) = (token.hash(), app.matches.now().ms());
            let holder = app.accounts.token_holders.by_token(app.matches.store(), hash, now).await?;
            app.matches.admission().restrictions.check_ban(&holder.who, now)?;
            app.accounts.note_use(hash, &holder, now);
            caller.player = Some(holder.who);
            caller.token = Some(ShownToken { hash, scope: holder.scope, expires_ms: holder.expires_ms });
        }
        Some((_, token)) => caller.seat_key = Some(token.hash()),
        None => {}
    }
    Ok(caller)
}

/// The tokens of a request.
#[derive(Debug, Default, PartialEq)]
struct Credentials {
    bearer: Option<(TokenKind, Token)>,
    key: Option<Token>,
}

impl Credentials {
    fn read(headers: &HeaderMap) -> Result<Self, Error> {
        let mut credentials = Self::default();
        for value in headers.get_all(header::AUTHORIZATION) {
            let bearer = text(value).and_then(|value| {
                let (scheme, token) = value.split_once(' ')?;
                scheme.eq_ignore_ascii_case("bearer").then(|| token.trim_matches(' '))
            });
            credentials.bearer(bearer.ok_or_else(|| bad_token("Authorization must be: Bearer TOKEN"))?)?;
        }
        for value in headers.get_all(MATCH_KEY) {
            credentials.key(text(value).unwrap_or(""))?;
        }
        for value in headers.get_all(header::SEC_WEBSOCKET_PROTOCOL) {
            for protocol in text(value).unwrap_or("").split(',').map(str::trim) {
                if let Some(token) = protocol.strip_prefix(TOKEN_PROTOCOL) {
                    credentials.bearer(token)?;
                } else if let Some(key) = protocol.strip_prefix(KEY_PROTOCOL) {
                    credentials.key(key)?;
                }
            }
        }
        Ok(credentials)
    }

    fn bearer(&mut self, text: &str) -> Result<(), Error> {
        let token = match Token::parse(text) {
            None => {
                return Err(bad_token(
                    "the token is malformed: a token is kbs_..., kbp_..., kbt_... or kbc_... and 43 more characters",
                ));
            }
            Some((TokenKind::Admin, _)) => {
                return Err(bad_token(
                    "this is an admin token: it is only for paths that begin with /v1/admin",
                ));
            }
            Some((TokenKind::Invitation, _)) => {
                return Err(bad_token(
                    "this is an invitation: send it as `invitation` with POST /v1/players to create a player",
                ));
            }
            Some((TokenKind::Match, _)) => {
                return Err(bad_token("this is the key of a private match: send it in the header Match-Key"));
            }
            Some(token) => token,
        };
        match &self.bearer {
            Some(other) if *other != token => Err(bad_token("the request contains two different tokens")),
            _ => {
                self.bearer = Some(token);
                Ok(())
            }
        }
    }

    fn key(&mut self, text: &str) -> Result<(), Error> {
        let Some((TokenKind::Match, key)) = Token::parse(text) else {
            return Err(bad_token("the match's key is malformed: a key is kbm_... and 43 more characters"));
        };
        match &self.key {
            Some(other) if *other != key => Err(bad_token("the request contains two different match keys")),
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

fn bad_token(detail: &str) -> Error {
    Error::new(Code::BadToken, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(headers: &[(&str, &str)]) -> Result<Credentials, Error> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name: header::HeaderName = name.parse().unwrap();
            map.append(name, value.parse().unwrap());
        }
        Credentials::read(&map)
    }

    #[test]
    fn tokens_are_read_from_headers_and_subprotocols() {
        let seat = Token::fresh(TokenKind::Seat).unwrap();
        let key = Token::fresh(TokenKind::Match).unwrap();
        let both = Credentials { bearer: Some((TokenKind::Seat, seat.clone())), key: Some(key.clone()) };
        let bearer = format!("bEaReR  {}", seat.reveal());
        assert_eq!(read(&[("authorization", &bearer), ("match-key", key.reveal())]).unwrap(), both);
        let offered = format!("kibitz, token.{},key.{}", seat.reveal(), key.reveal());
        assert_eq!(read(&[("sec-websocket-protocol", &offered)]).unwrap(), both);
        let twice = [("authorization", &*bearer), ("sec-websocket-protocol", &offered)];
        assert_eq!(read(&twice).unwrap(), both, "the same token twice is one token");
        assert_eq!(read(&[("sec-websocket-protocol", "chat, soap")]).unwrap(), Credentials::default());
    }

    #[test]
    fn malformed_tokens_are_refused_and_not_repeated() {
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
