//! The facts, standings, crosstable and games of a tournament, from the API's page of it. When something has changed,
//! `club/tournament.js` asks for the page again and puts its parts in place.

use std::borrow::Cow;
use std::collections::HashMap;

use maud::{Markup, html};

use crate::domain::time::Millis;
use crate::domain::{PlayerKind, TournamentStage};
use crate::presentation::tournament::{GameShown, GameStage, Interval, StandingShown, TournamentPage};
use crate::tournaments::event::{Dealing, Format};
use crate::web::layout::table;
use crate::web::pages::leaderboard::kind_text;
use crate::web::pages::player::path;
use crate::web::visit::language;
use crate::web::words::{GameTexts, clock_text, iso_minute, say, t};

/// The most games in the table; the API has all of them.
const MAX_GAMES: usize = 500;

/// The most entrants whose crosstable fits a phone, and a phone on its side or a tablet. A screen that is too narrow for
/// the table shows a list instead.
const FIT_PHONE: usize = 4;
const FIT_TABLET: usize = 8;

/// How many places a podium has.
const PODIUM: usize = 3;

/// How many of the games that are being played are shown with their boards.
const MOST_LIVE: usize = 6;

/// How many columns with a number have room for one with a name.
const NAMED_COLUMN: usize = 2;

/// The most entrants whose results are also shown as a list: it grows with their square, ten times as fast as the table.
const MOST_LISTED: usize = 64;

/// The points and games of an entrant against another one, as a text.
type Cells = HashMap<(usize, usize), String>;

/// A tournament to render.
pub(in crate::web) struct Tables<'a> {
    page: &'a TournamentPage,
    /// The names of the entrants for people.
    names: Vec<Cow<'a, str>>,
    /// Whether the game has a contest, whose points a gauntlet counts.
    has_contest: bool,
}

impl<'a> Tables<'a> {
    /// The tables of this tournament. `texts`: of its game. `has_contest`: whether the game has one.
    pub(in crate::web) fn of(page: &'a TournamentPage, texts: &GameTexts, has_contest: bool) -> Self {
        let names = page.entrants.iter().map(|entrant| texts.player_name(&entrant.name)).collect();
        Self { page, names, has_contest }
    }

    /// The name of an entrant for people.
    pub(in crate::web) fn name(&self, entrant: usize) -> &str {
        &self.names[entrant]
    }

    /// The kind and the progress of the tournament. `title`: the game's.
    pub(in crate::web) fn facts(&self, stage: &str, title: &str) -> Markup {
        let Self { page, .. } = self;
        let (done, games) = (done(page), page.games.len());
        let progress =
            say("tournaments.progress", &[("done", &done.to_string()), ("games", &games.to_string())]);
        let opponents = self.opponents();
        html! {
            p {
                strong.stage role="status" { (stage) }
                @if games > 0 { " · " (progress) }
            }
            p.soft {
                a href={ "/games/" (page.game) } { (title) }
                " · " (terms(page).join(" · ")) " · " (say("tournaments.organizer", &[("name", "")]))
                a href=(path(&page.organizer)) { (page.organizer) }
            }
            @if !opponents.is_empty() {
                p.soft { (t("tournaments.opponents")) " "
                    @for (place, opponent) in opponents.iter().enumerate() { @if place > 0 { ", " } (self.player(*opponent)) } }
            }
            @if let (Some(starts), TournamentStage::Registration) = (page.starts_ms, page.stage) {
                p { (at_time(t("tournaments.starts"), starts)) }
            }
            @if let (Some(until), false) = (page.waits_until_ms, page.stage.is_over()) {
                p.soft { (waits_until(until)) }
            }
            @if games > 0 { progress max=(games) value=(done) aria-label=(progress) {} }
        }
    }

