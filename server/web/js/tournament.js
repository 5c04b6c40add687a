// The page of a tournament: standings, crosstable and games as they change; entering and leaving; what the organizer can do.

/** @import {AskOptions} from './api.js' */
/** @import {Game, Tournament, Translate} from '../types.ts' */

import { ask, sentence } from './api.js';
import { begin } from './begin.js';
import { clockText } from './clock-text.js';
import { twice } from './controls.js';
import { fill, h, required } from './dom.js';
import { games } from './lists.js';
import { patch } from './patch.js';
import { pointerReleased } from './pointer.js';
import { me, myToken } from './session.js';
import { follow } from './source.js';
import { facts, tables } from './tournament-tables.js';
import { loadTexts } from './texts.js';

const ENDED = ['ended', 'aborted'];
const EVENTS = ['tournament', 'entered', 'withdrew', 'started', 'paused', 'resumed', 'paired', 'game_started', 'game_ended',
  'game_voided', ...ENDED];
// At least so long, and as long as this many requests took, passes between two requests: a large tournament is a large answer.
const [LEAST_MS, TIMES] = [300, 4];

class Page {
  /** @type {Tournament | null} */
  #shown = null;
  /** @type {ReturnType<typeof setTimeout> | null} */
  #planned = null;
  #pause = LEAST_MS;
  /** @type {string[]} the player's bots */
  #bots = [];
  #actions = '';

  /**
   * @param {string} id
   * @param {Translate} t
   * @param {Map<string, Game>} known
   */
  constructor(id, t, known) {
    this.path = `/v1/tournaments/${id}`;
    this.t = t;
    this.known = known;
    this.trouble = required('#tournament > .trouble');
    const engine = required('#engine', HTMLFormElement);
    engine.addEventListener('submit', (event) => {
      event.preventDefault();
      const name = String(new FormData(engine).get('name'));
      this.#do(() => this.#ask('/entries', { body: { name } }));
    });
  }

  async start() {
    const token = myToken();
    if (token) {
      try {
        /** @type {{bots: {name: string}[]}} */
        const { bots } = await ask('/v1/me/bots', { who: { token } });
        this.#bots = bots.map(({ name }) => name);
      } catch {
        // A bot has no bots, and a key may no longer be valid.
      }
    }
    follow(`${this.path}/events`, EVENTS, (type, content) => {
      if (type === 'tournament') this.#show(content);
      else this.#plan();
    }, ENDED);
  }

  // Asks for the tournament soon. Several events in a row cost one request.
  #plan() {
    if (this.#planned) return;
    this.#planned = setTimeout(async () => {
      const since = performance.now();
      try {
        this.#show(await ask(this.path));
      } catch {
        // The stream connects again and begins with the tournament.
      }
      this.#pause = Math.max(LEAST_MS, TIMES * (performance.now() - since));
      this.#planned = null;
    }, this.#pause);
  }

  /** @param {Tournament} tournament */
  async #show(tournament) {
    await pointerReleased();
    if (this.#shown && this.#shown.seq > tournament.seq) return;
    this.#shown = tournament;
    const { t } = this;
    const title = this.known.get(tournament.game)?.title ?? tournament.game;
    patch(required('#facts'), h('div', {}, facts(tournament, title, clockText(tournament.clock, t), t)));
    for (const [name, content] of Object.entries(tables(tournament, t))) patch(required(`#${name}`), h('div', {}, content));
    required('#tournament').dataset.stage = tournament.stage;
    const { secret, salt } = tournament;
    patch(required('#secret'), h('div', {}, secret && h('p', { class: 'wrapped' }, t('tournaments.secret'), ' ', h('code', {}, secret),
      ' · ', t('tournaments.salt'), ' ', h('code', {}, salt))));
    required('#records').hidden = !ENDED.includes(tournament.stage);
    this.#offer(tournament);
  }

  /**
   * What the visitor can do now. Drawn again only if it has changed: a button must not vanish while it is pressed.
   * @param {Tournament} tournament
   */
  #offer({ stage, format, organizer, entrants }) {
    const { t } = this;
    const name = me()?.name;
    const open = stage === 'registration' || (format.kind !== 'round_robin' && (stage === 'running' || stage === 'paused'));
    const over = ENDED.includes(stage);
    const inside = entrants.filter((entrant) => entrant.takes_part).map((entrant) => entrant.name);
    const mine = name === organizer;
    const bots = this.#bots.filter((bot) => !inside.includes(bot));
    const shape = JSON.stringify([stage, name, open, inside, bots]);
    required('#engine').hidden = !(mine && open);
    if (shape === this.#actions) return;
    this.#actions = shape;
    const button = (/** @type {string} */ label, /** @type {() => void} */ act, main = false) =>
      h('button', { type: 'button', class: main && 'main', click: act }, label);
    const order = (/** @type {string} */ act) => () => this.#do(() => this.#ask(`/${act}`, { post: true }));
    const own = over ? [] : [name, ...this.#bots].filter((one) => one !== undefined && inside.includes(one));
    fill(required('#actions'),
      open && !name && h('p', {}, h('a', { href: `/account?next=${location.pathname}` }, t('tournaments.sign_in_to_enter'))),
      mine && stage === 'registration' && button(t('tournaments.start'), order('start'), true),
      mine && stage === 'running' && button(t('tournaments.pause'), order('pause')),
      mine && stage === 'paused' && button(t('tournaments.resume'), order('resume'), true),
      open && name && !inside.includes(name) && button(t('tournaments.enter'), () => this.#enter({}), !mine),
      open && bots.map((bot) => button(t('tournaments.enter_bot', { name: bot }), () => this.#enter({ name: bot }))),
      own.map((one) => twice(t(one === name ? 'tournaments.leave' : 'tournaments.leave_bot', { name: one }),
        t('tournaments.leave.sure'), t, () => this.#leave(String(one)))),
      mine && !over && this.#remove(inside.filter((one) => !own.includes(one))),
      mine && !over && twice(t('tournaments.abort'), t('tournaments.abort.sure'), t, order('abort')));
  }

  /**
   * Removes an entrant, for the organizer.
   * @param {string[]} others
   */
  #remove(others) {
    const { t } = this;
    if (others.length === 0) return null;
    const submit = (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      this.#leave(select.value);
    };
    const select = h('select', { name: 'entrant' }, others.map((name) => h('option', { value: name }, name)));
    return h('form', { class: 'inline', submit }, h('label', {}, t('tournaments.entrant'), select),
      h('button', {}, t('tournaments.remove')));
  }

  /** @param {{name?: string}} body */
  #enter(body) {
    this.#do(() => this.#ask('/entries', { body }));
  }

  /** @param {string} name */
  #leave(name) {
    this.#do(() => this.#ask(`/entries/${encodeURIComponent(name)}`, { method: 'DELETE' }));
  }

  /**
   * @param {string} path
   * @param {AskOptions} options
   */
  #ask(path, options) {
    return ask(this.path + path, { who: { token: myToken() }, ...options });
  }

  /** @param {() => Promise<unknown>} act */
  async #do(act) {
    this.trouble.hidden = true;
    try {
      await act();
      this.#plan();
    } catch (error) {
      fill(this.trouble, sentence(error, this.t)).hidden = false;
    }
  }
}

begin(async () => {
  const [t, known] = await Promise.all([loadTexts(), games()]);
  await new Page(required('#tournament').dataset.tournament ?? '', t, known).start();
});
