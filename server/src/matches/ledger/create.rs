//! The first events of a match: a validated request becomes events. Pure: randomness is an argument.

use std::collections::HashSet;

use engines::erased::{AnyGame, AnyTable, MatchStart, Refusal, RefusalCode, StartPosition};
use engines::game::Seat;
use engines::rng::Seed;
use serde_json::Value;

use crate::domain::TournamentRef;
use crate::domain::token;
use crate::domain::token::KeyHash;
use crate::matches::clock::ClockSpec;
use crate::matches::event::{
    Created, Event, Holder, LadderMatch, PositionSource, SeatSetup, SeedFrom, usual_hints,
};
use crate::matches::ledger::Ledger;
use crate::matches::ledger::rated::check_beginning;
use crate::matches::refusal::MatchRefusal;
use crate::matches::request::StartFrom;

/// A match to create.
#[derive(Clone, Debug, PartialEq)]
pub struct Beginning {
    /// The options, by the game's schema; `None`: those that fit the number of seats.
    pub options: Option<Value>,
    /// The seats, in order.
    pub seats: Vec<SeatSetup>,
    /// The time control; `None`: no limits.
    pub clock: Option<ClockSpec>,
    /// The match ends after this long without an event, in milliseconds.
    pub idle_ms: u64,
    /// The hash of the key of a private match.
    pub key: Option<KeyHash>,
    /// The party that chose the seed.
    pub seed_from: SeedFrom,
    /// The seed of the deal.
    pub seed: Seed,
    /// The salt of the commitment.
    pub salt: [u8; 32],
    /// The match of which this one is the rematch.
    pub rematch_of: Option<String>,
    /// Whether the players may ask engines for hints; `None`: yes unless two seats are for people.
    pub hints: Option<bool>,
    /// A keyed hash of the address that pays.
    pub made_from: Option<String>,
    /// The id of the player who pays.
    pub payer: Option<String>,
    /// The party that may cancel the match and remove players.
    pub creator: Option<Holder>,
    /// Whether the result changes the ratings of the players.
    pub rated: bool,
    /// The game of a tournament that it is played for.
    pub tournament: Option<TournamentRef>,
    /// The kind of match of the permanent ladder that it is.
    pub ladder: Option<LadderMatch>,
    /// The position with which it begins; `None`: it is dealt.
    pub position: Option<StartFrom>,
}

impl Ledger {
    /// The first events of a match, to be stored together. The match starts at once if no seat is open.
    ///
    /// # Errors
    /// `bad_seats`, `bad_options`, `bad_field`, `unknown_engine`, `already_seated`; `rated_...` if the match breaks a rule
    /// of rated matches; `bad_position`, `position_finished` and `no_bot_seat` if it cannot begin with its position.
    pub fn create(game: &dyn AnyGame, beginning: Beginning) -> Result<Vec<Event>, MatchRefusal> {
        let Beginning { seats, clock, idle_ms, .. } = &beginning;
        if let Some(clock) = clock {
            clock.check().map_err(MatchRefusal::BadField)?;
        }
        if *idle_ms == 0 {
            return Err(MatchRefusal::BadField("idle_ms: must be at least 1".into()));
        }
        check_chairs(game, seats)?;
        if beginning.rated {
            check_beginning(&beginning)?;
        }
        let Start { table, options, position, of } = start(game, &beginning)?;
        if usize::from(table.seats()) != seats.len() {
            let what = if position.is_some() { "position is" } else { "options are" };
            return Err(MatchRefusal::BadSeats(format!(
                "seats: the {what} for {} and {} are given",
                table.seats(),
                seats.len()
            )));
        }
        if position.is_some() {
            check_bots(&*table, seats)?;
        }
        let full = !seats.iter().any(is_free);
        let usual = || !beginning.rated && usual_hints(&beginning.seats);
        let hints = beginning.hints.unwrap_or_else(usual);
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
            payer: beginning.payer,
            creator: beginning.creator,
            rated: beginning.rated,
            tournament: beginning.tournament,
            ladder: beginning.ladder,
            position,
            position_of: of,
        };
        let mut events = vec![Event::Created(Box::new(created))];
        events.extend(full.then_some(Event::Started));
        Ok(events)
    }
}

/// A match before its first move.
struct Start {
    table: Box<dyn AnyTable>,
    options: Value,
    /// The position with which it begins; `None`: it was dealt.
    position: Option<StartPosition>,
    of: Option<PositionSource>,
}

/// Deals the match, or begins it with its position.
fn start(game: &dyn AnyGame, beginning: &Beginning) -> Result<Start, MatchRefusal> {
    if let Some(StartFrom { position, of }) = &beginning.position {
        let MatchStart { table, options, position } =
            game.start(position, beginning.options.as_ref(), &beginning.seed)?;
        return Ok(Start { table, options, position: Some(position), of: of.clone() });
    }
    let options = options(game, beginning)?;
    let table = game.deal(&options, &beginning.seed)?;
    Ok(Start { table, options, position: None, of: None })
}

/// Checks that the bots for which seats are kept, and hosted programs, can be told how the match begins. They speak the official
/// dialogue.
fn check_bots(table: &dyn AnyTable, seats: &[SeatSetup]) -> Result<(), MatchRefusal> {
    let is_for_bot = |setup: &SeatSetup| match setup {
        SeatSetup::Reserved { holder } => holder.player.as_ref().is_some_and(|player| player.owner.is_some()),
        SeatSetup::Held { .. } => setup.program().is_some(),
        SeatSetup::Engine(_) | SeatSetup::Open => false,
    };
    let mut kept = (0..).map(Seat).zip(seats).filter(|(_, setup)| is_for_bot(setup));
    kept.try_for_each(|(seat, _)| Ok(table.can_tell(seat)?))
}

/// Whether the seat can still be taken.
pub(super) fn is_free(chair: &SeatSetup) -> bool {
    matches!(chair, SeatSetup::Open | SeatSetup::Reserved { .. })
}

fn options(game: &dyn AnyGame, beginning: &Beginning) -> Result<Value, MatchRefusal> {
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
        MatchRefusal::BadSeats(format!("seats: this game has {range}, not {}", beginning.seats.len()))
    })
}

fn check_chairs(game: &dyn AnyGame, chairs: &[SeatSetup]) -> Result<(), MatchRefusal> {
    let engines = game.engines();
    let mut players = HashSet::new();
    for (seat, chair) in chairs.iter().enumerate() {
        match chair {
            SeatSetup::Open => {}
            SeatSetup::Engine(wanted) => {
                if !engines.iter().any(|engine| engine.name == wanted.engine) {
                    let names: Vec<_> = engines.iter().map(|engine| engine.name.as_str()).collect();
                    let detail =
                        format!("seats[{seat}].engine: {:?} is none of {}", wanted.engine, names.join(", "));
                    return Err(Refusal::new(RefusalCode::UnknownEngine, detail).into());
                }
            }
            SeatSetup::Held { holder } | SeatSetup::Reserved { holder } => {
                if has_no_identity(holder) {
                    return Err(MatchRefusal::NoIdentity);
                }
                if let Some(player) = &holder.player
                    && !players.insert(&player.id)
                {
                    let detail = format!("seats[{seat}]: {:?} can have one seat of a match", player.name);
                    return Err(MatchRefusal::BadSeats(detail));
                }
            }
        }
    }
    Ok(())
}

/// Whether no token can ever prove that a caller is this holder.
pub(super) fn has_no_identity(holder: &Holder) -> bool {
    holder.key.is_none() && holder.player.is_none()
}
