// How a board looks to the visitor: the colour of the table, and whether it fills the screen.

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

/**
 * The button that lets the page fill the screen, and ends that again; null: the browser cannot do it.
 * @param {Translate} t
 */
export function fullScreenButton(t) {
  if (!document.fullscreenEnabled) return null;
  /** @type {HTMLButtonElement} */
  const button = h('button', { type: 'button', class: 'full-screen', click: () => {
    // A browser may refuse it; then the page stays as it is.
    const changed = document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen();
    changed.catch(() => {});
  } });
  const draw = () => { button.textContent = t(document.fullscreenElement ? 'full_screen.end' : 'full_screen.begin'); };
  document.addEventListener('fullscreenchange', draw);
  draw();
  return button;
}
