//! Pictures for lists, for previews of links and for icons: a match's position as its game draws it, a game's picture, the
//! icon. They are SVG; previews and icons are PNG drawn from it. Only what spectators see is drawn.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::Tree;
use sha2::{Digest, Sha256};

use crate::app::App;
use crate::domain::{MatchId, token};
use crate::error::{Code, Error};
use crate::request::origin::Origin;
use crate::request::path::{GameOf, MatchOf};
use crate::web::files::asset;
use crate::web::files::preview::{PlayerLine, options, preview};
use crate::web::spoken_match::SpokenMatch;

/// Width and height of a preview, in pixels.
pub(in crate::web) const PREVIEW: (u32, u32) = (1200, 630);

/// The sizes of the icon, in pixels.
pub(in crate::web) const ICONS: [u32; 2] = [192, 512];

// How long a picture may be kept, in seconds: of a match that goes on, and of what does not change.
const BRIEF: u32 = 60;
const LONG: u32 = 86_400;

/// A picture opened as a page loads nothing and runs nothing.
const SVG_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The preview of a match that everyone may see.
pub(in crate::web) async fn of_match(
    State(app): State<&'static App>,
    MatchOf(id): MatchOf,
    origin: Origin,
) -> Result<Response, Error> {
    let (svg, players, keep) = svg_of_match(app, &id).await?;
    let name = token::hex(&Sha256::digest(format!("{players:?}{svg}")));
    if let Some(png) = DRAWN.find(&name) {
        return Ok(answer(png, keep));
    }
    let png = app.side_work.run(origin.network(), move || png(&preview(&svg, &players), PREVIEW)).await?;
    let png = png.map_err(|e| not_drawn(&e))?;
    DRAWN.keep(name, png.clone());
    Ok(answer(png, keep))
}

/// The same as SVG, which costs the server no drawing.
pub(in crate::web) async fn of_match_svg(
    State(app): State<&'static App>,
    MatchOf(id): MatchOf,
) -> Result<Response, Error> {
    let (svg, _, keep) = svg_of_match(app, &id).await?;
    let headers = [(header::CONTENT_TYPE, "image/svg+xml"), (header::CACHE_CONTROL, &*public(keep))];
    Ok((headers, [(header::CONTENT_SECURITY_POLICY, SVG_POLICY)], svg).into_response())
}

/// The position of a match that everyone may see, with its players, or its game's picture before the start, without them; and how
/// long it may be kept.
async fn svg_of_match(app: &'static App, id: &MatchId) -> Result<(String, Vec<PlayerLine>, u32), Error> {
    let spoken = SpokenMatch::of(app, id).await.ok_or_else(no_picture)?;
    let keep = if spoken.is_over() { LONG } else { BRIEF };
    if let Some(svg) = spoken.picture() {
        return Ok((svg, spoken.players(), keep));
    }
    Ok((svg_of_game(spoken.slug()).ok_or_else(no_picture)?, Vec::new(), keep))
}

/// The preview of a game.
pub(in crate::web) async fn of_game(GameOf(offer): GameOf) -> Result<Response, Error> {
    let slug = offer.info.slug;
    let svg = || svg_of_game(slug);
    Ok(answer(kept(slug, svg, PREVIEW).await?, LONG))
}

/// The icon in one of its sizes, or as the preview of the home page.
pub(in crate::web) async fn icon(Path(name): Path<String>) -> Result<Response, Error> {
    let size = ICONS.into_iter().find(|size| name == format!("{size}.png")).map(|size| (size, size));
    let size = size.or((name == "preview.png").then_some(PREVIEW)).ok_or_else(no_picture)?;
    Ok(answer(kept(&format!("/{name}"), || file("icon.svg"), size).await?, LONG))
}

fn no_picture() -> Error {
    Error::new(Code::NotFound, "there is no such picture")
}

fn answer(png: Bytes, keep: u32) -> Response {
    ([(header::CONTENT_TYPE, "image/png"), (header::CACHE_CONTROL, &*public(keep))], png).into_response()
}

/// The `Cache-Control` header of a picture: browsers and shared caches may keep it for `keep` seconds.
fn public(keep: u32) -> String {
    format!("public, max-age={keep}")
}

fn file(path: &str) -> Option<String> {
    String::from_utf8(asset::find(path)?.bytes.to_vec()).ok()
}

fn svg_of_game(slug: &str) -> Option<String> {
    file(&format!("games/{slug}/picture.svg")).or_else(|| file("picture.svg"))
}

/// Pictures that were drawn: drawing one takes some hundredths of a second of a core.
#[derive(Default)]
struct Gallery(Mutex<HashMap<String, Bytes>>);

/// The pictures of games and icons, of which there are few.
static KEPT: LazyLock<Gallery> = LazyLock::new(Gallery::default);

/// The pictures of matches, by the hash of what is drawn.
static DRAWN: LazyLock<Gallery> = LazyLock::new(Gallery::default);

/// The most pictures in a gallery; a full one is emptied. One has about 30 KB.
const MOST_PICTURES: usize = 256;

impl Gallery {
    fn find(&self, name: &str) -> Option<Bytes> {
        self.lock().get(name).cloned()
    }

    fn keep(&self, name: String, png: Bytes) {
        let mut pictures = self.lock();
        if pictures.len() >= MOST_PICTURES {
            pictures.clear();
        }
        pictures.insert(name, png);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Bytes>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A picture that never changes while the program runs.
async fn kept(name: &str, svg: impl FnOnce() -> Option<String>, size: (u32, u32)) -> Result<Bytes, Error> {
    if let Some(png) = KEPT.find(name) {
        return Ok(png);
    }
    let svg = svg().ok_or_else(no_picture)?;
    let drawn = tokio::task::spawn_blocking(move || png(&svg, size)).await;
    let png = drawn.map_err(|e| not_drawn(&e))?.map_err(|e| not_drawn(&e))?;
    KEPT.keep(name.to_owned(), png.clone());
    Ok(png)
}

fn not_drawn(e: &dyn std::fmt::Display) -> Error {
    Error::new(Code::Internal, format!("a picture cannot be drawn: {e}"))
}

/// The paper of the pages, around a picture that does not fill its place.
const PAPER: [u8; 3] = [0xf6, 0xf4, 0xef];

/// The SVG as PNG, as large as it fits in the middle.
fn png(svg: &str, (width, height): (u32, u32)) -> Result<Bytes, String> {
    let tree = Tree::from_str(svg, options()).map_err(|e| e.to_string())?;
    let mut pixels = Pixmap::new(width, height).ok_or("the size is 0")?;
    if width != height {
        let [red, green, blue] = PAPER;
        pixels.fill(Color::from_rgba8(red, green, blue, 255));
    }
    let (across, down) = (width as f32 / tree.size().width(), height as f32 / tree.size().height());
    let scale = across.min(down);
    let [left, top] = [(width as f32, tree.size().width()), (height as f32, tree.size().height())]
        .map(|(room, size)| (room - size * scale) / 2.0);
    let place = Transform::from_scale(scale, scale).post_translate(left, top);
    resvg::render(&tree, place, &mut pixels.as_mut());
    pixels.encode_png().map(Bytes::from).map_err(|e| e.to_string())
}
