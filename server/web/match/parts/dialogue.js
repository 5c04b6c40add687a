// What the bot in a seat reads and writes, turn by turn, beside the board: its official dialogue, its standard error, and what
// its processes use. For the side of the seat during the match, for everybody afterwards.

/** @import {BotOutput, BotTurn, DialogueLine} from '../../types.ts' */
/** @import {MatchStore} from '../../lib/matches/match-store.js' */

import { ask, sentence } from '../../lib/api.js';
import { fill, h } from '../../lib/dom.js';
import { seatName } from '../../lib/matches/match-text.js';
import { patiently } from '../../lib/patience.js';

// How long after a move of a running match the dialogue is asked for again.
const REFRESH_MS = 700;
const KIB_A_MIB = 1024;
// The class and the mark of each kind of line.
/** @type {Record<DialogueLine['kind'], [string, string]>} */
const FORMS = { read: ['read', '<'], printed: ['printed', '>'], remark: ['foul', '#'], end: ['last', '.'] };

export class Dialogue {
  /** @type {Map<number, HTMLButtonElement>} */
  #turns = new Map();
  /** The ply that the board shows. @type {number | null} */
  #shown;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #refresh;
  #asked = 0;

  /**
   * @param {HTMLDetailsElement} box which is open
   * @param {MatchStore} match
   * @param {{seats: number[], asked: number | null, shown: number | null}} start the seats that bots can have, the one whose dialogue is
   * asked for, and the ply that the board shows
   */
  constructor(box, match, { seats, asked, shown }) {
    const { t, page } = match;
    this.box = box;
    this.match = match;
    this.t = t;
    this.#shown = shown;
    /** @type {HTMLSelectElement} */
    this.choice = h('select', { change: () => this.load() },
      ...seats.map((seat) => h('option', { value: String(seat) }, seatName(page.seats[seat], t))));
    const chosen = asked ?? page.you;
    if (chosen !== null && seats.includes(chosen)) this.choice.value = String(chosen);
    this.list = h('ol', { class: 'bot-turns', tabindex: '0', 'aria-label': t('dialogue.turns') });
    this.hosted = h('p', { class: 'soft', hidden: true });
    this.note = h('p', { class: 'soft', hidden: true });
    this.trouble = h('p', { class: 'trouble', role: 'alert', hidden: true });
    box.append(h('p', { class: 'soft' }, t('dialogue.say')), h('label', {}, t('dialogue.seat'), this.choice),
      this.hosted, this.note, this.list, this.trouble);
    match.on('changed', () => this.#refreshLater());
    match.on('shown', (ply) => this.#point(ply));
  }

  /** Reads it again after a move. */
  #refreshLater() {
    if (!this.box.open) return;
    clearTimeout(this.#refresh);
    this.#refresh = setTimeout(() => this.load(), REFRESH_MS);
  }

  /** Reads and shows the dialogue of the chosen seat, if the place is open. */
  async load() {
    const { box, choice, list, note, trouble, match } = this;
    if (!box.open) return;
    this.#asked += 1;
    const asked = this.#asked;
    const path = `${match.path}/seats/${choice.value}`;
    try {
      const [{ lines }, output] = await Promise.all(['dialogue', 'output'].map((part) =>
        patiently(() => ask(`${path}/${part}`, { who: match.secrets() }))));
      if (asked !== this.#asked) return;
      trouble.hidden = true;
      this.#draw(lines, output);
    } catch (error) {
      if (asked !== this.#asked) return;
      fill(list);
      note.hidden = true;
      fill(trouble, sentence(error, this.t)).hidden = false;
    }
  }

  /**
   * @param {DialogueLine[]} lines
   * @param {BotOutput} output
   */
  #draw(lines, output) {
    const { list, note, hosted } = this;
    const program = this.match.page.seats[output.seat]?.program;
    fill(hosted, program && this.t('dialogue.hosted', { number: program.number, hash: program.hash.slice(0, 12) })).hidden = !program;
    const written = new Map(output.turns.map((turn) => [turn.ply, turn]));
    const plies = [...new Set([...lines, ...output.turns].map(({ ply }) => ply))].sort((a, b) => a - b);
    this.#turns.clear();
    fill(list, plies.map((ply) => h('li', {}, this.#turn(ply, lines.filter((line) => line.ply === ply), written.get(ply)))));
    fill(note, this.t(output.all ? 'dialogue.all' : 'dialogue.public')).hidden = output.turns.length === 0;
    this.#point(this.#shown);
  }

  /**
   * The lines of one turn, below a button that shows its position.
   * @param {number} ply
   * @param {DialogueLine[]} lines
   * @param {BotTurn | undefined} written
   */
  #turn(ply, lines, written) {
    const { t } = this;
    const decided = lines.find(({ used_ms }) => used_ms !== undefined);
    const figures = [
      decided?.used_ms !== undefined && t('dialogue.time', { seconds: decided.used_ms / 1000 }),
      decided?.fuel !== undefined && t('dialogue.fuel', { fuel: decided.fuel }),
      written?.cpu_ms !== undefined && t('dialogue.cpu', { seconds: written.cpu_ms / 1000 }),
      written?.memory_kib !== undefined && t('dialogue.memory', { mib: Math.ceil(written.memory_kib / KIB_A_MIB) }),
    ].filter(Boolean);
    const button = h('button', { type: 'button', click: () => this.match.publish('go', ply) },
      h('b', {}, t('dialogue.after', { count: ply })), figures.length > 0 && ` ${figures.join(' \u00b7 ')}`);
    this.#turns.set(ply, button);
    const errors = (written?.lines ?? []).map(({ ms, text }) => row('error', '!', text, t('dialogue.since', { ms })));
    if (written?.cut) errors.push(row('remark', '#', t('dialogue.cut')));
    // What a bot wrote while it thought comes before its answer.
    // The heading says what the remark of a turn says.
    const told = lines.filter(({ kind, text }) => kind !== 'remark' || !text.startsWith('turn '));
    const answer = decided ? told.indexOf(decided) : told.length;
    const shown = told.map(({ kind, text }) => row(...FORMS[kind], text));
    return [button, h('div', { class: 'lines' }, shown.slice(0, answer), errors, shown.slice(answer))];
  }

  /**
   * Marks the turn of the position on the board, or the last one before it, and scrolls the list, never the page.
   * @param {number | null} ply
   */
  #point(ply) {
    this.#shown = ply;
    const { list } = this;
    const last = Math.max(...[...this.#turns.keys()].filter((of) => ply !== null && of <= ply));
    for (const [of, button] of this.#turns) {
      if (of !== last) {
        button.removeAttribute('aria-current');
        continue;
      }
      button.setAttribute('aria-current', 'step');
      const item = button.parentElement;
      if (item) list.scrollTop = item.offsetTop;
    }
  }
}

/**
 * @param {string} kind
 * @param {string} mark
 * @param {string} text
 * @param {string} [title]
 */
function row(kind, mark, text, title) {
  return h('code', { class: kind, title }, h('span', { class: 'mark' }, mark), ` ${text}`);
}
