// Tips for a first match of Septica, each derived from the position. The texts are in en.json: `tip.ID`.

/** @import {LegalMove, Tip, Translate} from '/web/types.ts' */
/** @import {Move, View} from './moves.js' */

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
  const plays = (/** @type {(card: number) => boolean} */ fits) => (/** @type {Move} */ move) => move !== 'stop' && fits(move.card);
  const only = (/** @type {number} */ card) => plays((other) => other === card);
  const stops = (/** @type {Move} */ move) => move === 'stop';
  const copies = (/** @type {number} */ card) => hand.filter((other) => other === card).length;
  const plain = hand.filter((card) => !counts(card) && card !== 7);
  const cutting = hand.filter((card) => trick.length > 0 && cuts(card, trick[0])).sort((a, b) => b - a);
  if (trick.length === 0) {
    const strong = hand.find((card) => counts(card) && copies(card) + copies(7) >= 3);
    const double = plain.find((card) => copies(card) > 1);
    if (view.taken.flat().length === 0 && strong === undefined && plain.length > 1) found.push({ id: 'lead', targets: plain.slice(0, 1).flatMap(target), follows: plays((card) => !counts(card)) });
    if (strong !== undefined) found.push({ id: 'strong', values: { card: t(`name.${strong}`) }, targets: target(strong), follows: only(strong) });
    if (double !== undefined) found.push({ id: 'double', values: { card: t(`name.${double}`) }, targets: target(double), follows: only(double) });
    if (plain.length === 0 && strong === undefined) found.push({ id: 'bare', follows: plays((card) => card !== 7) });
  } else if (mayStop(view)) {
    const mine = taker(view.leader, trick) === me;
    const won = points(trick);
    if (cutting.length > 0 && !mine && won > 0) found.push({ id: 'again', values: { n: won }, targets: target(cutting[0]), follows: (move) => !stops(move) });
    if (cutting.length === 0) found.push({ id: 'must', targets: ['stop'], follows: stops });
  } else {
    const won = points(trick);
    if (cutting.length > 0 && won > 0) found.push({ id: 'cut', values: { n: won, card: t(`name.${cutting[0]}`) } });
    if (cutting.length > 0 && won === 0) found.push({ id: 'cheap' });
    if (cutting.length === 0 && plain.length > 0) found.push({ id: 'give', values: { card: t(`name.${plain[0]}`) }, targets: target(plain[0]), follows: only(plain[0]) });
  }
  if (copies(7) > 0) found.push({ id: 'seven', follows: points(trick) > 0 ? undefined : (move) => stops(move) || plays((card) => card !== 7)(move) });
  if (deck === 0) found.push({ id: 'deck' });
  else if (deck <= 8) found.push({ id: 'count', values: { n: deck } });
  return found;
}
