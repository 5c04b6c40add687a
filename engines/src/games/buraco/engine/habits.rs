//! The player of the playouts: whole turns by a table of fitted weights (`tune.rs`). It looks at the
//! own hand and at what lies open, though the position holds all cards.

use super::super::rules::{CANASTRA, RANKS};
use super::fast::{Hand, Lay, NONE, Pos, Run, Take, bits};
use super::policy::{best_join, best_run, best_take, guessed_lead, pair, shorter};

/// Defines the table: names, what they mean, and the fitted values.
macro_rules! habits {
    ($($(#[$doc:meta])* $name:ident: $value:expr,)*) => {
        /// Weights and thresholds of a player.
        #[derive(Clone, Copy, Debug)]
        pub struct Habits {
            $($(#[$doc])* pub $name: i32,)*
        }

        impl Habits {
            /// As self-play has fitted them.
            pub const FITTED: Self = Self { $($name: $value,)* };
            #[cfg(test)]
            pub const NAMES: &[&str] = &[$(stringify!($name),)*];

            /// All of them, in the order of their names.
            #[cfg(test)]
            pub fn all(&mut self) -> Vec<&mut i32> {
                vec![$(&mut self.$name,)*]
            }
        }
    };
}

habits! {
    /// Taking the pile: in favour of it as such.
    take: 17,
    /// ... for each point more on the table, in quarters.
    take_points: 4,
    /// ... against each card more in the hand.
    take_hand: 26,
    /// ... against each card more in the hand where the other seat holds few or the stock is short.
    take_late: 20,
    /// ... against the spending of a wild card.
    take_wild: 20,
    /// Goes out only with such a lead, as guessed, ...
    out_lead: -400,
    /// ... less so much for each card of the stock, in quarters.
    out_stock: 2,
    /// Wild cards: joins one to any meld with so few cards left in the hand, ...
    join_own: 2,
    /// ... or with so few in the other one.
    join_other: 0,
    /// ... or opens melds with one with so few cards left in the hand, ...
    pair_own: 26,
    /// ... or with so few in the other one.
    pair_other: 0,
    /// Danger of a hand of seven: so few cards in the stock, ...
    press_stock: 9,
    /// ... or in the other hand.
    press_other: 0,
    /// Discards: keeps a card for two others that form a run with it, ...
    use_run: 55,
    /// ... for one other, and both copies of the third not seen, ...
    use_two: 20,
    /// ... one copy not seen, ...
    use_one: 16,
    /// ... none, but a wild card may stand for it.
    use_none: 4,
    /// ... for each copy of the card that is missing between it and an own meld.
    use_meld: 8,
    /// ... against a second copy.
    use_twice: 10,
    /// ... for the points of the card, ...
    cost: 1,
    /// ... if few cards are left in the stock, ...
    cost_late: 2,
    /// ... from how few on.
    late: 20,
    /// ... for a 2.
    keep_two: 160,
    /// ... against feeding the other seat: for each way to a run with the card, by copies not seen, ...
    feed: 1,
    /// ... where the copies are known to be in its hand, instead of one not seen, ...
    feed_known: 2,
    /// ... times the cards of the pile and so many.
    feed_pile: 3,
}

/// The cards not seen by a seat, as places of a suit's sequence: any copy, both copies.
fn unseen(pos: &Pos, me: usize, suit: usize) -> (u16, u16) {
    let (hand, known, public) = (&pos.hands[me], &pos.known[me], &pos.public);
    // Of the hand, what is not among the public cards already.
    let both = hand.two[suit] & !known.one[suit];
    let one = hand.one[suit] & !known.one[suit] | hand.two[suit] & !known.two[suit];
    let all = public.two[suit] | both | public.one[suit] & one;
    let some = public.one[suit] | one;
    (places(!all & RANK_BITS), places(!some & RANK_BITS))
}

const RANK_BITS: u16 = (1 << RANKS) - 1;

/// Ranks as places, with the ace at both ends.
fn places(ranks: u16) -> u16 {
    ranks | (ranks & 1) << RANKS
}

/// The pairs of places that form a run with a place.
const AROUND: [(i8, i8); 3] = [(-2, -1), (-1, 1), (1, 2)];

fn bit(mask: u16, place: i8) -> i32 {
    if (0..=RANKS as i8).contains(&place) { i32::from(mask >> place & 1) } else { 0 }
}

impl Habits {
    /// Plays the whole turn, or the rest of it.
    pub fn play_turn(&self, pos: &mut Pos, noise: impl FnMut() -> i32) {
        if !pos.drawn {
            match best_take(pos).filter(|take| self.takes(pos, take)) {
                Some(take) => pos.take(&take),
                None => pos.draw(),
            }
        }
        if !pos.over {
            self.lay_down(pos);
        }
        if !pos.over
            && let Some(card) = self.worst_card(pos, noise)
        {
            pos.discard(card);
        }
    }

    /// Whether the player takes the pile so.
    fn takes(&self, pos: &Pos, take: &Take) -> bool {
        let me = pos.me;
        if pos.stocked() == 0 {
            return guessed_lead(pos, me) <= 0;
        }
        let mut after = *pos;
        after.take(take);
        if after.over {
            return true;
        }
        self.lay_all(&mut after, true);
        let points = after.table_points(me) - pos.table_points(me);
        let cards = i32::from(after.hands[me].n) - i32::from(pos.hands[me].n);
        let late =
            pos.stocked() < self.press_stock as u8 || i32::from(pos.hands[1 - me].n) < self.press_other;
        let value = self.take + self.take_points * points / 4
            - cards * if late { self.take_late } else { self.take_hand }
            - if take.wild == NONE { 0 } else { self.take_wild };
        after.over || value > 0
    }

    /// Lays down all it can, but does not go out far behind.
    fn lay_down(&self, pos: &mut Pos) {
        let me = pos.me;
        let before = pos.hands[me].n;
        let mut after = *pos;
        self.lay_all(&mut after, true);
        let left = after.hands[me].n;
        if left == before {
            return;
        }
        if left < 2 {
            let wanted = self.out_lead - self.out_stock * i32::from(pos.stocked()) / 4;
            let mut ended = after;
            if let Some(last) = after.hand().kinds().next() {
                ended.discard(last);
            }
            if guessed_lead(&ended, me) > wanted {
                *pos = after;
            } else {
                self.lay_all(pos, false);
            }
            return;
        }
        *pos = after;
    }

    fn lay_all(&self, pos: &mut Pos, out: bool) {
        while !pos.over
            && let Some(lay) = self.next_lay(pos, out)
        {
            pos.lay(&lay);
        }
    }

    /// The next cards to lay down; with `out` false, so that two cards stay.
    fn next_lay(&self, pos: &Pos, out: bool) -> Option<Lay> {
        let sound = |lay: Lay| if out { Some(lay) } else { shorter(pos, lay) };
        best_join(pos)
            .and_then(sound)
            .or_else(|| best_run(pos).and_then(sound))
            .or_else(|| self.wild_lay(pos).and_then(sound))
    }

    /// A wild card where it pays.
    fn wild_lay(&self, pos: &Pos) -> Option<Lay> {
        let hand = pos.hand();
        let twos = hand.twos();
        if twos == 0 {
            return None;
        }
        let (own, other) = (i32::from(hand.n), i32::from(pos.hands[1 - pos.me].n));
        let clean = |run: &&Run| run.wild == NONE && run.len() < CANASTRA;
        let melds = pos.melds(pos.me);
        let open = melds.iter().filter(clean).count() as u32;
        let pressed = own >= CANASTRA as i32
            && (i32::from(pos.stocked()) < self.press_stock || other < self.press_other);
        let finishing = own as u32 <= twos.min(open) + 1;
        let joins = melds.iter().enumerate().filter(|(_, run)| clean(run)).filter_map(|(i, run)| {
            let wild = hand.wild(usize::from(run.suit))?;
            run.with(0, wild)?;
            Some((run.len(), Lay { target: i as u8, suit: run.suit, places: 0, wild }))
        });
        let freely = pressed || finishing || own <= self.join_own || other <= self.join_other;
        match joins.max_by_key(|(len, _)| *len) {
            Some((len, lay)) if freely || len + 1 == CANASTRA => return Some(lay),
            _ => {}
        }
        let pairs = pressed || (3..=4).contains(&own) || own <= self.pair_own || other <= self.pair_other;
        if pairs { pair(pos) } else { None }
    }

    /// The card to discard: the one least worth keeping; `noise` decides between cards that are nearly equal.
    fn worst_card(&self, pos: &Pos, mut noise: impl FnMut() -> i32) -> Option<u8> {
        let mut worst = None;
        self.weigh(pos, |card, keep| {
            let value = 4 * keep + noise();
            if worst.is_none_or(|(least, _)| value < least) {
                worst = Some((value, card));
            }
        });
        worst.map(|(_, card)| card)
    }

    /// The kinds of cards in the hand, those least worth keeping first.
    pub fn discards(&self, pos: &Pos) -> Vec<u8> {
        let mut cards = Vec::new();
        self.weigh(pos, |card, keep| cards.push((keep, card)));
        cards.sort_unstable();
        cards.into_iter().map(|(_, card)| card).collect()
    }

    /// Each kind of card in the hand, with how much the player would rather keep it than throw it.
    fn weigh(&self, pos: &Pos, mut each: impl FnMut(u8, i32)) {
        let hand = *pos.hand();
        for suit in (0..4).filter(|suit| hand.one[*suit] != 0) {
            let around = Around::of(pos, suit, &hand);
            for rank in bits(hand.one[suit]) {
                each(suit as u8 * RANKS + rank, self.keep(pos, &around, rank));
            }
        }
    }

    /// How much the player would rather keep a card than throw it.
    fn keep(&self, pos: &Pos, around: &Around, rank: u8) -> i32 {
        let hand = pos.hand();
        let twice = bit(hand.two[around.suit], rank as i8) > 0;
        let ends: &[i8] = if rank == 0 { &[0, RANKS as i8] } else { &[rank as i8] };
        let (mut value, mut danger) = (0, 0);
        for place in ends {
            for (a, b) in AROUND.map(|(a, b)| (place + a, place + b)) {
                if a < 0 || b > RANKS as i8 {
                    continue;
                }
                let outs = |p| bit(around.any, p) + bit(around.both, p);
                match (bit(around.held, a), bit(around.held, b)) {
                    (1, 1) => value += self.use_run,
                    (0, 0) => {}
                    (1, 0) => value += [self.use_none, self.use_one, self.use_two][outs(b) as usize],
                    _ => value += [self.use_none, self.use_one, self.use_two][outs(a) as usize],
                }
                let risk = |p| outs(p) + self.feed_known * bit(around.known, p);
                danger += risk(a) * risk(b);
            }
            for step in [-1, 1] {
                let gap = place + step;
                if bit(around.melds, place + 2 * step) > 0 && bit(around.melds, gap) == 0 {
                    value += self.use_meld * (bit(around.any, gap) + bit(around.both, gap));
                }
            }
        }
        if twice {
            value -= self.use_twice;
        }
        let points = match rank {
            0 => 3,
            2..=6 => 1,
            _ => 2,
        };
        let late = i32::from(pos.stocked()) < self.late || i32::from(pos.hands[1 - pos.me].n) < 5;
        value += self.cost * points - if late { self.cost_late * points } else { 0 };
        if rank == 1 {
            value += self.keep_two;
        }
        let pile = (pos.pile().len() as i32).min(20) + self.feed_pile;
        value + self.feed * danger * pile / 16
    }
}

/// What lies around the cards of a suit: places held, held once or twice by nobody seen, known of the other hand, and
/// those of own melds.
struct Around {
    suit: usize,
    held: u16,
    any: u16,
    both: u16,
    known: u16,
    melds: u16,
}

impl Around {
    fn of(pos: &Pos, suit: usize, hand: &Hand) -> Self {
        let (any, both) = unseen(pos, pos.me, suit);
        let melds = pos.melds(pos.me).iter().filter(|run| usize::from(run.suit) == suit);
        Self {
            suit,
            held: hand.places(suit),
            any,
            both,
            known: pos.known[1 - pos.me].places(suit),
            melds: melds.fold(0, |all, run| all | run.places),
        }
    }
}