    /// The first three, when the tournament has ended.
    pub(in crate::web) fn podium(&self) -> Markup {
        let standings = self.page.standings.iter().filter(|line| line.games > 0);
        let first: Vec<_> = standings.take_while(|line| line.place <= PODIUM).take(PODIUM).collect();
        html! {
            @if self.page.stage == TournamentStage::Ended && !first.is_empty() {
                ol.podium aria-label=(t("tournaments.podium")) {
                    @for line in first {
                        li class={ "place-" (line.place) } {
                            span.place { (line.place) }
                            b { (self.player(line.entrant)) }
                            span.soft { (say("match.point_count", &[("points", &number(line.points))])) }
                        }
                    }
                }
            }
        }
    }

    /// The games that are being played, with their boards.
    pub(in crate::web) fn live(&self) -> Markup {
        let running = self.page.games.iter().filter(|game| game.stage == GameStage::Running && !game.sealed);
        let running: Vec<_> =
            running.filter_map(|game| Some((game, game.match_id.as_ref()?))).take(MOST_LIVE).collect();
        html! {
            @if !running.is_empty() {
                h2 { (t("home.live")) }
                ul.boards-now { @for (game, id) in running {
                    li { a.match href={ "/matches/" (id) } {
                        img.board-now src={ "/matches/" (id) "/picture.svg" } alt="" width="244" height="128" data-picture=(id);
                        span.seats { @for (place, entrant) in game.seats.iter().enumerate() {
                            @if place > 0 { " – " } (self.name(*entrant))
                        } }
                        span.soft { (t("tournaments.round")) " " (game.round) }
                    } }
                } }
            }
        }
    }

    /// The standings, the best first.
    pub(in crate::web) fn standings(&self) -> Markup {
        // If not all entrants meet, the strength of the opponents counts.
        let with_buchholz = matches!(self.page.format, Format::Swiss { .. } | Format::Ladder { .. });
        let gauntlet = self.is_gauntlet();
        html! {
            h2 id="standings-title" { (t("tournaments.standings")) }
            @if self.page.standings.is_empty() { p.soft { (t("tournaments.no_entrants")) } } @else {
                (table("standings-title", true, html! {
                    thead { tr {
                        (head(t("tournaments.place"))) (head(t("tournaments.player"))) (head(t("tournaments.points")))
                        (head(t("tournaments.played"))) (spare_head(t("tournaments.won"))) (spare_head(t("tournaments.score")))
                        (spare_head(t("tournaments.superiority")))
                        @if gauntlet { (spare_head(t("tournaments.ahead"))) } @else { (spare_head(t("tournaments.direct"))) }
                        @if with_buchholz { (spare_head("Buchholz")) }
                        @if !gauntlet { (spare_head("Sonneborn-Berger")) }
                    } }
                    tbody { @for line in &self.page.standings { (self.standing(line, with_buchholz)) } }
                }))
                p.soft {
                    @if gauntlet {
                        (t(if self.has_contest { "tournaments.points.contest" } else { "tournaments.points.result" })) " "
                        (t("tournaments.gauntlet_say"))
                    } @else { (t("tournaments.superiority_say")) }
                }
            }
        }
    }

    fn is_gauntlet(&self) -> bool {
        matches!(self.page.format, Format::Gauntlet { .. })
    }

    fn standing(&self, line: &StandingShown, with_buchholz: bool) -> Markup {
        let gauntlet = self.is_gauntlet();
        html! {
            tr data-target=(self.target(line.entrant)) {
                td { (line.place) }
                th scope="row" { (self.player(line.entrant)) }
                td { (number(line.points)) }
                td { (line.games) }
                td.spare { (line.won) }
                td.spare { @match line.score {
                    Some(score) if gauntlet => (of_points(score)),
                    Some(score) => { (percent(score.mean)) (interval(score)) }
                    None => "–",
                } }
                td.spare { @if let Some(likelihood) = line.superiority { (percent(likelihood)) } @else { "–" } }
                td.spare { @if gauntlet { (line.ahead.map_or_else(|| "–".to_owned(), of_points)) }
                    @else { (line.direct.map_or_else(|| "–".to_owned(), number)) } }
                @if with_buchholz { td.spare { (line.buchholz.map_or_else(|| "–".to_owned(), number)) } }
                @if !gauntlet { td.spare { (line.sonneborn_berger.map_or_else(|| "–".to_owned(), number)) } }
            }
        }
    }

