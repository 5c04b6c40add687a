//! The files of the pages: those of `server/web`, and the games' boards. They are built into the program; a debug build
//! reads them from disk, again after each change.
//!
//! Pages name them below a version, `/web/v.HASH/`, where browsers may keep them for ever and modules come joined with
//! their imports. Plain `/web/` has the files as they are, which browsers ask about at each use.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use rust_embed::{EmbeddedFile, RustEmbed};
use sha2::{Digest, Sha256};

use crate::app::App;
use crate::error::{Code, Error};
use crate::web::files::joined;
use crate::web::files::packed::CompressedFile;
use crate::web::words;

/// The files that all pages share.
#[derive(RustEmbed)]
#[folder = "web"]
#[include = "*.js"]
#[include = "*.css"]
#[include = "*.json"]
#[include = "*.svg"]
struct PageFiles;

/// The boards and the lessons, each in its game's folder.
#[derive(RustEmbed)]
#[folder = "../engines/src/games"]
#[include = "*/board/*.js"]
#[include = "*/board/*.css"]
#[include = "*/board/*.json"]
#[include = "*/board/*.svg"]
#[include = "*/lessons/*.json"]
struct Boards;

/// The folder of the games below `/web/`: each has its board's files in its own folder there, and its lessons in `lessons/`.
const GAMES: &str = "games/";

/// A file to serve.
#[derive(Clone)]
pub(in crate::web) struct Asset {
    /// Its content.
    pub bytes: Bytes,
    /// Its forms in the codings of HTTP.
    packed: Arc<CompressedFile>,
    kind: &'static str,
    /// Changes whenever the file does.
    tag: String,
}

impl Asset {
    fn new(path: &str, file: EmbeddedFile) -> Option<Self> {
        let tag = hex(&file.metadata.sha256_hash());
        let bytes = match file.data {
            Cow::Borrowed(bytes) => Bytes::from_static(bytes),
            Cow::Owned(bytes) => bytes.into(),
        };
        Self::of(path, bytes, tag)
    }

    fn of(path: &str, bytes: Bytes, tag: String) -> Option<Self> {
        let kind = match path.rsplit_once('.')?.1 {
            "js" => "text/javascript; charset=utf-8",
            "css" => "text/css; charset=utf-8",
            "json" => "application/json",
            "svg" => "image/svg+xml",
            _ => return None,
        };
        Some(Self { bytes, packed: Arc::default(), kind, tag })
    }

    fn answer(&self, headers: &HeaderMap, keep: &'static str) -> Response {
        let packed = CompressedFile::smallest(&self.packed, &self.bytes, headers);
        let tag = match &packed {
            Some((coding, _)) => format!("\"{}-{coding}\"", self.tag),
            None => format!("\"{}\"", self.tag),
        };
        let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        let known = known.flat_map(|value| value.split(',')).map(str::trim);
        let same =
            known.map(|known| known.trim_start_matches("W/")).any(|known| known == tag || known == "*");
        let body = match &packed {
            _ if same => Bytes::new(),
            Some((_, bytes)) => bytes.clone(),
            None => self.bytes.clone(),
        };
        let mut response = body.into_response();
        if same {
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        let answer = response.headers_mut();
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            answer.insert(header::ETAG, tag);
        }
        answer.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        answer.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
        answer.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        if let Some((coding, _)) = packed.filter(|_| !same) {
            answer.insert(header::CONTENT_ENCODING, HeaderValue::from_static(coding));
        }
        response
    }
}

/// All files as they were at one time.
struct Files {
    /// By their paths below `/web/`.
    plain: HashMap<String, Asset>,
    /// Their content in one number, hexadecimal. It changes whenever a file does.
    version: String,
    /// The files as they are served below the version, each from its first use on.
    finished: Mutex<HashMap<String, Asset>>,
    /// The keys of texts that modules use.
    keys: OnceLock<ModuleKeys>,
}

/// The beginnings of the keys of texts that only one page uses: the account's, a puzzle's, the programs of a bot, and the lessons. They
/// are in that page and not in the table, which all pages load.
const OF_ONE_PAGE: [&str; 4] = ["account.", "puzzle.", "programs.", "lesson."];

