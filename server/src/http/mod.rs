//! The face over HTTP: routes and what every answer has in common. Handlers are thin: parse, one call, answer.

mod account;
mod acts;
mod admin;
mod admit;
mod analysis;
mod ask;
mod banned;
pub mod caller;
mod common;
mod docs;
mod extract;
mod follow;
mod form;
mod games;
pub mod limits;
mod live;
mod matches;
mod moves;
mod openapi;
mod ops;
mod players;
mod record;
mod retry;
mod sample;
mod seat;
mod seed;
mod socket;
mod stdio;
mod stream;
mod talk;
mod wire;

use std::time::Duration;

use axum::Router;
use axum::http::{Method, Uri};
use axum::middleware::{from_fn, from_fn_with_state};

use crate::app::App;
use crate::error::{Code, Error};
use crate::web;
use common::Common;
use limits::QuotaOptions;

pub use extract::GameOf;
pub use matches::MatchOf;
pub use players::PlayerOf;

/// What requests may cost.
#[derive(Clone, Debug, clap::Args)]
pub struct HttpOptions {
    /// The longest thinking time of one decision, in milliseconds.
    #[arg(long, env = "KIBITZ_MAX_THINK_MS", value_name = "MS", default_value_t = 30_000,
          value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    pub max_think_ms: u64,
    /// The largest body of a request, in bytes.
    #[arg(long, env = "KIBITZ_MAX_BODY", value_name = "BYTES", default_value_t = 1 << 20)]
    pub max_body: usize,
    /// The most WebSockets and streams of events at a time.
    #[arg(long, env = "KIBITZ_MAX_SOCKETS", value_name = "N", default_value_t = 4096)]
    pub max_sockets: usize,
    /// What one caller may make.
    #[command(flatten)]
    pub quota: QuotaOptions,
    /// When peers are pinged and given up.
    #[arg(skip)]
    pub pulse: Pulse,
}

impl HttpOptions {
    /// The longest thinking time of one decision.
    pub fn max_think(&self) -> Duration {
        Duration::from_millis(self.max_think_ms)
    }
}

/// When those on the other side of connections get a sign of life, and are given up.
#[derive(Clone, Copy, Debug)]
pub struct Pulse {
    /// So often those who follow a match get a sign of life.
    pub heartbeat: Duration,
    /// A connection whose other side takes nothing of what is written for this long is cut.
    pub stalled_after: Duration,
    /// Nothing heard for this long: ping.
    pub ping_after: Duration,
    /// Nothing heard for this long: gone.
    pub gone_after: Duration,
}

impl Default for Pulse {
    fn default() -> Self {
        Self {
            heartbeat: Duration::from_secs(10),
            stalled_after: Duration::from_secs(30),
            ping_after: Duration::from_secs(15),
            gone_after: Duration::from_secs(60),
        }
    }
}

/// All routes.
pub fn router(app: &'static App) -> Router {
    let (api, document) = openapi::routes(app);
    let paths = document.paths.paths.keys().map(|path| &*path.clone().leak());
    let common = Common::new(app, paths.chain(docs::PATHS).chain(web::PATHS).collect());
    api.merge(docs::routes(app, &document))
        .merge(web::routes())
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(from_fn(web::for_people))
        .layer(from_fn_with_state(app, banned::refuse))
        .layer(common)
        .with_state(app)
}

async fn not_found(uri: Uri) -> Error {
    let path: String = uri.path().chars().take(200).collect();
    Error::new(Code::NotFound, format!("{path:?} leads nowhere; /docs lists the paths there are"))
}

async fn method_not_allowed(method: Method, uri: Uri) -> Error {
    Error::new(Code::MethodNotAllowed, format!("{} does not take {method}", uri.path()))
}
