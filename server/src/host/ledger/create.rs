//! How a match begins: what was asked for, checked, becomes its first events. Pure: randomness is handed in.

use std::collections::HashSet;

use engines::erased::{AnyGame, Refusal, RefusalCode};
use engines::rng::Seed;
use serde_json::Value;

use super::Ledger;
use crate::host::clock::ClockSpec;
use crate::host::event::{Chair, Created, Event, Holder, SeedFrom, usual_hints};
use crate::host::refused::Refused;
use crate::host::token::{self, KeyHash};

/// A match to be made.
#[derive(Clone, Debug, PartialEq)]
pub struct Beginning {
    /// By the game's schema; `None`: those that fit the number of seats.
    pub options: Option<Value>,
    /// Per seat, who sits there or may.
    pub seats: Vec<Chair>,
    /// How time is given; `None`: without limits.
    pub clock: Option<ClockSpec>,
    /// Ends when nothing happens for so long, in milliseconds.
    pub idle_ms: u64,
    /// Of a private match: the hash of its link's key.
    pub key: Option<KeyHash>,
    /// Who chose the seed.
    pub seed_from: SeedFrom,
    /// What decides the deal.
    pub seed: Seed,
    /// What hides the seed in its commitment.
    pub salt: [u8; 32],
    /// The match that this one is the rematch of.
    pub rematch_of: Option<String>,
    /// Whether its seats may ask engines for advice; `None`: if no two of them are people's.
    pub hints: Option<bool>,
    /// A key of the address that makes it.
    pub made_from: Option<String>,
    /// Who makes the match.
    pub maker: Option<Holder>,
}

impl Ledger {
    /// The first events of a match, to be stored together: it is made, and begins at once where no seat is free.
    ///
    /// # Errors
    /// `bad_seats`, `bad_options`, `bad_field`, `unknown_engine`, `already_seated`.
    pub fn create(game: &dyn AnyGame, beginning: Beginning) -> Result<Vec<Event>, Refused> {
        let Beginning { seats, clock, idle_ms, .. } = &beginning;
        if let Some(clock) = clock {
            clock.check().map_err(Refused::BadField)?;
        }
        if *idle_ms == 0 {
            return Err(Refused::BadField("idle_ms: must be at least 1".into()));
        }
        check_chairs(game, seats)?;
        let options = options(game, &beginning)?;
        let table = game.deal(&options, &beginning.seed)?;
        if usize::from(table.seats()) != seats.len() {
            return Err(Refused::BadSeats(format!(
                "seats: the options are for {} and {} are given",
                table.seats(),
                seats.len()
            )));
        }
        let full = !seats.iter().any(is_free);
        let hints = beginning.hints.unwrap_or_else(|| usual_hints(&beginning.seats));
        let created = Created {
            game: game.info().slug.to_owned(),
            options,
            commitment: token::commitment(&beginning.salt, &beginning.seed),
            salt: token::hex(&beginning.salt),
            state: table.state_json(),
            seats: beginning.seats,
            clock: beginning.clock,
            idle_ms: beginning.idle_ms,
            key: beginning.key,
            seed_from: beginning.seed_from,
            seed: beginning.seed,
            rematch_of: beginning.rematch_of,
            hints: Some(hints),
            made_from: beginning.made_from,
            maker: beginning.maker,
        };
        let mut events = vec![Event::Created(Box::new(created))];
        events.extend(full.then_some(Event::Started));
        Ok(events)
    }
}

/// Whether somebody may still take this seat.
pub(super) fn is_free(chair: &Chair) -> bool {
    matches!(chair, Chair::Open | Chair::Reserved { .. })
}

fn options(game: &dyn AnyGame, beginning: &Beginning) -> Result<Value, Refused> {
    if let Some(options) = &beginning.options {
        return Ok(options.clone());
    }
    let seats = u8::try_from(beginning.seats.len()).ok();
    seats.and_then(|seats| game.options_for(seats)).ok_or_else(|| {
        let info = game.info();
        let range = if info.min_seats == info.max_seats {
            format!("{}", info.min_seats)
        } else {
            format!("{} to {}", info.min_seats, info.max_seats)
        };
        Refused::BadSeats(format!("seats: this game has {range}, not {}", beginning.seats.len()))
    })
}

fn check_chairs(game: &dyn AnyGame, chairs: &[Chair]) -> Result<(), Refused> {
    let engines = game.engines();
    let mut players = HashSet::new();
    for (seat, chair) in chairs.iter().enumerate() {
        match chair {
            Chair::Open => {}
            Chair::Engine(wanted) => {
                if !engines.iter().any(|engine| engine.name == wanted.engine) {
                    let names: Vec<_> = engines.iter().map(|engine| engine.name.as_str()).collect();
                    let detail =
                        format!("seats[{seat}].engine: {:?} is none of {}", wanted.engine, names.join(", "));
                    return Err(Refusal::new(RefusalCode::UnknownEngine, detail).into());
                }
            }
            Chair::Held { holder } | Chair::Reserved { holder } => {
                if is_nobody(holder) {
                    return Err(Refused::Nobody);
                }
                if let Some(player) = &holder.player
                    && !players.insert(&player.id)
                {
                    let detail = format!("seats[{seat}]: {:?} can have one seat of a match", player.name);
                    return Err(Refused::BadSeats(detail));
                }
            }
        }
    }
    Ok(())
}

/// Whether no token could ever prove to be this holder.
pub(super) fn is_nobody(holder: &Holder) -> bool {
    holder.key.is_none() && holder.player.is_none()
}