/// The keys of texts that the pages' modules name, and the beginnings of those that they put together.
struct ModuleKeys {
    whole: HashSet<String>,
    begun: Vec<String>,
}

impl ModuleKeys {
    fn of(files: &HashMap<String, Asset>) -> Self {
        let is_key = |text: &str| {
            text.contains('.') && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._".contains(&b))
        };
        let (mut whole, mut begun) = (HashSet::new(), Vec::new());
        for (path, file) in files.iter().filter(|(path, _)| path.ends_with(".js")) {
            if path.starts_with(GAMES) {
                continue;
            }
            let text = String::from_utf8_lossy(&file.bytes);
            for part in text.split(['\'', '"', '`']) {
                if is_key(part) {
                    whole.insert(part.to_owned());
                } else if let Some((head, _)) = part.split_once("${").filter(|(head, _)| is_key(head)) {
                    begun.push(head.to_owned());
                }
            }
        }
        Self { whole, begun }
    }

    fn has(&self, key: &str) -> bool {
        self.whole.contains(key) || self.begun.iter().any(|begin| key.starts_with(begin))
    }
}

impl Files {
    fn read() -> Self {
        let boards = Boards::iter().map(|path| format!("{GAMES}{}", path.replacen("/board/", "/", 1)));
        let all = PageFiles::iter().map(String::from).chain(boards);
        let plain: HashMap<_, _> = all.filter_map(|path| Some((path.clone(), read(&path)?))).collect();
        let mut tags: Vec<_> = plain.iter().map(|(path, asset)| [path.as_str(), &asset.tag]).collect();
        tags.sort_unstable();
        let version = hex(&Sha256::digest(tags.concat().join("\n")).into());
        Self { plain, version, finished: Mutex::default(), keys: OnceLock::new() }
    }

    /// A table of texts without those that only the server uses. `path`: of the table.
    fn table_for_modules(&self, path: &str) -> Option<String> {
        let mut table = words::complete(path)?;
        // A board looks up keys that it puts together.
        if !path.contains('/') {
            let keys = self.keys.get_or_init(|| ModuleKeys::of(&self.plain));
            let is_of_one = |key: &str| OF_ONE_PAGE.iter().any(|begin| key.starts_with(begin));
            table.retain(|key, _| keys.has(key) && !is_of_one(key));
        }
        serde_json::to_string(&table).ok()
    }

    /// The texts of the modules of one page, JSON. `begin`: the beginning of their keys; `tag`: of the language.
    fn own_texts(&self, begin: &str, tag: &str) -> Option<String> {
        let mut table = words::complete(&format!("{tag}.json"))?;
        let keys = self.keys.get_or_init(|| ModuleKeys::of(&self.plain));
        table.retain(|key, _| keys.has(key) && key.starts_with(begin));
        serde_json::to_string(&table).ok()
    }

    /// The file as it is served below the version: a module with its imports, both without comments.
    fn finished(&self, path: &str) -> Option<Asset> {
        let known = || self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(asset) = known().get(path) {
            return Some(asset.clone());
        }
        let plain = self.plain.get(path);
        let text = |path: &str| String::from_utf8(self.plain.get(path)?.bytes.to_vec()).ok();
        let content = match (plain, path.rsplit_once('.')?.1) {
            // A language may have no file of its own, and share the texts of another one.
            (_, "json") => self.table_for_modules(path),
            (Some(_), "js") => joined_or_none(joined::join(path, &text)),
            (Some(_), "css") => joined_or_none(joined::join_styles(path, &text)),
            _ => None,
        };
        let asset = match content {
            Some(content) => {
                let tag = hex(&Sha256::digest(&content).into());
                Asset::of(path, content.into(), tag)?
            }
            None => plain?.clone(),
        };
        // There are no more entries than files, and a table of texts for each language.
        known().insert(path.to_owned(), asset.clone());
        Some(asset)
    }
}

