// A board that is only looked at: it shows scenes and animates the moves between them, and takes neither mouse nor keys.

/** @import {Board, Scene} from '../types.ts' */

import { animate, halt, motion, places } from '../board/animate.js';
import { Walk } from '../board/walk.js';
import { fill, h } from '../lib/dom.js';
import { patch } from '../lib/patch.js';

/** @type {Scene} */
const EMPTY = { view: null, me: null, seats: [], turn: null, moves: [], last: null, still: true };

export class Window {
  /**
   * `shown(scene)`: called with each scene that is shown, also between two moves.
   * @param {HTMLElement} root
   * @param {{board: Board, shown: (scene: Scene) => void}} options
   */
  constructor(root, { board, shown }) {
    this.board = board;
    this.shown = shown;
    this.place = h('div', { class: 'place', inert: true });
    this.walk = new Walk({ board, empty: EMPTY, put: (scene, animated) => this.#put(scene, animated) });
    fill(root, this.place);
  }

  /**
   * Shows a scene. `walk`: animates the move that led to it.
   * @param {Scene} scene
   * @param {{walk?: boolean}} [options]
   */
  show(scene, { walk = false } = {}) {
    this.walk.show(scene, walk);
  }

  /**
   * @param {Scene} scene
   * @param {boolean} animated
   */
  #put(scene, animated) {
    const { board, place } = this;
    const { view, me, seats, turn, last, step } = scene;
    const drawn = board.draw(view, { me, seats, turn, t: board.t, picked: [], next: new Set(), last, step, moves: [] });
    halt(place);
    /** @type {Map<string | undefined, DOMRect>} */
    const before = animated && motion() ? places(place) : new Map();
    patch(place, h('div', {}, drawn));
    animate(place, before);
    this.shown(scene);
  }
}
