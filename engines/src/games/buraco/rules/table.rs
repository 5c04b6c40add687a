//! The public table, which both seats see, and the effect of moves on it. State and view share it, so they cannot
//! disagree. Must not know hidden cards.

use serde::{Deserialize, Serialize};

use super::cards::{Card, KINDS, take_all};
use super::meld::{Meld, SMALLEST, points};
use super::meld_rules::MeldRules;
use super::moves::Move;
use crate::game::{Outcome, Seat, Turn};

/// Why cards are not all in a hand of this size; `None` if they are. The hand may be larger if only its possible cards are known.
fn not_in_hand(hand: &[Card], size: u8, cards: &[Card]) -> Option<String> {
    if let Some(card) = cards.iter().find(|card| !hand.contains(card)) {
        return Some(format!("the hand has no {card}"));
    }
    if cards.len() > usize::from(size) {
        return Some(format!("the hand has only {size} cards"));
    }
    let copies = |among: &[Card], card: &Card| among.iter().filter(|one| *one == card).count();
    let short = cards.iter().find(|card| copies(cards, card) > copies(hand, card));
    short.map(|card| format!("the hand has only one {card}"))
}

/// Points for going out.
pub(crate) const GOING_OUT: i32 = 100;

/// All that both seats see.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublicTable {
    pub(in super::super) to_move: Seat,
    /// Whether the seat to move has drawn in this turn.
    pub(in super::super) drawn: bool,
    /// Cards left in the stock.
    pub(in super::super) stock: u8,
    /// The pile, oldest card first.
    pub(in super::super) pile: Vec<Card>,
    pub(in super::super) melds: [Vec<Meld>; 2],
    /// Cards in each hand.
    pub(in super::super) sizes: [u8; 2],
    /// Cards of each hand that came from the pile and were not played since, sorted.
    pub(in super::super) known: [Vec<Card>; 2],
    /// Whether a seat drew from the empty stock.
    pub(in super::super) exhausted: bool,
    /// How melds and joins are checked.
    #[serde(default, skip_serializing_if = "MeldRules::is_referee")]
    pub(in super::super) meld_rules: MeldRules,
}

impl PublicTable {
    /// The table before the first move.
    pub(in super::super) fn new(to_move: Seat, hand: u8, top: Card, stock: u8) -> Self {
        Self {
            to_move,
            drawn: false,
            stock,
            pile: vec![top],
            melds: Default::default(),
            sizes: [hand; 2],
            known: Default::default(),
            exhausted: false,
            meld_rules: MeldRules::default(),
        }
    }

    /// The seat to move, or the end of the match.
    pub fn turn(&self) -> Turn {
        if self.exhausted || self.sizes.contains(&0) { Turn::Over } else { Turn::Of(self.to_move) }
    }

    /// Whether the seat to move has drawn in this turn.
    pub fn drawn(&self) -> bool {
        self.drawn
    }

    /// Cards left in the stock.
    pub fn stock(&self) -> u8 {
        self.stock
    }

    /// The pile, oldest card first.
    pub fn pile(&self) -> &[Card] {
        &self.pile
    }

    /// A seat's melds, in order of creation.
    pub fn melds(&self, seat: Seat) -> &[Meld] {
        &self.melds[seat.index()]
    }

    /// Number of cards in a seat's hand.
    pub fn hand_size(&self, seat: Seat) -> u8 {
        self.sizes[seat.index()]
    }

    /// The cards that a seat took from the pile and has not played since, sorted.
    pub fn known(&self, seat: Seat) -> &[Card] {
        &self.known[seat.index()]
    }

    /// How melds and joins are checked.
    pub fn meld_rules(&self) -> MeldRules {
        self.meld_rules
    }

    /// Checks that the rules accept this move of the seat to move, whose hand is `hand`.
    ///
    /// # Errors
    /// The rule that the move breaks, as a clause.
    pub(in super::super) fn check(&self, hand: &[Card], mv: &Move) -> Result<(), String> {
        if self.turn() == Turn::Over {
            return Err("the match is over".to_owned());
        }
        if self.drawn == matches!(mv, Move::GetStock | Move::GetDiscard { .. }) {
            let rule = if self.drawn { "a turn has one draw" } else { "a turn begins with a draw" };
            return Err(rule.to_owned());
        }
        not_in_hand(hand, self.sizes[self.to_move.index()], mv.cards()).map_or(Ok(()), Err)?;
        let (place, cards) = match mv {
            Move::GetStock | Move::Discard { .. } => return Ok(()),
            Move::GetDiscard { cards } => {
                let top = *self.pile.last().ok_or("the pile is empty")?;
                if cards.len() + 1 < SMALLEST {
                    return Err(format!("the pile's top card, {top}, needs 2 cards of the hand or more"));
                }
                (format!("with the pile's top card, {top}, "), [&[top], &cards[..]].concat())
            }
            Move::MeldNew { cards } => (String::new(), cards.to_vec()),
            Move::MeldJoin { meld: index, cards } => {
                let own = &self.melds[self.to_move.index()];
                match own.get(usize::from(*index)) {
                    Some(_) if cards.is_empty() => return self.meld_rules.check_join(cards),
                    Some(meld) => (format!("with meld {index}, "), [meld.cards(), &cards[..]].concat()),
                    None if own.is_empty() => return Err("there is no own meld to join".to_owned()),
                    None => {
                        return Err(format!(
                            "there is no own meld {index}: the last one is {}",
                            own.len() - 1
                        ));
                    }
                }
            }
        };
        self.meld_rules.check(&cards).map_err(|rule| format!("{place}{rule}"))
    }

