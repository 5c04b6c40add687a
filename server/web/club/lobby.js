// The lobby: quick pairing; live lists of the players who are online, the players who wait to be paired, and the matches
// with a free seat.

/** @import {Child, ClockTerms, Game, Translate} from '../types.ts' */

import { Refused, ask, sentence } from '../lib/api.js';
import { begin } from '../lib/page/begin.js';
import { keepRated, terms } from '../lib/page/challenge.js';
import { clockText } from '../lib/clock-text.js';
import { all, fill, h, required } from '../lib/dom.js';
import { games, keepFilled, line } from '../lib/matches/lists.js';
import { followMine } from '../lib/matches/my-matches.js';
import { patch } from '../lib/patch.js';
import { pointerReleased } from '../lib/pointer.js';
import { link } from '../lib/matches/seats.js';
import { me, myToken, playerLink } from '../lib/session.js';
import { follow } from '../lib/source.js';
import { loadTexts } from '../lib/texts.js';

// After this long without a person, a bot or an engine is taken.
const OTHERS_AFTER_MS = 15_000;
// After a failure of the network, quick pairing tries again.
const AGAIN_MS = 2_000;
// How many of the visitor's own matches are shown. The home page has all.
const MINE = 2;

/** @typedef {{game: string, points: number, margin: number, provisional: boolean}} OnlineRating */
/** @typedef {{games: string[], concurrent: number, rated: 'any' | 'only' | 'never', clock_ms?: [number, number],
 *   unlimited: boolean, from: 'anyone' | 'people' | 'bots' | 'owner'}} Policy */
/** @typedef {{name: string, ratings: OnlineRating[]}} Person */
/** @typedef {Person & {owner: string | null, about: {description?: string, version?: string}, policy: Policy, playing: number}} Bot */
/** @typedef {{game: string, clock: ClockTerms | null, rated: boolean, players: number}} Waiting */
/** @typedef {{people: Person[], bots: Bot[], waiting: Waiting[]}} LobbyState */

begin(async () => {
  const [t, known] = await Promise.all([loadTexts(), games()]);
  const lists = new Lists(t, known);
  new Pairing(required('#pair', HTMLFormElement), t);
  const again = keepFilled(required('[data-list="open"]'), known, t, { query: { stage: 'open', limit: '8' }, none: 'lobby.none_open' });
  keepFilled(required('[data-list="over"]'), known, t, { query: { stage: 'over', limit: '3' }, none: 'home.none_over' });
  followMine((found) => {
    const going = found.flatMap(({ held, entry }) => (entry && entry.stage !== 'over' ? [line(entry, known, t, held)] : []));
    fill(required('[data-list="mine"]'), going.slice(0, MINE));
    required('#mine').hidden = going.length === 0;
  });
  let first = true;
  follow('/v1/lobby/events', ['lobby'], async (_, state) => {
    await pointerReleased();
    lists.show(state);
    if (!first) again();
    first = false;
  });
});

class Lists {
  /**
   * @param {Translate} t
   * @param {Map<string, Game>} known
   */
  constructor(t, known) {
    this.t = t;
    this.known = known;
  }

