// Editing a position by hand: the open part of it, the changes by the controls of its fields, undo, and whether the rules
// know the position. A game's edit.js says what can be edited; ../README.md describes it.

/** @import {Board, Edit, EditField, Opaque, Translate} from '../types.ts' */
/** @typedef {EditField & {kind: 'pieces'}} Pieces */

import { elements, opened } from './edit-elements.js';
import { EditPanel } from './edit-panel.js';

// A key that changes the open count.
/** @type {Record<string, number>} */
const STEPS = { '+': 1, '=': 1, '-': -1 };

// The smallest side of an element that a finger hits, in pixels (WCAG 2.2, 2.5.8).
const FINGER = 24;

export class Editor {
  // Each position since the beginning, and the current one's place among them.
  /** @type {Opaque[]} */
  #views = [];
  #at = 0;
  /** @type {Edit | null} */
  #edit = null;
  /** @type {EditField[]} */
  #fields = [];
  // The open fields, the element that opened them, and the selected piece of a field.
  /** @type {string[]} */
  #open = [];
  /** @type {string | null} */
  #from = null;
  /** @type {{id: string, at: number} | null} */
  #selected = null;
  // The seat from which the board is seen; null: the one to move.
  /** @type {number | null} */
  #turned = null;

  /**
   * `names(view)`: the names of the seats; `show(view, seat, edit)`: draws the position with its elements; `check(view)`:
   * resolves to a sentence about a position that the rules know, rejects with the reason if they do not know it;
   * `tell(text)`: announces a text; `focus(target)`: moves the focus to an element of the board; `size(target)`: its
   * smaller side in pixels, infinite for a mouse; `leave(done)`: ends the editing.
   * @param {{board: Board, t: Translate, names: (view: Opaque) => string[],
   *   show: (view: Opaque, seat: {me: number, turn: number}, edit: {next: Map<string, {what: string, whole: string}>, picked: string[]}) => void, check: (view: Opaque) => Promise<string>,
   *   tell: (text: string) => void, focus: (target: string) => void, size: (target: string) => number,
   *   leave: (done: boolean) => void}} options
   */
  constructor(options) {
    this.options = options;
    this.panel = new EditPanel({ t: options.t, undo: () => this.#go(-1), redo: () => this.#go(1), turn: () => this.#turn(),
      leave: options.leave, pressed: (event) => this.#pressed(event), changed: (event) => this.#changed(event) });
    this.root = this.panel.root;
    this.root.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape' || this.#from === null) return;
      event.preventDefault();
      options.focus(this.#from);
    });
  }

  /** The position as it is now. */
  get view() {
    return this.#views[this.#at];
  }

  /** Loads the game's module for editing. */
  async load() {
    this.#edit = await this.options.board.edit?.() ?? null;
  }

  /**
   * Begins to edit a position.
   * @param {Opaque} view
   */
  start(view) {
    [this.#views, this.#at, this.#open, this.#from, this.#selected] = [[view], 0, [], null, null];
    // If the game hides nothing, the board is not turned when another seat is to move.
    this.#turned = this.#edit?.open ? this.#edit.mover(view) : null;
    this.panel.turnButton.hidden = !this.#edit?.open;
    this.root.hidden = false;
    this.#draw();
  }

  /** Ends the editing. */
  stop() {
    this.root.hidden = true;
  }

  /**
   * Replaces the position by another one; undo restores it.
   * @param {Opaque} view
   */
  replace(view) {
    this.#views.splice(this.#at + 1, Infinity, view);
    this.#at += 1;
    this.#draw();
  }

  /**
   * Opens the fields of an element of the board. A switch is toggled at once, unless it was too small for a finger.
   * @param {string} target
   * @param {boolean} byKey whether the focus follows to the first field
   */
  press(target, byKey) {
    const turned = !byKey && this.#enlarge(target);
    const found = opened(this.#fields, target);
    this.#from = target;
    this.#open = found.map(({ id }) => id);
    this.#selected = null;
    for (const field of found) {
      if (field.kind !== 'pieces') continue;
      const at = field.places?.indexOf(target) ?? -1;
      // Select the pressed piece; if nothing can be added, select the first one, to be replaced.
      if (at >= 0 || (field.value.length >= field.most && field.most > 0)) this.#selected = { id: field.id, at: Math.max(0, at) };
    }
    const [only] = found;
    // A finger may have missed a small switch.
    if (found.length === 1 && only.kind === 'switch' && !turned) {
      this.#set(only, only.set(!only.value));
      return;
    }
    this.#draw(false);
    this.panel.showOpen();
    if (byKey) this.panel.focusFirst();
  }

  /**
   * Handles a key that was pressed on the page while the position is edited.
   * @param {KeyboardEvent} event
   */
  key(event) {
    const { target } = event;
    if ((event.ctrlKey || event.metaKey) && !event.altKey) {
      if (target instanceof HTMLTextAreaElement) return;
      const by = { z: event.shiftKey ? 1 : -1, y: 1 }[event.key.toLowerCase()];
      if (by === undefined) return;
      event.preventDefault();
      this.#go(by);
      return;
    }
    const on = target instanceof Element ? target.closest('.place [data-target]')?.getAttribute('data-target') : null;
    if (!on) return;
    const field = opened(this.#fields, on)[0];
    if (field?.kind === 'count' && event.key in STEPS) {
      this.#open = [field.id];
      this.#from = on;
      this.#step(field, STEPS[event.key]);
    } else if (field?.kind === 'pieces' && event.key === 'Delete') {
      const at = field.places?.indexOf(on) ?? -1;
      if (at >= 0) this.#put(field, at, []);
    }
  }

  /**
   * Turns the board from seat to seat until an element is large enough for a finger, at most once around: on a phone the
   * other seats' parts of the board are small. Returns whether it turned.
   * @param {string} target
   */
  #enlarge(target) {
    const seats = this.#edit?.open ? this.options.names(this.view).length : 0;
    let turns = 0;
    for (; turns < seats && this.options.size(target) < FINGER; turns += 1) this.#turn();
    return turns > 0;
  }

  // Shows the board from the next seat.
  #turn() {
    const { view } = this;
    this.#turned = ((this.#turned ?? 0) + 1) % this.options.names(view).length;
    this.#draw(false);
  }

  /** @param {number} by */
  #go(by) {
    if (!(this.#at + by in this.#views)) return;
    this.#at += by;
    this.#selected = null;
    this.#draw();
  }

  /**
   * @param {EditField} field
   * @param {Opaque} view
   */
  #set(field, view) {
    if (JSON.stringify(view) === JSON.stringify(this.view)) {
      this.#draw(false);
      return;
    }
    this.replace(view);
    const now = this.#fields.find(({ id }) => id === field.id);
    const words = now?.kind === 'count' ? now.value : now?.kind === 'pieces' ? this.options.t('edit.count', { n: now.value.length }) : null;
    if (now && words !== null) this.options.tell(`${now.label}: ${words}`);
  }

  /**
   * @param {EditField & {kind: 'count'}} field
   * @param {number} by
   */
  #step(field, by) {
    const value = field.value + by;
    if (value >= field.least && value <= field.most) this.#set(field, field.set(value));
    else this.#draw(false);
  }

  /**
   * Puts pieces in the place of one; at the end if `at` is null.
   * @param {Pieces} field
   * @param {number | null} at
   * @param {(string | number)[]} put
   */
  #put(field, at, put) {
    const value = [...field.value];
    value.splice(at ?? value.length, at === null ? 0 : 1, ...put);
    this.#set(field, field.set(value));
  }