    /// Plays a move that [`Self::check`] accepts. Returns the cards that move from the pile to the hand, oldest first.
    pub(in super::super) fn play(&mut self, mv: &Move) -> Vec<Card> {
        let mover = self.to_move.index();
        let mut gained = Vec::new();
        match mv {
            Move::GetStock => match self.stock.checked_sub(1) {
                None => self.exhausted = true,
                Some(left) => {
                    self.stock = left;
                    self.sizes[mover] += 1;
                    self.drawn = true;
                }
            },
            Move::GetDiscard { cards } => {
                gained = std::mem::take(&mut self.pile);
                let top = gained.pop().expect("the pile is not empty at a turn's start");
                self.melds[mover].extend(Meld::new(&[&[top], &cards[..]].concat()));
                self.drawn = true;
            }
            Move::MeldNew { cards } => self.melds[mover].extend(Meld::new(cards)),
            Move::MeldJoin { meld, cards } => {
                let meld = &mut self.melds[mover][usize::from(*meld)];
                *meld = meld.with(cards).expect("a checked join forms a meld");
            }
            Move::Discard { card } => self.pile.push(*card),
        }
        self.sizes[mover] -= mv.cards().len() as u8;
        for card in mv.cards() {
            // The opponent cannot tell whether this was the known copy, so one card fewer is known for certain.
            take_all(&mut self.known[mover], &[*card]);
        }
        self.sizes[mover] += gained.len() as u8;
        self.known[mover].extend(&gained);
        self.known[mover].sort_unstable();
        if matches!(mv, Move::Discard { .. }) && self.sizes[mover] > 0 {
            self.to_move = self.to_move.other();
            self.drawn = false;
        }
        gained
    }

    /// The points of both seats if the match ended now with these hands: melds, plus 100 for an empty hand, minus the
    /// hand. The official referee counts a hand like a meld, including the bonus of a canastra.
    pub(in super::super) fn points(&self, hands: [&[Card]; 2]) -> [i32; 2] {
        [0, 1].map(|seat| {
            let melds: i32 = self.melds[seat].iter().map(Meld::points).sum();
            melds + if self.sizes[seat] == 0 { GOING_OUT } else { 0 } - points(hands[seat])
        })
    }

    /// The result; `None` while the match is not over.
    pub(in super::super) fn outcome(&self, hands: [&[Card]; 2]) -> Option<Outcome> {
        let reason = if self.exhausted { "the stock is used up" } else { "a hand is empty" };
        (self.turn() == Turn::Over).then(|| Outcome::by_points(self.points(hands).to_vec(), reason))
    }

    /// Number of copies of each kind, at most two, that are neither on the table nor among `others`. `None` if there is a
    /// third copy.
    pub(in super::super) fn unseen(&self, others: &[Card]) -> Option<[u8; KINDS]> {
        let mut left = [2u8; KINDS];
        let melded = self.melds.iter().flatten().flat_map(|m| m.cards());
        for card in melded.chain(&self.pile).chain(others) {
            left[card.index()] = left[card.index()].checked_sub(1)?;
        }
        Some(left)
    }

    /// Checks the invariants of a table, independent of the hidden cards.
    ///
    /// # Errors
    /// Names the field and says what is allowed.
    pub(in super::super) fn audit(&self) -> Result<(), String> {
        let ensure = |holds: bool, text: &str| if holds { Ok(()) } else { Err(text.to_owned()) };
        ensure(self.to_move.0 < 2, "to_move: there are seats 0 and 1")?;
        let mut melds = self.melds.iter().flatten();
        melds.try_for_each(|meld| self.meld_rules.accept(meld)).map_err(|rule| format!("melds: {rule}"))?;
        let melded: usize = self.melds.iter().flatten().map(|m| m.cards().len()).sum();
        let hands: usize = self.sizes.iter().map(|n| usize::from(*n)).sum();
        let all = melded + self.pile.len() + hands + usize::from(self.stock);
        ensure(
            all == super::cards::CARDS,
            &format!("stock, pile, melds and hand_sizes: there are 104 cards in the game, not {all}"),
        )?;
        ensure(
            self.drawn || self.sizes.contains(&0) || !self.pile.is_empty(),
            "pile: before the draw of a turn it holds a card",
        )?;
        ensure(
            self.sizes[self.to_move.other().index()] > 0,
            "hand_sizes: only the seat to move can have an empty hand",
        )?;
        ensure(
            self.drawn || self.sizes[self.to_move.index()] > 0,
            "hand_sizes: a seat goes out only after a draw",
        )?;
        ensure(
            !self.exhausted || (self.stock == 0 && !self.drawn && !self.sizes.contains(&0)),
            "exhausted: only if the stock is empty, both hands have cards and drawn is false",
        )?;
        let fits = |s: usize| self.known[s].len() <= usize::from(self.sizes[s]) && self.known[s].is_sorted();
        ensure(fits(0) && fits(1), "known: in order, and no more cards than in the hand")
    }
}
