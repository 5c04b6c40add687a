// The targets of a drawn board: marks them as chosen or selectable, makes them reachable by keyboard, finds them again.

import { h } from '../lib/dom.js';

/**
 * All elements with a target.
 * @param {Element} place
 */
export function targets(place) {
  return /** @type {(HTMLElement | SVGElement)[]} */ ([...place.querySelectorAll('[data-target]')]);
}

/**
 * The element of a target; the first visible one if the board shows the target twice.
 * @param {Element} place
 * @param {string} target
 */
export function find(place, target) {
  const all = targets(place).filter((element) => element.dataset.target === target);
  return all.find((element) => element.getBoundingClientRect().width > 0) ?? all[0] ?? null;
}

/**
 * The targets that can be reached now: selectable or chosen, and visible.
 * @param {Element} place
 */
export function reachable(place) {
  return targets(place).filter((element) =>
    element.matches('.lit, .picked') && element.getBoundingClientRect().width > 0);
}

/**
 * Marks every target of a board. `hinted`: the targets of a recommended move.
 * @param {Element} place
 * @param {{next: {has(target: string): boolean}, picked: string[], hinted: Set<string>}} marks
 */
export function mark(place, { next, picked, hinted }) {
  for (const element of targets(place)) {
    const target = element.dataset.target ?? '';
    const [lit, chosen] = [next.has(target), picked.includes(target)];
    element.classList.toggle('lit', lit);
    element.classList.toggle('picked', chosen);
    element.classList.toggle('hinted', hinted.has(target));
    const native = element instanceof HTMLButtonElement;
    if (lit || chosen) {
      if (!native) element.setAttribute('role', 'button');
      element.setAttribute('aria-pressed', String(chosen));
      element.setAttribute('tabindex', '0');
    } else if (native) {
      element.disabled = true;
    } else if (!element.hasAttribute('role')) {
      // An aria-label needs a role that allows one.
      element.setAttribute('role', 'group');
    }
  }
}

/**
 * Makes the elements that can be edited (`data-edit`) the targets of a newly drawn board, instead of those of moves.
 * @param {Element} drawn
 * @param {Map<string, {what: string, whole: string}>} names of each of them: alone, and with its content
 */
export function editable(drawn, names) {
  for (const element of targets(drawn)) {
    delete element.dataset.target;
    // An aria-label needs a role that allows one.
    if (!element.hasAttribute('role')) element.setAttribute('role', 'group');
  }
  for (const element of drawn.querySelectorAll('[data-edit]')) {
    const target = element.getAttribute('data-edit') ?? '';
    const name = names.get(target);
    if (name === undefined) continue;
    element.setAttribute('data-target', target);
    // Visible text must be in the accessible name, so the name is text too, before the element's content.
    if (element.textContent?.trim()) {
      element.removeAttribute('aria-label');
      element.prepend(h('span', { class: 'ear' }, heard(element) ? `${name.what}: ` : name.whole));
    } else element.setAttribute('aria-label', name.whole);
    element.removeAttribute('aria-hidden');
    // The role `img` hides the content of an element.
    for (let around = element.parentElement; around; around = around.parentElement) {
      if (around.getAttribute('role') === 'img') around.setAttribute('role', 'group');
    }
  }
}

/**
 * The text of an element that screen readers find.
 * @param {Element} element
 */
function heard(element) {
  const copy = /** @type {Element} */ (element.cloneNode(true));
  for (const hidden of copy.querySelectorAll('[aria-hidden]')) hidden.remove();
  return copy.textContent?.trim();
}

/**
 * The accessible name of a target.
 * @param {Element} place
 * @param {string} target
 */
export function name(place, target) {
  return find(place, target)?.getAttribute('aria-label') ?? target;
}
