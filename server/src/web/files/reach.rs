//! The files that let others find and install the pages: `robots.txt` and the manifest.

use axum::http::header;
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::web::files::asset::url;
use crate::web::files::pictures::ICONS;
use crate::web::visit::language;
use crate::web::words::t;

/// Search engines may show the pages; the API and the operator's page are not for them.
const ROBOTS: &str = "User-agent: *\nDisallow: /v1/\nDisallow: /admin\nDisallow: /language\n";

/// The paths that search engines may visit.
pub(in crate::web) async fn robots() -> Response {
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], ROBOTS).into_response()
}

/// The manifest: it says how a device shows the pages as an installed program.
pub(in crate::web) async fn manifest() -> Response {
    let mut icons = vec![json!({ "src": url("icon.svg"), "type": "image/svg+xml", "sizes": "any" })];
    icons.extend(ICONS.map(|size| {
        let sizes = format!("{size}x{size}");
        json!({ "src": format!("/icons/{size}.png"), "type": "image/png", "sizes": sizes })
    }));
    let manifest = json!({
        "name": "kibitz",
        "short_name": "kibitz",
        "description": t("home.lead"),
        "lang": language().tag,
        "id": "/",
        "start_url": "/",
        "display": "standalone",
        "background_color": "#f6f4ef",
        "theme_color": "#f6f4ef",
        "icons": icons,
    });
    let headers = [(header::CONTENT_TYPE, "application/manifest+json"), (header::CACHE_CONTROL, "no-cache")];
    (headers, manifest.to_string()).into_response()
}
