//! The engine's own table: small, copied in playouts, with decks from which cards are drawn at random. A test checks that it
//! follows `rules`. It knows no values and no search.

use super::super::View;
use super::super::rules::{
    CARD_TABLE, CARDS, COLORS, Color, Colors, GOAL, GOLD, HAND_LIMIT, LEVELS, Move, NOBLE_TABLE, NOBLES,
    ROUNDS, SEATS, SLOTS,
};
use crate::search_kit::fast_rng::FastRng;

/// Amounts by kind of chip in eight bytes, so that eight are handled at once; the last two are 0.
pub type Lanes = [u8; 8];

/// The highest bit of each lane; no amount reaches it.
const TOP: u64 = 0x8080_8080_8080_8080;

/// The difference by lane, never below 0. Each lane borrows a top bit first; a lane that keeps it did not fall below 0.
#[inline]
pub fn minus(a: &Lanes, b: &Lanes) -> Lanes {
    let rest = (u64::from_le_bytes(*a) | TOP) - u64::from_le_bytes(*b);
    let kept = rest & TOP;
    (rest & (kept - (kept >> 7))).to_le_bytes()
}

/// The sum of all lanes, which the multiplication collects in the highest byte.
#[inline]
pub fn sum(a: &Lanes) -> u8 {
    (u64::from_le_bytes(*a).wrapping_mul(0x0101_0101_0101_0101) >> 56) as u8
}

/// A card as the search uses it.
#[derive(Clone, Copy)]
pub struct FastCard {
    /// Its cost, by colour.
    pub cost: Lanes,
    /// Its prestige points.
    pub points: u8,
    /// The colour it gives.
    pub bonus: u8,
    /// 0 to 2.
    pub level: u8,
}

/// The cards by id; 0 is no card.
pub static FAST: [FastCard; CARDS + 1] = {
    let mut all = [FastCard { cost: [0; 8], points: 0, bonus: 0, level: 0 }; CARDS + 1];
    let mut i = 0;
    while i < CARDS {
        let card = CARD_TABLE[i];
        let [r, g, b, w, k] = card.cost;
        let cost = [r, g, b, w, k, 0, 0, 0];
        all[i + 1] = FastCard { cost, points: card.points, bonus: card.bonus, level: card.level };
        i += 1;
    }
    all
};

/// The bonuses that nobles need, by id.
pub static NEEDS: [Lanes; NOBLES + 1] = {
    let mut all = [[0; 8]; NOBLES + 1];
    let mut i = 0;
    while i < NOBLES {
        let [r, g, b, w, k] = NOBLE_TABLE[i].needs;
        all[i + 1] = [r, g, b, w, k, 0, 0, 0];
        i += 1;
    }
    all
};

/// The source of the cards that come from decks.
pub trait CardSource {
    /// The place in `bag`, which is not empty, of the card that comes; `None` if none does.
    fn pick(&mut self, bag: &[u8]) -> Option<usize>;
}

impl CardSource for FastRng {
    #[inline]
    fn pick(&mut self, bag: &[u8]) -> Option<usize> {
        Some(self.below(bag.len()))
    }
}

/// A source that gives no card: for the consequences of an action that do not depend on chance.
pub struct NoCard;

impl CardSource for NoCard {
    #[inline]
    fn pick(&mut self, _: &[u8]) -> Option<usize> {
        None
    }
}

/// A source that gives the card of this id, which is in the deck.
pub struct KnownCard(pub u8);

impl CardSource for KnownCard {
    #[inline]
    fn pick(&mut self, bag: &[u8]) -> Option<usize> {
        bag.iter().position(|id| *id == self.0)
    }
}

/// A random source that also records the card that came last, 0 for none.
pub struct NotedCard<'d>(pub &'d mut FastRng, pub u8);

impl CardSource for NotedCard<'_> {
    #[inline]
    fn pick(&mut self, bag: &[u8]) -> Option<usize> {
        let at = self.0.below(bag.len());
        self.1 = bag[at];
        Some(at)
    }
}

/// The kinds of actions. Each gives [`Act::arg`] a meaning.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ActionKind {
    /// Different colours; `arg` is their set.
    Take,
    /// Two of colour `arg`.
    Two,
    /// The face-up card `arg`.
    Reserve,
    /// The top of the deck of level `arg`, 0 to 2.
    Top,
    /// The card `arg`.
    Buy,
}

/// An action in four bytes; `returns` holds two bits for each colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Act {
    /// Decides the meaning of `arg`.
    pub kind: ActionKind,
    /// Its argument; see [`ActionKind`].
    pub arg: u8,
    /// The colours returned.
    pub returns: u16,
}

impl Act {
    /// The explicit pass.
    pub const PASS: Self = Self { kind: ActionKind::Take, arg: 0, returns: 0 };

    /// An action without returns.
    pub fn new(kind: ActionKind, arg: u8) -> Self {
        Self { kind, arg, returns: 0 }
    }

