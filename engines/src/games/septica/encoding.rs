//! The numeric form of Septica's views and moves.

use super::rules::{CARDS, COMPUTER, COPIES, Draws, HAND, Move, PLAYER, PublicTable, Rank, taker};
use super::{Septica, View};
use crate::encoding::{ActionBlock, Encode, Encoding, ObservationField, ObservationWriter};
use crate::game::Seat;

/// Ranks of cards: 7 to 14.
const RANKS: usize = 8;
/// Most cards of a trick.
const TRICK: usize = 2 * HAND;
/// Numbers about a card of a finished trick.
const PAST: usize = RANKS + 2;
const STOP: usize = ENCODING.first_action(1);

const ENCODING: Encoding = Encoding {
    version: 1,
    observation: &[
        ObservationField::seated(),
        ObservationField::first_seat(&[2]),
        ObservationField::to_move(&[2]),
        ObservationField::count("hand", &[RANKS], COPIES as i16, "The viewer's cards, by rank: 7 to 14."),
        ObservationField::count("hand_sizes", &[2], HAND as i16, "Number of cards in the hand of each seat."),
        ObservationField::count("deck", &[1], (CARDS - 2 * HAND) as i16, "Number of cards in the deck."),
        ObservationField::flag("leader", &[2], "The seat that leads the trick."),
        ObservationField::flag(
            "trick",
            &[TRICK, RANKS],
            "The cards of the trick in order of play, by rank; all 0 where no card is played yet.",
        ),
        ObservationField::count(
            "taken",
            &[2, RANKS],
            COPIES as i16,
            "The cards that each seat has taken, by rank.",
        ),
        ObservationField::count("points", &[2], 8, "Points that each seat has taken."),
        ObservationField::flag(
            "equal_points",
            &[2],
            "The seat that wins with equal points; all 0 if the seats share the first place.",
        ),
        ObservationField::flag(
            "past",
            &[CARDS, PAST],
            "The cards of the finished tricks in order of play: 8 flags for the rank, then whether the card began its trick, then \
             whether the first seat in the order of this observation played it. All 0 behind the last card, and if the position \
             was given without its past.",
        ),
    ],
    actions: &[
        ActionBlock::new("card", &[RANKS], "Plays a card, by rank: 7 to 14."),
        ActionBlock::new("stop", &[1], "Stops, so that the other seat takes the trick."),
    ],
};

impl Encode<Septica> for Septica {
    fn encoding(&self) -> &'static Encoding {
        const { &ENCODING }
    }

    fn observe(&self, view: &View, out: &mut [i16]) {
        let mut writer = ObservationWriter::begin::<Self>(&ENCODING, out, view, 2, 2);
        let open = &view.open;
        let (seats, points) = (writer.seats().map(Seat::index), open.points());
        add_ranks(&view.hand, writer.take(RANKS));
        writer.put(seats.clone().map(|seat| open.hands[seat]));
        writer.put([open.deck]);
        writer.flag(2, Some(writer.place(open.leader)));
        let trick = writer.take(TRICK * RANKS);
        open.trick.iter().zip(trick.chunks_exact_mut(RANKS)).for_each(|(card, at)| at[card.index()] = 1);
        seats.clone().for_each(|seat| add_ranks(&open.taken[seat], writer.take(RANKS)));
        writer.put(seats.map(|seat| points[seat]));
        writer.flag(2, (view.draws == Draws::Player).then(|| writer.place(PLAYER)));
        let first_is_computer = writer.place(COMPUTER) == 0;
        put_past(open, first_is_computer, writer.take(CARDS * PAST));
        writer.finish();
    }

    fn index_of(&self, _: &View, mv: &Move) -> Option<usize> {
        Some(match mv {
            Move::Card(rank) => rank.index(),
            Move::Stop => STOP,
        })
    }
}

/// Counts the cards by rank.
fn add_ranks(cards: &[Rank], out: &mut [i16]) {
    cards.iter().for_each(|card| out[card.index()] += 1);
}

/// `first_is_computer`: whether the first seat of the observation is the one that led the first trick.
fn put_past(open: &PublicTable, first_is_computer: bool, out: &mut [i16]) {
    let mut rows = out.chunks_exact_mut(PAST);
    let mut leader = COMPUTER;
    for trick in &open.past {
        let seats = [leader, leader.other()];
        for ((i, card), row) in trick.iter().enumerate().zip(&mut rows) {
            row[card.index()] = 1;
            row[RANKS] = (i == 0).into();
            row[RANKS + 1] = ((seats[i % 2] == COMPUTER) == first_is_computer).into();
        }
        leader = taker(leader, trick);
    }
}
