//! The game, match, player or tournament that a path names.

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;

use crate::accounts;
use crate::app::App;
use crate::catalogue::Offer;
use crate::domain::{MatchId, PuzzleId, TournamentId};
use crate::error::{Code, Error};
use crate::store::PlayerProfile;
use crate::tournaments::service::no_such_tournament;

/// The game that the path names.
pub(crate) struct GameOf(pub &'static Offer);

impl FromRequestParts<&'static App> for GameOf {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Error> {
        let params = RawPathParams::from_request_parts(parts, app)
            .await
            .map_err(|e| Error::new(Code::UnknownGame, e.to_string()))?;
        let slug = params.iter().find(|(name, _)| *name == "game").map_or("", |(_, value)| value);
        app.games.find(slug).map(Self)
    }
}

/// The match in the path, which need not exist.
pub(crate) struct MatchOf(pub MatchId);

impl FromRequestParts<&'static App> for MatchOf {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Error> {
        let params = RawPathParams::from_request_parts(parts, app).await;
        let id = params.ok().and_then(|params| {
            let (_, text) = params.iter().find(|(name, _)| *name == "id")?;
            MatchId::parse(text)
        });
        id.map(Self).ok_or_else(|| Error::new(Code::NoSuchMatch, "no match has a name like this"))
    }
}

/// The puzzle in the path, which need not exist.
pub(crate) struct PuzzleOf(pub PuzzleId);

impl FromRequestParts<&'static App> for PuzzleOf {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Error> {
        let params = RawPathParams::from_request_parts(parts, app).await;
        let id = params.ok().and_then(|params| {
            let (_, text) = params.iter().find(|(name, _)| *name == "id")?;
            PuzzleId::parse(text)
        });
        id.map(Self).ok_or_else(|| Error::new(Code::NoSuchPuzzle, "no puzzle has an id like this"))
    }
}

/// The player that the path names.
pub(crate) struct PlayerOf(pub PlayerProfile);

impl FromRequestParts<&'static App> for PlayerOf {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Error> {
        let params = RawPathParams::from_request_parts(parts, app).await;
        let name = params.ok().and_then(|params| {
            let (_, name) = params.iter().find(|(param, _)| *param == "name")?;
            Some(name.to_owned())
        });
        accounts::find(app.matches.store(), &name.unwrap_or_default()).await.map(Self)
    }
}

/// The tournament in the path, which need not exist.
pub(crate) struct TournamentOf(pub TournamentId);

impl FromRequestParts<&'static App> for TournamentOf {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Error> {
        let params = RawPathParams::from_request_parts(parts, app).await;
        let id = params.ok().and_then(|params| {
            let (_, text) = params.iter().find(|(name, _)| *name == "id")?;
            TournamentId::parse(text)
        });
        id.map(Self).ok_or_else(no_such_tournament)
    }
}
