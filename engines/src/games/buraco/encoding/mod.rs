//! The numeric form of Buraco's views and moves.

mod shapes;

use self::shapes::{PURE, Shape, WILD_END, WILD_GAP, shape};
use super::rules::{CANASTRA, CARDS, CLEAN, Card, KINDS, LARGEST, Meld, Move, RANKS, SMALLEST, joins};
use super::{Buraco, View};
use crate::encoding::{ActionBlock, Encode, Encoding, ObservationField, ObservationWriter};

/// Suits: ♥ ♦ ♣ ♠.
const SUITS: usize = 4;
/// Most melds of a seat.
const MELDS: usize = CARDS / SMALLEST;
/// Places of a meld: below a low ace, the low ace, 2 to king, the high ace.
const PLACES: usize = LARGEST + 1;
/// Numbers about a meld: flags of its suit, its places, flags of the suit of its wild card.
const MELD: usize = SUITS + PLACES + SUITS;
/// Cards that a join can begin with: those of the meld's suit, and the 2s of the other suits.
const FIRST: usize = RANKS as usize + SUITS - 1;
/// Most cards of a join.
const JOINED: usize = LARGEST - SMALLEST;
/// Points of all cards, and as many clean canastras as there can be.
const MOST_POINTS: i16 = 8 * 110 + (CARDS / CANASTRA) as i16 * CLEAN as i16;

/// The numbers of the blocks.
const DISCARD: usize = ENCODING.first_action(1);
const MELD_PURE: usize = ENCODING.first_action(2);
const MELD_WILD_END: usize = ENCODING.first_action(3);
const MELD_WILD_GAP: usize = ENCODING.first_action(4);
const JOIN: usize = ENCODING.first_action(5);

const ENCODING: Encoding = Encoding {
    version: 1,
    observation: &[
        ObservationField::seated(),
        ObservationField::first_seat(&[2]),
        ObservationField::to_move(&[2]),
        ObservationField::flag("drawn", &[1], "Whether the seat to move has drawn in this turn."),
        ObservationField::count("stock", &[1], CARDS as i16, "Number of cards in the stock."),
        ObservationField::flag(
            "exhausted",
            &[1],
            "Whether a seat drew from the empty stock, which ended the match.",
        ),
        ObservationField::count(
            "hand",
            &[KINDS],
            2,
            "The viewer's cards by kind: ♥ from ace to king, then ♦, ♣ and ♠. All fields have the kinds in this order.",
        ),
        ObservationField::count(
            "hand_order",
            &[2, KINDS],
            CARDS as i16,
            "When each card came into the viewer's hand: 1 for the oldest; 0 for none. Row 0 has the older copy of two.",
        ),
        ObservationField::count(
            "hand_sizes",
            &[2],
            CARDS as i16,
            "Number of cards in the hand of each seat.",
        ),
        ObservationField::count(
            "known",
            &[2, KINDS],
            2,
            "Cards in the hand of each seat that both seats know, because they came from the pile.",
        ),
        ObservationField::count("pile", &[KINDS], 2, "The cards of the pile."),
        ObservationField::count(
            "pile_order",
            &[2, KINDS],
            CARDS as i16,
            "Where each card is in the pile: 1 for the top; 0 for none. Row 0 has the upper copy of two.",
        ),
        ObservationField::count(
            "unseen",
            &[KINDS],
            2,
            "Cards that are in the stock or in a hand and that the viewer does not know.",
        ),
        ObservationField::count(
            "melds",
            &[2, MELDS, MELD],
            2,
            "The melds of each seat in order of creation: 4 flags for the suit; 15 places (below a low ace, low ace, 2 to king, high \
             ace) with 1 for a card and 2 for the wild card; 4 flags for the suit of the wild card. All 0 behind the last meld.",
        ),
        ObservationField::count("points", &[2], MOST_POINTS, "Points of the melds of each seat."),
    ],
    actions: &[
        ActionBlock::new("draw", &[1], "Draws from the stock (GET_STOCK)."),
        ActionBlock::new("discard", &[KINDS], "Discards a card of this kind (DISCARD)."),
        ActionBlock::new(
            "meld",
            &[SUITS, PURE],
            "Forms a meld without a wild card: before the draw of the pile's top card and cards of the hand (GET_DISCARD), after it of \
             cards of the hand (MELD_NEW). By suit, then by run: those of 3 cards from A 2 3 to Q K A, those of 4, up to the one of \
             14.",
        ),
        ActionBlock::new(
            "meld_wild_end",
            &[SUITS, WILD_END],
            "The same with a wild 2 at an end of the run: by suit, then by the run without it, those of 2 cards from A 2 to K A first, \
             up to those of 13. The wild card is a 2 of the hand: of the first suit that has one after the meld's in the order \
             ♥ ♦ ♣ ♠ ♥, of the meld's own suit last.",
        ),
        ActionBlock::new(
            "meld_wild_gap",
            &[SUITS, WILD_GAP],
            "The same with a wild 2 in a gap: by suit, then by run as in meld, the wild card counted, then by the place of the gap, \
             from the second to the last but one.",
        ),
        ActionBlock::new(
            "join",
            &[MELDS, FIRST, JOINED],
            "Adds cards to an own meld (MELD_JOIN): by meld, then by the first card that is added (ace to king of the meld's suit, \
             then the 2s of the next three suits in the order ♥ ♦ ♣ ♠ ♥), then by the number of cards, from 1. After the first \
             card, the lowest card of the hand that fits is added each time, 2s excepted. If several first cards lead to the same \
             cards, the number is that of the first of them, in the order of kinds.",
        ),
    ],
};