    /// Number of chips of a colour that are returned.
    #[inline]
    pub fn returned(self, color: usize) -> u8 {
        (self.returns >> (2 * color) & 3) as u8
    }

    /// The action as the rules know it.
    pub fn to_move(self) -> Move {
        let returns = Colors::new(std::array::from_fn(|c| self.returned(c)));
        match self.kind {
            ActionKind::Take => {
                Move::Take { colors: Colors::new(std::array::from_fn(|c| self.arg >> c & 1)), returns }
            }
            ActionKind::Two => Move::TakeTwo { color: Color::ALL[usize::from(self.arg)], returns },
            ActionKind::Reserve => Move::Reserve { card: self.arg, returns },
            ActionKind::Top => Move::ReserveTop { level: self.arg + 1, returns },
            ActionKind::Buy => Move::Buy { card: self.arg },
        }
    }
}

/// The possessions of one player.
#[derive(Clone, Copy, Default)]
pub struct FastPlayer {
    /// Chips, gold included.
    pub chips: Lanes,
    /// Bonuses of the cards bought.
    pub bonus: Lanes,
    /// Ids of the reserved cards; the first `reserved_n` places are taken, the others 0.
    pub reserved: [u8; 3],
    /// Number of reserved cards.
    pub reserved_n: u8,
    /// Points of cards and nobles.
    pub points: u8,
    /// Cards bought.
    pub cards: u8,
    /// Whether a noble is due without a purchase: the player met two at once.
    pub pending: bool,
}

/// A table whose hidden cards are guessed and whose decks are bags to draw from.
#[derive(Clone)]
pub struct FastTable {
    /// Chips in the bank.
    pub bank: Lanes,
    /// The players, by seat.
    pub players: [FastPlayer; SEATS],
    /// The face-up cards, by level and slot; 0 for an empty slot.
    pub face_up: [[u8; SLOTS]; LEVELS],
    /// Cards that may come, in no order; only the first `left` count.
    bags: [[u8; 40]; LEVELS],
    /// Cards in the decks.
    pub left: [u8; LEVELS],
    /// The nobles' ids; 0 if the noble is gone.
    pub nobles: [u8; 5],
    /// Number of players.
    pub seats: u8,
    /// The seat to move.
    pub to_move: u8,
    /// Full rounds played.
    pub round: u8,
}

impl FastTable {
    /// The table of a view; hidden cards stay unknown until [`Self::settle`].
    pub fn of(view: &View) -> Self {
        let board = view.board();
        let mut players = [FastPlayer::default(); SEATS];
        for (player, hand) in players.iter_mut().zip(&board.hands) {
            player.chips[..=GOLD].copy_from_slice(&hand.chips);
            player.bonus[..COLORS].copy_from_slice(&hand.bonuses());
            player.points = u8::try_from(hand.points()).unwrap_or(u8::MAX);
            player.cards = hand.cards.len() as u8;
            player.pending = board.nobles.iter().any(|id| is_met(*id, &player.bonus));
            for (slot, id) in player.reserved.iter_mut().zip(&hand.reserved) {
                *slot = id.unsigned_abs() | if *id < 0 { HIDDEN } else { 0 };
            }
            player.reserved_n = hand.reserved.len() as u8;
        }
        let unseen = view.unseen();
        let mut bags = [[0; 40]; LEVELS];
        for (bag, ids) in bags.iter_mut().zip(&unseen) {
            bag[..ids.len()].copy_from_slice(ids);
        }
        let mut nobles = [0; 5];
        nobles[..board.nobles.len()].copy_from_slice(&board.nobles);
        let mut bank = [0; 8];
        bank[..=GOLD].copy_from_slice(&board.bank);
        Self {
            bank,
            players,
            face_up: board.face_up,
            bags,
            left: unseen.each_ref().map(|ids| ids.len() as u8),
            nobles,
            seats: board.hands.len() as u8,
            to_move: board.to_move.0,
            round: board.round,
        }
    }

    /// Draws the cards that the viewer does not know into the hands that hold them.
    pub fn settle(&mut self, rng: &mut FastRng) {
        for seat in 0..usize::from(self.seats) {
            for i in 0..usize::from(self.players[seat].reserved_n) {
                let what = self.players[seat].reserved[i];
                if what & HIDDEN != 0 {
                    self.players[seat].reserved[i] = self.draw(usize::from(what & !HIDDEN) - 1, rng);
                }
            }
        }
    }

    /// Whether a player holds a card that the viewer does not know.
    pub fn hides(&self) -> bool {
        self.players.iter().any(|p| p.reserved.iter().any(|id| id & HIDDEN != 0))
    }

    /// The same table without the cards that the viewer does not know.
    pub fn as_seen(&self) -> Self {
        let mut seen = self.clone();
        let cards = seen.players.iter_mut().flat_map(|p| &mut p.reserved);
        cards.filter(|id| **id & HIDDEN != 0).for_each(|id| *id = 0);
        seen
    }

