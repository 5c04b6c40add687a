// Septica's moves: how each is chosen, its words, who takes a trick, and stable names for the cards. Pure: it draws
// nothing.

/** @import {Translate} from '/web/types.ts' */
/** @typedef {{leader: number, hands: number[], hand: number[], trick: number[], taken: number[][], deck: number, draws?: string,
 *   past?: number[][], open?: number[][], viewer?: {seat: number} | null}} View a position: cards are ranks, 7 to 14 */
/** @typedef {'stop' | {card: number}} Move */
/** @typedef {ReturnType<typeof pieces>} Names */

/**
 * Whether a card cuts in a trick that began with `led`.
 * @param {number} card
 * @param {number} led
 */
export const cuts = (card, led) => card === 7 || card === led;

/**
 * Whether a card counts a point.
 * @param {number} card
 */
export const counts = (card) => card === 10 || card === 14;

/**
 * The points of some cards.
 * @param {number[]} cards
 */
export const points = (cards) => cards.filter(counts).length;

/**
 * The seat that takes a trick if it ends here: the follower if it played the last card and that card cuts, else the
 * leader.
 * @param {number} leader
 * @param {number[]} trick
 */
export function taker(leader, trick) {
  const answered = trick.length > 0 && trick.length % 2 === 0;
  return answered && cuts(trick[trick.length - 1], trick[0]) ? 1 - leader : leader;
}

/**
 * The seat to move.
 * @param {View} view
 */
export const mover = (view) => (view.trick.length % 2 === 0 ? view.leader : 1 - view.leader);

/**
 * Whether the leader may stop, or cut once more.
 * @param {View} view
 */
export const mayStop = (view) => view.trick.length > 0 && view.trick.length % 2 === 0;

/** @param {Move} move */
export function paths(move) {
  return [[move === 'stop' ? 'stop' : `card:${move.card}`]];
}

/**
 * A move in words.
 * @param {Move} move
 * @param {View} view
 * @param {Translate} t
 */
export function say(move, view, t) {
  const worth = points(view.trick);
  if (move === 'stop') return t(worth > 0 ? 'say.stop.points' : 'say.stop', { n: worth });
  const card = t(`name.${move.card}`);
  if (view.trick.length === 0) return t('say.lead', { card });
  if (mayStop(view)) return t('say.again', { card });
  return t(cuts(move.card, view.trick[0]) ? 'say.cut' : 'say.give', { card });
}

/**
 * A move that is chosen before the turn, in words.
 * @param {Move} move
 * @param {View} view
 * @param {Translate} t
 */
export function ahead(move, view, t) {
  if (move === 'stop') return t('ahead.stop');
  return t(view.trick.length === 0 ? 'ahead.answer' : 'ahead.lead', { card: t(`name.${move.card}`) });
}

/**
 * The positions between two: a card that ends the trick is shown on the table before the trick is taken.
 * @param {View} before
 * @param {Move} move
 * @param {View} after
 */
export function steps(before, move, after) {
  if (move === 'stop' || after.trick.length > 0) return [];
  const seat = mover(before);
  const hands = before.hands.map((n, at) => (at === seat ? n - 1 : n));
  const hand = before.viewer?.seat === seat ? without(before.hand, move.card) : before.hand;
  return [{ ...before, trick: [...before.trick, move.card], hands, hand }];
}

/**
 * @param {number[]} cards
 * @param {number} card
 */
function without(cards, card) {
  const at = cards.indexOf(card);
  return cards.filter((_, i) => i !== at);
}

/**
 * Names of cards that stay the same in the hand, in the trick and among the taken cards. A card of the viewer is named
 * by its rank; a card of another seat by the order of play, because it is hidden until then. `own(rank, copy)`: a card
 * of the viewer's hand; `back(seat, place)`: a hidden card.
 * @param {View} view
 * @param {number | null} me
 */
export function pieces(view, me) {
  const played = [0, 0];
  /** @type {Map<number, number>} */
  const ranks = new Map();
  const nameOf = (/** @type {number} */ seat, /** @type {number} */ card) => {
    const place = played[seat];
    played[seat] += 1;
    if (seat !== me) return `${seat}:${place}`;
    const copy = ranks.get(card) ?? 0;
    ranks.set(card, copy + 1);
    return `own:${card}:${copy}`;
  };
  /** @type {{rank: number, name: string}[][]} */
  const taken = [[], []];
  let leader = 0;
  for (const trick of view.past ?? []) {
    const named = trick.map((card, i) => ({ rank: card, name: nameOf(i % 2 === 0 ? leader : 1 - leader, card) }));
    leader = taker(leader, trick);
    taken[leader].push(...named);
  }
  for (const seat of [0, 1]) {
    // Cards that no known trick explains: the view has no past tricks, or a hand was taken at the end.
    const left = [...view.taken[seat]];
    for (const { rank } of taken[seat]) left.splice(left.indexOf(rank), 1);
    left.forEach((rank, i) => taken[seat].push({ rank, name: `untold:${seat}:${i}` }));
  }
  const trick = view.trick.map((card, i) => nameOf(i % 2 === 0 ? view.leader : 1 - view.leader, card));
  return {
    trick,
    taken,
    own: (/** @type {number} */ rank, /** @type {number} */ copy) => `own:${rank}:${(ranks.get(rank) ?? 0) + copy}`,
    back: (/** @type {number} */ seat, /** @type {number} */ place) => `${seat}:${played[seat] + place}`,
  };
}
