//! A position for playouts: masks and small arrays, copied in a few hundred nanoseconds. Of the hidden cards it holds only
//! those that a search drew for it.

use super::super::rules::{
    CANASTRA, CARDS, CLEAN, Card, Cards, DIRTY, GOING_OUT, LARGEST, Meld, Move, Options, RANKS, SMALLEST,
    State,
};
use crate::game::{Seat, State as _, Turn};
use crate::rng::Seed;

use super::hand::{ACES, worth};
pub use super::hand::{HandMasks, TWO, bits};

/// No wild card.
pub const NONE: u8 = u8::MAX;
/// The target of cards that form a new meld.
pub const NEW: u8 = u8::MAX;
/// Maximum number of melds of a seat: 104 cards in threes.
const MELDS: usize = CARDS / 3;

/// Places missing between the lowest and the highest.
pub fn gaps(places: u16) -> u32 {
    16 - places.leading_zeros() - places.trailing_zeros() - places.count_ones()
}

/// A meld: the places filled naturally, and a wild card at any other place.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// The places filled naturally: bit 0 the low ace, bit 13 the high one.
    pub places: u16,
    /// The suit, 0 to 3.
    pub suit: u8,
    /// The wild card, or [`NONE`].
    pub wild: u8,
}

impl Run {
    /// The meld on the table.
    pub fn of(meld: &Meld) -> Self {
        let cards = meld.cards();
        let plain = cards.iter().position(|c| c.rank() > 2);
        let anchor = plain.or_else(|| cards.iter().position(|c| c.rank() == 1)).unwrap_or(0);
        let suit = cards[anchor].suit();
        let lowest = cards[anchor].rank() as i32 - 1 - anchor as i32;
        let mut run = Self { places: 0, suit, wild: NONE };
        for (place, card) in (lowest..).zip(cards) {
            if card.rank() == 2 && (place != 1 || card.suit() != suit) {
                run.wild = card.index() as u8;
            } else {
                run.places |= 1 << place;
            }
        }
        run
    }

    /// Whether there is no card.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of cards.
    pub fn len(&self) -> usize {
        self.places.count_ones() as usize + usize::from(self.wild != NONE)
    }

    /// Points of the meld with its bonus.
    pub fn points(&self) -> i32 {
        let (wild, bonus) = if self.wild == NONE { (0, CLEAN) } else { (10, DIRTY) };
        worth(self.places) + wild + if self.len() >= CANASTRA { bonus } else { 0 }
    }

    /// The meld with natural cards at these places and this wild card (or [`NONE`]), if that is a meld that needs no
    /// leniency of the official referee.
    pub fn with(&self, places: u16, wild: u8) -> Option<Self> {
        if self.places & places != 0 {
            return None;
        }
        let mut run = Self { places: self.places | places, ..*self };
        if wild != NONE {
            // A second 2 is wild if the first one, of the meld's own suit, can go to its natural place.
            if run.wild == run.suit * RANKS + 1 && run.places & TWO == 0 {
                run.places |= TWO;
            } else if run.wild != NONE {
                return None;
            }
            run.wild = wild;
        }
        if run.len() > LARGEST {
            return None;
        }
        let fits = |run: &Self| gaps(run.places) <= u32::from(run.wild != NONE);
        let own_two = run.suit * RANKS + 1;
        if run.wild != own_two && fits(&run) {
            return Some(run).filter(|run| !run.wild_below_ace());
        }
        if run.wild == NONE && run.places & TWO == 0 {
            return None;
        }
        // Same order as in the rules: the own 2 natural before wild, and one ace at either end.
        let natural = match run.places & TWO {
            0 if run.wild == own_two => Some(Self { places: run.places | TWO, wild: NONE, ..run }),
            0 => None,
            _ => Some(run),
        };
        let wild = match run.places & TWO {
            0 => Some(run),
            _ if run.wild == NONE => Some(Self { places: run.places & !TWO, wild: own_two, ..run }),
            _ => None,
        };
        let ends = |run: Self| {
            let moved = if (run.places & ACES).count_ones() == 1 { run.places ^ ACES } else { run.places };
            [run, Self { places: moved, ..run }]
        };
        natural.into_iter().chain(wild).flat_map(ends).find(fits).filter(|run| !run.wild_below_ace())
    }

    /// As [`Meld::needs_leniency`], for a run whose aces are of its suit.
    fn wild_below_ace(&self) -> bool {
        let low_ace = self.wild != NONE && self.places & 1 != 0 && gaps(self.places) == 0;
        low_ace && (self.places & ACES == ACES || gaps(self.places ^ ACES) > 1)
    }
}

/// Cards of the hand laid down: natural ones by their places, and a wild one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Lay {
    /// The index of the own meld, or [`NEW`].
    pub target: u8,
    /// The suit, 0 to 3.
    pub suit: u8,
    /// The places of the natural cards.
    pub places: u16,
    /// The wild card, or [`NONE`].
    pub wild: u8,
}

