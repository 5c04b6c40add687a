//! The table as the referee's lines describe it, contradictions included, and the nearest possible position. Must not read
//! or write lines.

use super::super::View;
use super::super::rules::{CARDS, Card, KINDS, Meld, Move, PublicTable, take_all};
use crate::game::{Seat, Turn, View as _, Viewer};

/// The table as the referee described it. The own hand, the own melds and the top of the pile are certain. The rest may
/// be impossible, because the official referee accepts illegal commands of the opponent, for example a card listed twice
/// that the opponent holds once.
pub(super) struct ObservedTable {
    pub seat: Seat,
    /// The own hand in the order in which its cards arrived, without unreadable cards.
    pub hand: Vec<Card>,
    pub public: PublicTable,
    /// Whether the pile's top is known, so that a meld with it is certainly valid. Unknown during the opponent's turn,
    /// which ends with a discard.
    pub top_known: bool,
    /// Number of third copies accepted so far; `None` while all lines agree with the rules.
    accepted: Option<u32>,
}

impl ObservedTable {
    /// The table before the first turn, with equally large hands.
    pub(super) fn new(seat: Seat, hand: Vec<Card>, top: Option<Card>) -> Self {
        let stock = (CARDS - 1).saturating_sub(2 * hand.len());
        let mut public = PublicTable::new(Seat(0), size(&hand), top.unwrap_or(Card::of(0, 1)), stock as u8);
        if top.is_none() {
            public.pile.clear();
        }
        Self { seat, hand, public, top_known: top.is_some(), accepted: None }
    }

    /// Records that the lines contradict the rules and are accepted from now on.
    pub(super) fn accept_contradiction(&mut self) {
        self.accepted = Some(self.third_copies());
    }

    /// Checks that there is no third copy of a card beyond those accepted before.
    ///
    /// # Errors
    /// The impossible part, in words.
    pub(super) fn consistent(&self) -> Result<(), String> {
        match self.accepted {
            None => self.observed_view().check(),
            Some(accepted) if self.third_copies() <= accepted => Ok(()),
            Some(_) => Err("pile, melds, hand and known: each card is in the game twice at most".to_owned()),
        }
    }

    /// Checks that the rules allow this move of the opponent.
    ///
    /// # Errors
    /// The reason why the move is illegal.
    pub(super) fn check_opponent(&self, mv: &Move) -> Result<(), String> {
        let possible = match self.accepted {
            None => self.observed_view().possible(self.seat.other()),
            Some(_) => match self.possible_view() {
                Some(view) => view.possible(self.seat.other()),
                None => Card::all().chain(Card::all()).collect(),
            },
        };
        self.public.check(&possible, mv)
    }

    /// Plays an own move and returns the cards that come from the pile.
    pub(super) fn play_own(&mut self, mv: &Move) -> Vec<Card> {
        let legal = self.public.to_move == self.seat && self.public.check(&self.hand, mv).is_ok();
        for card in mv.cards() {
            take_all(&mut self.hand, &[*card]);
        }
        let gained =
            if legal { self.public.play(mv) } else { apply_unchecked(&mut self.public, self.seat, mv) };
        self.hand.extend(&gained);
        self.top_known |= matches!(mv, Move::Discard { .. });
        // After a draw from the stock, `play` has counted the card, but the referee has not named it yet.
        if !matches!(mv, Move::GetStock) {
            self.count_hand();
        }
        gained
    }

    /// Applies a move of the opponent that the rules forbid.
    pub(super) fn apply_opponent(&mut self, mv: &Move) {
        let opponent = self.seat.other();
        apply_unchecked(&mut self.public, opponent, mv);
        self.top_known = matches!(mv, Move::Discard { .. });
        self.accept_contradiction();
    }

    /// Begins the turn that the referee announces: the match is not over, so no hand is empty.
    pub(super) fn begin_turn(&mut self, seat: Seat) {
        self.public.to_move = seat;
        self.public.drawn = false;
        self.public.exhausted = false;
        let opponent = &mut self.public.sizes[self.seat.other().index()];
        *opponent = (*opponent).max(1);
        self.accept_contradiction();
    }

    /// Replaces the cards expected from the pile by the cards that came.
    pub(super) fn replace_pile_cards(&mut self, expected: &[Card], came: &[Card]) {
        let known = &mut self.public.known[self.seat.index()];
        for card in expected {
            take_all(&mut self.hand, &[*card]);
            take_all(known, &[*card]);
        }
        self.hand.extend(came);
        known.extend(came);
        known.sort_unstable();
        self.count_hand();
    }

    /// Updates the public number of cards in the own hand.
    pub(super) fn count_hand(&mut self) {
        self.public.sizes[self.seat.index()] = size(&self.hand);
    }

    /// The position exactly as described, possible or not.
    fn observed_view(&self) -> View {
        View::new(self.public.clone(), Viewer::Seat(self.seat), self.hand.clone())
    }

    /// The position for an own decision: the described one if possible, otherwise the nearest possible one. Its legal
    /// moves are legal in the real match. `None` if there is no such position.
    pub(super) fn possible_view(&self) -> Option<View> {
        if !self.top_known && !self.public.drawn {
            return None;
        }
        let decides = |view: &View| view.turn() == Turn::Of(self.seat) && view.check().is_ok();
        Some(self.observed_view()).filter(decides).or_else(|| self.repaired_view().filter(decides))
    }

