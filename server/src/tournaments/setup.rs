//! The limits of tournaments, and the setup that follows from an organizer's request.

use engines::game::Info;
use engines::rng::Seed;
use serde_json::Value;

use crate::catalogue::Catalogue;
use crate::domain::PlayerRef;
use crate::domain::text::alters_display;
use crate::domain::time::Millis;
use crate::domain::token;
use crate::error::{Code, Error};
use crate::matches::clock::ClockSpec;
use crate::tournaments::event::{Contest, Dealing, Format, Setup};

/// The most characters of a title.
pub const MAX_TITLE: usize = 80;
/// The most entrants.
pub const MAX_ENTRANTS: usize = 256;
/// The most deals of a pairing, and the most rounds.
pub const MAX_DEALS: u32 = 64;
/// The most pairings of an entrant of a ladder.
pub const MAX_PAIRINGS: u32 = 1000;
/// The most games of a tournament.
pub const MAX_GAMES: u64 = 20_000;
/// The longest time for the games of a tournament, in hours: a month.
pub const MAX_HOURS: u64 = 31 * 24;
/// The most games that are played at the same time.
pub const MAX_RUNNING: usize = 64;
/// The moves of a seat in a game, for an estimate of its time.
const USUAL_MOVES: u64 = 60;
/// The shortest and the longest grace, in milliseconds: a second to a day.
pub const GRACE: std::ops::RangeInclusive<u64> = 1_000..=24 * 3_600_000;

/// The shortest and the longest window, in milliseconds: a second to a month.
pub const WINDOW: std::ops::RangeInclusive<u64> = 1_000..=MAX_HOURS * 3_600_000;

/// A tournament to create, not yet checked.
#[derive(Clone, Debug)]
pub struct NewSetup {
    /// One line for people; not yet checked.
    pub title: String,
    /// The game's short name.
    pub game: String,
    /// The options of every deal; `None`: those that fit the number of seats.
    pub options: Option<Value>,
    /// Seats of a table.
    pub seats: usize,
    /// The method that finds opponents.
    pub format: Format,
    /// How often the entrants of a pairing play from every seat.
    pub deals: u32,
    /// Which games have the same deal; `None`: as fits the game.
    pub dealing: Option<Dealing>,
    /// The time control of every game.
    pub clock: ClockSpec,
    /// Whether the games change the players' ratings.
    pub rated: bool,
    /// The most games that are played at the same time.
    pub max_running: usize,
    /// The most games that a person or bot plays at the same time.
    pub per_entrant: usize,
    /// How long a game waits for its players, in milliseconds.
    pub grace_ms: u64,
    /// How long after the start games wait for absent players, in milliseconds; `None`: not at all.
    pub window_ms: Option<u64>,
    /// The time at which it starts by itself, in milliseconds since 1970; `None`: when its organizer starts it.
    pub starts_ms: Option<Millis>,
    /// The most entrants.
    pub max_entrants: usize,
}

