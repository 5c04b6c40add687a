//! The end of a match: the value of a result, and the wins and losses of the last round that are already certain.

use std::cmp::Reverse;

use super::super::rules::{GOAL, GOLD, ROUNDS, SEATS};
use super::position::{Act, ActionKind, FAST, FastPlayer, FastTable, NoCard, minus, sum};

/// The most that a purchase brings: a card of 5 points and a noble.
const LEAP: u8 = 8;

/// Rounds that a good player alone at the table needs.
const USUAL: f32 = 22.0;

impl FastTable {
    /// The value of the finished match to each seat, 0 to 1: the score, with a `share` of the margin, so that the search
    /// plays well in decided matches too. A player alone at the table has only its speed: if it reaches the goal, fewer
    /// rounds give a higher score, with one half after 22 rounds.
    pub fn worth(&self, share: f32) -> [f32; SEATS] {
        let seats = usize::from(self.seats);
        let standing = |p: &FastPlayer| (p.points, Reverse(p.cards));
        let all = &self.players[..seats];
        let best = all.iter().map(standing).max().unwrap_or_default();
        let winners = all.iter().filter(|p| standing(p) == best).count() as f32;
        let mut worth = [0.0; SEATS];
        for seat in 0..seats {
            let won = u32::from(best.0) >= GOAL && standing(&all[seat]) == best;
            let score = if won { 1.0 / winners } else { 0.0 };
            worth[seat] = if seats == 1 {
                score / (1.0 + (f32::from(self.round) / USUAL).powi(4))
            } else {
                let other = (0..seats).filter(|s| *s != seat).map(|s| all[s].points).max().unwrap_or(0);
                let margin = (f32::from(all[seat].points) - f32::from(other)) / 30.0;
                (1.0 - share) * score + share * (0.5 + margin.clamp(-0.5, 0.5))
            };
        }
        worth
    }

    /// Whether the player can pay for the card.
    #[inline]
    pub fn can_pay(player: &FastPlayer, id: u8) -> bool {
        let need = minus(&FAST[usize::from(id)].cost, &player.bonus);
        sum(&minus(&need, &player.chips)) <= player.chips[GOLD]
    }

    /// The result for each seat if neither chance nor the other seats can change it. Either the last seat of a round wins
    /// by a purchase, or it chooses the end of a match that ends anyway, or the first of two seats reaches the goal and the
    /// second cannot answer.
    pub fn forced(&self, share: f32) -> Option<[f32; SEATS]> {
        let seats = usize::from(self.seats);
        let me = usize::from(self.to_move);
        let last = me + 1 == seats;
        let rich = |p: &FastPlayer| u32::from(p.points + LEAP) >= GOAL;
        let ends = self.players[..seats].iter().any(|p| u32::from(p.points) >= GOAL);
        if seats == 1 || (!last && (seats > 2 || ends)) || !(ends || rich(&self.players[me])) {
            return None;
        }
        let mut best: Option<[f32; SEATS]> = None;
        let mut better = |worth: [f32; SEATS]| {
            if best.is_none_or(|best| worth[me] > best[me]) {
                best = Some(worth);
            }
        };
        let own = &self.players[me];
        for id in self.face_up.as_flattened().iter().chain(&own.reserved).filter(|id| **id != 0) {
            let most = own.points + FAST[usize::from(*id)].points + 3;
            if (ends || u32::from(most) >= GOAL) && Self::can_pay(own, *id) {
                let mut after = self.clone();
                after.play(Act::new(ActionKind::Buy, *id), &mut NoCard);
                if after.over() {
                    better(after.worth(share));
                } else if u32::from(after.players[me].points) >= GOAL {
                    // The second seat might also answer with the card that comes now; that chance is ignored.
                    after.forced(share).into_iter().for_each(&mut better);
                }
            }
        }
        if ends {
            let mut after = self.clone();
            after.play(Act::PASS, &mut NoCard);
            better(after.worth(share));
            return best;
        }
        best.filter(|worth| worth[me] > 0.9 * (1.0 - share))
    }

    /// Whether the mover's chips may still decide the match after its action: the mover is the second of two, and the first
    /// can reach the goal in the next round, which the second may answer.
    pub fn may_answer(&self) -> bool {
        let other = &self.players[0];
        let reaches = |id: u8| {
            let most = other.points + FAST[usize::from(id)].points + 3;
            u32::from(most) >= GOAL && Self::can_pay(other, id)
        };
        let mut open = self.face_up.as_flattened().iter().chain(&other.reserved).filter(|id| **id != 0);
        self.seats == 2 && self.to_move == 1 && open.any(|id| reaches(*id))
    }

    /// Whether the action decides the match at once: `Some(true)`: the mover wins; `Some(false)`: the next seat does.
    pub fn decided_by(&self, act: Act) -> Option<bool> {
        let me = usize::from(self.to_move);
        let mut after = self.clone();
        after.play(act, &mut NoCard);
        let worth = if after.over() { after.worth(0.0) } else { after.forced(0.0)? };
        // A player alone at the table can do nothing better than to reach the goal.
        Some(worth[me] > if self.seats == 1 { 0.0 } else { 0.9 })
    }

    /// Whether a player may be near enough to the goal for [`Self::decided_by`] to matter.
    #[inline]
    pub fn is_late(&self) -> bool {
        let near = |p: &FastPlayer| u32::from(p.points + LEAP) >= GOAL;
        self.round + 1 >= ROUNDS || self.players[..usize::from(self.seats)].iter().any(near)
    }
}
