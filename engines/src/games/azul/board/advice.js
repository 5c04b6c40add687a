// In words: what the viewer may do, what the buttons do, and how a match ended.

/** @import {Chosen, Ending, Translate} from '/web/types.ts' */
/** @import {Move, View} from './moves.js' */

import { BONUS, FLOOR, complete, falling, taken } from './moves.js';

/** @param {View} view */
export const points = (view) => view.boards.map(({ score }) => score);

/**
 * What can be done now, or what the chosen move does.
 * @param {Chosen<Move>} chosen
 * @param {View} view
 * @param {Translate} t
 */
export function prompt({ picked, move }, view, t) {
  if (picked.length === 0) return t('prompt');
  if (move) return doing(move, view, t);
  const [, display, colour] = picked[0].split(':');
  const count = taken(view, { display: Number(display), colour, line: 0 });
  const tiles = t(count === 1 ? 'tile' : 'tiles', { count, colour: t(`colour.${colour}`) });
  return t('prompt.lay', { tiles });
}

/**
 * @param {Move} move
 * @param {View} view
 * @param {Translate} t
 */
function doing(move, view, t) {
  const count = taken(view, move);
  const { surplus, marker } = falling(view, move);
  const tiles = t(count === 1 ? 'tile' : 'tiles', { count, colour: t(`colour.${move.colour}`) });
  if (move.line === FLOOR) return t(marker ? 'do.floor.marker' : 'do.floor', { tiles });
  const words = { tiles, line: move.line + 1, count: surplus };
  if (surplus > 0) return t(marker ? 'do.fall.marker' : 'do.fall', words);
  return t(marker ? 'do.line.marker' : 'do.line', words);
}

/**
 * What a move does, as the text of its button.
 * @param {Move} move
 * @param {View} _view
 * @param {Translate} t
 */
export const verb = (move, _view, t) => (move.line === FLOOR ? t('verb.floor') : t('verb.line', { line: move.line + 1 }));

/**
 * How a match ended, and what the points come from.
 * @param {View} view
 * @param {Translate} t
 * @returns {Ending}
 */
export function ending(view, t) {
  const done = view.boards.map(complete);
  const rows = done.map((one) => one.rows.length * BONUS.row);
  const columns = done.map((one) => one.columns.length * BONUS.column);
  const colours = done.map((one) => one.colours.length * BONUS.colour);
  const tiles = view.boards.map(({ score }, seat) => score - rows[seat] - columns[seat] - colours[seat]);
  return {
    why: t('why'),
    rows: [{ label: t('score.tiles'), values: tiles }, { label: t('score.rows'), values: rows },
      { label: t('score.columns'), values: columns }, { label: t('score.colours'), values: colours }],
  };
}
