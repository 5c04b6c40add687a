// Tips for a first match of Septica, each derived from the position. The texts are in en.json: `tip.ID`.

/** @import {LegalMove, Tip, Translate} from '/web/types.ts' */
/** @import {View} from './moves.js' */

import { counts, cuts, mayStop, points, taker } from './moves.js';

/**
 * What fits the position, the most useful tip first.
 * @param {View} view
 * @param {number} me
 * @param {LegalMove[]} _moves
 * @param {Translate} t
 * @returns {Tip[]}
 */
export function tips(view, me, _moves, t) {
  const { hand, trick, deck } = view;
  /** @type {Tip[]} */
  const found = [];
  const target = (/** @type {number} */ card) => [`card:${card}`];
  const copies = (/** @type {number} */ card) => hand.filter((other) => other === card).length;
  const plain = hand.filter((card) => !counts(card) && card !== 7);
  const cutting = hand.filter((card) => trick.length > 0 && cuts(card, trick[0])).sort((a, b) => b - a);
  if (trick.length === 0) {
    const double = plain.find((card) => copies(card) > 1);
    if (view.taken.flat().length === 0) found.push({ id: 'lead', targets: plain.slice(0, 1).flatMap(target) });
    const strong = hand.find((card) => counts(card) && copies(card) + copies(7) >= 3);
    if (strong !== undefined) found.push({ id: 'strong', values: { card: t(`name.${strong}`) }, targets: target(strong) });
    if (double !== undefined) found.push({ id: 'double', values: { card: t(`name.${double}`) }, targets: target(double) });
    if (plain.length === 0 && strong === undefined) found.push({ id: 'bare' });
  } else if (mayStop(view)) {
    const mine = taker(view.leader, trick) === me;
    const won = points(trick);
    if (cutting.length > 0 && !mine) found.push({ id: won > 0 ? 'again' : 'stop', values: { n: won }, targets: won > 0 ? target(cutting[0]) : ['stop'] });
    if (cutting.length === 0) found.push({ id: 'must', targets: ['stop'] });
  } else {
    const won = points(trick);
    if (cutting.length > 0 && won > 0) found.push({ id: 'cut', values: { n: won, card: t(`name.${cutting[0]}`) }, targets: target(cutting[0]) });
    if (cutting.length > 0 && won === 0) found.push({ id: 'cheap' });
    if (cutting.length === 0 && plain.length > 0) found.push({ id: 'give', values: { card: t(`name.${plain[0]}`) }, targets: target(plain[0]) });
  }
  if (copies(7) > 0) found.push({ id: 'seven' });
  if (deck === 0) found.push({ id: 'deck' });
  else if (deck <= 8) found.push({ id: 'count', values: { n: deck } });
  return found;
}
