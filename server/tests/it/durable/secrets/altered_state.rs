//! Alters a dealt state: changes as many values as possible that one viewer never sees. Every view of that viewer, at
//! every ply of the given moves, stays the same.

use std::collections::BTreeSet;

use engines::game::{Game, Seat, State, Table, Viewer};
use engines::rng::{Rng, Seed};
use serde_json::Value;

/// A move of a match.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ply {
    pub seat: Seat,
    pub notation: String,
}

/// A dealt state that differs only in hidden values.
pub(super) struct AlteredState {
    pub state: Value,
    /// The number of values that changed.
    pub differ: usize,
    /// Values that could be exchanged without the viewer noticing.
    pub hidden: usize,
}

/// Small changes that are tried.
const TRIES: usize = 200;

/// Alters the dealt state of a match in which these moves are made.
pub(super) fn alter(game: &str, dealt: &Value, plies: &[Ply], viewer: Viewer, rng: &mut Rng) -> AlteredState {
    use engines::games::{azul, buraco, ioiwari, septica, splendor};
    match game {
        "azul" => of::<azul::Azul>(dealt, plies, viewer, rng),
        "buraco" => of::<buraco::Buraco>(dealt, plies, viewer, rng),
        "ioiwari" => of::<ioiwari::Ioiwari>(dealt, plies, viewer, rng),
        "septica" => of::<septica::Septica>(dealt, plies, viewer, rng),
        "splendor" => of::<splendor::Splendor>(dealt, plies, viewer, rng),
        other => panic!("a line for {other} is missing here"),
    }
}

/// Exchanges pairs of values of the state, and keeps the exchanges that the viewer cannot notice.
fn of<G: Game>(dealt: &Value, plies: &[Ply], viewer: Viewer, rng: &mut Rng) -> AlteredState {
    let seen = views::<G>(dealt, plies, viewer, None).expect("the true match can be played");
    let mut leaves = Vec::new();
    collect(dealt, String::new(), &mut leaves);
    let sorted: Vec<&str> = parents(&leaves).into_iter().filter(|list| is_sorted(dealt, list)).collect();
    let mut state = dealt.clone();
    let mut hidden = BTreeSet::new();
    let seeds: Vec<&String> = leaves.iter().filter(|leaf| is_seed(dealt, leaf)).collect();
    for n in 0..seeds.len() + TRIES {
        let mut other = state.clone();
        let one = seeds.get(n).copied().unwrap_or_else(|| &leaves[rng.below(leaves.len())]);
        let touched = disturb(&mut other, one, &leaves, &sorted, rng);
        if other != state && views::<G>(&other, plies, viewer, Some(&seen)).is_some() {
            state = other;
            hidden.extend(touched);
        }
    }
    let differ = leaves.iter().filter(|leaf| state.pointer(leaf) != dealt.pointer(leaf)).count();
    AlteredState { state, differ, hidden: hidden.len() }
}

/// The views of the viewer before each of these moves and after the last. `None`: there is no such match, or the viewer
/// sees anything else than `expected`.
fn views<G: Game>(
    dealt: &Value,
    plies: &[Ply],
    viewer: Viewer,
    expected: Option<&[G::View]>,
) -> Option<Vec<G::View>> {
    let state: G::State = serde_json::from_value(dealt.clone()).ok()?;
    state.audit().ok()?;
    let mut table = Table::<G>::new(state);
    let mut seen = Vec::new();
    for n in 0..=plies.len() {
        let view = table.state().view(viewer);
        if expected.is_some_and(|expected| expected[n] != view) {
            return None;
        }
        seen.push(view);
        if let Some(Ply { seat, notation }) = plies.get(n) {
            table.play(*seat, &notation.parse().ok()?).ok()?;
        }
    }
    Some(seen)
}

/// Exchanges two values of the same kind, or replaces a seed; returns which values changed.
fn disturb<'a>(
    state: &mut Value,
    a: &'a String,
    leaves: &'a [String],
    sorted: &[&str],
    rng: &mut Rng,
) -> Vec<&'a String> {
    if is_seed(state, a) {
        *state.pointer_mut(a).unwrap() = rng.seed().to_string().into();
        return vec![a];
    }
    let b = &leaves[rng.below(leaves.len())];
    let [one, two] = [a, b].map(|leaf| state.pointer(leaf).cloned().unwrap());
    if one.is_string() != two.is_string() || one.is_number() != two.is_number() || one.is_boolean() {
        return Vec::new();
    }
    *state.pointer_mut(a).unwrap() = two;
    *state.pointer_mut(b).unwrap() = one;
    for list in sorted.iter().filter(|list| [a, b].iter().any(|leaf| parent(leaf) == **list)) {
        let list = state.pointer_mut(list).and_then(Value::as_array_mut).unwrap();
        list.sort_by_key(Value::as_i64);
    }
    vec![a, b]
}

/// Whether the next input is the value of this key.
fn is_seed(state: &Value, leaf: &str) -> bool {
    let text = state.pointer(leaf).and_then(Value::as_str);
    text.is_some_and(|text| text.len() == 64 && text.parse::<Seed>().is_ok())
}

/// The places of all values that are neither lists nor objects.
fn collect(value: &Value, place: String, leaves: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, item)| collect(item, format!("{place}/{i}"), leaves));
        }
        Value::Object(fields) => {
            fields.iter().for_each(|(name, field)| collect(field, format!("{place}/{name}"), leaves));
        }
        _ => leaves.push(place),
    }
}

fn parent(leaf: &str) -> &str {
    leaf.rsplit_once('/').map_or("", |(parent, _)| parent)
}

fn parents(leaves: &[String]) -> BTreeSet<&str> {
    leaves.iter().map(|leaf| parent(leaf)).collect()
}

/// Whether this is a sorted list of numbers.
fn is_sorted(dealt: &Value, list: &str) -> bool {
    let items = dealt.pointer(list).and_then(Value::as_array);
    items
        .is_some_and(|items| items.len() > 1 && items.is_sorted_by_key(Value::as_i64) && items[0].is_number())
}
