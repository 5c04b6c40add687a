//! What the dialogue has told of the table, contradictions included, and the best position that can be made of it.
//! Knows no lines.

use super::super::View;
use super::super::rules::{CARDS, Card, KINDS, Meld, Move, Open, take_all};
use crate::game::{Seat, Turn, View as _, Viewer};

/// The table as told. The own hand, the own melds and the top of the pile are what the referee has them to be; of the
/// other seat the official referee lets pass what cannot be: a card listed twice by a seat that holds it once, say.
pub struct Record {
    pub seat: Seat,
    /// The own hand, in the order in which its cards came; a card that could not be read is missing.
    pub hand: Vec<Card>,
    pub open: Open,
    /// Whether the pile's top is known, so that a meld with it is surely one: not in the other seat's turn, which ends
    /// with a discard.
    pub top_known: bool,
    /// Third copies that showed and were accepted; `None` while all that was told agrees with the rules.
    accepted: Option<u32>,
}

impl Record {
    /// The table before the first turn. Both hands have the same number of cards, as far as anybody is told.
    pub fn new(seat: Seat, hand: Vec<Card>, top: Option<Card>) -> Self {
        let stock = (CARDS - 1).saturating_sub(2 * hand.len());
        let mut open = Open::new(Seat(0), size(&hand), top.unwrap_or(Card::of(0, 1)), stock as u8);
        if top.is_none() {
            open.pile.clear();
        }
        Self { seat, hand, open, top_known: top.is_some(), accepted: None }
    }

    /// What was told contradicts the rules and is accepted from now on.
    pub fn accept(&mut self) {
        self.accepted = Some(self.third_copies());
    }

    /// No third copy of a card shows that was not accepted before.
    ///
    /// # Errors
    /// Says what cannot be.
    pub fn consistent(&self) -> Result<(), String> {
        match self.accepted {
            None => self.exact().check(),
            Some(accepted) if self.third_copies() <= accepted => Ok(()),
            Some(_) => Err("pile, melds, hand and known: each card is in the game twice at most".to_owned()),
        }
    }

    /// Whether the rules allow the other seat this move.
    ///
    /// # Errors
    /// Says what they forbid.
    pub fn check_foe(&self, mv: &Move) -> Result<(), String> {
        let possible = match self.accepted {
            None => self.exact().possible(self.seat.other()),
            Some(_) => match self.reading() {
                Some(view) => view.possible(self.seat.other()),
                None => Card::all().chain(Card::all()).collect(),
            },
        };
        self.open.check(&possible, mv)
    }

    /// Plays an own move; the cards that come from the pile.
    pub fn play_own(&mut self, mv: &Move) -> Vec<Card> {
        let legal = self.open.to_move == self.seat && self.open.check(&self.hand, mv).is_ok();
        for card in mv.cards() {
            take_all(&mut self.hand, &[*card]);
        }
        let gained = if legal { self.open.play(mv) } else { believe(&mut self.open, self.seat, mv) };
        self.hand.extend(&gained);
        self.top_known |= matches!(mv, Move::Discard { .. });
        // A card from the stock is counted, and not told yet.
        if !matches!(mv, Move::GetStock) {
            self.count_hand();
        }
        gained
    }

    /// Believes a move of the other seat that the rules forbid.
    pub fn believe_foe(&mut self, mv: &Move) {
        let foe = self.seat.other();
        believe(&mut self.open, foe, mv);
        self.top_known = matches!(mv, Move::Discard { .. });
        self.accept();
    }

    /// The referee says whose turn it is: so the match is not over, and no hand is empty.
    pub fn begin_turn(&mut self, seat: Seat) {
        self.open.to_move = seat;
        self.open.drawn = false;
        self.open.exhausted = false;
        let foe = &mut self.open.sizes[self.seat.other().index()];
        *foe = (*foe).max(1);
        self.accept();
    }

