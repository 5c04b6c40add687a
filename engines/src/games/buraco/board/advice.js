// What the viewer may do, in words, and whether the chosen cards form something.

import { fault } from './cards.js';
import { cardOf, ends } from './moves.js';

// A sentence; null where there is nothing to say.
export function advice(view, ctx) {
  const { t, picked, next, me } = ctx;
  if (ctx.step !== undefined || ctx.turn === null) return null;
  if (ctx.turn !== me || me === null) return null;
  const cards = picked.map(cardOf).filter(Boolean);
  if (cards.length < picked.length) return null;
  return view.drawn ? laying(cards, view, next, t) : drawing(cards, view, next, t);
}

function drawing(cards, view, next, t) {
  const top = view.pile.at(-1);
  if (cards.length === 0) return t(view.stock > 0 ? 'advice.draw' : 'advice.draw.last', { top });
  if (next.has('pile')) return t('advice.pile', { top });
  if (cards.length === 1) return t('advice.pile.more', { top });
  return t('advice.pile.no', { top, why: t(`fault.${fault([...cards, top])}`) });
}

function laying(cards, view, next, t) {
  if (cards.length === 0) return t('advice.lay');
  const words = [];
  if (next.has('new')) words.push(t('advice.new'));
  const fits = view.melds[view.to_move].filter((_, i) => next.has(`meld:${i}`));
  if (fits.length > 0) {
    words.push(t(cards.length === 1 ? 'advice.fits.one' : 'advice.fits', { melds: fits.map((meld) => ends(meld, t)).join(', ') }));
  }
  if (cards.length === 1) words.push(t(words.length > 0 ? 'advice.discard.or' : 'advice.discard'));
  else if (words.length === 0) words.push(t('advice.nothing', { why: t(`fault.${fault(cards)}`) }));
  return words.join(' ');
}
