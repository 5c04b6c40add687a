// The panel in which a position is edited: undo and the other buttons, the verdict of the rules, and the fields. On a phone
// it shows either the fields of the pressed element or those of the whole position. The editor handles presses.

/** @import {EditField, Translate} from '../types.ts' */

import { fill, h } from '../lib/dom.js';
import { control, group } from './edit-fields.js';
import { patch } from '../lib/patch.js';

// The icons of the buttons: arrows back, forward, and up and down.
const UNDO = 'M9 5L4 10L9 15M4 10H14.5A5.5 5.5 0 0 1 14.5 21H8';
const REDO = 'M15 5L20 10L15 15M20 10H9.5A5.5 5.5 0 0 0 9.5 21H16';
const TURN = 'M7 4V20M3 8L7 4L11 8M17 20V4M13 16L17 20L21 16';

/** @typedef {{id: string, at: number}} Selected the selected piece of a field */

export class EditPanel {
  /**
   * @param {{t: Translate, undo: () => void, redo: () => void, turn: () => void, leave: (done: boolean) => void,
   *   pressed: (event: Event) => void, changed: (event: Event) => void}} options `pressed`, `changed`: a button, or another
   *   control of the fields
   */
  constructor({ t, undo, redo, turn, leave, pressed, changed }) {
    this.t = t;
    const sign = (/** @type {string} */ key, /** @type {() => void} */ click, /** @type {string} */ d) => h('button', {
      type: 'button', class: 'sign', 'aria-label': t(key), title: t(key), click,
    }, h('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, h('path', { d })));
    this.undoButton = sign('edit.undo', undo, UNDO);
    this.redoButton = sign('edit.redo', redo, REDO);
    this.turnButton = sign('edit.turn', turn, TURN);
    this.doneButton = h('button', { type: 'button', class: 'main', click: () => leave(true) }, t('edit.done'));
    this.verdict = h('p', { class: 'verdict', role: 'status' });
    this.body = h('div', { class: 'fields', click: pressed, change: changed });
    this.openName = h('span', {});
    /** @type {HTMLInputElement} */
    this.openPart = h('input', { type: 'radio', name: 'edit-part', value: 'open', checked: true });
    this.parts = h('div', { class: 'edit-parts', role: 'radiogroup', 'aria-label': t('edit.parts'), hidden: true },
      h('label', {}, this.openPart, this.openName),
      h('label', {}, h('input', { type: 'radio', name: 'edit-part', value: 'general' }), h('span', {}, t('edit.general'))));
    this.root = h('section', { class: 'editor', 'aria-label': t('edit.panel'), hidden: true },
      h('div', { class: 'doing' }, this.undoButton, this.redoButton, this.turnButton,
        h('button', { type: 'button', class: 'cancel', title: t('edit.cancel'), click: () => leave(false) }, h('span', {}, t('edit.cancel'))),
        this.doneButton),
      this.verdict, this.parts, this.body);
  }

  /**
   * Shows the fields of the pressed element, and those of the whole position.
   * @param {EditField[]} open
   * @param {EditField[]} rest
   * @param {Selected | null} selected
   */
  draw(open, rest, selected) {
    const { t } = this;
    const groups = this.#groups(open, selected);
    patch(this.body, h('div', {},
      open.length === 0 ? h('p', { class: 'soft hint', data: { piece: 'hint' } }, t('edit.hint')) : groups,
      rest.length > 0 && h('div', { class: 'general', data: { piece: 'general' } },
        group(t('edit.general'), rest.map((field) => this.#control(field, selected))))));
    this.parts.hidden = open.length === 0 || rest.length === 0;
    fill(this.openName, open[0]?.group);
    this.#sync();
  }

  /** Shows the fields of the pressed element from their beginning, and its selected piece. */
  showOpen() {
    this.openPart.checked = true;
    this.body.scrollTop = 0;
    bring(this.body.querySelector('.drawn:has(input:checked)'), this.body);
    for (const tray of this.body.querySelectorAll('.tray')) bring(tray.querySelector('[aria-pressed="true"]'), tray);
  }

  /**
   * Enables or disables the buttons of undo and redo.
   * @param {boolean} undo
   * @param {boolean} redo
   */
  allow(undo, redo) {
    for (const [button, can] of /** @type {const} */ ([[this.undoButton, undo], [this.redoButton, redo]])) {
      if (can) button.removeAttribute('aria-disabled');
      else button.setAttribute('aria-disabled', 'true');
    }
  }

  /**
   * Says whether the rules know the position.
   * @param {string} words
   * @param {boolean} bad
   */
  judged(words, bad) {
    fill(this.verdict, words);
    this.verdict.classList.toggle('bad', bad);
    this.doneButton.setAttribute('aria-disabled', String(bad));
  }

  /** Moves the focus to the first control of the open fields. */
  focusFirst() {
    const found = this.body.querySelector('.group :is(.tray button[aria-pressed="true"], input, select, button)');
    if (found instanceof HTMLElement) found.focus();
  }

  /**
   * @param {EditField[]} fields
   * @param {Selected | null} selected
   */
  #groups(fields, selected) {
    return [...new Set(fields.map((field) => field.group))].map((heading) => {
      const own = fields.filter((field) => field.group === heading);
      const notes = [...new Set(own.flatMap(({ note }) => note ?? []))];
      return group(heading, own.map((field) => this.#control(field, selected)), notes.map((note) => h('p', { class: 'soft note' }, note)));
    });
  }

  /**
   * @param {EditField} field
   * @param {Selected | null} selected
   */
  #control(field, selected) {
    return control(field, selected?.id === field.id ? selected.at : null, this.t);
  }

  // Makes the controls show their attributes' values. After a visitor's change, attributes alone no longer do that.
  #sync() {
    for (const element of this.body.querySelectorAll('input, select')) {
      if (element instanceof HTMLInputElement && element.type === 'number') element.value = element.getAttribute('value') ?? '';
      else if (element instanceof HTMLInputElement) element.checked = element.hasAttribute('checked');
      else if (element instanceof HTMLSelectElement) {
        element.selectedIndex = [...element.options].findIndex((option) => option.hasAttribute('selected'));
      }
    }
  }
}

/**
 * Scrolls a part of the panel, and the boxes in it, to an element; nothing around it.
 * @param {Element | null} element
 * @param {Element} part
 */
function bring(element, part) {
  for (let box = element?.parentElement; element && box && part.contains(box); box = box.parentElement) {
    const [own, around] = [element.getBoundingClientRect(), box.getBoundingClientRect()];
    if (own.bottom > around.bottom) box.scrollTop += own.bottom - around.bottom;
    if (own.right > around.right) box.scrollLeft += own.right - around.right;
  }
}
