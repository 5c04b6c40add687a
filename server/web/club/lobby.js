// The lobby: quick pairing; live lists of the players who are online, the players who wait to be paired, and the matches
// with a free seat.

/** @import {Child, ClockTerms, Game, ListEntry, Translate} from '../types.ts' */
/** @import {PairingTerms} from '../lib/pairing.js' */

import { ask, freshKey, sentence } from '../lib/api.js';
import { begin } from '../lib/page/begin.js';
import { keepRated, terms } from '../lib/page/challenge.js';
import { avatar } from '../lib/page/avatar.js';
import { clockOf } from '../lib/clock-choice.js';
import { clockText } from '../lib/clock-text.js';
import { all, fill, h, required } from '../lib/dom.js';
import { followed } from './follows.js';
import { guestColour } from '../lib/matches/guests.js';
import { games, keepFilled, line, who } from '../lib/matches/lists.js';
import { followMine } from '../lib/matches/my-matches.js';
import { patch } from '../lib/patch.js';
import { othersAfter, paired } from '../lib/pairing.js';
import { pointerReleased } from '../lib/pointer.js';
import { keep, link } from '../lib/matches/seats.js';
import { me, myToken, playerLink } from '../lib/session.js';
import { follow } from '../lib/source.js';
import { file, loadTexts } from '../lib/texts.js';

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
  const pairing = new Pairing(required('#pair', HTMLFormElement), t);
  const again = keepFilled(required('[data-list="open"]'), known, t, { query: { stage: 'open', limit: '8' }, none: 'lobby.none_open',
    draw: (entry) => lists.open(entry) });
  keepFilled(required('[data-list="over"]'), known, t, { query: { stage: 'over', limit: '3' }, none: 'home.none_over' });
  followMine((found) => {
    const going = found.flatMap(({ held, entry }) => (entry && entry.stage !== 'over' ? [line(entry, known, t, held)] : []));
    fill(required('[data-list="mine"]'), going.slice(0, MINE));
    required('#mine').hidden = going.length === 0;
  });
  // Lists are drawn again while they are pressed, so their buttons have no listeners of their own.
  document.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest('[data-meet], [data-take]') : null;
    if (!(button instanceof HTMLButtonElement)) return;
    if (button.dataset.meet) pairing.meet(JSON.parse(button.dataset.meet));
    else take(button, t);
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
    /** @type {Person[]} */
    this.people = [];
  }

  /** @param {LobbyState} state */
  show({ people, bots, waiting }) {
    const { t } = this;
    this.people = people;
    this.#rate(document);
    const fresh = (/** @type {string} */ name, /** @type {HTMLElement[]} */ lines, /** @type {Child[]} */ ...none) => {
      const place = required(`[data-list="${name}"]`);
      patch(place, h('ul', {}, lines.length ? lines : h('li', { class: 'none' }, none)));
    };
    // Followed players come first.
    const friends = new Set(followed());
    const sorted = [...people].sort((a, b) => Number(friends.has(b.name)) - Number(friends.has(a.name)));
    fresh('people', sorted.map((person) => this.#person(person)), t('lobby.none_people'));
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
    return h('li', { data: { target: `person:${name}` } }, h('span', { class: 'face' }, avatar(name), h('a', { href: playerLink(name) }, name),
      followed().includes(name) && h('span', { class: 'star', title: this.t('follow.on') }, '\u2605', h('span', { class: 'ear' }, this.t('follow.on')))),
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
    const terms = { game, rated, ...(clock ? { clock } : {}) };
    return h('li', {}, h('span', {}, what),
      me() && h('button', { type: 'button', class: 'challenge', data: { meet: JSON.stringify(terms) }, 'aria-label': t('lobby.meet.of', { what }) }, t('lobby.meet')),
      h('span', { class: 'soft' }, t('lobby.players', { players })));
  }

  /**
   * A match with a free seat as a card: the players with their ratings, the clock, and a button that takes the seat.
   * @param {ListEntry} entry
   */
  open(entry) {
    const { t, known } = this;
    const free = entry.seats.filter(({ kind }) => kind === 'open').length;
    const facts = [clockText(entry.clock ?? null, t), t(entry.rated ? 'club.rated' : 'club.unrated'), t('match.free_seats', { count: free })];
    const seats = entry.seats.filter(({ kind }) => kind !== 'open');
    const card = h('article', { class: 'seat-card' },
      h('img', { src: file(`games/${entry.game}/picture.svg`), alt: '', width: 122, height: 64 }),
      h('h3', {}, h('a', { href: link(entry.id) }, this.#title(entry.game))),
      h('p', {}, seats.map((seat) => h('span', { class: ['who', guestColour(seat, t)] }, who(entry, seat, known, t),
        h('span', { class: 'rating soft', data: { of: seat.kind === 'player' ? seat.name ?? '' : '', game: entry.game } })))),
      h('p', { class: 'soft' }, facts.join(' · ')),
      free > 0 && h('button', { type: 'button', class: 'main', data: { take: entry.id, game: entry.game }, 'aria-label': t('lobby.take.of', { game: this.#title(entry.game) }) }, t('lobby.take')),
      h('p', { class: 'trouble', role: 'alert', hidden: true }));
    this.#rate(card);
    return card;
  }

  // Puts the ratings of the players who are online beside their names.
  #rate(/** @type {ParentNode} */ root) {
    for (const place of all('.rating[data-of]', root)) {
      const rating = this.people.find(({ name }) => name === place.dataset.of)?.ratings.find(({ game }) => game === place.dataset.game);
      const shown = rating ? `${rating.points}${rating.provisional ? '?' : ''}` : '';
      if (place.textContent !== shown) fill(place, shown);
    }
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

/**
 * Takes the free seat of a match, and goes to the match.
 * @param {HTMLButtonElement} button
 * @param {Translate} t
 */
async function take(button, t) {
  const { take: id = '', game } = button.dataset;
  button.disabled = true;
  try {
    keep(id, await ask(`/v1/matches/${id}/join`, { who: { token: myToken() }, body: {}, again: freshKey() }), game);
    location.assign(link(id));
  } catch (error) {
    const trouble = button.parentElement?.querySelector('.trouble');
    if (trouble instanceof HTMLElement) fill(trouble, sentence(error, t)).hidden = false;
    button.disabled = false;
  }
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
    this.busy = false;
    keepRated(form);
    const signedIn = Boolean(me());
    required('.sign-in', HTMLElement, form).hidden = signedIn;
    required('.idle', HTMLElement, form).hidden = !signedIn;
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      this.#wait(terms(form));
    });
    const clock = clockOf(required('.quick', HTMLElement, form).dataset.clock ?? '');
    for (const button of all('[data-quick]', form)) {
      // A guest meets an engine: only players are paired.
      button.addEventListener('click', () => (signedIn ? this.#wait({ game: button.dataset.quick ?? '', clock })
        : location.assign(`/games/${button.dataset.quick}`)));
    }
    required('.cancel', HTMLButtonElement, form).addEventListener('click', () => this.#abort?.abort());
    form.inert = false;
  }

  /**
   * Meets the player who waits with these terms.
   * @param {PairingTerms} wanted
   */
  meet(wanted) {
    if (this.#abort && !this.#abort.signal.aborted && this.busy) return;
    this.form.scrollIntoView({ block: 'nearest' });
    this.#wait(wanted);
  }

  /** @param {PairingTerms} wanted */
  async #wait(wanted) {
    const { t, form } = this;
    const all = new FormData(form).get('against') === 'all';
    const abort = new AbortController();
    this.#abort = abort;
    this.#busy(true);
    const text = all ? 'lobby.pair.status_all' : 'lobby.pair.status';
    const status = required('.status', HTMLElement, form);
    try {
      const id = await paired(wanted, { all, signal: abort.signal,
        tick: (seconds) => fill(status, t(text, { seconds, after: othersAfter() })) });
      location.assign(link(id));
    } catch (error) {
      if (!abort.signal.aborted) fill(this.trouble, sentence(error, t)).hidden = false;
    } finally {
      this.#busy(false);
    }
  }

  /** @param {boolean} busy */
  #busy(busy) {
    const { form } = this;
    this.busy = busy;
    for (const button of all('[data-quick]', form)) button.toggleAttribute('disabled', busy);
    this.trouble.hidden = true;
    required('.idle', HTMLElement, form).hidden = busy;
    required('.busy', HTMLElement, form).hidden = !busy;
    for (const field of all('.fields select, .fields input', form)) field.toggleAttribute('disabled', busy);
    if (!busy) keepRated(form);
  }
}
