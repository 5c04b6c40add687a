//! The HTTP interface: the routes, and what all requests and responses share. Handlers are thin: parse, one call, answer.

mod admin;
mod docs;
mod downloads;
mod exports;
mod games;
pub(crate) mod live;
mod lobby;
mod matches;
mod middleware;
mod openapi;
mod ops;
mod players;
pub mod problem;
mod qr;
mod reports;
pub(crate) mod request;
pub(crate) mod tournaments;

use std::time::Duration;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, Method, Uri};
use axum::response::Response;

use crate::app::App;
use crate::error::{Code, Error};
use crate::limits::creations::CreationOptions;
use crate::limits::side_work::SideWorkOptions;
use crate::web;
use request::origin::CapacityOptions;
use request::proxies::ProxyOptions;

pub use downloads::LicenseLink;
pub(crate) use games::entry;
pub use matches::MatchOf;
pub use middleware::Stack;
pub use players::PlayerOf;
pub(crate) use players::ratings;
pub use request::extract::GameOf;
pub use tournaments::TournamentOf;

/// The limits on the cost of requests, and on the resources that they hold.
#[derive(Clone, Debug, clap::Args)]
pub struct HttpOptions {
    /// The longest thinking time of one decision, in milliseconds.
    #[arg(long, env = "KIBITZ_MAX_THINK_MS", value_name = "MS", default_value_t = 30_000,
          value_parser = clap::value_parser!(u64).range(1..=3_600_000))]
    pub max_think_ms: u64,
    /// The largest body of a request, in bytes.
    #[arg(long, env = "KIBITZ_MAX_BODY", value_name = "BYTES", default_value_t = 1 << 20)]
    pub max_body: usize,
    /// How many connections and how much memory clients may hold at a time.
    #[command(flatten)]
    pub capacity: CapacityOptions,
    /// How often matches and players may be created.
    #[command(flatten)]
    pub creations: CreationOptions,
    /// How much processor time an address has for what is no search.
    #[command(flatten)]
    pub side_work: SideWorkOptions,
    /// The licence of the records that downloads contain: its address, such as that of CC0.
    /// Downloads name it in the header `Link`.
    #[arg(long, env = "KIBITZ_DATA_LICENSE", value_name = "URL")]
    pub data_license: Option<LicenseLink>,
    /// The proxies in front of the server.
    #[command(flatten)]
    pub proxies: ProxyOptions,
    /// The times after which peers are pinged or count as gone.
    #[arg(skip)]
    pub timeouts: ConnectionTimeouts,
}

impl HttpOptions {
    /// The longest thinking time of one decision.
    pub fn max_think(&self) -> Duration {
        Duration::from_millis(self.max_think_ms)
    }
}

/// The times that keep connections alive, and those that close them because the peer is gone.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionTimeouts {
    /// The period of the heartbeat to readers that follow a match.
    pub heartbeat: Duration,
    /// A connection is cut when its peer takes nothing of what is written for this long.
    pub stalled_after: Duration,
    /// A peer is pinged after a silence of this length.
    pub ping_after: Duration,
    /// A peer counts as gone after a silence of this length.
    pub gone_after: Duration,
}

impl Default for ConnectionTimeouts {
    fn default() -> Self {
        Self {
            heartbeat: Duration::from_secs(10),
            stalled_after: Duration::from_secs(30),
            ping_after: Duration::from_secs(15),
            gone_after: Duration::from_secs(60),
        }
    }
}

/// All routes, with the layers around them.
pub fn service(app: &'static App) -> impl Stack {
    let (api, document) = openapi::routes(app);
    let paths = document.paths.paths.keys().map(|path| &*path.clone().leak());
    let routes = paths.chain(docs::PATHS).chain(web::PATHS).collect();
    let router = api
        .merge(docs::routes(app, &document))
        .merge(web::routes(app))
        .fallback(not_found)
        .method_not_allowed_fallback(method_not_allowed);
    let node = HeaderValue::from_str(app.matches.node()).expect("the id of a node is hexadecimal");
    middleware::outside(middleware::inside(router, app, routes).with_state(app), node)
}

async fn not_found(State(app): State<&'static App>, uri: Uri, headers: HeaderMap) -> Response {
    let path: String = uri.path().chars().take(200).collect();
    let detail = format!("there is no path {path:?}; /docs lists the paths");
    web::or_page(app, Error::new(Code::NotFound, detail), &uri, &headers)
}

async fn method_not_allowed(
    State(app): State<&'static App>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let detail = format!("{} does not take {method}", uri.path());
    web::or_page(app, Error::new(Code::MethodNotAllowed, detail), &uri, &headers)
}
