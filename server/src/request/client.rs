//! The client that a request without a match is counted for.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::app::App;
use crate::domain::ClientId;
use crate::request::caller::Reads;
use crate::request::origin::Origin;

/// The client of a request that needs no token. A caller with an invalid token counts as a guest.
pub(crate) struct Client(pub ClientId);

impl FromRequestParts<&'static App> for Client {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &&'static App) -> Result<Self, Infallible> {
        let Ok(origin) = Origin::from_request_parts(parts, app).await;
        let caller =
            Reads::from_request_parts(parts, app).await.map_or_else(|_| Default::default(), |reads| reads.0);
        Ok(Self(origin.client(&caller)))
    }
}
