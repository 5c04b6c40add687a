//! The numeric form of Splendor's views and moves.

mod colors;

use self::colors::{ALL_RETURNS, ONE_RETURN, PAIRS, TWO_RETURNS, return_rank, set_rank};
use super::rules::{
    Board, CARD_TABLE, CARDS, CHIPS, COLORS, Hand, LEVELS, Move, NOBLE_TABLE, RESERVE_LIMIT, ROUNDS, SEATS,
    SLOTS, card, noble,
};
use super::{Splendor, View};
use crate::encoding::{ActionBlock, Encode, Encoding, ObservationField, ObservationWriter};

/// Numbers about a card: points, flags of its colour, cost.
const CARD: usize = 1 + 2 * COLORS;
/// Numbers about a reserved card: flags of its level, whether the viewer knows it, the card.
const RESERVED: usize = LEVELS + 1 + CARD;
/// Most nobles on the table.
const MOST_NOBLES: usize = SEATS + 1;
/// Points of each noble.
const NOBLE_POINTS: i16 = 3;
/// Places of a level from which a card is reserved: the slots, and the top of the deck.
const PLACES: usize = SLOTS + 1;

/// Points of all cards and of the nobles of a match.
const MOST_POINTS: i16 = {
    let (mut sum, mut i) = (NOBLE_POINTS * MOST_NOBLES as i16, 0);
    while i < NOBLE_TABLE.len() {
        assert!(NOBLE_TABLE[i].points as i16 == NOBLE_POINTS, "nobles differ in their needs only");
        i += 1;
    }
    i = 0;
    while i < CARDS {
        sum += CARD_TABLE[i].points as i16;
        i += 1;
    }
    sum
};

/// The numbers of the blocks.
const TAKE_ONE: usize = ENCODING.first_action(1);
const TAKE_TWO: usize = ENCODING.first_action(2);
const TAKE_THREE: usize = ENCODING.first_action(3);
const TAKE_SAME: usize = ENCODING.first_action(4);
const RESERVE: usize = ENCODING.first_action(5);
const BUY: usize = ENCODING.first_action(6);
const BUY_RESERVED: usize = ENCODING.first_action(7);
const VOID: usize = ENCODING.first_action(8);

