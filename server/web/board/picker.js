// Puts a move together from targets chosen one after another: the targets that may be chosen next, the complete move, and
// the targets that a click takes back. Pure: it knows neither page nor game.

/** @import {LegalMove, Scene} from '../types.ts' */
/** @typedef {{move: LegalMove, path: string[][]}} Route a legal move and how it is chosen: groups of targets, one group
 * after another, the targets of a group in any order */
/** @typedef {{routes: Route[], choices?: Set<string>,
 *   offered?: (picked: string[]) => Map<string, LegalMove> | undefined}} Ways all that can be chosen: the routes, and, in
 * games with free choices, the targets that may be chosen freely (`choices`) and the moves that a free choice makes, by
 * the target that completes them (`offered`; undefined while that is unknown) */
/** @typedef {ReturnType<typeof look>} Look the state of a choice */

/** @type {Map<string, LegalMove>} */
const NOTHING = new Map();

/**
 * The rest of a path after the chosen targets: `{next}` with the targets that may come next, empty when the path is
 * complete; null if the targets do not begin the path.
 * @param {string[][]} path
 * @param {string[]} picked
 */
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

/**
 * The state of a choice: `next`, the targets that may be chosen next; `move`, the complete move, or null; `more`,
 * whether a longer move begins the same way.
 * @param {Ways} ways
 * @param {string[]} picked
 */
export function look(ways, picked) {
  /** @type {Set<string>} */
  const next = new Set();
  /** @type {LegalMove | null} */
  let move = null;
  for (const route of ways.routes) {
    const left = rest(route.path, picked);
    if (left === null) continue;
    if (left.next.length === 0) move ??= route.move;
    for (const target of left.next) next.add(target);
  }
  const choices = ways.choices ?? new Set();
  const latest = picked.at(-1);
  if (choices.size > 0 && latest !== undefined) {
    const before = picked.slice(0, -1);
    if (free(choices, before)) move ??= (ways.offered?.(before) ?? NOTHING).get(latest) ?? null;
  }
  if (free(choices, picked)) {
    for (const target of choices) if (!picked.includes(target)) next.add(target);
    for (const target of (ways.offered?.(picked) ?? NOTHING).keys()) next.add(target);
  }
  return { next, move, more: next.size > 0 };
}

/**
 * Whether all these targets are free choices.
 * @param {Set<string>} choices
 * @param {string[]} picked
 */
export function free(choices, picked) {
  return choices.size > 0 && picked.every((target) => choices.has(target));
}

/**
 * The choice after a click on a target: the target is added; or it is taken back, with those that depended on it; or it
 * replaces a target that was chosen before. The same list if the click means nothing.
 * @param {Ways} ways
 * @param {string[]} picked
 * @param {string} target
 */
export function choose(ways, picked, target) {
  if (look(ways, picked).next.has(target)) return [...picked, target];
  if (picked.includes(target)) return without(ways, picked, picked.lastIndexOf(target));
  for (let kept = picked.length - 1; kept >= 0; kept -= 1) {
    const before = picked.slice(0, kept);
    if (look(ways, before).next.has(target)) return [...before, target];
  }
  return picked;
}

/**
 * The choice without the target at `place` and without those that only it made possible.
 * @param {Ways} ways
 * @param {string[]} picked
 * @param {number} place
 */
function without(ways, picked, place) {
  const kept = picked.slice(0, place);
  for (const target of picked.slice(place + 1)) {
    if (look(ways, kept).next.has(target)) kept.push(target);
  }
  return kept;
}

/**
 * Whether these targets begin or make a move.
 * @param {Ways} ways
 * @param {string[]} picked
 */
export function isPossible(ways, picked) {
  return picked.every((target, place) => look(ways, picked.slice(0, place)).next.has(target));
}

/** A choice of which a part was made before the turn. It goes on as soon as something can be chosen again. */
export class BegunChoice {
  /** @type {string[]} */
  #picked = [];

  /**
   * The choice with which a scene begins, which need not be possible in it.
   * @param {Scene} scene
   * @param {Scene} before the scene before it
   * @param {string[]} picked the choice in the scene before it
   */
  next(scene, before, picked) {
    const same = sameTurn(scene, before);
    if (before.ahead) this.#picked = before.ahead.chosen ? [] : picked;
    // The board is seen from another seat, or nothing may be chosen before this turn any more.
    if (scene.me !== before.me || (same && before.ahead && !scene.ahead && scene.step === undefined)) this.#picked = [];
    if (scene.moves.length === 0 && !scene.ahead) return [];
    const begun = this.#picked;
    this.#picked = [];
    return same && picked.length > 0 ? picked : begun;
  }
}

/**
 * Whether two scenes show the same turn: the same legal moves may be those of another player, or of another position.
 * @param {Scene} one
 * @param {Scene} other
 */
function sameTurn(one, other) {
  const turn = (/** @type {Scene} */ { me, turn: seat, moves, view }) => JSON.stringify([me, seat, moves, view]);
  return one === other || turn(one) === turn(other);
}

/**
 * Two moves that are chosen in the same way, or null. A board must not have such moves.
 * @template Move
 * @param {{move: Move, path: string[][]}[]} routes
 * @returns {[Move, Move] | null}
 */
export function clash(routes) {
  /** @type {Map<string, Move>} */
  const seen = new Map();
  for (const route of routes) {
    const name = JSON.stringify(route.path.map((group) => [...group].sort()));
    const other = seen.get(name);
    if (other !== undefined) return [other, route.move];
    seen.set(name, route.move);
  }
  return null;
}
