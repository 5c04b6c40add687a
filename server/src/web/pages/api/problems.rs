//! The explanation of every problem code, for people: the `type` of each error links here.

use axum::response::Response;
use maud::{Markup, html};

use crate::error::Code;
use crate::request::problem::status;
use crate::web::layout::{HtmlPage, found};
use crate::web::words::t;

/// All codes of problems.
pub(in crate::web) async fn page() -> Response {
    let page = HtmlPage::new(t("problems.title")).about(t("problems.lead"));
    found(page.styles(&["lib/page/pages.css", "home/docs.css"]).render(html! {
        h1 { (t("problems.title")) }
        p.lead { (t("problems.lead")) }
        dl.problems {
            @for code in Code::ALL {
                dt id=(code.name()) {
                    code { (code.name()) } " " span { (status(*code).as_u16()) } " " (code.title())
                }
                dd { (marked(code.help().trim())) }
            }
        }
    }))
}

/// A text whose parts between backticks are shown as code.
pub(in crate::web) fn marked(text: &str) -> Markup {
    let parts = text.split('`').enumerate();
    html! { @for (place, part) in parts { @if place % 2 == 1 { code { (part) } } @else { (part) } } }
}
