// In words: what the viewer may do, and what the chosen cards form.

/** @import {Translate} from '/web/types.ts' */
/** @import {Context} from './board.js' */
/** @import {View} from './moves.js' */

import { fault } from './cards.js';
import { cardOf, ends } from './moves.js';

/**
 * What the viewer may do before anything is chosen; null if it is not the viewer's turn.
 * @param {View} view
 * @param {Context} ctx
 */
export function advice(view, { t, turn, me, step }) {
  if (me === null || turn !== me || step !== undefined) return null;
  if (view.drawn) return t('advice.lay');
  return t(view.stock > 0 ? 'advice.draw' : 'advice.draw.last', { top: view.pile.at(-1) });
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
