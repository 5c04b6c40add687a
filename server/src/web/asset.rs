//! The files of the pages: those of `server/web`, and the games' boards. They are built into the program; a debug build
//! reads them from disk at every request.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::Write;
use std::sync::LazyLock;

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use flate2::Compression;
use flate2::write::GzEncoder;
use rust_embed::{EmbeddedFile, RustEmbed};

use crate::app::App;
use crate::error::{Code, Error};

/// The files that all pages share.
#[derive(RustEmbed)]
#[folder = "web"]
#[include = "*.js"]
#[include = "*.css"]
#[include = "*.json"]
#[include = "*.svg"]
struct Shared;

/// The boards, each in its game's folder.
#[derive(RustEmbed)]
#[folder = "../engines/src/games"]
#[include = "*/board/*.js"]
#[include = "*/board/*.css"]
#[include = "*/board/*.json"]
#[include = "*/board/*.svg"]
struct Boards;

/// Where the boards are below `/web/`.
const GAMES: &str = "games/";

/// A file to serve.
#[derive(Clone)]
pub(super) struct Asset {
    /// Its content.
    pub bytes: Bytes,
    gzip: Option<Bytes>,
    kind: &'static str,
    /// Changes whenever the file does.
    tag: String,
}

impl Asset {
    fn new(path: &str, file: EmbeddedFile) -> Option<Self> {
        let kind = match path.rsplit_once('.')?.1 {
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "json" => "application/json",
            "svg" => "image/svg+xml",
            _ => return None,
        };
        let tag = file.metadata.sha256_hash()[..12].iter().map(|byte| format!("{byte:02x}")).collect();
        let bytes = match file.data {
            Cow::Borrowed(bytes) => Bytes::from_static(bytes),
            Cow::Owned(bytes) => bytes.into(),
        };
        let gzip = smaller(&bytes);
        Some(Self { bytes, gzip, kind, tag })
    }

    fn answer(&self, headers: &HeaderMap) -> Response {
        let gzip = self.gzip.as_ref().filter(|_| takes_gzip(headers));
        let tag = format!("\"{}{}\"", self.tag, if gzip.is_some() { "-gzip" } else { "" });
        let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        let known = known.flat_map(|value| value.split(',')).map(str::trim);
        let same =
            known.map(|known| known.trim_start_matches("W/")).any(|known| known == tag || known == "*");
        let body = if same { Bytes::new() } else { gzip.unwrap_or(&self.bytes).clone() };
        let mut response = body.into_response();
        if same {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let answer = response.headers_mut();
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            answer.insert(header::ETAG, tag);
        }
        answer.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        answer.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        answer.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if gzip.is_some() && !same {
            answer.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        response
    }
}

/// The bytes in gzip, if that is smaller.
fn smaller(bytes: &[u8]) -> Option<Bytes> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
    gzip.write_all(bytes).ok()?;
    let gzip = gzip.finish().ok()?;
    (gzip.len() < bytes.len()).then(|| gzip.into())
}

fn takes_gzip(headers: &HeaderMap) -> bool {
    let taken = headers.get_all(header::ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    taken.flat_map(|value| value.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        let refused = weight.trim().strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0));
        name.trim().eq_ignore_ascii_case("gzip") && !refused
    })
}

/// The file at this path below `/web/`.
pub(super) fn find(path: &str) -> Option<Asset> {
    static ALL: LazyLock<HashMap<String, Asset>> = LazyLock::new(all);
    if cfg!(debug_assertions) { read(path) } else { ALL.get(path).cloned() }
}

/// All files, by their paths below `/web/`.
fn all() -> HashMap<String, Asset> {
    let boards = Boards::iter().map(|path| format!("{GAMES}{}", path.replacen("/board/", "/", 1)));
    let all = Shared::iter().map(String::from).chain(boards);
    all.filter_map(|path| Some((path.clone(), read(&path)?))).collect()
}

fn read(path: &str) -> Option<Asset> {
    let file = match path.strip_prefix(GAMES) {
        Some(path) => {
            let (game, file) = path.split_once('/').filter(|(_, file)| !file.contains('/'))?;
            Boards::get(&format!("{game}/board/{file}"))
        }
        None => Shared::get(path),
    };
    Asset::new(path, file?)
}

/// Serves a file of the pages.
pub(super) async fn serve(
    State(app): State<&'static App>,
    Path(path): Path<String>,
    headers: HeaderMap,
) -> Response {
    let game = path.strip_prefix(GAMES).and_then(|path| path.split('/').next());
    let offered = game.is_none_or(|game| app.games.find(game).is_ok());
    match find(&path).filter(|_| offered) {
        Some(asset) => asset.answer(&headers),
        None => Error::new(Code::NotFound, "the pages have no such file").into_response(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// A release serves the same files from the program as a debug build from disk.
    #[test]
    fn every_file_is_listed_and_read() {
        let all = all();
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        for path in Shared::iter() {
            assert_eq!(all[&*path].bytes, std::fs::read(here.join("web").join(&*path)).unwrap(), "{path}");
        }
        for path in Boards::iter() {
            let (game, file) = path.split_once("/board/").unwrap();
            let content = std::fs::read(here.join("../engines/src/games").join(&*path)).unwrap();
            assert_eq!(all[&format!("{GAMES}{game}/{file}")].bytes, content, "{path}");
        }
        assert_eq!(all.len(), Shared::iter().count() + Boards::iter().count());
        assert!(all.contains_key("en.json") && all.contains_key("js/dom.js") && Boards::iter().count() > 5);
    }
}
