// The button that lets a board fill the screen.

/** @import {Translate} from '../../types.ts' */

import { h } from '../dom.js';

/**
 * A button that lets an element fill the screen, by default the page, and ends that again; null: the browser cannot do it.
 * @param {Translate} t
 */
export function fullScreenButton(t, element = document.documentElement) {
  if (!document.fullscreenEnabled) return null;
  /** @type {HTMLButtonElement} */
  const button = h('button', { type: 'button', class: 'full-screen', click: () => {
    // A browser may refuse it; then the page stays as it is.
    const changed = document.fullscreenElement ? document.exitFullscreen() : element.requestFullscreen();
    changed.catch(() => {});
  } });
  const draw = () => { button.textContent = t(document.fullscreenElement ? 'full_screen.end' : 'full_screen.begin'); };
  document.addEventListener('fullscreenchange', draw);
  draw();
  return button;
}
