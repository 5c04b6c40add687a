//! Pictures for lists, for previews of links and for icons: a match's position as its game draws it, a game's picture, the
//! icon. They are SVG; previews and icons are PNG drawn from it. Only what spectators see is drawn.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree};
use tokio::sync::Semaphore;

use crate::app::App;
use crate::domain::MatchId;
use crate::error::{Code, Error};
use crate::http::{GameOf, MatchOf};
use crate::web::asset;
use crate::web::told::Told;

/// Width and height of a preview, in pixels.
pub(super) const PREVIEW: (u32, u32) = (1200, 630);

/// The sizes of the icon, in pixels.
pub(super) const ICONS: [u32; 2] = [192, 512];

// How long a picture may be kept, in seconds: of a match that goes on, and of what does not change.
const BRIEF: u32 = 60;
const LONG: u32 = 86_400;

/// A picture opened as a page loads nothing and runs nothing.
const SVG_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'";

/// The preview of a match that everyone may see.
pub(super) async fn of_match(
    State(app): State<&'static App>,
    MatchOf(id): MatchOf,
) -> Result<Response, Error> {
    let (svg, keep) = svg_of_match(app, &id).await?;
    Ok(answer(drawn(svg, PREVIEW).await?, keep))
}

/// The same as SVG, which costs the server no drawing.
pub(super) async fn of_match_svg(
    State(app): State<&'static App>,
    MatchOf(id): MatchOf,
) -> Result<Response, Error> {
    let (svg, keep) = svg_of_match(app, &id).await?;
    let headers = [(header::CONTENT_TYPE, "image/svg+xml"), (header::CACHE_CONTROL, &*public(keep))];
    Ok((headers, [(header::CONTENT_SECURITY_POLICY, SVG_POLICY)], svg).into_response())
}

/// The position of a match that everyone may see, or its game's picture before the start, and how long it may be kept.
async fn svg_of_match(app: &'static App, id: &MatchId) -> Result<(String, u32), Error> {
    let told = Told::of(app, id).await.ok_or_else(no_picture)?;
    let keep = if told.is_over() { LONG } else { BRIEF };
    let svg = told.picture().or_else(|| svg_of_game(told.slug())).ok_or_else(no_picture)?;
    Ok((svg, keep))
}

/// The preview of a game.
pub(super) async fn of_game(GameOf(offer): GameOf) -> Result<Response, Error> {
    let slug = offer.info.slug;
    let svg = || svg_of_game(slug);
    Ok(answer(kept(slug, svg, PREVIEW).await?, LONG))
}

/// The icon in one of its sizes, or as the preview of the home page.
pub(super) async fn icon(Path(name): Path<String>) -> Result<Response, Error> {
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

/// A picture that never changes while the program runs; it is drawn once. There are as many as games and icons.
async fn kept(name: &str, svg: impl FnOnce() -> Option<String>, size: (u32, u32)) -> Result<Bytes, Error> {
    static KEPT: LazyLock<Mutex<HashMap<String, Bytes>>> = LazyLock::new(Mutex::default);
    let known = || KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(png) = known().get(name).cloned() {
        return Ok(png);
    }
    let png = drawn(svg().ok_or_else(no_picture)?, size).await?;
    known().insert(name.to_owned(), png.clone());
    Ok(png)
}

/// The SVG as PNG, as large as it fits in the middle. One at a time: drawing takes some hundredths of a second of a core.
async fn drawn(svg: String, size: (u32, u32)) -> Result<Bytes, Error> {
    static ONE: Semaphore = Semaphore::const_new(1);
    let failed =
        |e: &dyn std::fmt::Display| Error::new(Code::Internal, format!("a picture cannot be drawn: {e}"));
    let _turn = ONE.acquire().await.map_err(|e| failed(&e))?;
    let drawn = tokio::task::spawn_blocking(move || png(&svg, size)).await.map_err(|e| failed(&e))?;
    drawn.map_err(|e| failed(&e))
}

/// The paper of the pages, around a picture that does not fill its place.
const PAPER: [u8; 3] = [0xf6, 0xf4, 0xef];

fn png(svg: &str, (width, height): (u32, u32)) -> Result<Bytes, String> {
    let tree = Tree::from_str(svg, &Options::default()).map_err(|e| e.to_string())?;
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