const ENCODING: Encoding = Encoding {
    version: 1,
    observation: &[
        ObservationField::seated(),
        ObservationField::first_seat(&[SEATS]),
        ObservationField::to_move(&[SEATS]),
        ObservationField::count(
            "seats",
            &[1],
            SEATS as i16,
            "Number of seats, 1 to 4. Where other fields count seats, the numbers of absent seats are 0.",
        ),
        ObservationField::count("round", &[1], ROUNDS as i16, "Complete rounds played."),
        ObservationField::count(
            "bank",
            &[CHIPS],
            7,
            "Chips in the bank: red, green, blue, white, black, gold. All fields have the colours in this order.",
        ),
        ObservationField::count("decks", &[LEVELS], 40, "Number of face-down cards of levels 1 to 3."),
        ObservationField::count(
            "face_up",
            &[LEVELS, SLOTS, CARD],
            7,
            "The face-up cards by level and slot: points, 5 flags for the colour of the bonus, 5 costs. All 0 in an empty slot.",
        ),
        ObservationField::count(
            "nobles",
            &[MOST_NOBLES, COLORS],
            4,
            "The bonuses that each noble on the table needs, in their order. A noble has 3 points. All 0 behind the last one.",
        ),
        ObservationField::count("chips", &[SEATS, CHIPS], 7, "Chips of each seat."),
        ObservationField::count(
            "bonuses",
            &[SEATS, COLORS],
            (CARDS / COLORS) as i16,
            "Bought cards of each seat, by the colour of their bonus.",
        ),
        ObservationField::count("bought", &[SEATS], CARDS as i16, "Number of bought cards of each seat."),
        ObservationField::count("points", &[SEATS], MOST_POINTS, "Points of each seat."),
        ObservationField::count(
            "visited",
            &[SEATS],
            MOST_NOBLES as i16,
            "Number of nobles that each seat has received.",
        ),
        ObservationField::count(
            "reserved",
            &[SEATS, RESERVE_LIMIT, RESERVED],
            7,
            "The reserved cards of each seat, in order: 3 flags for the level, whether the viewer knows the card, and the card as \
             in face_up, all 0 if it is not known.",
        ),
        ObservationField::flag(
            "unseen",
            &[CARDS],
            "The cards, by their ids 1 to 90, that are in a deck or reserved and not known to the viewer.",
        ),
    ],
    actions: &[
        ActionBlock::new("pass", &[1], "Takes no chips."),
        ActionBlock::new(
            "take_one",
            &[COLORS, ONE_RETURN],
            "Takes one chip of a colour. The second axis says what is returned: nothing (0), or a chip of a colour (1 to 5).",
        ),
        ActionBlock::new(
            "take_two",
            &[PAIRS, TWO_RETURNS],
            "Takes two chips of different colours, the pairs in the order 0 1, 0 2, 0 3, 0 4, 1 2, ..., 3 4. Returned are: nothing, a \
             chip (0, ..., 4), or two chips (0 0, 0 1, ..., 0 4, 1 1, ..., 4 4).",
        ),
        ActionBlock::new(
            "take_three",
            &[PAIRS, ALL_RETURNS],
            "Takes three chips of different colours, in the order 0 1 2, 0 1 3, 0 1 4, 0 2 3, ..., 2 3 4. Returned are: nothing, a chip \
             or two chips as in take_two, or three chips (0 0 0, 0 0 1, ..., 4 4 4).",
        ),
        ActionBlock::new(
            "take_same",
            &[COLORS, TWO_RETURNS],
            "Takes two chips of one colour. Returned chips as in take_two.",
        ),
        ActionBlock::new(
            "reserve",
            &[LEVELS, PLACES, ONE_RETURN],
            "Reserves the card of a level in slot 0 to 3, or the top of the deck (4). Returned chips as in take_one.",
        ),
        ActionBlock::new("buy", &[LEVELS, SLOTS], "Buys the face-up card of a level in a slot."),
        ActionBlock::new(
            "buy_reserved",
            &[RESERVE_LIMIT],
            "Buys the viewer's reserved card with this number, from 0.",
        ),
        ActionBlock::new(
            "void",
            &[1],
            "Does nothing while a noble is due, so that it does not come: the action of a penalty.",
        ),
    ],
};

