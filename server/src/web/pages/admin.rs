//! The operator's page: the load of the server, and the lists and actions of `kibitz admin`. The page as it is served contains none of
//! them: `admin/admin.js` asks the API for them with the admin token. Its texts are English, like those of the commands.

use axum::extract::State;
use axum::response::Response;
use maud::html;

use crate::app::App;
use crate::web::layout::{HtmlPage, found, needs_js};

pub(in crate::web) async fn page(State(app): State<&'static App>) -> Response {
    let page = HtmlPage::new("Administration").english();
    let page = page.styles(&["lib/page/pages.css", "admin/admin.css"]).module("admin/admin.js");
    found(page.render(html! {
        h1 { "Administration" }
        p.trouble role="alert" hidden {}
        @if app.admin.is_some() {
            (needs_js())
            // The module makes the form usable: before, the browser itself would send the token, in the address.
            form.card #enter inert {
                label { "Admin token"
                    input name="token" type="password" required autocomplete="off" spellcheck="false";
                }
                p.soft { "The token is in the file that --admin-token-file names. It stays in this tab." }
                button.main { "Open" }
            }
            div #admin hidden {}
        } @else {
            p { "This server has no admin token. Make one with " code { "kibitz admin token" }
                ", and name its file when you start the server: " code { "--admin-token-file FILE" } "." }
        }
    }))
}