impl Encode<Buraco> for Buraco {
    fn encoding(&self) -> &'static Encoding {
        const { &ENCODING }
    }

    fn observe(&self, view: &View, out: &mut [i16]) {
        let open = view.open();
        let mut writer = ObservationWriter::begin::<Self>(&ENCODING, out, view, 2, 2);
        let seats = writer.seats();
        writer.put([u8::from(open.drawn()), open.stock(), u8::from(open.exhausted)]);
        add_kinds(view.hand(), writer.take(KINDS));
        put_order(view.hand().iter(), writer.take(2 * KINDS));
        writer.put(seats.clone().map(|seat| open.hand_size(seat)));
        seats.clone().for_each(|seat| add_kinds(open.known(seat), writer.take(KINDS)));
        add_kinds(open.pile(), writer.take(KINDS));
        put_order(open.pile().iter().rev(), writer.take(2 * KINDS));
        writer.put(view.unseen());
        for seat in seats.clone() {
            let rows = writer.take(MELDS * MELD).chunks_exact_mut(MELD);
            open.melds(seat).iter().zip(rows).for_each(|(meld, row)| put_meld(meld, row));
        }
        writer.put(seats.map(|seat| open.melds(seat).iter().map(Meld::points).sum::<i32>() as i16));
        writer.finish();
    }

    fn index_of(&self, view: &View, mv: &Move) -> Option<usize> {
        let first = match mv {
            Move::MeldJoin { meld, cards } => {
                let meld = view.open().melds(view.open().to_move).get(usize::from(*meld))?;
                let join = joins(meld, view.hand()).into_iter().find(|join| join.cards == cards[..])?;
                Some(join.first)
            }
            _ => None,
        };
        index(view, mv, first)
    }

    fn each_action(&self, view: &View, each: &mut dyn FnMut(usize, Move)) {
        view.each_listed(&mut |mv, first| {
            each(index(view, &mv, first).expect("every listed move has a shape"), mv);
        });
    }
}

/// The index of a listed move; `first`: the card with which a join begins.
fn index(view: &View, mv: &Move, first: Option<Card>) -> Option<usize> {
    match mv {
        Move::GetStock => Some(0),
        Move::Discard { card } => Some(DISCARD + card.index()),
        Move::MeldNew { cards } => index_of_meld(cards),
        Move::GetDiscard { cards } => {
            let top = *view.open().pile().last()?;
            index_of_meld(&[&cards[..], &[top]].concat())
        }
        Move::MeldJoin { meld: number, cards } => {
            let (number, first) = (usize::from(*number), first?);
            let suit = view.open().melds(view.open().to_move).get(number)?.suit();
            // 0 for the meld's own suit, else how far the suit of the 2 is behind it.
            let first = match (usize::from(first.suit()) + SUITS - usize::from(suit)) % SUITS {
                0 => usize::from(first.rank()) - 1,
                behind => usize::from(RANKS) + behind - 1,
            };
            let more = cards.len().checked_sub(1)?;
            (number < MELDS && more < JOINED).then_some(JOIN + (number * FIRST + first) * JOINED + more)
        }
    }
}

/// The index of a new meld of these cards.
pub(super) fn index_of_meld(cards: &[Card]) -> Option<usize> {
    let meld = Meld::new(cards)?;
    let suit = usize::from(meld.suit());
    Some(match shape(&meld)? {
        Shape::Pure(number) => MELD_PURE + suit * PURE + number,
        Shape::WildEnd(number) => MELD_WILD_END + suit * WILD_END + number,
        Shape::WildGap(number) => MELD_WILD_GAP + suit * WILD_GAP + number,
    })
}

/// Counts cards by kind.
fn add_kinds(cards: &[Card], out: &mut [i16]) {
    cards.iter().for_each(|card| out[card.index()] += 1);
}

/// Numbers cards in this order from 1; the second copy of a kind has its number in the second row.
fn put_order<'a>(cards: impl Iterator<Item = &'a Card>, out: &mut [i16]) {
    for (number, card) in (1..).zip(cards) {
        let row = if out[card.index()] == 0 { 0 } else { KINDS };
        out[row + card.index()] = number;
    }
}

fn put_meld(meld: &Meld, out: &mut [i16]) {
    let (suit, places, wild) = (usize::from(meld.suit()), SUITS + meld.low(), meld.wild());
    out[suit] = 1;
    out[places..places + meld.cards().len()].fill(1);
    if let Some(wild) = wild {
        out[places + wild] = 2;
        out[SUITS + PLACES + usize::from(meld.cards()[wild].suit())] = 1;
    }
}