    /// The results of each entrant against each other one, in the order of the standings; in a gauntlet, against each fixed
    /// opponent. As a table, and as a list for screens that are too narrow for the table.
    pub(in crate::web) fn crosstable(&self) -> Markup {
        if self.page.crosstable.is_empty() {
            return html! {};
        }
        let cells = self.page.crosstable.iter().map(|cell| {
            let text = format!("{} / {}", number(cell.points), cell.games);
            ((cell.entrant, cell.opponent), text)
        });
        let cells: HashMap<_, _> = cells.collect();
        let others = if self.is_gauntlet() { self.opponents() } else { self.ranked() };
        let columns = if self.is_gauntlet() { NAMED_COLUMN * others.len() } else { others.len() };
        let listed = |fit| (fit + 1..=MOST_LISTED).contains(&columns);
        let (tablet, desk) = (listed(FIT_PHONE), listed(FIT_TABLET));
        html! {
            h2 id="crosstable-title" { (t("tournaments.crosstable")) }
            div.crosstable.for-tablet[tablet].for-desk[desk] {
                (self.crosstable_grid(&others, &cells))
                @if tablet { (self.crosstable_list(&others, &cells)) }
            }
        }
    }

    /// The entrants in the order of the standings.
    fn ranked(&self) -> Vec<usize> {
        self.page.standings.iter().map(|line| line.entrant).collect()
    }

    /// The fixed opponents of a gauntlet.
    fn opponents(&self) -> Vec<usize> {
        let entrants = self.page.entrants.iter().enumerate();
        entrants.filter(|(_, entrant)| entrant.opponent).map(|(number, _)| number).collect()
    }

    /// The crosstable as a table: a row for each entrant of the standings, a column for each of the `others`.
    fn crosstable_grid(&self, others: &[usize], cells: &Cells) -> Markup {
        let gauntlet = self.is_gauntlet();
        html! {
            div.grid {
                (table("crosstable-title", false, html! {
                    thead { tr {
                        (head(t("tournaments.player")))
                        @for (place, &other) in others.iter().enumerate() {
                            th scope="col" {
                                @if gauntlet { (self.name(other)) } @else { abbr title=(self.name(other)) { (place + 1) } }
                            }
                        }
                    } }
                    tbody { @for (place, own) in self.ranked().into_iter().enumerate() {
                        tr data-target=(self.target(own)) {
                            th scope="row" { (place + 1) ". " (self.player(own)) }
                            @for &other in others {
                                td { @if own == other { "×" } @else if let Some(cell) = cells.get(&(own, other)) { (cell) } }
                            }
                        }
                    } }
                }))
                p.soft { (t(if gauntlet { "tournaments.crosstable_gauntlet" } else { "tournaments.crosstable_say" })) }
            }
        }
    }

    /// The crosstable as a list: each entrant can be opened to see the results against the `others`.
    fn crosstable_list(&self, others: &[usize], cells: &Cells) -> Markup {
        html! {
            div.each {
                p.soft { (t("tournaments.crosstable_open")) }
                ol aria-labelledby="crosstable-title" {
                    @for (place, line) in self.page.standings.iter().enumerate() {
                        li data-target=(self.target(line.entrant)) {
                            details {
                                summary {
                                    span.place { (place + 1) "." }
                                    span.name { (self.name(line.entrant)) }
                                    span.points { (number(line.points)) " / " (line.games) }
                                }
                                ul {
                                    @for (place, &other) in others.iter().enumerate() {
                                        @if let Some(cell) = cells.get(&(line.entrant, other)) {
                                            li data-target=(self.target(other)) {
                                                span.place { @if !self.is_gauntlet() { (place + 1) "." } }
                                                span.name { (self.player(other)) }
                                                span.points { (cell) }
                                            }
                                        }
                                    }
                                }
                            }
                        }
                    }
                }
                @if self.is_gauntlet() { p.soft { (t("tournaments.crosstable_gauntlet")) } }
            }
        }
    }

