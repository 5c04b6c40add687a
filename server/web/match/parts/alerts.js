// Alerts for a player: sounds, and a notification of the browser while the page is hidden. Both are off until the visitor
// switches them on.

/** @import {MatchStore} from '../../lib/matches/match-store.js' */

import { h } from '../../lib/dom.js';

const [SOUNDS, NOTICES] = ['kibitz.sounds', 'kibitz.notices'];

// The tones of each sound: the frequency in Hz, when it begins and how long it lasts in seconds.
/** @type {Record<'turn' | 'move' | 'end' | 'chat', [number, number, number][]>} */
const TONES = {
  move: [[330, 0, 0.09]],
  turn: [[523, 0, 0.12], [659, 0.11, 0.2]],
  end: [[523, 0, 0.14], [659, 0.13, 0.14], [784, 0.26, 0.4]],
  chat: [[880, 0, 0.07], [988, 0.08, 0.09]],
};
const VOLUME = 0.12;

export class Alerts {
  /** @type {AudioContext | null} */
  #audio = null;

  /** @param {MatchStore} match */
  constructor(match) {
    const { t } = match;
    this.match = match;
    match.on('sound', (occasion) => this.#sound(occasion));
    match.on('notify', (text) => this.#notify(match.game.title, text));
    /** @type {HTMLInputElement} */
    this.sounds = h('input', { type: 'checkbox', change: () => {
      localStorage.setItem(SOUNDS, this.sounds.checked ? '1' : '');
      this.#sound('turn');
    } });
    this.sounds.checked = localStorage.getItem(SOUNDS) === '1';
    /** @type {HTMLInputElement} */
    this.notices = h('input', { type: 'checkbox', change: () => this.#permit() });
    const known = 'Notification' in globalThis;
    this.notices.checked = known && localStorage.getItem(NOTICES) === '1' && Notification.permission === 'granted';
    this.trouble = h('p', { class: 'trouble', role: 'alert', hidden: true }, t('alert.refused'));
    this.root = h('div', { class: 'alerts' }, h('label', { class: 'at-once' }, this.sounds, t('alert.sounds')),
      known && h('label', { class: 'at-once' }, this.notices, t('alert.notices')), this.trouble);
  }

  /**
   * Plays a sound if the visitor wants sounds.
   * @param {keyof typeof TONES} occasion
   */
  #sound(occasion) {
    if (!this.sounds.checked || !('AudioContext' in globalThis)) return;
    this.#audio ??= new AudioContext();
    const audio = this.#audio;
    // A browser lets a page play sounds only after the visitor has touched it; until then it is silent.
    audio.resume().catch(() => {});
    for (const [pitch, from, length] of TONES[occasion]) {
      const [tone, volume] = [audio.createOscillator(), audio.createGain()];
      const begin = audio.currentTime + from;
      tone.type = 'triangle';
      tone.frequency.value = pitch;
      volume.gain.setValueAtTime(VOLUME, begin);
      volume.gain.exponentialRampToValueAtTime(0.001, begin + length);
      tone.connect(volume).connect(audio.destination);
      tone.start(begin);
      tone.stop(begin + length);
    }
    document.dispatchEvent(new CustomEvent('kibitz:sound', { detail: occasion }));
  }

  /**
   * Notifies the visitor if the page is hidden.
   * @param {string} title
   * @param {string} body
   */
  #notify(title, body) {
    if (!this.notices.checked || document.visibilityState === 'visible') return;
    try {
      // A newer notification of the match replaces an older one.
      const notice = new Notification(title, { body, tag: this.match.id, icon: '/web/icon.svg' });
      notice.addEventListener('click', () => {
        focus();
        notice.close();
      });
    } catch {
      // Some browsers allow notifications only to installed pages. The title of the page still changes.
    }
  }

  // Asks for the browser's permission, which it grants only on a press.
  async #permit() {
    const wanted = this.notices.checked;
    const allowed = wanted && await Notification.requestPermission() === 'granted';
    this.notices.checked = allowed;
    this.trouble.hidden = !wanted || allowed;
    localStorage.setItem(NOTICES, allowed ? '1' : '');
  }
}