/// A file that cannot be joined imports its parts itself, in more requests.
fn joined_or_none(joined: Result<String, String>) -> Option<String> {
    joined.inspect_err(|e| tracing::warn!("a file of the pages cannot be joined: {e}")).ok()
}

/// The files that are built into the program.
#[cfg(not(debug_assertions))]
fn files() -> Arc<Files> {
    static FILES: std::sync::LazyLock<Arc<Files>> = std::sync::LazyLock::new(|| Arc::new(Files::read()));
    Arc::clone(&FILES)
}

/// The files on the disk, as they were at most a moment ago.
#[cfg(debug_assertions)]
fn files() -> Arc<Files> {
    use std::time::{Duration, Instant};

    /// The files, their [`stamp`], and the time of its last check.
    static READ: Mutex<Option<(Arc<Files>, Stamp, Instant)>> = Mutex::new(None);
    const MOMENT: Duration = Duration::from_millis(300);
    let mut read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((files, known, asked)) = &mut *read {
        if asked.elapsed() >= MOMENT && *known == stamp() {
            *asked = Instant::now();
        }
        if asked.elapsed() < MOMENT {
            return Arc::clone(files);
        }
    }
    let now = stamp();
    let (files, ..) = read.insert((Arc::new(Files::read()), now, Instant::now()));
    Arc::clone(files)
}

/// The number of files, and the time at which one was written last.
#[cfg(debug_assertions)]
type Stamp = (usize, Option<std::time::SystemTime>);

#[cfg(debug_assertions)]
fn stamp() -> Stamp {
    let here = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let shared = PageFiles::iter().map(|path| here.join("web").join(&*path));
    let boards = Boards::iter().map(|path| here.join("../engines/src/games").join(&*path));
    let written = shared.chain(boards).map(|path| path.metadata().and_then(|file| file.modified()).ok());
    written.fold((0, None), |(files, last), time| (files + 1, last.max(time)))
}

/// The file at this path below `/web/`.
pub(in crate::web) fn find(path: &str) -> Option<Asset> {
    files().plain.get(path).cloned()
}

/// The texts of the modules of one page in this language, JSON. `begin`: the beginning of their keys, which is one of [`OF_ONE_PAGE`].
pub(in crate::web) fn own_texts(begin: &str, tag: &str) -> String {
    files().own_texts(begin, tag).unwrap_or_else(|| "{}".to_owned())
}

fn read(path: &str) -> Option<Asset> {
    let file = match path.strip_prefix(GAMES) {
        Some(path) => {
            let (game, file) = path.split_once('/')?;
            match file.split_once('/') {
                None => Boards::get(&format!("{game}/board/{file}")),
                Some(("lessons", _)) => Boards::get(path),
                Some(_) => None,
            }
        }
        None => PageFiles::get(path),
    };
    Asset::new(path, file?)
}

