// How a move is put together from things chosen on a board, one after another: what may be chosen next, which move is
// complete, what is taken back. Pure: it knows no page and no game.
//
// `ways`: `{routes: [{move, path}], choices, offered}`. A path is a list of groups of targets, chosen group after
// group, within a group in any order. `choices` (a Set) may be chosen freely; `offered(picked)` is the Map from
// target to move of what free choices make, undefined where nobody has said yet.

const NOTHING = new Map();

// What the chosen targets leave of a path: `{next}` with those that may come next, none when it is complete; null where
// they do not begin it.
export function rest(path, picked) {
  let place = 0;
  for (const group of path) {
    const left = [...group];
    while (left.length > 0) {
      if (place === picked.length) return { next: left };
      const found = left.indexOf(picked[place]);
      if (found < 0) return null;
      left.splice(found, 1);
      place += 1;
    }
  }
  return place === picked.length ? { next: [] } : null;
}

// Where the choice stands: `next`, a Set of targets; `move`, the one that is complete, or null; `more`, whether a
// longer one begins with it.
export function look(ways, picked) {
  const next = new Set();
  let move = null;
  for (const route of ways.routes) {
    const left = rest(route.path, picked);
    if (left === null) continue;
    if (left.next.length === 0) move ??= route.move;
    for (const target of left.next) next.add(target);
  }
  const choices = ways.choices ?? new Set();
  if (choices.size > 0 && picked.length > 0) {
    const before = picked.slice(0, -1);
    if (free(choices, before)) move ??= (ways.offered?.(before) ?? NOTHING).get(picked.at(-1)) ?? null;
  }
  if (free(choices, picked)) {
    for (const target of choices) if (!picked.includes(target)) next.add(target);
    for (const target of (ways.offered?.(picked) ?? NOTHING).keys()) next.add(target);
  }
  return { next, move, more: next.size > 0 };
}

// Whether these are all chosen freely.
export function free(choices, picked) {
  return choices.size > 0 && picked.every((target) => choices.has(target));
}

// The choice after a click on a target: it is chosen; or taken back with what depended on it; or it takes the place of
// what was chosen instead of it. The same list where the click means nothing.
export function choose(ways, picked, target) {
  if (look(ways, picked).next.has(target)) return [...picked, target];
  if (picked.includes(target)) return without(ways, picked, picked.lastIndexOf(target));
  for (let kept = picked.length - 1; kept >= 0; kept -= 1) {
    const before = picked.slice(0, kept);
    if (look(ways, before).next.has(target)) return [...before, target];
  }
  return picked;
}

// The choice without the one at this place and without those that it alone made possible.
function without(ways, picked, place) {
  const kept = picked.slice(0, place);
  for (const target of picked.slice(place + 1)) {
    if (look(ways, kept).next.has(target)) kept.push(target);
  }
  return kept;
}

// Whether these targets are a way to begin or to make a move.
export function stands(ways, picked) {
  return picked.every((target, place) => look(ways, picked.slice(0, place)).next.has(target));
}

// Two moves that are made in the same way, or null: a board must not have such.
export function clash(routes) {
  const seen = new Map();
  for (const route of routes) {
    const name = JSON.stringify(route.path.map((group) => [...group].sort()));
    if (seen.has(name)) return [seen.get(name), route.move];
    seen.set(name, route.move);
  }
  return null;
}