  /**
   * The field of a control, and the control.
   * @param {Event} event
   * @param {string} selector
   */
  #field({ target }, selector) {
    const element = target instanceof Element ? target.closest(selector) : null;
    if (!(element instanceof HTMLElement) || element.getAttribute('aria-disabled')) return null;
    const field = this.#fields.find(({ id }) => id === element.dataset.field);
    return field ? { field, element, data: element.dataset } : null;
  }

  /** @param {Event} event */
  #pressed(event) {
    const found = this.#field(event, 'button[data-field]');
    if (!found) return;
    const { field, data } = found;
    if (field.kind === 'count') this.#step(field, Number(data.by));
    if (field.kind !== 'pieces') return;
    const at = this.#selected?.id === field.id ? this.#selected.at : null;
    if (data.at !== undefined) {
      const chosen = Number(data.at);
      this.#selected = chosen === at || chosen >= field.value.length ? null : { id: field.id, at: chosen };
      this.#draw(false);
    } else if (data.act) {
      this.#selected = null;
      if (data.act === 'clear') this.#set(field, field.set([]));
      else if (at !== null) this.#put(field, at, []);
      // The button that was pressed may be gone.
      if (!this.panel.body.contains(document.activeElement)) this.panel.focusFirst();
    } else {
      const { value } = field.choices(at)[Number(data.choice)];
      if (value === null || (at !== null && field.value[at] === value)) return;
      this.#put(field, at, [value]);
    }
  }

  /** @param {Event} event */
  #changed(event) {
    const found = this.#field(event, 'input[data-field], select[data-field]');
    if (!found) return;
    const { field, element } = found;
    if (field.kind === 'switch') this.#set(field, field.set(!field.value));
    else if (field.kind === 'choice' && (element instanceof HTMLInputElement || element instanceof HTMLSelectElement)) {
      this.#set(field, field.set(field.choices[Number(element.value)].value));
    } else if (field.kind === 'count' && element instanceof HTMLInputElement) {
      const value = Math.round(Number(element.value));
      this.#step(field, Math.min(field.most, Math.max(field.least, Number.isFinite(value) ? value : field.value)) - field.value);
    }
  }

  /** @param {boolean} [changed] whether the position has changed */
  #draw(changed = true) {
    const { t, board, names, show } = this.options;
    const { view } = this;
    this.#fields = this.#edit?.fields(view, names(view), board.t) ?? [];
    const open = this.#fields.filter(({ id }) => this.#open.includes(id));
    const rest = this.#fields.filter((field) => field.targets.length === 0 && !open.includes(field));
    this.panel.draw(open, rest, this.#selected);
    this.panel.allow(this.#at - 1 in this.#views, this.#at + 1 in this.#views);
    const turn = this.#edit?.mover(view) ?? 0;
    const me = this.#turned === null ? turn : Math.min(this.#turned, names(view).length - 1);
    show(view, { me, turn }, elements(this.#fields, open, this.#selected, t));
    if (changed) this.#judge(view);
  }

  /**
   * Says whether the rules know the position, and if not, why.
   * @param {Opaque} view
   */
  async #judge(view) {
    const { t, board, names, check } = this.options;
    let words = '';
    let bad = false;
    try {
      words = await check(view);
    } catch (error) {
      bad = true;
      const why = this.#edit?.fault?.(view, names(view), board.t) || (error instanceof Error ? error.message : String(error));
      words = t('edit.impossible', { why });
    }
    // A later position is judged by its own check.
    if (view !== this.view) return;
    this.panel.judged(words, bad);
  }
}