impl Encode<Splendor> for Splendor {
    fn encoding(&self) -> &'static Encoding {
        const { &ENCODING }
    }

    fn observe(&self, view: &View, out: &mut [i16]) {
        let board = view.board();
        let count = board.hands.len();
        let mut writer = ObservationWriter::begin::<Self>(&ENCODING, out, view, count, SEATS);
        let hands = writer.seats().map(|seat| &board.hands[seat.index()]);
        writer.put([count as u8, board.round]);
        writer.put(board.bank);
        writer.put(board.decks);
        let slots = writer.take(LEVELS * SLOTS * CARD).chunks_exact_mut(CARD);
        board.face_up.as_flattened().iter().zip(slots).for_each(|(id, slot)| put_card(*id, slot));
        let nobles = writer.take(MOST_NOBLES * COLORS).chunks_exact_mut(COLORS);
        board.nobles.iter().zip(nobles).for_each(|(id, needs)| copy(&noble(*id).needs, needs));
        let chips = writer.take(SEATS * CHIPS).chunks_exact_mut(CHIPS);
        hands.clone().zip(chips).for_each(|(hand, chips)| copy(&hand.chips, chips));
        let bonuses = writer.take(SEATS * COLORS).chunks_exact_mut(COLORS);
        hands.clone().zip(bonuses).for_each(|(hand, bonuses)| copy(&hand.bonuses(), bonuses));
        put_seats(&mut writer, hands.clone().map(|hand| hand.cards.len() as i16));
        put_seats(&mut writer, hands.clone().map(|hand| hand.points() as i16));
        put_seats(&mut writer, hands.clone().map(|hand| hand.nobles.len() as i16));
        let reserved = writer.take(SEATS * RESERVE_LIMIT * RESERVED);
        hands
            .zip(reserved.chunks_exact_mut(RESERVE_LIMIT * RESERVED))
            .for_each(|(hand, out)| put_reserved(hand, out));
        let unseen = writer.take(CARDS);
        view.unseen().iter().flatten().for_each(|id| unseen[usize::from(*id) - 1] = 1);
        writer.finish();
    }

    fn index_of(&self, view: &View, mv: &Move) -> Option<usize> {
        let board = view.board();
        match mv {
            Move::Take { colors, returns } => {
                let (set, back) = (set_rank(colors.amounts())?, return_rank(returns.amounts())?);
                Some(match colors.len() {
                    0 => 0,
                    1 => TAKE_ONE + set * ONE_RETURN + back,
                    2 => TAKE_TWO + set * TWO_RETURNS + back,
                    _ => TAKE_THREE + set * ALL_RETURNS + back,
                })
            }
            Move::TakeTwo { color, returns } => {
                Some(TAKE_SAME + color.index() * TWO_RETURNS + return_rank(returns.amounts())?)
            }
            Move::Reserve { card, returns } => {
                let (level, slot) = place(board, *card)?;
                Some(RESERVE + (level * PLACES + slot) * ONE_RETURN + return_rank(returns.amounts())?)
            }
            Move::ReserveTop { level, returns } => {
                let top = usize::from(*level).checked_sub(1)? * PLACES + SLOTS;
                Some(RESERVE + top * ONE_RETURN + return_rank(returns.amounts())?)
            }
            Move::Buy { card } => match place(board, *card) {
                Some((level, slot)) => Some(BUY + level * SLOTS + slot),
                None => own_place(board, *card).map(|at| BUY_RESERVED + at),
            },
            Move::Void => Some(VOID),
        }
    }
}

/// The level and the slot of a face-up card.
fn place(board: &Board, id: u8) -> Option<(usize, usize)> {
    let at = board.face_up.as_flattened().iter().position(|up| *up == id)?;
    Some((at / SLOTS, at % SLOTS))
}

/// The place of a card among those that the seat to move has reserved.
fn own_place(board: &Board, id: u8) -> Option<usize> {
    board.mover().reserved.iter().position(|own| u8::try_from(*own) == Ok(id))
}

fn copy(from: &[u8], to: &mut [i16]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = (*from).into());
}

/// Writes a number for each seat; those of absent seats stay 0.
fn put_seats(writer: &mut ObservationWriter<'_>, numbers: impl Iterator<Item = i16>) {
    writer.take(SEATS).iter_mut().zip(numbers).for_each(|(place, number)| *place = number);
}

/// Writes the numbers of a card; `id` 0: there is none.
fn put_card(id: u8, out: &mut [i16]) {
    if id == 0 {
        return;
    }
    let card = card(id);
    out[0] = card.points.into();
    out[1 + usize::from(card.bonus)] = 1;
    copy(&card.cost, &mut out[1 + COLORS..]);
}

fn put_reserved(hand: &Hand, out: &mut [i16]) {
    for (what, out) in hand.reserved.iter().zip(out.chunks_exact_mut(RESERVED)) {
        match u8::try_from(*what) {
            Ok(id) => {
                out[usize::from(card(id).level)] = 1;
                out[LEVELS] = 1;
                put_card(id, &mut out[LEVELS + 1..]);
            }
            // A card that the viewer does not know: minus its level, counted from 1.
            Err(_) => out[usize::from(what.unsigned_abs()) - 1] = 1,
        }
    }
}
