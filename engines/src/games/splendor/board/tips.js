// Tips for a first match of Splendor, each derived from the position and the legal moves. The texts are in en.json:
// `tip.ID`.

/** @import {LegalMove, Tip, Translate} from '/web/types.ts' */
/** @import {Move, Player, View} from './moves.js' */

import { COLOURS, card, noble } from './cards.js';
import { GOAL, HAND_LIMIT, amounts, bonuses, chipTarget, describe, held, isOver, list, points, price } from './moves.js';

/**
 * The chips of each colour that a player lacks for a card, without gold.
 * @param {Player} player
 * @param {number} id
 */
function lacks(player, id) {
  const bonus = bonuses(player);
  return COLOURS.map((colour) => ({ colour, n: Math.max(0, card(id).cost[colour] - bonus[colour] - player.chips[colour]) }))
    .filter(({ n }) => n > 0);
}

/**
 * A card with its cost in words.
 * @param {number} id
 * @param {Translate} t
 */
const inWords = (id, t) => describe(id, t, amounts(card(id).cost, t));

/**
 * What fits the position, the most useful tip first.
 * @param {View} view
 * @param {number} me
 * @param {LegalMove[]} moves
 * @param {Translate} t
 * @returns {Tip[]}
 */
export function tips(view, me, moves, t) {
  if (isOver(view)) return [];
  const player = view.players[me];
  const all = moves.map(({ move }) => /** @type {Move} */ (move));
  const mine = [...player.reserved, ...view.levels.flatMap(({ face_up: cards }) => cards)].filter((id) => id > 0);
  const sum = (/** @type {{n: number}[]} */ missing) => missing.reduce((n, one) => n + one.n, 0);
  const payable = mine.filter((id) => price(player, id) !== null).sort((a, b) => card(b).points - card(a).points);
  const near = mine.filter((id) => price(player, id) === null).map((id) => ({ id, missing: lacks(player, id) }))
    .sort((a, b) => sum(a.missing) - sum(b.missing) || card(b.id).points - card(a.id).points)[0];
  const chips = (near?.missing ?? []).filter(({ colour }) => view.chips[colour] > 0);
  /** @type {Tip[]} */
  const found = [];
  const [dearest] = payable;
  if (dearest !== undefined && card(dearest).points > 1) {
    found.push({ id: 'buy.points', values: { card: inWords(dearest, t), n: card(dearest).points }, targets: payable.map((id) => `card:${id}`),
      follows: (move) => move.action === 'buy' });
  } else if (dearest !== undefined) found.push({ id: 'buy', values: { card: inWords(dearest, t) } });
  const takes = all.some(({ action }) => action === 'take');
  if (takes && near && chips.length > 0 && payable.length === 0) {
    const colours = chips.slice(0, 3).map(({ colour }) => colour);
    found.push({ id: 'take', values: { colours: list(colours.map((colour) => t(colour)), t), card: inWords(near.id, t) },
      targets: [...colours.map((colour) => chipTarget(colour)), `card:${near.id}`],
      follows: (move) => move.action === 'take' && colours.every((colour) => move.colors.includes(colour)) });
  }
  if (player.cards.length === 0) found.push({ id: 'cheap', follows: (move) => move.action !== 'reserve' && (move.action !== 'buy' || card(move.card).level === 1) });
  if (held(player) >= HAND_LIMIT - 2) found.push({ id: 'limit', values: { n: held(player), limit: HAND_LIMIT },
    follows: payable.length > 0 ? (move) => move.action === 'buy' : undefined });
  if (player.cards.length > 0) found.push({ id: 'bonus' });
  const met = bonuses(player);
  const [close] = view.nobles.map((id) => ({ id, n: COLOURS.reduce((n, colour) => n + Math.max(0, noble(id).needs[colour] - met[colour]), 0) }))
    .sort((a, b) => a.n - b.n);
  if (close && close.n <= 5) found.push({ id: 'noble', values: { n: close.n } });
  const dear = view.levels.flatMap(({ face_up: cards }) => cards).filter((id) => id > 0 && card(id).points >= 3);
  if (player.reserved.length === 0 && view.chips.gold > 0 && near && dear.length > 0 && player.cards.length > 1) {
    found.push({ id: 'reserve' });
  }
  const double = all.find((move) => move.action === 'take_two');
  if (double?.action === 'take_two') found.push({ id: 'two', targets: [chipTarget(double.color)] });
  if (points(player) < GOAL - 5) found.push({ id: 'plan' });
  const most = Math.max(...view.players.map(points));
  if (most >= GOAL - 5) found.push({ id: 'goal', values: { n: most, goal: GOAL } });
  if (all.some(({ returns }) => (returns?.length ?? 0) > 0)) found.push({ id: 'return', values: { limit: HAND_LIMIT } });
  return found;
}
