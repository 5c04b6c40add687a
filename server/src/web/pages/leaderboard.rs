//! A game's leaderboard: its players by rating, people, bots and built-in engines.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::app::App;
use crate::domain::{EnginePlayer, PlayerKind};
use crate::error::Error;
use crate::presentation::leaderboard::{LeaderboardEntry, board};
use crate::ratings::Rating;
use crate::request::extract::UrlQuery;
use crate::request::path::GameOf;
use crate::web::layout::{HtmlPage, found, table};
use crate::web::pages::lobby::{challenge, challenge_button};
use crate::web::pages::player;
use crate::web::words::{player_name, say, t};

/// The most engines of a game that are folded: as many as a page of the list can have.
const MOST_ENGINES: &str = "200";

/// The leaderboard of a game.
pub(in crate::web) async fn page(
    State(app): State<&'static App>,
    GameOf(offer): GameOf,
    query: UrlQuery,
) -> Result<Response, Error> {
    let info = offer.info;
    let kind = query.0.iter().find(|(name, _)| name == "kind").map(|(_, kind)| kind.clone());
    let board = board(app, info.slug, query).await?;
    let lines = lines(app, info.slug, board.players).await?;
    let here = format!("/games/{}/leaderboard", info.slug);
    let title = say("board.title", &[("game", info.title)]);
    let next = board.next.as_ref().map(|next| {
        let kind = kind.as_ref().map_or_else(String::new, |kind| format!("&kind={kind}"));
        format!("{here}?after={}{kind}", utf8_percent_encode(next, NON_ALPHANUMERIC))
    });
    // Engines cannot be challenged.
    let challenged = lines.iter().any(|line| line.best.kind != PlayerKind::Engine);
    let page = HtmlPage::new(&title).about(t("board.about")).render(html! {
        h1 #title { (title) }
        p.lead { (t("board.about")) }
        p { a.button.main href={ "/games/" (info.slug) } { (say("board.play_game", &[("game", info.title)])) } }
        nav.tabs aria-label=(t("board.kinds")) {
            (choice(&here, None, kind.as_deref()))
            @for of in PlayerKind::ALL { (choice(&here, Some(of), kind.as_deref())) }
        }
        @if lines.is_empty() { p.none { (t("board.none")) } } @else {
            div.leaders { (table("title", true, html! {
                thead { tr {
                    th scope="col" { (t("board.rank")) }
                    th scope="col" { (t("board.player")) }
                    th scope="col" { (t("board.rating")) }
                    th.spare scope="col" { (t("board.played")) }
                    @if challenged { th scope="col" { span.ear { (t("challenge.button")) } } }
                } }
                tbody { @for line in &lines { (row(info.slug, line, challenged)) } }
            })) }
            p.soft { (t("board.provisional")) }
        }
        @if let Some(next) = next { p.more { a rel="next" href=(next) { (t("matches.more")) } } }
        section aria-labelledby="boards" {
            h2 #boards { (t("lobby.boards")) }
            (boards(app, Some(info.slug)))
        }
        (challenge(app))
    });
    Ok(found(page).into_response())
}

/// Links to the leaderboards of all games. `current`: the short name of the game whose leaderboard the page shows.
pub(in crate::web) fn boards(app: &App, current: Option<&str>) -> Markup {
    let games = app.games.offers().iter().map(|offer| offer.info);
    html! {
        nav.tabs aria-labelledby="boards" {
            @for info in games {
                @let here = (current == Some(info.slug)).then_some("page");
                a href={ "/games/" (info.slug) "/leaderboard" } aria-current=[here] { (info.title) }
            }
        }
    }
}

/// A link to the list of one kind of players, or of all.
fn choice(here: &str, kind: Option<PlayerKind>, shown: Option<&str>) -> Markup {
    let name = kind.map(PlayerKind::name);
    let path = name.map_or_else(|| here.to_owned(), |name| format!("{here}?kind={name}"));
    let text = t(match kind {
        None => "board.all",
        Some(PlayerKind::Person) => "board.people",
        Some(PlayerKind::Bot) => "board.bots",
        Some(PlayerKind::Engine) => "board.engines",
    });
    html! { a href=(path) aria-current=[(name == shown).then_some("page")] { (text) } }
}

/// A line of the table: a player. A built-in engine has one line, with its best level, which opens for the others.
struct Line {
    best: LeaderboardEntry,
    others: Vec<LeaderboardEntry>,
}

/// The lines for a page of the leaderboard of this game. An engine's line is where its best level is.
async fn lines(app: &App, game: &str, players: Vec<LeaderboardEntry>) -> Result<Vec<Line>, Error> {
    let is_engine = |entry: &LeaderboardEntry| entry.kind == PlayerKind::Engine;
    if !players.iter().any(is_engine) {
        return Ok(players.into_iter().map(|best| Line { best, others: Vec::new() }).collect());
    }
    let all = [("kind", PlayerKind::Engine.name()), ("limit", MOST_ENGINES)];
    let all = UrlQuery(all.map(|(name, value)| (name.to_owned(), value.to_owned())).into());
    Ok(folded(players, board(app, game, all).await?.players))
}