    /// A move that every referee accepts; `None` if no card of the own hand is known.
    pub(super) fn safest_move(&self) -> Option<Move> {
        if !self.public.drawn {
            return Some(Move::GetStock);
        }
        let plain = self.hand.iter().find(|card| card.rank() != 2);
        plain.or(self.hand.first()).map(|card| Move::Discard { card: *card })
    }

    /// Number of visible copies beyond two of each card.
    fn third_copies(&self) -> u32 {
        let mut counts = [0u32; KINDS];
        let melded = self.public.melds.iter().flatten().flat_map(|meld| meld.cards());
        let known = self.public.known(self.seat.other());
        melded.chain(&self.public.pile).chain(&self.hand).chain(known).for_each(|c| counts[c.index()] += 1);
        counts.iter().map(|n| n.saturating_sub(2)).sum()
    }

    /// The nearest position with 104 cards and at most two copies of each. The own side and the pile stay as they are. The
    /// opponent's melds lose surplus copies, and the numbers of hidden cards change.
    fn repaired_view(&self) -> Option<View> {
        let (own, opponent) = (self.seat.index(), self.seat.other().index());
        let mut left = RemainingCopies([2; KINDS]);
        let mut open = self.public.clone();
        if !open.melds[own].iter().flat_map(|meld| meld.cards()).all(|card| left.take(*card)) {
            return None;
        }
        let hand: Vec<Card> = self.hand.iter().copied().filter(|card| left.take(*card)).collect();
        let observed_top = open.pile.last().copied();
        let mut pile: Vec<Card> = open.pile.iter().rev().copied().filter(|card| left.take(*card)).collect();
        pile.reverse();
        if !open.drawn && pile.last().copied() != observed_top {
            return None;
        }
        open.pile = pile;
        open.melds[opponent] = open.melds[opponent].iter().filter_map(|meld| left.repair(meld)).collect();
        open.known[opponent].retain(|card| left.take(*card));
        let mut rest = hand.clone();
        open.known[own].retain(|card| take_all(&mut rest, &[*card]));
        open.to_move = self.seat;
        open.exhausted = false;
        distribute_hidden(&mut open, own, hand.len())?;
        let size = usize::from(open.sizes[opponent]);
        open.known[opponent].truncate(size);
        Some(View::new(open, Viewer::Seat(self.seat), hand))
    }
}

/// The length of a hand as the public table stores it.
fn size(hand: &[Card]) -> u8 {
    u8::try_from(hand.len()).unwrap_or(u8::MAX)
}

/// Sets the numbers of hidden cards so that there are 104 cards. Missing cards go to the opponent's hand, which is larger
/// than counted if it listed a card twice. Surplus cards leave the stock, then the opponent's hand down to one card, then
/// the bottom of the pile.
fn distribute_hidden(open: &mut PublicTable, own: usize, hand: usize) -> Option<()> {
    let melded: usize = open.melds.iter().flatten().map(|meld| meld.cards().len()).sum();
    let opponent = usize::from(open.sizes[1 - own]).max(1);
    let stock = usize::from(open.stock);
    let mut hidden = CARDS.checked_sub(melded + hand + open.pile.len());
    while hidden.is_none_or(|hidden| hidden == 0) && open.pile.len() > 1 {
        open.pile.remove(0);
        hidden = CARDS.checked_sub(melded + hand + open.pile.len());
    }
    let hidden = hidden.filter(|hidden| *hidden > 0)?;
    let stock = stock.min(hidden.saturating_sub(opponent));
    open.stock = u8::try_from(stock).ok()?;
    open.sizes[1 - own] = u8::try_from(hidden - stock).ok()?;
    open.sizes[own] = u8::try_from(hand).ok()?;
    Some(())
}

/// Copies of each card that have no place yet.
struct RemainingCopies([u8; KINDS]);

impl RemainingCopies {
    fn take(&mut self, card: Card) -> bool {
        let left = &mut self.0[card.index()];
        let available = *left > 0;
        *left = left.saturating_sub(1);
        available
    }

    /// The nearest possible meld: a surplus card becomes another suit of its rank, or leaves the meld.
    fn repair(&mut self, meld: &Meld) -> Option<Meld> {
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
        let repaired = Meld::new(&cards);
        if repaired.is_none() {
            self.0 = before;
        }
        repaired
    }
}

/// Applies a move to the table even against the rules, and returns the cards that come from the pile. A hand keeps at
/// least one card, because only the referee ends the match.
fn apply_unchecked(open: &mut PublicTable, seat: Seat, mv: &Move) -> Vec<Card> {
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
            melds.extend(nearest_meld(&top.into_iter().chain(cards.iter().copied()).collect::<Vec<_>>()));
        }
        Move::MeldNew { cards } => melds.extend(nearest_meld(cards)),
        Move::MeldJoin { meld, cards } => {
            let named = melds.get_mut(usize::from(*meld)).filter(|meld| meld.with(cards).is_some());
            let target = match named {
                Some(_) => melds.get_mut(usize::from(*meld)),
                None => melds.iter_mut().find(|meld| meld.with(cards).is_some()),
            };
            match target.and_then(|target| target.with(cards).map(|joined| (target, joined))) {
                Some((target, joined)) => *target = joined,
                None => melds.extend(nearest_meld(cards)),
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

/// The meld of these cards, or of all but one of them.
fn nearest_meld(cards: &[Card]) -> Option<Meld> {
    let without = |at: usize| {
        let rest: Vec<Card> = cards.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, c)| *c).collect();
        Meld::new(&rest)
    };
    Meld::new(cards).or_else(|| (0..cards.len()).find_map(without))
}
