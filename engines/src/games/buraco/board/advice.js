// In words: what the viewer may do, what the chosen cards form, what the buttons do, and how a match ended.

/** @import {Chosen, Ending, LegalMove, Translate} from '/web/types.ts' */
/** @import {Move, View} from './moves.js' */

import { CANASTRA, bonus, dirty, fault, worth } from './cards.js';
import { cardOf, ends } from './moves.js';

/**
 * The cards that some listed move lays on the table.
 * @param {LegalMove[]} moves
 * @returns {Set<string>}
 */
export function layable(moves) {
  return new Set(moves.flatMap((/** @type {{move: Move}} */ { move }) => (move === 'get_stock' ? []
    : (move.meld_new ?? move.meld_join ?? move.get_discard)?.cards ?? [])));
}

/**
 * What can be done before anything is chosen; '' if something is.
 * @param {Chosen<Move>} chosen
 * @param {View} view
 * @param {Translate} t
 */
export function prompt({ picked, moves = [] }, view, t) {
  if (picked.length > 0) return '';
  const some = layable(moves).size > 0;
  if (view.drawn) return t(some ? 'advice.lay' : 'advice.lay.none');
  const top = view.pile.at(-1);
  if (view.stock === 0) return t('advice.draw.last', { top });
  return t(some ? 'advice.draw' : 'advice.draw.none', { top });
}

/**
 * What the bar offers to do with the chosen cards.
 * @param {Chosen<Move>} chosen
 * @param {View} view
 * @param {Translate} t
 */
export function buttons({ picked, next }, view, t) {
  if (picked.length === 0) return [{ target: 'stock', label: t('button.stock') }];
  const cards = picked.map(cardOf);
  if (cards.includes(null)) return [];
  const joins = view.melds[view.to_move].map((meld, i) => ({ target: `meld:${i}`, label: t('button.join', { meld: ends(meld, t) }) }));
  const pile = view.drawn ? t('button.discard', { card: cards[0] }) : t('button.pile', { n: view.pile.length });
  return [{ target: 'new', label: t('new') }, ...joins, { target: 'pile', label: pile }].filter(({ target }) => next.has(target));
}

/**
 * What a move does, as the text of its button.
 * @param {Move} move
 * @param {View} view
 * @param {Translate} t
 */
export function verb(move, view, t) {
  if (move === 'get_stock') return t('button.stock');
  if (move.discard) return t('button.discard', { card: move.discard.card });
  if (move.get_discard) return t('button.pile', { n: view.pile.length });
  return t(move.meld_join ? 'button.add' : 'new');
}

/**
 * What each seat's melds count.
 * @param {View} view
 */
export const points = (view) => view.melds.map((melds) => melds.reduce((sum, meld) => sum + worth(meld), 0));

const GOING_OUT = 100;

/**
 * How a match ended, and what the points come from. A hand may be hidden: it counts what is missing to the total.
 * @param {View} view
 * @param {Translate} t
 * @param {number[]} total
 * @returns {Ending}
 */
export function ending(view, t, total) {
  const sum = (/** @type {string[][]} */ melds, /** @type {(meld: string[]) => number} */ count) =>
    melds.reduce((all, meld) => all + count(meld), 0);
  const canastra = (/** @type {boolean} */ wild) => view.melds.map((melds) =>
    sum(melds, (meld) => (dirty(meld) === wild ? bonus(meld) : 0)));
  const cards = view.melds.map((melds) => sum(melds, (meld) => worth(meld) - bonus(meld)));
  const out = view.hand_sizes.map((n) => (n === 0 ? GOING_OUT : 0));
  const left = view.melds.map((melds, seat) => total[seat] - sum(melds, worth) - out[seat]);
  const big = view.hand_sizes.some((n) => n >= CANASTRA);
  return {
    why: t(out.some((n) => n > 0) ? 'why.out' : 'why.stock'),
    rows: [
      { label: t('score.cards'), values: cards }, { label: t('score.clean'), values: canastra(false) },
      { label: t('score.dirty'), values: canastra(true) }, { label: t('score.out'), values: out },
      { label: t(big ? 'score.hand.big' : 'score.hand'), values: left },
    ],
  };
}

/**
 * What the chosen cards form, or why they form nothing.
 * @param {string[]} picked
 * @param {View} view
 * @param {Set<string>} places the targets where the cards may go
 * @param {Translate} t
 */
export function forms(picked, view, places, t) {
  const cards = picked.map((target) => cardOf(target) ?? '');
  return view.drawn ? laying(cards, view, places, t) : drawing(cards, view, places, t);
}

/**
 * Before the draw.
 * @param {string[]} cards
 * @param {View} view
 * @param {Set<string>} places
 * @param {Translate} t
 */
function drawing(cards, view, places, t) {
  const top = view.pile.at(-1) ?? '';
  if (places.has('pile')) return t('advice.pile', { top });
  if (cards.length === 1) return t('advice.pile.more', { top });
  return t('advice.pile.no', { top, why: t(`fault.${fault([...cards, top])}`) });
}

/**
 * After the draw.
 * @param {string[]} cards
 * @param {View} view
 * @param {Set<string>} places
 * @param {Translate} t
 */
function laying(cards, view, places, t) {
  const words = [];
  if (places.has('new')) words.push(t('advice.new'));
  const fits = view.melds[view.to_move].filter((_, i) => places.has(`meld:${i}`));
  if (fits.length > 0) {
    const melds = fits.map((meld) => ends(meld, t)).join(', ');
    words.push(t(cards.length === 1 ? 'advice.fits.one' : 'advice.fits', { melds }));
  }
  if (cards.length === 1) words.push(t(words.length > 0 ? 'advice.discard.or' : 'advice.discard'));
  else if (words.length === 0) words.push(t('advice.nothing', { why: t(`fault.${fault(cards)}`) }));
  return words.join(' ');
}
