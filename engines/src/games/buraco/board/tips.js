// Tips for a first match of Buraco, each derived from the position and the legal moves. The texts are in en.json: `tip.ID`.

/** @import {LegalMove, Tip, Translate} from '/web/types.ts' */
/** @import {Move, PlayedCards, View} from './moves.js' */

import { CANASTRA, dirty, inOrder, rankOf } from './cards.js';
import { ends, paths } from './moves.js';

// A hand of this size or less may go out soon; a stock of this size or less is running short.
const [FEW, SHORT] = [3, 14];
// A hand of this size costs extra at the end.
const HEAVY = 7;

/**
 * What fits the position, the most useful tip first.
 * @param {View} view
 * @param {number} me
 * @param {LegalMove[]} moves
 * @param {Translate} t
 * @returns {Tip[]}
 */
export function tips(view, me, moves, t) {
  /** @type {Tip[]} */
  const found = [];
  const all = moves.map(({ move }) => move).filter((move) => move !== 'get_stock');
  const size = (/** @type {PlayedCards} */ move) => (move.get_discard ?? move.meld_new ?? move.meld_join)?.cards.length ?? 0;
  const best = (/** @type {PlayedCards[]} */ list) => [...list].sort((a, b) => size(b) - size(a))[0];
  const natural = (/** @type {PlayedCards} */ move) => !(move.meld_new ?? move.get_discard ?? move.meld_join)?.cards.some((card) => rankOf(card) === '2');
  const text = (/** @type {string[]} */ cards) => inOrder(cards).join(' ');
  const draws = (/** @type {Move} */ move) => move === 'get_stock';
  const discarded = (/** @type {Move} */ move) => (move === 'get_stock' ? undefined : move.discard?.card);
  const lays = (/** @type {Move} */ move) => discarded(move) === undefined;
  const heavy = view.hand.length >= HEAVY;
  if (view.stock <= SHORT && heavy) found.push({ id: 'heavy', values: { stock: view.stock, cards: view.hand.length } });
  if (!view.drawn) {
    const take = best(all.filter((move) => move.get_discard));
    const top = view.pile.at(-1);
    if (take?.get_discard && top) {
      const values = { top, cards: text(take.get_discard.cards), n: view.pile.length };
      found.push({ id: 'pile', values });
    } else if (view.stock > 0) found.push({ id: 'draw', targets: ['stock'], follows: draws });
    if (view.stock === 0) found.push({ id: 'empty' });
    return found;
  }
  const join = best(all.filter((move) => move.meld_join && natural(move)));
  const fresh = best(all.filter((move) => move.meld_new && natural(move)));
  const grown = view.melds[me].find((meld) => meld.length < CANASTRA && meld.length >= CANASTRA - 2);
  if (fresh?.meld_new) found.push({ id: 'new', values: { cards: text(fresh.meld_new.cards) }, targets: paths(fresh).flat(), follows: lays });
  if (join?.meld_join) {
    const meld = ends(view.melds[me][join.meld_join.meld], t);
    found.push({ id: 'join', values: { cards: text(join.meld_join.cards), meld }, targets: paths(join).flat(), follows: lays });
  }
  if (grown) found.push({ id: dirty(grown) ? 'canastra.dirty' : 'canastra', values: { meld: ends(grown, t), n: CANASTRA - grown.length } });
  if (view.hand.length <= FEW) found.push({ id: 'out' });
  if (view.hand.some((card) => rankOf(card) === '2')) found.push({ id: 'two', follows: (move) => rankOf(discarded(move) ?? '') !== '2' });
  if (!all.some(lays)) found.push({ id: 'discard' });
  if (view.hand_sizes[1 - me] <= FEW) found.push({ id: 'rival', values: { n: view.hand_sizes[1 - me] } });
  return found;
}
