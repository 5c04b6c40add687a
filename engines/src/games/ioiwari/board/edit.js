// What can be edited in a position of Ioiwari. There are always 20 beads: those added to a pit come from the banks.

/** @import {EditField, Translate} from '/web/types.ts' */
/** @import {View} from './moves.js' */

import { FULL } from './moves.js';

// Nothing is hidden: the board may be seen from each seat.
export const open = true;

/** @param {View} view */
export const mover = (view) => view.to_move;

/**
 * @param {View} view
 * @param {string[]} names
 * @param {Translate} t
 * @returns {EditField[]}
 */
export function fields(view, names, t) {
  const banked = view.banks[0] + view.banks[1];
  return [
    ...view.pits.map((beads, i) => /** @type {EditField} */ ({
      id: `pit:${i + 1}`, targets: [`pit:${i + 1}`], group: t('edit.pit', { pit: i + 1 }), label: t('edit.beads'),
      note: t('edit.note'), kind: 'count', value: beads, least: 0, most: Math.min(FULL, beads + banked),
      set: (/** @type {number} */ n) => refill(view, i, n),
    })),
    ...view.banks.map((beads, seat) => /** @type {EditField} */ ({
      id: `bank:${seat}`, targets: [`bank:${seat}`], group: t('edit.bank', { who: names[seat] }), label: t('edit.beads'),
      note: t('edit.bank.note'), kind: 'count', value: beads, least: 0, most: banked,
      set: (/** @type {number} */ n) => ({ ...view, banks: seat === 0 ? [n, banked - n] : [banked - n, n] }),
    })),
    {
      id: 'turn', targets: [], group: '', label: t('edit.turn'), kind: 'choice', value: view.to_move,
      choices: names.map((label, value) => ({ value, label })),
      set: (seat) => ({ ...view, to_move: seat, viewer: { seat } }),
    },
  ];
}

/**
 * The position with `n` beads in a pit. The fuller bank gives first, the emptier one gets first.
 * @param {View} view
 * @param {number} pit
 * @param {number} n
 */
function refill(view, pit, n) {
  const banks = [...view.banks];
  for (let beads = view.pits[pit]; beads < n; beads += 1) banks[banks[0] >= banks[1] ? 0 : 1] -= 1;
  for (let beads = view.pits[pit]; beads > n; beads -= 1) banks[banks[0] <= banks[1] ? 0 : 1] += 1;
  return { ...view, pits: view.pits.map((beads, i) => (i === pit ? n : beads)), banks };
}
