//! Positions to learn from, and their files.

use std::path::Path;

use engines::games::splendor::engine::inputs::each_input;
use engines::games::splendor::engine::position::{Act, ActionKind, FastTable};
use serde::{Deserialize, Serialize};

use super::gumbel::Values;

/// A position and the outputs that a network should have for it. Seats count from the mover on.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct Lesson {
    /// The inputs that are true.
    pub inputs: Vec<u16>,
    /// The actions, and the share with which each should be played.
    pub policy: Vec<(PackedAct, f32)>,
    /// The value to each seat, 0 to 1.
    pub values: Vec<f32>,
    /// The points of each seat at the end of the match.
    pub points: Vec<u8>,
    /// Rounds until the end of the match.
    pub rounds_left: u8,
}

/// An action as a file stores it: kind, argument, returns.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub(super) struct PackedAct(u8, u8, u16);

const KINDS: [ActionKind; 5] =
    [ActionKind::Take, ActionKind::Two, ActionKind::Reserve, ActionKind::Top, ActionKind::Buy];

impl From<Act> for PackedAct {
    fn from(act: Act) -> Self {
        Self(act.kind as u8, act.arg, act.returns)
    }
}

impl From<PackedAct> for Act {
    fn from(PackedAct(kind, arg, returns): PackedAct) -> Self {
        Self { kind: KINDS[usize::from(kind)], arg, returns }
    }
}

/// The inputs that are true of a position.
pub(super) fn inputs_of(table: &FastTable) -> Vec<u16> {
    let mut inputs = Vec::with_capacity(192);
    each_input(table, |input| inputs.push(u16::try_from(input).expect("there are fewer inputs")));
    inputs
}

/// The actions, and the share with which each should be played.
pub(super) type ActionShares = Vec<(Act, f32)>;

/// The data of a ply of a match, known before the match is over.
pub(super) struct Ply {
    /// The seat that moved.
    pub mover: usize,
    pub round: u8,
    /// The value of the position to each seat, as the search found it.
    pub values: Values,
    /// The inputs and the improved policy, if the position is to be learned.
    pub learned: Option<(Vec<u16>, ActionShares)>,
}

/// The lessons of a finished match. The target of a ply mixes the result and the values found at later plies: `memory` is
/// the share of the next ply's target, as in TD(lambda); 1 learns from results alone.
pub(super) fn lessons(plies: Vec<Ply>, end: &FastTable, worth: Values, memory: f32, out: &mut Vec<Lesson>) {
    let seats = usize::from(end.seats);
    let mut target = worth;
    let from_mover = |mover: usize| (0..seats).map(move |i| (mover + i) % seats);
    for ply in plies.into_iter().rev() {
        for (target, value) in target.iter_mut().zip(ply.values) {
            *target = memory * *target + (1.0 - memory) * value;
        }
        if let Some((inputs, policy)) = ply.learned {
            out.push(Lesson {
                inputs,
                policy: policy.into_iter().map(|(act, share)| (act.into(), share)).collect(),
                values: from_mover(ply.mover).map(|seat| target[seat]).collect(),
                points: from_mover(ply.mover).map(|seat| end.players[seat].points).collect(),
                rounds_left: end.round - ply.round,
            });
        }
    }
}

/// Writes lessons to a file, whole or not at all.
pub(super) fn write(path: &Path, lessons: &[Lesson]) -> Result<(), String> {
    let bytes = postcard::to_stdvec(lessons).map_err(|e| format!("cannot store positions: {e}"))?;
    super::state::write(path, &bytes)
}

/// The lessons of a file.
pub(super) fn read(path: &Path) -> Result<Vec<Lesson>, String> {
    let bytes = std::fs::read(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
    postcard::from_bytes(&bytes).map_err(|e| format!("{} holds no positions: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use engines::game::{Game, State as _, Viewer};
    use engines::games::splendor::{Options, Splendor};
    use engines::rng::Seed;

    use super::*;

    /// A match of two plies, won by seat 0.
    fn of_memory(memory: f32) -> Vec<Lesson> {
        let state = Splendor::deal(&Options { players: 2 }, &Seed::from(3)).unwrap();
        let mut end = FastTable::of(&state.view(Viewer::Spectator));
        (end.players[0].points, end.round) = (16, 9);
        let ply = |mover, value: f32| Ply {
            mover,
            round: 8,
            values: [value, 1.0 - value, 0.0, 0.0],
            learned: Some((vec![1], vec![(Act::PASS, 1.0)])),
        };
        let mut out = Vec::new();
        lessons(vec![ply(0, 0.5), ply(1, 0.8)], &end, [1.0, 0.0, 0.0, 0.0], memory, &mut out);
        out
    }

    #[test]
    fn targets_mix_results_and_later_values_from_the_movers_view() {
        let [last, first] = of_memory(1.0).try_into().ok().unwrap();
        assert_eq!((last.values, last.points, last.rounds_left), (vec![0.0, 1.0], vec![0, 16], 1));
        assert_eq!((first.values, first.points), (vec![1.0, 0.0], vec![16, 0]));
        let [last, first] = of_memory(0.5).try_into().ok().unwrap();
        assert!((last.values[1] - 0.9).abs() < 1e-6 && (first.values[0] - 0.7).abs() < 1e-6);
    }

    #[test]
    fn acts_survive_their_file() {
        for kind in KINDS {
            let act = Act { kind, arg: 2, returns: 5 };
            assert_eq!(Act::from(PackedAct::from(act)), act);
        }
    }
}