impl NewSetup {
    /// The setup with a fresh secret, for this organizer.
    ///
    /// # Errors
    /// `unknown_game`, `bad_field`, `bad_seats`, `bad_options`; `internal` without randomness.
    pub fn checked(self, organizer: PlayerRef, games: &Catalogue) -> Result<Setup, Error> {
        let offer = games.find(&self.game)?;
        let title = self.title.trim().to_owned();
        if title.is_empty() || title.chars().count() > MAX_TITLE || title.chars().any(is_invisible) {
            return Err(bad(format!("title: must be 1 to {MAX_TITLE} visible characters")));
        }
        let (least, most) = (usize::from(offer.info.min_seats).max(2), usize::from(offer.info.max_seats));
        if !(least..=most).contains(&self.seats) {
            let detail =
                format!("seats: a tournament of this game has {least} to {most} seats, not {}", self.seats);
            return Err(Error::new(Code::BadSeats, detail));
        }
        self.clock.check().map_err(bad)?;
        within("deals", self.deals.into(), 1..=u64::from(MAX_DEALS))?;
        if self.deals != 1
            && matches!(self.format, Format::SampledRoundRobin { .. } | Format::Gauntlet { .. })
        {
            return Err(bad(
                "deals: this format has its number of games in format.games; leave deals out".to_owned()
            ));
        }
        if let Format::Swiss { rounds } = self.format {
            within("format.rounds", rounds.into(), 1..=u64::from(MAX_DEALS))?;
        }
        if let Format::SampledRoundRobin { games, hours } = self.format {
            self.check_budget(games, hours)?;
        }
        let contest = self.contest(offer.info)?;
        if let Format::Ladder { pairings } = self.format {
            within("format.pairings", pairings.into(), 1..=u64::from(MAX_PAIRINGS))?;
        }
        within("max_running", self.max_running as u64, 1..=MAX_RUNNING as u64)?;
        within("per_entrant", self.per_entrant as u64, 1..=MAX_RUNNING as u64)?;
        within("grace_ms", self.grace_ms, GRACE)?;
        if let Some(window) = self.window_ms {
            within("window_ms", window, WINDOW)?;
        }
        within("max_entrants", self.max_entrants as u64, self.seats as u64..=MAX_ENTRANTS as u64)?;
        let games = self.most_games();
        if games > MAX_GAMES {
            let detail = format!(
                "max_entrants: with all entrants there would be {games} games, and the limit is {MAX_GAMES}; allow \
                 fewer entrants, deals or rounds"
            );
            return Err(bad(detail));
        }
        let dealing = self.dealing(offer.info)?;
        let secret = random()?;
        self.check_deal(offer.game, &Seed(secret))?;
        let salt = random()?;
        Ok(Setup {
            title,
            organizer,
            game: self.game,
            options: self.options,
            seats: self.seats,
            format: self.format,
            deals: self.deals,
            dealing: Some(dealing),
            duplicate: false,
            contest,
            clock: self.clock,
            rated: self.rated,
            max_running: self.max_running,
            per_entrant: self.per_entrant,
            grace_ms: self.grace_ms,
            window_ms: self.window_ms,
            starts_ms: self.starts_ms,
            max_entrants: self.max_entrants,
            commitment: token::commitment(&salt, &Seed(secret)),
            secret: token::hex(&secret),
            salt: token::hex(&salt),
        })
    }

    /// Which games have the same deal. A player who plays a deal twice knows hidden cards, or what will be drawn.
    fn dealing(&self, info: &Info) -> Result<Dealing, Error> {
        if matches!(self.format, Format::Gauntlet { .. }) {
            let fits = matches!(self.dealing, None | Some(Dealing::Duplicate));
            let detail = "dealing: all entrants of a gauntlet play the same deals; use duplicate";
            return if fits { Ok(Dealing::Duplicate) } else { Err(bad(detail.to_owned())) };
        }
        let sampled = matches!(self.format, Format::SampledRoundRobin { .. });
        match self.dealing {
            Some(Dealing::Mirror) if sampled => {
                let detail = "dealing: the entrants of a table do not change seats in this format, so no deal can be mirrored";
                Err(bad(detail.to_owned()))
            }
            None if info.perfect_information && sampled => Ok(Dealing::Independent),
            None if info.perfect_information => Ok(Dealing::Mirror),
            None => Ok(Dealing::Duplicate),
            Some(Dealing::Mirror) if !info.perfect_information => {
                let detail = format!(
                    "dealing: {} has hidden or random parts, so no player may play a deal twice; use duplicate",
                    info.title
                );
                Err(bad(detail))
            }
            Some(dealing) => Ok(dealing),
        }
    }

    /// What a gauntlet takes over from the game's contest. Without one it counts results.
    fn contest(&self, info: &Info) -> Result<Option<Contest>, Error> {
        let Format::Gauntlet { games } = self.format else { return Ok(None) };
        let seats: Vec<usize> =
            info.bot_seats.iter().map(|seat| usize::from(*seat)).filter(|seat| *seat < self.seats).collect();
        // From some of the seats only: the entrants would have to change only those.
        if seats.is_empty() || (seats.len() > 1 && seats.len() < self.seats) {
            return Err(bad("format: this game has no gauntlet".to_owned()));
        }
        within("format.games", games.into(), 1..=MAX_GAMES)?;
        if !(games as usize).is_multiple_of(seats.len()) {
            let detail = format!(
                "format.games: must be a multiple of {}, the number of the bots' seats{}",
                seats.len(),
                if info.has_contest() { " in the contest" } else { "" }
            );
            return Err(bad(detail));
        }
        Ok(Some(Contest { seats, score: info.gauntlet_score() }))
    }

