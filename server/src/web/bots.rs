//! The page for those who bring a bot.

use axum::response::Response;
use maud::html;

use super::layout::{Page, found};
use super::words::t;

/// What a bot can do here, command by command.
pub async fn page() -> Response {
    found(Page::new(t("bots.title")).render(html! { h1 { (t("bots.title")) } p.lead { (t("bots.lead")) } }))
}
