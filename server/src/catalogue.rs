//! The games that this server offers, with facts about them that are computed once. It knows no game by name: the list is
//! passed in.

use std::sync::OnceLock;

use engines::erased::{AnyGame, EngineInfo, FormatInfo, Schemas};
use engines::game::Info;
use engines::search::Level;

use crate::domain::names::NameKey;
use crate::domain::{EnginePlayer, PlayerRef};
use crate::engine_pool::EngineRef;
use crate::error::{Code, Error};

/// The error for a seat that a bot cannot hold. `advice`: the consequence, or what to do instead.
pub(crate) fn no_bot_seat(info: &Info, advice: &str) -> Error {
    let seats: Vec<String> = info.bot_seats.iter().map(u8::to_string).collect();
    let detail = format!(
        "the official protocol of {} lets a bot hold only seat {}{}: {advice}",
        info.title,
        seats.join(", "),
        if info.mirror_seats.is_empty() {
            ""
        } else {
            ", and only a bot with the mirror dialogue holds the other"
        },
    );
    Error::new(Code::NoBotSeat, detail)
}

/// A game on offer.
pub struct Offer {
    /// The game itself.
    pub game: &'static dyn AnyGame,
    /// Its fixed facts.
    pub info: &'static Info,
    /// Its engines, the default first.
    pub engines: Vec<EngineInfo>,
    /// The game's own record formats.
    pub formats: Vec<FormatInfo>,
    /// The schemas of its types.
    pub schemas: Schemas,
    /// A sample dialogue, once a request has computed it.
    pub sample: OnceLock<Vec<String>>,
    refs: Vec<EngineRef>,
}

impl Offer {
    fn of(game: &'static dyn AnyGame) -> Self {
        let (info, engines) = (game.info(), game.engines());
        let refer = |e: &EngineInfo| {
            // The names live as long as the program, which creates each once.
            EngineRef { game: info.slug, name: e.name.clone().leak(), instant: e.instant }
        };
        let refs = engines.iter().map(refer).collect();
        let (formats, schemas) = (game.formats(), game.schemas());
        Self { game, info, formats, schemas, sample: OnceLock::new(), refs, engines }
    }

    /// The engine of this name; the game's best for `None`.
    ///
    /// # Errors
    /// `unknown_engine`, with the names of the engines.
    pub fn engine(&self, name: Option<&str>) -> Result<EngineRef, Error> {
        let found = name.map_or(self.refs.first(), |name| self.refs.iter().find(|e| e.name == name));
        found.copied().ok_or_else(|| {
            let names: Vec<_> = self.refs.iter().map(|e| e.name).collect();
            Error::new(
                Code::UnknownEngine,
                format!("engine: {:?} is none of {}", name.unwrap_or(""), names.join(", ")),
            )
        })
    }
}

/// All games on offer.
pub struct Catalogue(Vec<Offer>);

impl Catalogue {
    /// A catalogue of these games.
    pub fn new(games: &[&'static dyn AnyGame]) -> Self {
        Self(games.iter().map(|game| Offer::of(*game)).collect())
    }

    /// All of them.
    pub fn offers(&self) -> &[Offer] {
        &self.0
    }

    /// The names of all engines, in the form in which names are compared.
    pub fn engine_names(&self) -> Vec<NameKey> {
        let mut names: Vec<&str> = self.0.iter().flat_map(|o| &o.engines).map(|e| e.name.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names.into_iter().map(NameKey::of).collect()
    }

    /// All engines as players, one for each level.
    pub fn engine_players(&self) -> Vec<PlayerRef> {
        let of_offer = |offer: &Offer| {
            let (game, engines) = (offer.info.slug.to_owned(), offer.engines.clone());
            engines.into_iter().flat_map(move |EngineInfo { name, version, .. }| {
                let game = game.clone();
                Level::ALL.map(move |level| {
                    EnginePlayer { game: game.clone(), engine: name.clone(), version, level }.player()
                })
            })
        };
        self.0.iter().flat_map(of_offer).collect()
    }

    /// The game of this short name.
    ///
    /// # Errors
    /// `unknown_game`, with the names of the games.
    pub fn find(&self, slug: &str) -> Result<&Offer, Error> {
        self.0.iter().find(|o| o.info.slug == slug).ok_or_else(|| {
            let names: Vec<_> = self.0.iter().map(|o| o.info.slug).collect();
            let slug: String = slug.chars().take(40).collect();
            Error::new(Code::UnknownGame, format!("{slug:?} is none of {}", names.join(", ")))
        })
    }
}