    /// Replaces the cards that seemed to lie in the pile by those that came from it.
    pub fn exchange(&mut self, seemed: &[Card], came: &[Card]) {
        let known = &mut self.open.known[self.seat.index()];
        for card in seemed {
            take_all(&mut self.hand, &[*card]);
            take_all(known, &[*card]);
        }
        self.hand.extend(came);
        known.extend(came);
        known.sort_unstable();
        self.count_hand();
    }

    /// Counts the own hand anew.
    pub fn count_hand(&mut self) {
        self.open.sizes[self.seat.index()] = size(&self.hand);
    }

    /// Exactly what was told, whether it can be or not.
    fn exact(&self) -> View {
        View::new(self.open.clone(), Viewer::Seat(self.seat), self.hand.clone())
    }

    /// The position for a decision of the own seat: what was told, or else the nearest position that can be. What is
    /// legal in it is legal in truth. `None`: no such position can be made.
    pub fn reading(&self) -> Option<View> {
        if !self.top_known && !self.open.drawn {
            return None;
        }
        let decides = |view: &View| view.turn() == Turn::Of(self.seat) && view.check().is_ok();
        Some(self.exact()).filter(decides).or_else(|| self.mended().filter(decides))
    }

    /// A move that any referee accepts; `None` where no card of the own hand is known.
    pub fn safest(&self) -> Option<Move> {
        if !self.open.drawn {
            return Some(Move::GetStock);
        }
        let plain = self.hand.iter().find(|card| card.rank() != 2);
        plain.or(self.hand.first()).map(|card| Move::Discard { card: *card })
    }

    /// How many copies show beyond two of each card.
    fn third_copies(&self) -> u32 {
        let mut counts = [0u32; KINDS];
        let melded = self.open.melds.iter().flatten().flat_map(|meld| meld.cards());
        let known = self.open.known(self.seat.other());
        melded.chain(&self.open.pile).chain(&self.hand).chain(known).for_each(|c| counts[c.index()] += 1);
        counts.iter().map(|n| n.saturating_sub(2)).sum()
    }

    /// The nearest position in which each card is there twice at most and all are 104. The own side and the pile stay
    /// as they are; the other seat's melds lose the card that it never had, and the numbers of hidden cards give way.
    fn mended(&self) -> Option<View> {
        let (own, foe) = (self.seat.index(), self.seat.other().index());
        let mut left = Left([2; KINDS]);
        let mut open = self.open.clone();
        if !open.melds[own].iter().flat_map(|meld| meld.cards()).all(|card| left.take(*card)) {
            return None;
        }
        let hand: Vec<Card> = self.hand.iter().copied().filter(|card| left.take(*card)).collect();
        let told_top = open.pile.last().copied();
        let mut pile: Vec<Card> = open.pile.iter().rev().copied().filter(|card| left.take(*card)).collect();
        pile.reverse();
        if !open.drawn && pile.last().copied() != told_top {
            return None;
        }
        open.pile = pile;
        open.melds[foe] = open.melds[foe].iter().filter_map(|meld| left.mend(meld)).collect();
        open.known[foe].retain(|card| left.take(*card));
        let mut rest = hand.clone();
        open.known[own].retain(|card| take_all(&mut rest, &[*card]));
        open.to_move = self.seat;
        open.exhausted = false;
        share_out(&mut open, own, hand.len())?;
        let size = usize::from(open.sizes[foe]);
        open.known[foe].truncate(size);
        Some(View::new(open, Viewer::Seat(self.seat), hand))
    }
}

/// The number of cards, as the table keeps it.
fn size(hand: &[Card]) -> u8 {
    u8::try_from(hand.len()).unwrap_or(u8::MAX)
}

/// Sets the numbers of cards so that they are 104 in all. Cards too few are in the other hand, which holds more than
/// it should when it listed a card twice; cards too many come off the stock, then off that hand, which keeps one, then
/// off the bottom of the pile.
fn share_out(open: &mut Open, own: usize, hand: usize) -> Option<()> {
    let melded: usize = open.melds.iter().flatten().map(|meld| meld.cards().len()).sum();
    let foe = usize::from(open.sizes[1 - own]).max(1);
    let stock = usize::from(open.stock);
    let mut hidden = CARDS.checked_sub(melded + hand + open.pile.len());
    while hidden.is_none_or(|hidden| hidden == 0) && open.pile.len() > 1 {
        open.pile.remove(0);
        hidden = CARDS.checked_sub(melded + hand + open.pile.len());
    }
    let hidden = hidden.filter(|hidden| *hidden > 0)?;
    let stock = stock.min(hidden.saturating_sub(foe));
    open.stock = u8::try_from(stock).ok()?;
    open.sizes[1 - own] = u8::try_from(hidden - stock).ok()?;
    open.sizes[own] = u8::try_from(hand).ok()?;
    Some(())
}