/// As [`lines`], with all engines of the game, the best first.
fn folded(players: Vec<LeaderboardEntry>, engines: Vec<LeaderboardEntry>) -> Vec<Line> {
    let mut levels: BTreeMap<String, Vec<LeaderboardEntry>> = BTreeMap::new();
    for entry in engines {
        if let Some(EnginePlayer { engine, .. }) = EnginePlayer::parse(&entry.name) {
            levels.entry(engine).or_default().push(entry);
        }
    }
    let line = |best: LeaderboardEntry| {
        let known = EnginePlayer::parse(&best.name).and_then(|player| levels.get_mut(&player.engine));
        let Some(levels) = known else { return Some(Line { best, others: Vec::new() }) };
        let is_best = levels.first().is_some_and(|first| first.name == best.name);
        is_best.then(|| Line { best, others: levels.split_off(1) })
    };
    players.into_iter().filter_map(line).collect()
}

/// `challenged`: the table has a column for the button that challenges a player.
fn row(game: &str, Line { best: entry, others }: &Line, challenged: bool) -> Markup {
    html! {
        tr {
            td { @if let Some(rank) = entry.rank { (rank) } @else { "–" } }
            th scope="row" {
                a href=(player::path(&entry.name)) { (player_name(&entry.name)) }
                " " span.soft { (kind_text(entry.kind)) }
                @if !others.is_empty() {
                    details.levels {
                        summary { (say("board.levels", &[("number", &others.len().to_string())])) }
                        ul { @for other in others { li {
                            a href=(player::path(&other.name)) { (player_name(&other.name)) }
                            " " (rating(other.rating.points, other.rating.margin, other.rating.provisional))
                        } } }
                    }
                }
            }
            (rating_cell(entry.rating.points, entry.rating.margin, entry.rating.provisional))
            td.spare { (entry.played) }
            @if challenged {
                td { @if entry.kind != PlayerKind::Engine { (challenge_button(&entry.name, Some(game))) } }
            }
        }
    }
}

/// The kind of a player, in a word; nothing for people.
pub(in crate::web) fn kind_text(kind: PlayerKind) -> &'static str {
    match kind {
        PlayerKind::Person => "",
        PlayerKind::Bot => t("kind.bot"),
        PlayerKind::Engine => t("kind.engine"),
    }
}

/// A cell of a table with a rating.
pub(in crate::web) fn rating_cell(points: i64, margin: i64, provisional: bool) -> Markup {
    html! { td.rating { (rating(points, margin, provisional)) } }
}

/// The rating, marked if it is provisional, and its margin.
fn rating(points: i64, margin: i64, provisional: bool) -> Markup {
    html! {
        (points) @if provisional { abbr title=(t("board.provisional")) { "?" } }
        " " span.soft { "± " (margin) }
    }
}

/// The same for a rating.
pub(in crate::web) fn cell_of(rating: Rating) -> Markup {
    // Ratings are far from the bounds of i64.
    rating_cell(rating.points().round() as i64, rating.margin().round() as i64, rating.is_provisional())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: &str, kind: PlayerKind) -> LeaderboardEntry {
        let rating = Rating::NEW.into();
        LeaderboardEntry {
            rank: None,
            name: name.to_owned(),
            kind,
            owner: None,
            rating,
            played: 1,
            last_ms: 1,
        }
    }

    #[test]
    fn engine_has_one_line_where_its_best_level_is() {
        let engines = ["go:wall:2:max", "go:random:1:max", "go:wall:2:easy", "go:wall:1:max"];
        let engines = || engines.map(|name| entry(name, PlayerKind::Engine)).into();
        let page = |names: &[&str]| {
            let kind = |name: &str| if name.contains(':') { PlayerKind::Engine } else { PlayerKind::Person };
            let players = names.iter().map(|name| entry(name, kind(name))).collect();
            let lines = folded(players, engines()).into_iter();
            let names = |line: Line| {
                let others: Vec<String> = line.others.into_iter().map(|entry| entry.name).collect();
                (line.best.name, others.join(" "))
            };
            lines.map(names).collect::<Vec<_>>()
        };
        let line = |best: &str, others: &str| (best.to_owned(), others.to_owned());
        let wall = line("go:wall:2:max", "go:wall:2:easy go:wall:1:max");
        let whole =
            page(&["go:wall:2:max", "ann", "go:random:1:max", "go:wall:2:easy", "ben", "go:wall:1:max"]);
        assert_eq!(whole, [wall, line("ann", ""), line("go:random:1:max", ""), line("ben", "")]);
        // The other levels are in the line on the page before; one that is not in the list of engines has its own.
        assert_eq!(page(&["go:wall:2:easy", "go:net:1:max"]), [line("go:net:1:max", "")]);
    }
}