    /// The games in the order in which they are played.
    pub(in crate::web) fn games(&self) -> Markup {
        let games = &self.page.games;
        html! {
            @if !games.is_empty() {
                h2 id="games-title" { (t("tournaments.games")) }
                (table("games-title", true, html! {
                    thead { tr {
                        (head(t("tournaments.seats")))
                        (spare_head(t("tournaments.round"))) (spare_head(t("tournaments.deal")))
                        (head(t("tournaments.result"))) (head(t("tournaments.match")))
                    } }
                    tbody { @for (place, game) in games.iter().take(MAX_GAMES).enumerate() { (self.game(place, game)) } }
                }))
                @if games.len() > MAX_GAMES { p.soft { (t("tournaments.first_games")) } }
            }
        }
    }

    fn game(&self, place: usize, game: &GameShown) -> Markup {
        let names: Vec<_> = game.seats.iter().map(|entrant| self.name(*entrant)).collect();
        let result = game.scores.scores.as_ref().map(|scores| {
            let scores: Vec<_> = scores.iter().map(|score| number(*score)).collect();
            scores.join(" – ")
        });
        let stage = t(match game.stage {
            GameStage::Finished if game.sealed => "tournaments.sealed",
            GameStage::Waiting => "tournaments.waiting",
            GameStage::Running => "tournaments.playing",
            GameStage::Finished => "tournaments.finished",
            GameStage::Void => "tournaments.void",
        });
        let what =
            t(if game.stage == GameStage::Running { "tournaments.watch" } else { "tournaments.replay" });
        let label = || say("tournaments.open_game", &[("what", what), ("game", &(place + 1).to_string())]);
        html! {
            tr data-target={ "game:" (place) } {
                th scope="row" { (names.join(" – ")) }
                td.spare { (game.round) }
                td.spare { (game.deal) }
                td { (result.as_deref().unwrap_or(stage)) }
                td { @if let Some(id) = &game.match_id { a href={ "/matches/" (id) } aria-label=(label()) { (what) } } }
            }
        }
    }

    /// An entrant with a link to the player's page.
    fn player(&self, index: usize) -> Markup {
        let entrant = &self.page.entrants[index];
        html! {
            a href=(path(&entrant.name)) { (self.name(index)) }
            @if entrant.kind != PlayerKind::Person { span.soft { " " (kind_text(entrant.kind)) } }
            @if !entrant.takes_part { span.soft { " " (t("tournaments.left")) } }
        }
    }

    /// The identifier of an entrant's row. Not the place among the entrants: it changes when another one withdraws.
    fn target(&self, entrant: usize) -> String {
        format!("entrant:{}", self.page.entrants[entrant].name)
    }
}

/// How many games need not be played any more.
fn done(page: &TournamentPage) -> usize {
    let over = |game: &&GameShown| matches!(game.stage, GameStage::Finished | GameStage::Void);
    page.games.iter().filter(over).count()
}