/// The first bytes of a hash, hexadecimal.
fn hex(hash: &[u8; 32]) -> String {
    hash[..12].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The address of the file at this path below `/web/`, by which browsers may keep it for ever.
pub(in crate::web) fn url(path: &str) -> String {
    format!("/web/v.{}/{path}", files().version)
}

// How long browsers keep a file: they ask each time whether it changed; it never changes; it is of another version.
const CHECKED: &str = "no-cache";
const FOREVER: &str = "public, max-age=31536000, immutable";
const OTHER: &str = "no-store";

/// The version of this server's pages as JSON: an open page asks whether it is still the current one.
pub(in crate::web) async fn current() -> Response {
    let headers = [(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")];
    (headers, format!("{{\"version\": \"{}\"}}", files().version)).into_response()
}

/// The script that shows notifications while no page is open. It is at the root, since a browser lets it open only pages below its
/// own path. It is joined with what it imports, since some browsers know no modules there. It asks this server alone.
pub(in crate::web) async fn service_worker(headers: HeaderMap) -> Response {
    let Some(script) = files().finished("lib/push/service-worker.js") else {
        return Error::new(Code::NotFound, "the pages have no such file").into_response();
    };
    let policy = [(header::CONTENT_SECURITY_POLICY, "default-src 'none'; connect-src 'self'")];
    (policy, script.answer(&headers, CHECKED)).into_response()
}

/// Serves a file of the pages. A page of another version, from before an update or from another node during one, gets the
/// file of this version.
pub(in crate::web) async fn serve(
    State(app): State<&'static App>,
    Path(path): Path<String>,
    headers: HeaderMap,
) -> Response {
    let versioned = path.strip_prefix("v.").and_then(|rest| rest.split_once('/'));
    let name = versioned.map_or(&*path, |(_, path)| path);
    let game = name.strip_prefix(GAMES).and_then(|path| path.split('/').next());
    let offered = game.is_none_or(|game| app.games.find(game).is_ok());
    let found = match versioned {
        Some((version, path)) => {
            let files = files();
            let keep = if version == files.version { FOREVER } else { OTHER };
            files.finished(path).map(|asset| (asset, keep))
        }
        None => find(name).map(|asset| (asset, CHECKED)),
    };
    match found.filter(|_| offered) {
        Some((asset, keep)) => asset.answer(&headers, keep),
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
        let all = &files().plain;
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        for path in PageFiles::iter() {
            assert_eq!(all[&*path].bytes, std::fs::read(here.join("web").join(&*path)).unwrap(), "{path}");
        }
        for path in Boards::iter() {
            let content = std::fs::read(here.join("../engines/src/games").join(&*path)).unwrap();
            assert_eq!(all[&format!("{GAMES}{}", path.replacen("/board/", "/", 1))].bytes, content, "{path}");
        }
        assert_eq!(all.len(), PageFiles::iter().count() + Boards::iter().count());
        assert!(all.contains_key("en.json") && all.contains_key("lib/dom.js") && Boards::iter().count() > 5);
    }

    /// A module gets the texts that it can name, and no others.
    #[test]
    fn tables_of_the_pages_have_the_texts_of_modules_alone() {
        let table = |path: &str| -> serde_json::Map<String, serde_json::Value> {
            serde_json::from_str(&files().table_for_modules(path).unwrap()).unwrap()
        };
        for tag in ["en", "pt-BR"] {
            let texts = table(&format!("{tag}.json"));
            for used in ["trouble.network", "problem.too_many", "engine.easy", "guest.animals"] {
                assert!(texts.contains_key(used), "{tag}: {used}");
            }
            let [account, puzzle, programs, lesson] =
                OF_ONE_PAGE.map(|begin| files().own_texts(begin, tag).unwrap());
            for other in [
                "home.lead",
                "api.title",
                "account.token.revoke",
                "account.title",
                "puzzle.find",
                "programs.report.refused",
                "lesson.next",
            ] {
                assert!(!texts.contains_key(other), "{tag}: {other}");
                assert_eq!(account.contains(other), other == "account.token.revoke", "{tag}: {other}");
                assert_eq!(puzzle.contains(other), other == "puzzle.find", "{tag}: {other}");
                assert_eq!(programs.contains(other), other == "programs.report.refused", "{tag}: {other}");
                assert_eq!(lesson.contains(other), other == "lesson.next", "{tag}: {other}");
            }
        }
        let boards = Boards::iter();
        let games = boards.filter_map(|path| Some(path.strip_suffix("/board/pt.json")?.to_owned()));
        let with_rules =
            games.filter(|game| table(&format!("{GAMES}{game}/pt-BR.json")).contains_key("rule.turn"));
        assert!(with_rules.count() > 0);
    }

    /// Below a version every module and every style sheet is one file.
    #[test]
    fn every_module_and_every_style_sheet_is_joined() {
        for path in files().plain.keys() {
            let text = |path: &str| String::from_utf8(find(path)?.bytes.to_vec()).ok();
            let joined = match path.rsplit_once('.').unwrap().1 {
                "js" => joined::join(path, &text).unwrap(),
                "css" => joined::join_styles(path, &text).unwrap(),
                _ => continue,
            };
            let imports = joined.lines().find(|line| line.starts_with("import ") || line.contains("@import"));
            assert_eq!(imports, None, "{path}");
        }
    }
}
