//! Ioiwari's official dialogue: the bot is player 1 and reads the seven pits once; then both sides exchange pit
//! numbers. In the mirror dialogue the bot is player 2. Chooses no moves.

mod distort;
mod files;

pub(super) use distort::distort;
pub(super) use files::DIALOGUE;

use super::Ioiwari;
use super::rules::{BEADS, PITS, State};
use crate::dialogue::{MIRROR, knows_mirror};
use crate::game::{BadOptions, Seat};
use crate::perfect_information::{Alternating, AlternatingReferee};
use crate::protocol::{Settings, WORD_BYTES};

/// The contest's bot.
const PLAYER_1: Seat = Seat(0);

/// The greatest length of a dialogue, in bytes: eight numbers and at most 18 moves; four times that, because a referee that
/// contradicts the rules may send more.
pub(super) const MAX_BYTES: usize = 4 * (8 + 18) * WORD_BYTES;

impl Alternating for Ioiwari {
    const FIRST: Option<&'static str> = None;
    // No pit of a start is empty.
    const SECOND: &'static str = "0";
    const NUMBER: &'static str = "number of beads";
    const MOST: u8 = BEADS;

    fn numbers(start: &State) -> Vec<u8> {
        start.pits.to_vec()
    }

    fn start(numbers: &[u8]) -> Option<State> {
        let pits = <[u8; PITS]>::try_from(numbers).ok()?;
        Some(State { pits, banks: [0, 0], to_move: PLAYER_1 })
    }

    fn pass(state: &mut State) {
        state.to_move = state.to_move.other();
    }

    /// The position with its missing beads shared between both banks, to make 20 in all. Only the pits decide which moves
    /// are legal and best.
    fn mended(state: &State) -> State {
        let beads = state.pits.iter().chain(&state.banks).fold(0u8, |sum, n| sum.saturating_add(*n));
        let missing = BEADS.saturating_sub(beads);
        let banks = [state.banks[0] + missing / 2, state.banks[1] + missing - missing / 2];
        State { banks, ..state.clone() }
    }
}

/// The referee's side for the bot of a seat.
///
/// # Errors
/// When player 2 does not know the mirror dialogue, or a setting is unknown.
pub(super) fn referee(seat: Seat, settings: &Settings) -> Result<AlternatingReferee, BadOptions> {
    settings.only(&[MIRROR.name])?;
    settings.choice(MIRROR.name, &["no", "yes"])?;
    match seat == PLAYER_1 || knows_mirror(settings) {
        true => Ok(AlternatingReferee::new(seat)),
        false => {
            Err(BadOptions("the contest's bot is player 1; for player 2 it needs mirror=yes".to_owned()))
        }
    }
}
