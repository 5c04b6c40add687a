//! A match that everyone may see, in words: for browsers without JavaScript, search engines and previews of links. It
//! knows no more than a spectator gets from the API.

use axum::body::Bytes;
use engines::search::Level;
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::Value;

use crate::app::App;
use crate::catalogue::Offer;
use crate::domain::MatchId;
use crate::matches::ledger::Caller;
use crate::web::files::preview::PlayerLine;
use crate::web::layout::data;
use crate::web::words::{GameTexts, guest_name, say, t};

/// A match as spectators see it.
pub(in crate::web) struct SpokenMatch {
    offer: &'static Offer,
    page: PublicPage,
    json: Bytes,
}

/// The parts of the API's page of a match that are said here. It comes as JSON, rendered once for all spectators.
#[derive(Deserialize)]
struct PublicPage {
    game: String,
    stage: PublicStage,
    ply: u32,
    seats: Vec<PublicSeat>,
    position: Option<Value>,
    result: Option<PublicResult>,
    from_position: Option<Value>,
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum PublicStage {
    Open,
    Running,
    Over,
}

#[derive(Deserialize)]
struct PublicSeat {
    kind: String,
    name: Option<String>,
    guest: Option<u16>,
    engine: Option<PublicEngine>,
}

#[derive(Deserialize)]
struct PublicEngine {
    name: String,
    level: Level,
}

#[derive(Deserialize)]
struct PublicResult {
    ranks: Vec<u8>,
    points: Option<Vec<f64>>,
}

impl SpokenMatch {
    /// The match of this id; `None` if there is none that everyone may see.
    pub(in crate::web) async fn of(app: &'static App, id: &MatchId) -> Option<Self> {
        let page = app.matches.page(id, &Caller::default()).await.ok()?;
        let spoken: PublicPage = serde_json::from_slice(&page.json).ok()?;
        let offer = app.games.find(&spoken.game).ok()?;
        Some(Self { offer, page: spoken, json: page.json.clone() })
    }

    /// The game.
    pub(in crate::web) fn offer(&self) -> &'static Offer {
        self.offer
    }

    /// The game's short name.
    pub(in crate::web) fn slug(&self) -> &'static str {
        self.offer.info.slug
    }

    /// Whether the match still waits for players.
    pub(in crate::web) fn is_open(&self) -> bool {
        self.page.stage == PublicStage::Open
    }

    /// Whether the match is over.
    pub(in crate::web) fn is_over(&self) -> bool {
        self.page.stage == PublicStage::Over
    }

    /// The number of moves made so far.
    pub(in crate::web) fn ply(&self) -> u32 {
        self.page.ply
    }

    /// The position as its game draws it, as SVG; `None` before the start, or if the game draws none.
    pub(in crate::web) fn picture(&self) -> Option<String> {
        let position = self.offer.game.position(self.page.position.as_ref()?).ok()?;
        position.picture()
    }

    /// The players and, at the end, their points.
    pub(in crate::web) fn players(&self) -> Vec<PlayerLine> {
        let result = self.page.result.as_ref();
        let points = |seat: usize| Some(result?.points.as_ref()?.get(seat)?.to_string().replace('-', "−"));
        let won = |seat: usize| result.is_some_and(|result| result.ranks.get(seat) == Some(&1));
        let seats = self.page.seats.iter().enumerate();
        seats
            .map(|(at, seat)| PlayerLine { name: self.name(seat), points: points(at), won: won(at) })
            .collect()
    }

    /// The game and the players, for a title: "Game: Ana – Bogdan".
    pub(in crate::web) fn title(&self) -> String {
        let names: Vec<_> = self.page.seats.iter().map(|seat| self.name(seat)).collect();
        format!("{}: {}", self.offer.info.title, names.join(" – "))
    }

    /// A sentence about the end of the match, or about its progress.
    pub(in crate::web) fn says(&self) -> String {
        let Some(result) = &self.page.result else {
            return match self.page.stage {
                PublicStage::Open => t("stage.open").to_owned(),
                PublicStage::Running => t("stage.running").to_owned(),
                PublicStage::Over => t("match.no_result").to_owned(),
            };
        };
        let seats = self.page.seats.iter().zip(&result.ranks);
        let first: Vec<_> = seats.filter(|(_, rank)| **rank == 1).map(|(seat, _)| self.name(seat)).collect();
        match &*first {
            [] => t("match.no_winner").to_owned(),
            [_] if self.page.seats.len() == 1 => t("match.alone_over").to_owned(),
            [name] => say("match.won", &[("name", name)]),
            all if all.len() == self.page.seats.len() => t("match.draw").to_owned(),
            names => say("match.shared", &[("names", &names.join(", "))]),
        }
    }

    /// The match for people without JavaScript, and for everyone until its module has started.
    pub(in crate::web) fn render(&self) -> Markup {
        html! {
            section.spoken {
                h1 { (self.offer.info.title) }
                p.status { (self.says()) }
                @if self.page.from_position.is_some() { p { (t("match.from_position")) } }
                table.results {
                    caption.ear { (t("end.score")) }
                    thead { tr {
                        th scope="col" { (t("board.player")) }
                        @if let Some(result) = &self.page.result {
                            th scope="col" { (t("tournaments.place")) }
                            @if result.points.is_some() { th scope="col" { (t("tournaments.points")) } }
                        }
                    } }
                    tbody { @for (number, seat) in self.page.seats.iter().enumerate() { tr {
                        th scope="row" { (self.name(seat)) }
                        @if let Some(result) = &self.page.result {
                            td { (result.ranks.get(number).map(u8::to_string).unwrap_or_default()) }
                            @if let Some(points) = result.points.as_ref().and_then(|points| points.get(number)) { td { (points) } }
                        }
                    } } }
                }
            }
        }
    }

    /// The API's page of the match, as data in the head: spectators need not ask for it.
    pub(in crate::web) fn data(&self) -> Markup {
        data("page", &String::from_utf8_lossy(&self.json))
    }

    /// The name that the pages show for a seat.
    fn name(&self, seat: &PublicSeat) -> String {
        match (&seat.engine, &seat.name, seat.guest) {
            (Some(engine), ..) => GameTexts::of(self.slug()).engine_at(&engine.name, engine.level),
            (None, Some(name), _) => name.clone(),
            (None, None, Some(guest)) => guest_name(guest),
            (None, None, None) => t(match &*seat.kind {
                "open" => "match.free",
                "guest" => "match.guest",
                _ => "match.reserved",
            })
            .to_owned(),
        }
    }
}