impl Lay {
    /// The numbers of the cards.
    pub fn cards(self) -> impl Iterator<Item = u8> {
        let natural = bits(self.places).map(move |p| self.suit * RANKS + p % RANKS);
        natural.chain((self.wild != NONE).then_some(self.wild))
    }

    /// Whether there is no card.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of cards.
    pub fn len(&self) -> u8 {
        self.places.count_ones() as u8 + u8::from(self.wild != NONE)
    }

    /// The command that lays these cards.
    pub fn command(self) -> Move {
        let cards = to_cards(self.cards());
        if self.target == NEW { Move::MeldNew { cards } } else { Move::MeldJoin { meld: self.target, cards } }
    }
}

/// The cards of these numbers.
pub fn to_cards(numbers: impl Iterator<Item = u8>) -> Cards {
    numbers.map(|c| Card::from_index(usize::from(c))).collect::<Vec<_>>().into()
}

/// A whole position.
#[derive(Clone, Copy)]
pub struct FastPosition {
    /// The hands by seat.
    pub hands: [HandMasks; 2],
    /// The cards of each hand that both seats know.
    pub known: [HandMasks; 2],
    /// All cards that both seats have seen: the melds, the pile, and the known cards of the hands.
    pub public: HandMasks,
    melds: [[Run; MELDS]; 2],
    count: [u8; 2],
    pile: [u8; CARDS],
    piled: u8,
    stock: [u8; CARDS],
    stocked: u8,
    /// The seat to move.
    pub me: usize,
    /// Whether the seat to move has drawn.
    pub drawn: bool,
    /// Whether the match is over.
    pub over: bool,
}

impl FastPosition {
    /// The table with this hand for the seat to move, the other's hand and the stock still empty.
    pub fn new(open: &super::super::PublicTable, me: usize, hand: &[Card]) -> Self {
        let mut pos = Self {
            hands: [HandMasks::default(); 2],
            known: [HandMasks::default(); 2],
            public: HandMasks::default(),
            melds: [[Run::default(); MELDS]; 2],
            count: [0; 2],
            pile: [0; CARDS],
            piled: open.pile().len() as u8,
            stock: [0; CARDS],
            stocked: 0,
            me,
            drawn: open.drawn(),
            over: false,
        };
        hand.iter().for_each(|c| pos.hands[me].add(c.index() as u8));
        pos.pile.iter_mut().zip(open.pile()).for_each(|(p, c)| *p = c.index() as u8);
        open.pile().iter().for_each(|c| pos.public.add(c.index() as u8));
        for (seat, of) in [Seat(0), Seat(1)].into_iter().enumerate() {
            for card in open.known(of) {
                pos.known[seat].add(card.index() as u8);
                pos.public.add(card.index() as u8);
            }
            for meld in open.melds(of).iter().take(MELDS) {
                pos.push(seat, Run::of(meld));
                meld.cards().iter().for_each(|c| pos.public.add(c.index() as u8));
            }
        }
        pos
    }

    /// The position of a state, with all its hidden cards: for tests and training.
    pub fn of_state(state: &State, me: Seat) -> Self {
        let mut pos = Self::new(&state.open, me.index(), &state.hands[me.index()]);
        let numbers = |cards: &[Card]| cards.iter().map(|c| c.index() as u8).collect::<Vec<_>>();
        pos.fill(numbers(&state.hands[me.other().index()]).into_iter(), &numbers(&state.stock));
        pos
    }

    /// The position of a new match with this seed, with all its hidden cards: for tests and training.
    pub fn deal(seed: u64) -> Self {
        let state =
            State::deal(&Options::default(), &Seed::from(seed)).expect("the default options can be dealt");
        let starter = match state.turn() {
            Turn::Of(seat) => seat,
            Turn::Over => Seat(0),
        };
        Self::of_state(&state, starter)
    }

    /// Gives the other seat a hand, and puts the rest into the stock.
    pub fn fill(&mut self, hand: impl Iterator<Item = u8>, stock: &[u8]) {
        let other = 1 - self.me;
        hand.for_each(|c| self.hands[other].add(c));
        self.stock[..stock.len()].copy_from_slice(stock);
        self.stocked = stock.len() as u8;
    }

    /// Sets the sizes of the other hand and of the stock without their cards: enough for players that look only at the open
    /// table and their own hand.
    pub fn count_hidden(&mut self, hand: u8, stock: u8) {
        self.hands[1 - self.me].n = hand;
        self.stocked = stock.min(CARDS as u8);
    }

    fn push(&mut self, seat: usize, run: Run) {
        self.melds[seat][usize::from(self.count[seat])] = run;
        self.count[seat] += 1;
    }

    /// The melds of a seat.
    pub fn melds(&self, seat: usize) -> &[Run] {
        &self.melds[seat][..usize::from(self.count[seat])]
    }

    /// The pile, its top card last.
    pub fn pile(&self) -> &[u8] {
        &self.pile[..usize::from(self.piled)]
    }

    /// Number of cards in the stock.
    pub fn stocked(&self) -> u8 {
        self.stocked
    }

