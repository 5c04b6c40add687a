// How a board looks to the visitor: the colour of the table.

/** @import {Translate} from '../../types.ts' */

import { h } from '../../lib/dom.js';

// Where `lib/page/theme.js` finds the choice.
const STORE = 'kibitz.table';

// The colours of `style.css`; the first one is that of each game.
const TABLES = ['', 'grass', 'sky', 'clay'];

/**
 * The choice of the table's colour. It holds for all boards in this browser.
 * @param {Translate} t
 */
export function tableChoice(t) {
  const root = document.documentElement;
  /** @type {HTMLSelectElement} */
  const select = h('select', { change: () => {
    root.dataset.table = select.value;
    try {
      localStorage.setItem(STORE, select.value);
    } catch {
      // Without storage the choice lasts as long as the page.
    }
  } }, TABLES.map((table) => h('option', { value: table }, t(`table.${table || 'usual'}`))));
  select.value = root.dataset.table ?? '';
  // What was stored is no colour.
  if (select.selectedIndex < 0) select.selectedIndex = 0;
  return h('label', { class: 'table' }, t('table.colour'), ' ', select);
}