/// Copies of each card that are not placed yet.
struct Left([u8; KINDS]);

impl Left {
    fn take(&mut self, card: Card) -> bool {
        let left = &mut self.0[card.index()];
        let there = *left > 0;
        *left = left.saturating_sub(1);
        there
    }

    /// The meld as it can be: a card that is there twice already is another one of its rank, or is not in the meld.
    fn mend(&mut self, meld: &Meld) -> Option<Meld> {
        let before = self.0;
        let mut cards: Vec<Card> = Vec::new();
        let mut surplus: Vec<Card> = Vec::new();
        meld.cards().iter().for_each(|c| if self.take(*c) { cards.push(*c) } else { surplus.push(*c) });
        for card in surplus {
            let others = (0..4).map(|suit| Card::of(suit, card.rank()));
            let fits = |other: &Card| {
                self.0[other.index()] > 0 && Meld::new(&[&cards[..], &[*other]].concat()).is_some()
            };
            if let Some(other) = others.into_iter().find(fits) {
                self.take(other);
                cards.push(other);
            }
        }
        let mended = Meld::new(&cards);
        if mended.is_none() {
            self.0 = before;
        }
        mended
    }
}

/// Does to the table what the move says, whatever the rules say; the cards that come from the pile. A hand never gets
/// empty by it: that is for the referee to say.
fn believe(open: &mut Open, seat: Seat, mv: &Move) -> Vec<Card> {
    let mover = seat.index();
    let melds = &mut open.melds[mover];
    let mut gained = Vec::new();
    match mv {
        Move::GetStock => {
            open.stock = open.stock.saturating_sub(1);
            open.sizes[mover] = open.sizes[mover].saturating_add(1);
        }
        Move::GetDiscard { cards } => {
            let top = open.pile.pop();
            gained = std::mem::take(&mut open.pile);
            melds.extend(nearest(&top.into_iter().chain(cards.iter().copied()).collect::<Vec<_>>()));
        }
        Move::MeldNew { cards } => melds.extend(nearest(cards)),
        Move::MeldJoin { meld, cards } => {
            let named = melds.get_mut(usize::from(*meld)).filter(|meld| meld.with(cards).is_some());
            let target = match named {
                Some(_) => melds.get_mut(usize::from(*meld)),
                None => melds.iter_mut().find(|meld| meld.with(cards).is_some()),
            };
            match target.and_then(|target| target.with(cards).map(|joined| (target, joined))) {
                Some((target, joined)) => *target = joined,
                None => melds.extend(nearest(cards)),
            }
        }
        Move::Discard { card } => open.pile.push(*card),
    }
    for card in mv.cards() {
        take_all(&mut open.known[mover], &[*card]);
    }
    let left = usize::from(open.sizes[mover]).saturating_sub(mv.cards().len()).max(1) + gained.len();
    open.sizes[mover] = u8::try_from(left).unwrap_or(u8::MAX);
    open.known[mover].extend(&gained);
    open.known[mover].sort_unstable();
    let ends = matches!(mv, Move::Discard { .. });
    open.exhausted = false;
    open.drawn = !ends;
    open.to_move = if ends { seat.other() } else { seat };
    gained
}

/// The meld that these cards form, or all of them but one.
fn nearest(cards: &[Card]) -> Option<Meld> {
    let without = |at: usize| {
        let rest: Vec<Card> = cards.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, c)| *c).collect();
        Meld::new(&rest)
    };
    Meld::new(cards).or_else(|| (0..cards.len()).find_map(without))
}
