// Shows scenes one after another: a move is animated through its intermediate positions, after the moves that are waiting.

/** @import {Board, Opaque, Scene} from '../types.ts' */

import { motion } from './animate.js';

// How long each intermediate position of a move is shown, and the most for all of them together, in milliseconds.
const [STEP_MS, WALK_MS] = [380, 2400];
// If more moves than this are waiting to be animated, the last position is shown at once.
const BEHIND = 2;

export class Walk {
  // The scene to end with; the number of scenes asked for, and of the last one shown in full; the running animation.
  /** @type {Scene} */
  #latest;
  #asked = 0;
  #settled = 0;
  /** @type {Promise<void>} */
  #running = Promise.resolve();
  #walking = false;

  /**
   * `put(scene, animated)`: draws a scene.
   * @param {{board: Board, empty: Scene, put: (scene: Scene, animated: boolean) => void}} options
   */
  constructor({ board, empty, put }) {
    this.board = board;
    this.put = put;
    this.#latest = empty;
  }

  /** Whether intermediate positions are being shown. */
  get walking() {
    return this.#walking;
  }

  /**
   * Shows a scene. `walk`: animates the move that led to it, after the animations that are waiting.
   * @param {Scene} scene
   * @param {boolean} walk
   */
  show(scene, walk) {
    this.#latest = scene;
    this.#asked += 1;
    const turn = this.#asked;
    const steps = walk && motion() && scene.last
      ? this.board.steps?.(scene.last.before, scene.last.move, scene.view) ?? [] : [];
    if (!walk || turn - this.#settled > BEHIND || (steps.length === 0 && !this.#walking)) {
      this.settle(walk);
      return;
    }
    this.#walking = true;
    const before = this.#running;
    this.#running = before.then(() => (turn > this.#settled ? this.#stepwise(scene, steps, turn) : undefined));
  }

  /** Resolves when no animation is waiting. */
  rest() {
    return this.#running;
  }

  /**
   * Shows the latest scene at once.
   * @param {boolean} animated
   */
  settle(animated) {
    this.#settled = this.#asked;
    this.#walking = false;
    this.put(this.#latest, animated);
  }

  /**
   * Shows the intermediate positions of a move, then its scene.
   * @param {Scene} scene
   * @param {Opaque[]} steps
   * @param {number} turn
   */
  async #stepwise(scene, steps, turn) {
    const pause = Math.min(STEP_MS, WALK_MS / steps.length);
    for (const [step, view] of steps.entries()) {
      this.put({ ...scene, view, step, moves: [], ahead: null }, true);
      await new Promise((done) => setTimeout(done, pause));
      if (turn <= this.#settled) return;
    }
    this.#settled = turn;
    this.#walking = turn < this.#asked;
    this.put(scene, true);
  }
}