/// The terms of a tournament, each in a few words.
pub(in crate::web) fn terms(page: &TournamentPage) -> Vec<String> {
    let format = match page.format {
        Format::RoundRobin => t("tournaments.round_robin").to_owned(),
        Format::SampledRoundRobin { .. } => t("tournaments.sampled_round_robin").to_owned(),
        Format::Gauntlet { .. } => t("tournaments.gauntlet").to_owned(),
        Format::Swiss { rounds } => say("tournaments.swiss", &[("rounds", &rounds.to_string())]),
        Format::Ladder { pairings } => say("tournaments.ladder", &[("pairings", &pairings.to_string())]),
    };
    let mut terms = vec![format];
    if page.seats > 2 {
        terms.push(say("tournaments.of_seats", &[("seats", &page.seats.to_string())]));
    }
    match page.format {
        Format::SampledRoundRobin { games: Some(games), .. } => {
            terms.push(say("tournaments.of_games_each", &[("games", &games.to_string())]));
        }
        Format::SampledRoundRobin { .. } => {}
        Format::Gauntlet { games } => {
            terms.push(say("tournaments.of_games_against_each", &[("games", &games.to_string())]))
        }
        _ => {
            let games = (page.deals as usize).saturating_mul(page.seats).to_string();
            terms.push(say("tournaments.of_deals", &[("games", &games)]));
        }
    }
    match page.dealing {
        Dealing::Duplicate => terms.push(t("tournaments.is_duplicate").to_owned()),
        Dealing::Mirror => terms.push(t("tournaments.is_mirror").to_owned()),
        Dealing::Independent => {}
    }
    if let Some(window) = page.window_ms {
        terms.push(say("tournaments.has_window", &[("hours", &window.div_ceil(3_600_000).to_string())]));
    }
    terms.push(clock_text(&page.clock));
    terms.push(t(if page.rated { "club.rated" } else { "club.unrated" }).to_owned());
    terms
}

/// Until when games wait, in words.
fn waits_until(ms: Millis) -> Markup {
    at_time(t("tournaments.waits_until"), ms)
}

/// A text with a time in it, and how long it is until then. The page's module shows the time as the visitor's clock does.
pub(in crate::web) fn at_time(text: &str, ms: Millis) -> Markup {
    const TIME: &str = "{time}";
    let (before, after) = text.split_once(TIME).unwrap_or((text, ""));
    html! {
        (before) time data-ms=(ms) { (iso_minute(ms)) } (after)
        " " strong.countdown data-until=(ms) {}
    }
}

/// A number of points with its interval, in words.
fn of_points(Interval { mean, low, high }: Interval) -> String {
    match (low, high) {
        (Some(low), Some(high)) => format!("{} ({} – {})", number(mean), number(low), number(high)),
        _ => number(mean),
    }
}

/// An interval as a bar from 0 to 100%, with its mean, and in words.
fn interval(Interval { mean, low, high }: Interval) -> Markup {
    let (Some(low), Some(high)) = (low, high) else { return html! {} };
    let x = |value: f64| 4.0 + 72.0 * value;
    html! {
        " (" (percent(low)) "–" (percent(high)) ")"
        svg.interval viewBox="0 0 80 12" width="80" height="12" aria-hidden="true" {
            line.scale x1=(x(0.0)) x2=(x(1.0)) y1="6" y2="6" {}
            line.half x1=(x(0.5)) x2=(x(0.5)) y1="1" y2="11" {}
            line.range x1=(x(low)) x2=(x(high)) y1="6" y2="6" {}
            circle cx=(x(mean)) cy="6" r="3" {}
            title { (say("tournaments.interval", &[("low", &percent(low)), ("high", &percent(high))])) }
        }
    }
}

fn head(title: &str) -> Markup {
    html! { th scope="col" { (title) } }
}

/// The title of a column that a narrow screen can spare.
fn spare_head(title: &str) -> Markup {
    html! { th.spare scope="col" { (title) } }
}

/// A number with at most two digits after the point or comma of the visitor's language, and a proper minus sign.
fn number(value: f64) -> String {
    // The sum of no numbers is -0; adding 0 makes it 0.
    let text = ((100.0 * value).round() / 100.0 + 0.0).to_string().replace('-', "\u{2212}");
    text.replace('.', language().decimal.encode_utf8(&mut [0; 4]))
}

fn percent(value: f64) -> String {
    format!("{:.0}%", (100.0 * value).round())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_at_most_two_digits_after_the_point() {
        assert_eq!(
            [-0.0, 0.5, -0.5, 10.0, 1.0 / 3.0, 12.345_9].map(number),
            ["0", "0.5", "−0.5", "10", "0.33", "12.35"]
        );
        assert_eq!([0.0, 0.005, 2.0 / 3.0, 1.0].map(percent), ["0%", "1%", "67%", "100%"]);
    }
}