  /** @param {LobbyState} state */
  show({ people, bots, waiting }) {
    const { t } = this;
    const fresh = (/** @type {string} */ name, /** @type {HTMLElement[]} */ lines, /** @type {Child[]} */ ...none) => {
      const place = required(`[data-list="${name}"]`);
      patch(place, h('ul', {}, lines.length ? lines : h('li', { class: 'none' }, none)));
    };
    fresh('people', people.map((person) => this.#person(person)), t('lobby.none_people'));
    fresh('bots', bots.map((bot) => this.#bot(bot)), t('lobby.none_bots'), ' ', h('a', { href: '/bots' }, t('bots.title')));
    fresh('waiting', waiting.map((one) => this.#waiting(one)), t('lobby.none_waiting'));
    required('#people').dataset.count = String(people.length);
    required('#online-bots').dataset.count = String(bots.length);
    required('[data-part-name="online"]').dataset.count = String(people.length + bots.length);
  }

  /** @param {string} game */
  #title(game) {
    return this.known.get(game)?.title ?? game;
  }

  /** @param {OnlineRating[]} ratings */
  #ratings(ratings) {
    const { t } = this;
    return h('span', { class: 'ratings soft' }, ratings.map(({ game, points, margin, provisional }) =>
      h('span', { title: provisional && t('board.provisional') }, `${this.#title(game)} ${points}${provisional ? '?' : ''} ± ${margin}`)));
  }

  /** @param {Person} person */
  #person({ name, ratings }) {
    const mine = name === me()?.name;
    return h('li', { data: { target: `person:${name}` } }, h('a', { href: playerLink(name) }, name),
      mine ? h('span', { class: 'soft' }, `(${this.t('match.you')})`) : this.#challenge(name), this.#ratings(ratings));
  }

  /** @param {Bot} bot */
  #bot({ name, owner, about, policy, playing, ratings }) {
    const { t } = this;
    const told = [
      about.version,
      owner && t('lobby.owner', { name: owner }),
      policy.games.map((game) => this.#title(game)).join(', '),
      t(`lobby.rated.${policy.rated}`),
      policy.clock_ms && t('lobby.clock', { least: duration(policy.clock_ms[0], t), most: duration(policy.clock_ms[1], t) }),
      policy.from !== 'anyone' && t(`lobby.from.${policy.from}`),
      t('lobby.playing', { playing, concurrent: policy.concurrent }),
    ];
    return h('li', { data: { target: `bot:${name}` } }, h('a', { href: playerLink(name) }, name),
      this.#challenge(name, policy.games), h('span', { class: 'soft' }, told.filter(Boolean).join(' · ')), this.#ratings(ratings));
  }

  /** @param {Waiting} one */
  #waiting({ game, clock, rated, players }) {
    const { t } = this;
    const what = [this.#title(game), clockText(clock, t), t(rated ? 'club.rated' : 'club.unrated')].join(' · ');
    return h('li', {}, h('span', {}, what), h('span', { class: 'soft' }, t('lobby.players', { players })));
  }

  /**
   * @param {string} name
   * @param {string[]} [played] the games of a bot
   */
  #challenge(name, played) {
    return h('button', { type: 'button', class: 'challenge', data: { challenge: name, games: played?.join(' ') },
      'aria-label': this.t('challenge.of', { name }) }, this.t('challenge.button'));
  }
}

/**
 * A duration in seconds or minutes.
 * @param {number} ms
 * @param {Translate} t
 */
function duration(ms, t) {
  return ms % 60_000 === 0 ? t('clock.short.minutes', { minutes: ms / 60_000 }) : t('clock.short.seconds', { seconds: ms / 1000 });
}

/** Quick pairing: the request waits on the server until there is an opponent. */
class Pairing {
  /** @type {AbortController | null} */
  #abort = null;

  /**
   * @param {HTMLFormElement} form
   * @param {Translate} t
   */
  constructor(form, t) {
    this.form = form;
    this.t = t;
    this.trouble = required('.trouble', HTMLElement, form);
    keepRated(form);
    const signedIn = Boolean(me());
    required('.sign-in', HTMLElement, form).hidden = signedIn;
    required('.idle', HTMLElement, form).hidden = !signedIn;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#wait();
    });
    required('.cancel', HTMLButtonElement, form).addEventListener('click', () => this.#abort?.abort());
    form.inert = false;
  }

  async #wait() {
    const { t, form } = this;
    const all = new FormData(form).get('against') === 'all';
    const wish = { ...terms(form), opponents: all ? ['person', 'bot', 'engine'] : ['person'] };
    const abort = new AbortController();
    this.#abort = abort;
    this.#busy(true);
    const since = Date.now();
    const seconds = () => Math.round((Date.now() - since) / 1000);
    const text = all ? 'lobby.pair.status_all' : 'lobby.pair.status';
    const status = required('.status', HTMLElement, form);
    const tick = () => fill(status, t(text, { seconds: seconds(), after: OTHERS_AFTER_MS / 1000 }));
    tick();
    const timer = setInterval(tick, 1000);
    try {
      for (;;) {
        const left = Math.max(0, OTHERS_AFTER_MS - (Date.now() - since));
        const found = await this.#ask({ ...wish, others_after_ms: left }, abort.signal);
        if (found) {
          location.assign(link(found.id));
          return;
        }
      }
    } catch (error) {
      if (!abort.signal.aborted) fill(this.trouble, sentence(error, t)).hidden = false;
    } finally {
      clearInterval(timer);
      this.#busy(false);
    }
  }

  /**
   * The match; null: there is no opponent yet.
   * @param {object} body
   * @param {AbortSignal} signal
   * @returns {Promise<{id: string} | null>}
   */
  async #ask(body, signal) {
    try {
      return await ask('/v1/pool', { who: { token: myToken() }, body, signal });
    } catch (error) {
      if (!(error instanceof Refused) || !['unreachable', 'stopping'].includes(error.code)) throw error;
      await new Promise((done) => setTimeout(done, AGAIN_MS));
      signal.throwIfAborted();
      return null;
    }
  }

  /** @param {boolean} busy */
  #busy(busy) {
    const { form } = this;
    this.trouble.hidden = true;
    required('.idle', HTMLElement, form).hidden = busy;
    required('.busy', HTMLElement, form).hidden = !busy;
    for (const field of all('.fields select, .fields input', form)) field.toggleAttribute('disabled', busy);
    if (!busy) keepRated(form);
  }
}
