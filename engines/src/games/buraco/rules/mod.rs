//! Buraco's state: the public table, both hands, the stock. Must not know protocols or search.

mod cards;
mod listing;
mod meld;
mod meld_rules;
mod moves;
mod no_meld;
mod table;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) use cards::{CARDS, KINDS, bracketed, holds, take_all};
pub use cards::{Card, Cards, RANKS};
pub(super) use listing::{each_listed, joins, list};
pub use meld::Meld;
pub(super) use meld::{CANASTRA, CLEAN, DIRTY, LARGEST, SMALLEST};
pub use meld_rules::MeldRules;
pub use moves::Move;
pub(super) use table::GOING_OUT;
pub use table::PublicTable;

use super::{Buraco, View};
use crate::game::{BadOptions, Outcome, Seat, Turn, Viewer};
use crate::rng::{Rng, Seed};

/// Cards dealt to each hand.
pub(super) const DEALT: usize = 11;

/// Options of a deal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "BuracoOptions")]
pub struct Options {
    /// The seat that starts, 0 or 1; drawn from the seed if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub starter: Option<u8>,
    /// How melds and joins are checked. Absent: as the contest's referee does, which is what a bot from outside expects. Matches
    /// that people begin on the pages have the written rules.
    #[serde(skip_serializing_if = "MeldRules::is_referee")]
    pub meld_rules: MeldRules,
}

/// The full state of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    pub(super) open: PublicTable,
    /// The hands, each in the order in which its cards arrived.
    pub(super) hands: [Vec<Card>; 2],
    /// The stock; the next card is the last.
    pub(super) stock: Vec<Card>,
}

impl State {
    pub(super) fn deal(options: &Options, seed: &Seed) -> Result<Self, BadOptions> {
        let mut rng = Rng::new(seed);
        let drawn = rng.below(2) as u8;
        let starter = match options.starter {
            None => drawn,
            Some(seat) if seat < 2 => seat,
            Some(_) => return Err(BadOptions("starter: there are seats 0 and 1".to_owned())),
        };
        let mut stock: Vec<Card> = Card::all().chain(Card::all()).collect();
        rng.shuffle(&mut stock);
        let hands = [0, 1].map(|_| stock.split_off(stock.len() - DEALT));
        let top = stock.pop().expect("the deal leaves cards");
        let mut open = PublicTable::new(Seat(starter), DEALT as u8, top, stock.len() as u8);
        open.meld_rules = options.meld_rules;
        Ok(Self { open, hands, stock })
    }

    /// Both seats' points if the match ended now.
    pub(super) fn points(&self) -> [i32; 2] {
        self.open.points([&self.hands[0], &self.hands[1]])
    }
}

impl crate::game::State<Buraco> for State {
    fn seats(&self) -> u8 {
        2
    }

    fn turn(&self) -> Turn {
        self.open.turn()
    }

    fn play(&mut self, mv: &Move) {
        let hand = &mut self.hands[self.open.to_move.index()];
        take_all(hand, mv.cards());
        if matches!(mv, Move::GetStock) {
            hand.extend(self.stock.pop());
        }
        hand.extend(self.open.play(mv));
    }

    fn outcome(&self) -> Option<Outcome> {
        self.open.outcome([&self.hands[0], &self.hands[1]])
    }

    fn view(&self, viewer: Viewer) -> View {
        let hand = match viewer {
            Viewer::Seat(seat) => self.hands[seat.index()].clone(),
            Viewer::Spectator => Vec::new(),
        };
        View::new(self.open.clone(), viewer, hand)
    }

    fn list_legal(&self, out: &mut Vec<Move>) {
        if let Turn::Of(seat) = self.turn() {
            list(&self.open, &self.hands[seat.index()], out);
        }
    }

    fn audit(&self) -> Result<(), String> {
        self.open.audit()?;
        let unseen = self.open.unseen(&[&self.hands[0][..], &self.hands[1], &self.stock].concat());
        if unseen != Some([0; KINDS]) {
            return Err("each card must be in the game exactly twice".to_owned());
        }
        for (seat, hand) in self.hands.iter().enumerate() {
            if hand.len() != usize::from(self.open.sizes[seat]) || !holds(hand, &self.open.known[seat]) {
                return Err(format!("the hand of seat {seat} contradicts the public table"));
            }
        }
        let stock = usize::from(self.open.stock);
        if stock == self.stock.len() {
            Ok(())
        } else {
            Err("the number of cards in the stock is wrong".to_owned())
        }
    }
}
