//! Matches of a network with itself.

use std::sync::Arc;

use engines::game::{Game, Seat, State as _, Turn, Viewer};
use engines::games::splendor::engine::SETTINGS;
use engines::games::splendor::engine::net::PolicyNet;
use engines::games::splendor::engine::policy::{Assessment, TUNED};
use engines::games::splendor::engine::position::{Act, FastTable};
use engines::games::splendor::{Options, Splendor, State};
use engines::rng::Seed;
use engines::search_kit::fast_rng::FastRng;

use super::gumbel::{Effort, search};
use super::lesson::{Lesson, Ply, inputs_of, lessons};
use crate::parallel::in_order;
use crate::splendor::former;

/// The player of the matches.
#[derive(Clone)]
pub(super) enum Teacher {
    /// A network with the search of self-play.
    Net(Arc<PolicyNet>),
    /// Version 3 of the engine, to imitate.
    Former,
}

/// The settings of matches.
#[derive(Clone)]
pub(super) struct Style {
    /// Number of players.
    pub seats: u8,
    /// The player.
    pub teacher: Teacher,
    /// Iterations of a deep search, whose position is learned, and of a shallow one.
    pub iterations: [u32; 2],
    /// The share of the next ply's target in the target of a ply.
    pub memory: f32,
    /// One match in this many has the teacher in one seat and version 3 in the others; 0: none.
    pub rivals: usize,
}

/// One search in this many is deep.
const DEEP_ONE_IN: usize = 4;
/// Plies with much noise in the choice of actions, and how much; then there is less.
const OPENING: usize = 14;
const OPENING_NOISE: f32 = 0.8;
const LATER_NOISE: f32 = 0.3;
/// One match in this many starts from a position of other players.
const FOREIGN_ONE_IN: usize = 4;
/// Maximum number of plies that others play first.
const FOREIGN_PLIES: usize = 30;
/// Iterations of version 3 as an opponent.
const RIVAL_ITERATIONS: u32 = 60;
/// Maximum number of plies of a match that is learned from; a longer one is given up.
const LONGEST: usize = 400;

/// Plays this many matches on some threads. Equal seeds and counts give equal matches on any number of threads.
pub(super) fn play(style: &Style, games: u64, threads: usize, seed: u64) -> Vec<Lesson> {
    let of_match = |game| {
        let mut rng = FastRng::new(FastRng::new(seed.wrapping_mul(1_000_003).wrapping_add(game)).next_u64());
        let mut lessons = Vec::new();
        play_one(style, &mut rng, &mut lessons);
        Some(lessons)
    };
    in_order(games, threads, of_match).into_iter().flatten().collect()
}

/// One match.
fn play_one(style: &Style, rng: &mut FastRng, out: &mut Vec<Lesson>) {
    let options = Options { players: style.seats };
    let mut state =
        Splendor::deal(&options, &Seed::from(rng.next_u64())).expect("one to four seats can play");
    if rng.below(FOREIGN_ONE_IN) == 0 {
        foreign_opening(&mut state, style, rng);
    }
    let has_rivals = style.seats > 1 && style.rivals > 0 && rng.below(style.rivals) == 0;
    let own = has_rivals.then(|| Seat(rng.below(usize::from(style.seats)) as u8));
    let mut plies = Vec::new();
    while let Turn::Of(seat) = state.turn() {
        if plies.len() >= LONGEST {
            return;
        }
        let ply = match &style.teacher {
            Teacher::Net(net) if own.is_some_and(|own| own != seat) => rival_ply(net, seat, &mut state, rng),
            Teacher::Net(net) => learned_ply(style, net, seat, plies.len(), &mut state, rng),
            Teacher::Former => former_ply(style, seat, &mut state, rng),
        };
        plies.push(ply);
    }
    let end = FastTable::of(&state.view(Viewer::Spectator));
    lessons(plies, &end, end.worth(SETTINGS.margin), style.memory, out);
}

/// The view of the seat to move, with a guess of the cards that it does not see.
fn guessed(state: &State, seat: Seat, rng: &mut FastRng) -> FastTable {
    let mut table = FastTable::of(&state.view(Viewer::Seat(seat)));
    table.settle(rng);
    table
}