    /// A card of the level's deck, 0 if there is none.
    #[inline]
    fn draw(&mut self, level: usize, chance: &mut impl CardSource) -> u8 {
        let left = usize::from(self.left[level]);
        if left == 0 {
            return 0;
        }
        let Some(i) = chance.pick(&self.bags[level][..left]) else { return 0 };
        let id = self.bags[level][i];
        self.bags[level][i] = self.bags[level][left - 1];
        self.left[level] -= 1;
        id
    }

    /// The player to move.
    #[inline]
    pub fn mover(&self) -> &FastPlayer {
        &self.players[usize::from(self.to_move)]
    }

    /// Whether the match is over.
    #[inline]
    pub fn over(&self) -> bool {
        self.to_move == 0
            && (self.round >= ROUNDS
                || self.players[..usize::from(self.seats)].iter().any(|p| u32::from(p.points) >= GOAL))
    }

    /// Plays an action of the seat to move.
    pub fn play(&mut self, act: Act, chance: &mut impl CardSource) {
        let seat = usize::from(self.to_move);
        match act.kind {
            ActionKind::Take => (0..COLORS).for_each(|c| self.move_chips(seat, c, act.arg >> c & 1)),
            ActionKind::Two => self.move_chips(seat, usize::from(act.arg), 2),
            ActionKind::Reserve | ActionKind::Top => {
                let id = if act.kind == ActionKind::Top {
                    self.draw(usize::from(act.arg), chance)
                } else {
                    self.refill(act.arg, chance);
                    act.arg
                };
                let player = &mut self.players[seat];
                player.reserved[usize::from(player.reserved_n)] = id;
                player.reserved_n += 1;
                let gold = self.bank[GOLD].min(1);
                self.move_chips(seat, GOLD, gold);
            }
            ActionKind::Buy => self.buy(seat, act.arg, chance),
        }
        if act.returns != 0 {
            for c in 0..COLORS {
                self.players[seat].chips[c] -= act.returned(c);
                self.bank[c] += act.returned(c);
            }
        }
        if act.kind == ActionKind::Buy || self.players[seat].pending {
            self.give_noble(seat);
        }
        self.to_move += 1;
        if self.to_move == self.seats {
            self.to_move = 0;
            self.round += 1;
        }
    }

    #[inline]
    fn move_chips(&mut self, seat: usize, kind: usize, n: u8) {
        self.bank[kind] -= n;
        self.players[seat].chips[kind] += n;
    }

    fn refill(&mut self, id: u8, chance: &mut impl CardSource) -> bool {
        let level = usize::from(FAST[usize::from(id)].level);
        for slot in 0..SLOTS {
            if self.face_up[level][slot] == id {
                self.face_up[level][slot] = self.draw(level, chance);
                return true;
            }
        }
        false
    }

    fn buy(&mut self, seat: usize, id: u8, chance: &mut impl CardSource) {
        let card = &FAST[usize::from(id)];
        let player = &mut self.players[seat];
        let need = minus(&card.cost, &player.bonus);
        let missing = minus(&need, &player.chips);
        for c in 0..COLORS {
            let paid = need[c] - missing[c];
            player.chips[c] -= paid;
            self.bank[c] += paid;
        }
        let gold = sum(&missing);
        player.chips[GOLD] -= gold;
        self.bank[GOLD] += gold;
        player.bonus[usize::from(card.bonus)] += 1;
        player.points = player.points.saturating_add(card.points);
        player.cards += 1;
        if !self.refill(id, chance) {
            let player = &mut self.players[seat];
            let n = usize::from(player.reserved_n);
            if let Some(i) = player.reserved[..n].iter().position(|r| *r == id) {
                player.reserved.copy_within(i + 1..n, i);
                player.reserved[n - 1] = 0;
                player.reserved_n -= 1;
            }
        }
    }

    fn give_noble(&mut self, seat: usize) {
        let player = &mut self.players[seat];
        let mut met = (0..self.nobles.len()).filter(|i| is_met(self.nobles[*i], &player.bonus));
        let first = met.next();
        player.pending = met.next().is_some();
        if let Some(i) = first {
            self.nobles[i] = 0;
            player.points = player.points.saturating_add(3);
        }
    }

    /// Number of chips to return after gaining this many.
    #[inline]
    pub fn excess(&self, gained: u8) -> u8 {
        (sum(&self.mover().chips) + gained).saturating_sub(HAND_LIMIT)
    }
}

/// Whether these bonuses bring the noble; no noble, id 0, is never met.
#[inline]
fn is_met(noble: u8, bonus: &Lanes) -> bool {
    noble != 0 && minus(&NEEDS[usize::from(noble)], bonus) == [0; 8]
}

/// Marks a reserved card of which only the level is known.
const HIDDEN: u8 = 128;