    /// The hand of the seat to move.
    pub fn hand(&self) -> &HandMasks {
        &self.hands[self.me]
    }

    /// A rough count of the cards that a seat could lay down without a wild card.
    pub fn idle(&self, seat: usize) -> u32 {
        let hand = &self.hands[seat];
        let runs = (0..4).map(|suit| {
            let held = hand.places(suit);
            (held & held >> 1 & held >> 2).count_ones()
        });
        let joins = self.melds(seat).iter().map(|run| {
            let ends = if run.wild == NONE {
                run.places << 1 | run.places >> 1
            } else {
                run.places << 2 | run.places >> 2 | run.places << 1 | run.places >> 1
            };
            (hand.places(usize::from(run.suit)) & ends & !run.places & !TWO).count_ones()
        });
        runs.sum::<u32>() + joins.sum::<u32>()
    }

    /// Draws a card. If the stock is empty, ends the match.
    pub fn draw(&mut self) {
        if self.stocked == 0 {
            self.over = true;
            return;
        }
        self.stocked -= 1;
        self.hands[self.me].add(self.stock[usize::from(self.stocked)]);
        self.drawn = true;
    }

    /// Takes a card out of the mover's hand and makes it public.
    fn show(&mut self, card: u8) {
        let me = self.me;
        self.hands[me].remove(card);
        if self.known[me].count(card) > 0 {
            self.known[me].remove(card);
        } else {
            self.public.add(card);
        }
    }

    /// Takes the pile.
    pub fn take(&mut self, take: &PileTaken) {
        let me = self.me;
        take.given().for_each(|c| self.show(c));
        let run = Run { places: 0, suit: take.suit, wild: NONE }.with(take.places, take.wild);
        self.push(me, run.unwrap_or(Run { places: take.places, suit: take.suit, wild: take.wild }));
        for i in 0..usize::from(self.piled) - 1 {
            self.hands[me].add(self.pile[i]);
            self.known[me].add(self.pile[i]);
        }
        self.piled = 0;
        self.drawn = true;
        self.over = self.hands[me].n == 0;
    }

    /// Whether these cards are in the hand and form a meld with the target.
    pub fn fits(&self, lay: &Lay) -> bool {
        let mut hand = *self.hand();
        let held = lay.cards().all(|card| {
            let has = hand.count(card) > 0;
            if has {
                hand.remove(card);
            }
            has
        });
        let start = match lay.target {
            NEW => Some(Run { places: 0, suit: lay.suit, wild: NONE }),
            i => self.melds(self.me).get(usize::from(i)).copied(),
        };
        let forms = |run: Run| run.with(lay.places, lay.wild).is_some_and(|run| run.len() >= SMALLEST);
        held && start.is_some_and(forms)
    }

    /// Lays down cards that fit.
    pub fn lay(&mut self, lay: &Lay) {
        let me = self.me;
        lay.cards().for_each(|c| self.show(c));
        if lay.target == NEW {
            let run = Run { places: 0, suit: lay.suit, wild: NONE }.with(lay.places, lay.wild);
            self.push(me, run.unwrap_or_default());
        } else {
            let run = &mut self.melds[me][usize::from(lay.target)];
            *run = run.with(lay.places, lay.wild).unwrap_or(*run);
        }
        self.over = self.hands[me].n == 0;
    }

    /// Discards a card, which ends the turn.
    pub fn discard(&mut self, card: u8) {
        self.show(card);
        self.pile[usize::from(self.piled)] = card;
        self.piled += 1;
        self.over = self.hands[self.me].n == 0;
        self.me = 1 - self.me;
        self.drawn = false;
    }

    /// The points of a seat's melds.
    pub fn table_points(&self, seat: usize) -> i32 {
        self.melds(seat).iter().map(Run::points).sum()
    }

    /// The points of a seat if the match ended now.
    pub fn points(&self, seat: usize) -> i32 {
        self.table_points(seat) + if self.hands[seat].n == 0 { GOING_OUT } else { 0 }
            - self.hands[seat].cost()
    }

    /// A seat's lead in points.
    pub fn lead(&self, seat: usize) -> i32 {
        self.points(seat) - self.points(1 - seat)
    }
}

/// A way to take the pile: the whole new meld, and its card that is the pile's top.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PileTaken {
    /// The suit, 0 to 3.
    pub suit: u8,
    /// The places of the natural cards, the top card among them.
    pub places: u16,
    /// The wild card, or [`NONE`].
    pub wild: u8,
    /// The top card of the pile.
    pub top: u8,
}

impl PileTaken {
    /// The cards that the hand gives.
    pub fn given(self) -> impl Iterator<Item = u8> {
        let mut top = Some(self.top);
        let all = Lay { target: NEW, suit: self.suit, places: self.places, wild: self.wild }.cards();
        all.filter(move |c| {
            let is_top = top == Some(*c);
            if is_top {
                top = None;
            }
            !is_top
        })
    }

    /// The command that takes the pile in this way.
    pub fn command(self) -> Move {
        Move::GetDiscard { cards: to_cards(self.given()) }
    }
}