fn learned_ply(
    style: &Style,
    net: &Arc<PolicyNet>,
    seat: Seat,
    ply: usize,
    state: &mut State,
    rng: &mut FastRng,
) -> Ply {
    let table = guessed(state, seat, rng);
    let deep = rng.below(DEEP_ONE_IN) == 0;
    let effort = Effort {
        iterations: style.iterations[usize::from(!deep)],
        considered: if deep { 16 } else { 8 },
        noise: if ply < OPENING { OPENING_NOISE } else { LATER_NOISE },
    };
    let found = search(&table, net, effort, rng);
    state.play(&found.act.to_move());
    Ply {
        mover: seat.index(),
        round: table.round,
        values: found.values,
        learned: deep.then(|| (inputs_of(&table), found.policy)),
    }
}

/// A ply of version 3; its visits are the policy to imitate.
fn former_ply(style: &Style, seat: Seat, state: &mut State, rng: &mut FastRng) -> Ply {
    let table = guessed(state, seat, rng);
    let deep = rng.below(DEEP_ONE_IN) == 0;
    let iterations = style.iterations[usize::from(!deep)];
    let (visited, value) = former::search(&state.view(Viewer::Seat(seat)), iterations, rng.next_u64());
    let all: u32 = visited.iter().map(|(_, visits)| visits).sum();
    let policy: Vec<(Act, f32)> =
        visited.iter().map(|(act, visits)| (*act, *visits as f32 / all.max(1) as f32)).collect();
    // A sample of the visits, squared so that bad actions are rare.
    let mut at = rng.unit() * policy.iter().map(|(_, share)| share * share).sum::<f32>();
    let chosen = policy.iter().find(|(_, share)| {
        at -= share * share;
        at <= 0.0
    });
    state.play(&chosen.unwrap_or(&policy[0]).0.to_move());
    let others = (1.0 - value as f32) / f32::from(style.seats - 1).max(1.0);
    let mut values = [others; 4];
    values[seat.index()] = value as f32;
    Ply {
        mover: seat.index(),
        round: table.round,
        values,
        learned: deep.then(|| (inputs_of(&table), policy)),
    }
}

/// A ply of version 3 against the network, which values the position but does not learn the action.
fn rival_ply(net: &PolicyNet, seat: Seat, state: &mut State, rng: &mut FastRng) -> Ply {
    let table = guessed(state, seat, rng);
    let (visited, _) = former::search(&state.view(Viewer::Seat(seat)), RIVAL_ITERATIONS, rng.next_u64());
    state.play(&visited[0].0.to_move());
    Ply {
        mover: seat.index(),
        round: table.round,
        values: net.value(&table, &net.hidden(&table)),
        learned: None,
    }
}

/// Plays some plies as other players would: judgement with noise, version 3, or random actions.
fn foreign_opening(state: &mut State, style: &Style, rng: &mut FastRng) {
    let plies = rng.below(FOREIGN_PLIES);
    let kind = rng.below(3);
    for _ in 0..plies {
        let before = state.clone();
        let Turn::Of(seat) = state.turn() else { break };
        let table = guessed(state, seat, rng);
        let assessment = Assessment::new(&table, &TUNED, 0.6, rng);
        let mut moves = Vec::new();
        let act = match kind {
            0 if style.seats > 1 => {
                former::search(&state.view(Viewer::Seat(seat)), 30, rng.next_u64()).0[0].0
            }
            1 if rng.below(3) == 0 => {
                assessment.all(&table, &TUNED, &mut moves);
                moves[rng.below(moves.len())].0
            }
            _ => assessment.best(&table, &TUNED),
        };
        state.play(&act.to_move());
        if state.turn() == Turn::Over {
            *state = before;
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::learner::Learner;
    use super::super::lesson;
    use super::*;

    #[test]
    fn equal_seeds_give_equal_matches_on_any_number_of_threads() {
        let file = Learner::new(2, &mut FastRng::new(1)).file();
        let net = Arc::new(PolicyNet::read(&file, 2).unwrap());
        for teacher in [Teacher::Net(net), Teacher::Former] {
            let style = Style { seats: 2, teacher, iterations: [16, 4], memory: 0.9, rivals: 2 };
            let [one, two] = [1, 2].map(|threads| play(&style, 6, threads, 5));
            assert!(one.len() > 20, "{} positions", one.len());
            let folder = tempfile::tempdir().unwrap();
            let files = [one, two].map(|lessons| {
                let path = folder.path().join("lessons");
                lesson::write(&path, &lessons).unwrap();
                assert_eq!(lesson::read(&path).unwrap().len(), lessons.len());
                std::fs::read(path).unwrap()
            });
            assert_eq!(files[0], files[1]);
        }
    }
}
