//! The operator, who has the admin token.

use axum::extract::FromRequestParts;
use axum::http::header;
use axum::http::request::Parts;

use crate::app::App;
use crate::domain::token::{Token, TokenKind};
use crate::error::{Code, Error};

/// Extractor that accepts only requests with the admin token.
pub(crate) struct AdminToken;

impl FromRequestParts<&'static App> for AdminToken {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Error> {
        let Some(expected) = app.admin else {
            return Err(Error::new(Code::AdminOff, "this server was started without --admin-token-file"));
        };
        let Some(header) = parts.headers.get(header::AUTHORIZATION) else {
            let detail = "the admin token is needed: Authorization: Bearer kba_...";
            return Err(Error::new(Code::TokenNeeded, detail));
        };
        let token = header.to_str().ok().and_then(|value| {
            let (scheme, token) = value.trim().split_once(' ')?;
            let token = Token::parse(token.trim()).filter(|(kind, _)| *kind == TokenKind::Admin)?;
            scheme.eq_ignore_ascii_case("bearer").then_some(token.1)
        });
        // Hashes are compared in constant time.
        if token.is_some_and(|token| token.hash() == expected) {
            Ok(Self)
        } else {
            Err(Error::new(Code::BadToken, "this is not the admin token of this server"))
        }
    }
}
