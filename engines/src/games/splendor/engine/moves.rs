//! The actions of a position that matter to a search.

use super::position::{Act, ActionKind, FAST, FastPlayer, FastTable, Lanes, minus, sum};
use crate::games::splendor::rules::{COLORS, GOLD, LEVELS, RESERVE_LIMIT};

/// All legal actions, each effect once. To return a colour just taken is the same as to take less, so that form is left
/// out. A pass is listed only if there is nothing else.
pub(super) fn legal(pos: &FastTable, out: &mut Vec<Act>) {
    out.clear();
    let me = pos.mover();
    for id in pos.face_up.as_flattened().iter().chain(&me.reserved).filter(|id| **id != 0) {
        if lacking(me, *id) == 0 {
            out.push(Act::new(ActionKind::Buy, *id));
        }
    }
    for set in 1..1u8 << COLORS {
        if set.count_ones() <= 3 && (0..COLORS).all(|c| pos.bank[c] >= set >> c & 1) {
            with_returns(pos, Act::new(ActionKind::Take, set), set, set.count_ones() as u8, out);
        }
    }
    for c in (0..COLORS).filter(|c| pos.bank[*c] >= 4) {
        with_returns(pos, Act::new(ActionKind::Two, c as u8), 1 << c, 2, out);
    }
    if usize::from(me.reserved_n) < RESERVE_LIMIT {
        let gold = pos.bank[GOLD].min(1);
        for id in pos.face_up.as_flattened().iter().filter(|id| **id != 0) {
            with_returns(pos, Act::new(ActionKind::Reserve, *id), 0, gold, out);
        }
        for level in (0..LEVELS).filter(|level| pos.left[*level] > 0) {
            with_returns(pos, Act::new(ActionKind::Top, level as u8), 0, gold, out);
        }
    }
    if out.is_empty() {
        out.push(Act::PASS);
    }
}

/// The legal actions that no other one dominates. An action that takes fewer chips than it could is listed only if one
/// chip more would require a return.
pub(super) fn undominated(pos: &FastTable, out: &mut Vec<Act>) {
    legal(pos, out);
    let open = (0..COLORS).filter(|c| pos.bank[*c] > 0).count().min(3) as u32;
    out.retain(|act| {
        let taken = act.arg.count_ones();
        act.kind != ActionKind::Take || taken == open || pos.excess(taken as u8 + 1) > 0
    });
}

/// Chips that the player lacks for a card, gold counted in.
pub(super) fn lacking(player: &FastPlayer, id: u8) -> u8 {
    let need = minus(&FAST[usize::from(id)].cost, &player.bonus);
    sum(&minus(&need, &player.chips)).saturating_sub(player.chips[GOLD])
}

/// Lists the action with every set of returns that it requires, none of the colours in `taken`.
fn with_returns(pos: &FastTable, act: Act, taken: u8, gained: u8, out: &mut Vec<Act>) {
    fn spread(chips: &Lanes, mut act: Act, taken: u8, from: usize, due: u8, out: &mut Vec<Act>) {
        if due == 0 {
            out.push(act);
            return;
        }
        for c in from..COLORS {
            if taken >> c & 1 == 0 && act.returned(c) < chips[c] {
                act.returns += 1 << (2 * c);
                spread(chips, act, taken, c, due - 1, out);
                act.returns -= 1 << (2 * c);
            }
        }
    }
    spread(&pos.mover().chips, act, taken, 0, pos.excess(gained), out);
}

/// Keeps only the actions that win at once, if there are any. Else leaves out those that let the next seat win, unless
/// all do. `act` finds the action of an entry.
pub fn sift<T>(table: &FastTable, moves: &mut Vec<T>, act: impl Fn(&T) -> Act) {
    if !table.is_late() {
        return;
    }
    // All actions that take chips decide the match alike, unless the mover still needs the chips.
    let mut by_chips = None;
    let chips_matter = table.may_answer();
    let mut decided_by = |act: Act| match act.kind {
        ActionKind::Take | ActionKind::Two if !chips_matter => {
            *by_chips.get_or_insert_with(|| table.decided_by(act))
        }
        _ => table.decided_by(act),
    };
    let decided: Vec<Option<bool>> = moves.iter().map(|entry| decided_by(act(entry))).collect();
    let keep = if decided.contains(&Some(true)) {
        |d: &Option<bool>| *d == Some(true)
    } else if decided.iter().any(|d| *d != Some(false)) {
        |d: &Option<bool>| *d != Some(false)
    } else {
        return;
    };
    let mut at = decided.iter();
    moves.retain(|_| at.next().is_some_and(keep));
}
