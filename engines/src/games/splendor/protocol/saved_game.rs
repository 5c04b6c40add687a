//! Writes the official referee's saved game, which its viewer shows: the order of the cards, and the turn of every player
//! in every round. Must not know dialogue or engine.

use serde::Serialize;

use super::super::Splendor;
use super::super::rules::{Color, Colors, LEVELS, Move, State};
use crate::game::{RecordFormat, RecordedMatch, RecordedMove, Seat, State as _};

/// The format.
pub(crate) const FORMAT: RecordFormat<Splendor> = RecordFormat {
    name: "saved-game",
    media_type: "application/json",
    summary: "The official referee's saved game, for its viewer.",
    write,
};

/// The content of the file.
#[derive(Serialize)]
struct SavedGame<'a> {
    /// The players' names, the first to move first.
    players: &'a [String],
    /// The cards of each level in the order in which they are drawn; the first four lie face up at the start.
    decks: [Vec<u8>; LEVELS],
    /// The nobles in table order.
    nobles: &'a [u8],
    /// The turns by round, then by player; the last round of a match that ended early has fewer players.
    rounds: Vec<Vec<SavedTurn<'a>>>,
}

/// The turn of one player in one round.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SavedTurn<'a> {
    /// The action as numbers; see [`tokens`].
    tokens: Vec<i32>,
    /// The colours returned, by their numbers.
    returns: Vec<u8>,
    /// The noble received, 0 for none.
    noble_id: u8,
    /// What the bot wrote for the public, without the prefix `kibitz `, as the referee stores it.
    kibitzes: &'a [String],
    /// The referee's text about a mistake, empty without one.
    arbiter_msg: &'a str,
}

fn write(finished: &RecordedMatch<Splendor>) -> String {
    let mut state = finished.dealt.clone();
    let mut rounds: Vec<Vec<SavedTurn>> = Vec::new();
    for played in &finished.moves {
        let turn = turn(&mut state, played);
        match rounds.last_mut() {
            Some(round) if played.seat != Seat(0) => round.push(turn),
            _ => rounds.push(vec![turn]),
        }
    }
    let saved = SavedGame {
        players: &finished.names,
        decks: std::array::from_fn(|level| draw_order(&finished.dealt, level)),
        nobles: &finished.dealt.board.nobles,
        rounds,
    };
    serde_json::to_string(&saved).expect("plain numbers and texts can be written as JSON")
}

/// A level's cards in drawing order: the four face-up cards first.
fn draw_order(dealt: &State, level: usize) -> Vec<u8> {
    dealt.board.face_up[level].into_iter().chain(dealt.decks[level].iter().rev().copied()).collect()
}

/// Plays the move and describes it.
fn turn<'a>(state: &mut State, played: &'a RecordedMove<Splendor>) -> SavedTurn<'a> {
    let seat = played.seat.index();
    let tokens = tokens(state, &played.mv);
    let nobles = state.board.hands[seat].nobles.len();
    state.play(&played.mv);
    SavedTurn {
        tokens,
        returns: returns(&played.mv),
        noble_id: state.board.hands[seat].nobles.get(nobles).copied().unwrap_or(0),
        kibitzes: &played.remarks,
        arbiter_msg: played.mistake.as_deref().unwrap_or_default(),
    }
}

/// The action of the seat to move in the numbers of the file: chips as counts by colour, a purchase with the chips paid.
fn tokens(state: &State, mv: &Move) -> Vec<i32> {
    let counted = |kind: i32, counts: &[u8]| {
        [kind].into_iter().chain(counts.iter().copied().map(i32::from)).collect::<Vec<_>>()
    };
    match mv {
        Move::Take { colors, .. } => counted(1, colors.amounts()),
        Move::TakeTwo { color, .. } => counted(2, &Color::ALL.map(|c| if c == *color { 2 } else { 0 })),
        Move::Reserve { card, .. } => vec![3, i32::from(*card)],
        Move::ReserveTop { level, .. } => vec![3, -i32::from(*level)],
        Move::Buy { card } => {
            let paid = state.board.mover().price(*card).expect("a legal purchase can be paid");
            [4, i32::from(*card)].into_iter().chain(paid.map(i32::from)).collect()
        }
        // A void action is a pass.
        Move::Void => counted(1, Colors::default().amounts()),
    }
}

fn returns(mv: &Move) -> Vec<u8> {
    let returned = match mv {
        Move::Take { returns, .. }
        | Move::TakeTwo { returns, .. }
        | Move::Reserve { returns, .. }
        | Move::ReserveTop { returns, .. } => *returns,
        Move::Buy { .. } | Move::Void => Colors::default(),
    };
    Vec::from(returned).into_iter().map(|color: Color| color.index() as u8).collect()
}