    fn check_budget(&self, games: Option<u32>, hours: Option<u32>) -> Result<(), Error> {
        match (games, hours) {
            (Some(games), None) if games > 0 && (games as usize).is_multiple_of(self.seats) => Ok(()),
            (Some(_), None) => {
                Err(bad(format!("format.games: must be a multiple of the seats, {}", self.seats)))
            }
            (None, Some(hours)) => within("format.hours", hours.into(), 1..=MAX_HOURS),
            _ => Err(bad("format: needs either games or hours".to_owned())),
        }
    }

    /// The number of games with as many entrants as may enter.
    fn most_games(&self) -> u64 {
        let (entrants, seats) = (self.max_entrants as u64, self.seats as u64);
        let tables = match self.format {
            Format::RoundRobin => (0..seats).fold(1, |all, n| all * entrants.saturating_sub(n) / (n + 1)),
            // With one opponent. The start counts them.
            Format::Gauntlet { games } => return (entrants - 1) * u64::from(games),
            // With hours, as many as fit are played, up to the limit.
            Format::SampledRoundRobin { games, .. } => {
                return entrants * u64::from(games.unwrap_or(0)) / seats;
            }
            Format::Swiss { rounds } => u64::from(rounds) * (entrants / seats),
            Format::Ladder { pairings } => u64::from(pairings) * entrants / seats,
        };
        tables * seats * u64::from(self.deals)
    }

    /// Deals once, to find out whether the options fit.
    fn check_deal(&self, game: &dyn engines::erased::AnyGame, seed: &Seed) -> Result<(), Error> {
        let seats = u8::try_from(self.seats).unwrap_or(u8::MAX);
        let usual = || game.options_for(seats);
        let unfit =
            || Error::new(Code::BadSeats, "seats: this game has no default options for this number of seats");
        let options = self.options.clone().or_else(usual).ok_or_else(unfit)?;
        let dealt = game.deal(&options, seed)?.seats();
        if usize::from(dealt) != self.seats {
            let detail = format!("seats: the options are for {dealt}, and seats says {}", self.seats);
            return Err(Error::new(Code::BadSeats, detail));
        }
        Ok(())
    }
}

/// How many games each of these entrants can play within some hours, from each seat as many, if each game takes as long as its
/// clocks allow for [`USUAL_MOVES`]; 0 if the time is too short.
pub(super) fn games_within(setup: &Setup, entrants: usize, hours: u32) -> Option<u32> {
    let seats = setup.seats as u64;
    let ClockSpec { initial_ms, increment_ms, move_ms } = setup.clock;
    let of_seat =
        initial_ms.map_or(move_ms.unwrap_or(0) * USUAL_MOVES, |initial| initial + increment_ms * USUAL_MOVES);
    let at_once = (entrants * setup.per_entrant / setup.seats).clamp(1, setup.max_running) as u64;
    let all = u64::from(hours) * 3_600_000 * at_once / (seats * of_seat).max(1);
    let of_entrant = all.min(MAX_GAMES) * seats / (entrants as u64).max(1);
    u32::try_from(of_entrant / seats * seats).ok()
}

fn bad(detail: String) -> Error {
    Error::new(Code::BadField, detail)
}

fn within(name: &str, value: u64, range: std::ops::RangeInclusive<u64>) -> Result<(), Error> {
    if range.contains(&value) {
        return Ok(());
    }
    Err(bad(format!("{name}: must be from {} to {}", range.start(), range.end())))
}

/// Whether a character would hide or reorder a title.
fn is_invisible(c: char) -> bool {
    alters_display(c)
        || matches!(c, '\u{200b}'..='\u{200d}' | '\u{2028}' | '\u{2029}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

fn random() -> Result<[u8; 32], Error> {
    token::random().map_err(|e| Error::new(Code::Internal, format!("no randomness: {e}")))
}
