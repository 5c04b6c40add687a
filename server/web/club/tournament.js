// The page of a tournament: it shows the server's page as it changes; entering and leaving; the organizer's actions.

/** @import {AskOptions} from '../lib/api.js' */
/** @import {TournamentNow, Translate} from '../types.ts' */

import { Refused, ask, rendered, sentence } from '../lib/api.js';
import { begin } from '../lib/page/begin.js';
import { twice } from '../lib/controls.js';
import { all, fill, h, required, told } from '../lib/dom.js';
import { moment } from '../lib/matches/lists.js';
import { patch } from '../lib/patch.js';
import { countDown } from '../lib/page/countdown.js';
import { pointerReleased } from '../lib/pointer.js';
import { reportButton } from '../lib/page/report.js';
import { me, myToken } from '../lib/session.js';
import { follow } from '../lib/source.js';
import { language, loadTexts } from '../lib/texts.js';

const ENDED = ['ended', 'aborted'];
const EVENTS = ['tournament', 'title_removed', 'entered', 'withdrew', 'started', 'paused', 'resumed', 'paired', 'game_started', 'game_ended',
  'game_voided', ...ENDED];
// The parts of the server's page that change.
const PARTS = ['title', 'podium', 'facts', 'live', 'standings', 'crosstable', 'games', 'secret', 'downloads'];
// The pause between two requests: at least this many ms, and this many times the duration of the last request, since the
// page of a large tournament is large.
const [LEAST_MS, TIMES] = [300, 4];
// The pause after a request that failed, in ms.
const AGAIN_MS = 5000;
// How often the pictures of the games being played are asked for again, in ms.
const PICTURES_MS = 5000;

class Page {
  /** @type {TournamentNow} */
  #shown = told('#now');
  // The newest event that has arrived.
  #heard = this.#shown.seq;
  #planned = false;
  #pause = LEAST_MS;
  /** @type {string[]} the player's bots */
  #bots = [];
  #actions = '';

  /**
   * @param {string} id
   * @param {Translate} t
   */
  constructor(id, t) {
    this.id = id;
    this.path = `/v1/tournaments/${id}`;
    this.t = t;
    this.trouble = required('#tournament > .trouble');
    const engine = required('#engine', HTMLFormElement);
    engine.addEventListener('submit', (event) => {
      event.preventDefault();
      const choice = new FormData(engine);
      const body = { name: String(choice.get('name')), ...(choice.has('opponent') ? { opponent: true } : {}) };
      this.#do(() => this.#ask('/entries', { body }));
    });
  }

  async start() {
    inVisitorsTime(document);
    this.#offerOwn();
    countDown(this.t);
    setInterval(freshPictures, PICTURES_MS);
    this.#offerReport();
    if (ENDED.includes(this.#shown.stage)) {
      this.#offer(this.#shown);
      return;
    }
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
    this.#offer(this.#shown);
    // The first event is the tournament itself, with the `seq` of its last event.
    follow(`${this.path}/events`, EVENTS, (_, { seq }) => {
      this.#heard = Math.max(this.#heard, seq);
      if (this.#heard > this.#shown.seq) this.#plan();
    }, ENDED);
  }

  // Asks for the page soon. Several events in a row cost one request.
  #plan() {
    if (this.#planned) return;
    this.#planned = true;
    setTimeout(async () => {
      try {
        const since = performance.now();
        const fresh = await rendered(location.pathname);
        this.#pause = Math.max(LEAST_MS, TIMES * (performance.now() - since));
        await this.#show(fresh);
      } catch (error) {
        if (!(error instanceof Refused)) throw error;
        this.#pause = AGAIN_MS;
      } finally {
        this.#planned = false;
      }
      // More events have arrived meanwhile. A hidden page gets them again when it is shown.
      if (this.#heard > this.#shown.seq && !document.hidden) this.#plan();
    }, this.#pause);
  }

  /**
   * Brings this page up to date.
   * @param {Document} fresh the page as the server renders it now
   */
  async #show(fresh) {
    await pointerReleased();
    /** @type {TournamentNow} */
    const now = told('#now', fresh);
    if (this.#shown.seq > now.seq) return;
    // The visitor has chosen another language in another tab: reload, so that the whole page has it.
    if (fresh.documentElement.lang !== language()) {
      location.reload();
      return;
    }
    this.#shown = now;
    const focused = document.activeElement;
    inVisitorsTime(fresh);
    for (const part of PARTS) patch(required(`#${part}`), required(`#${part}`, HTMLElement, fresh));
    // A row that moves loses the focus.
    if (focused instanceof HTMLElement && document.activeElement !== focused) focused.focus({ preventScroll: true });
    this.#offer(now);
    this.#offerOwn();
  }

  /** The visitor's own game, above all else. */
  #offerOwn() {
    const { t } = this;
    const name = me()?.name;
    const own = this.#shown.running.find(({ players }) => name !== undefined && players.includes(name));
    const place = required('#own');
    place.hidden = own === undefined;
    if (!own) return;
    const others = own.shown.filter((_, seat) => own.players[seat] !== name).join(', ');
    fill(place, t('tournaments.own', { names: others }), ' ', h('a', { class: 'button main', href: `/matches/${own.match}` }, t('tournaments.own.play')));
  }

  /** The button that reports the title, for all but the organizer. */
  #offerReport() {
    const { t } = this;
    if (this.#shown.organizer === me()?.name || !this.#shown.titled) return;
    const about = /** @type {const} */ ({ kind: 'tournament', tournament: this.id });
    fill(required('#report'), reportButton(about, t('report.tournament'), t, () => ({ token: myToken() })));
  }

  /**
   * The visitor's possible actions. Drawn again only if it has changed: a button must not vanish while it is pressed.
   * @param {TournamentNow} now
   */
  #offer({ stage, format, organizer, entrants, bots: allowed, mirror, titled, unplayed }) {
    const { t } = this;
    const name = me()?.name;
    const open = stage === 'registration' || (['swiss', 'ladder'].includes(format.kind) && (stage === 'running' || stage === 'paused'));
    const over = ENDED.includes(stage);
    const inside = entrants.map((entrant) => entrant.name);
    const mine = name === organizer;
    const bots = this.#bots.filter((bot) => !inside.includes(bot));
    const shape = JSON.stringify([stage, name, open, inside, bots, titled, unplayed]);
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
      open && !allowed && bots.length > 0 && h('p', {}, t(mirror ? 'tournaments.mirror_bots' : 'tournaments.no_bots')),
      open && (allowed || mirror) && bots.map((bot) => button(t('tournaments.enter_bot', { name: bot }),
        () => this.#enter({ name: bot, ...(allowed ? {} : { mirror: true }) }))),
      own.map((one) => twice(t(one === name ? 'tournaments.leave' : 'tournaments.leave_bot', { name: one }),
        t('tournaments.leave.sure'), t, () => this.#leave(String(one)))),
      mine && !over && this.#remove(entrants.filter((one) => !own.includes(one.name))),
      mine && !over && twice(t('tournaments.abort'), t('tournaments.abort.sure'), t, order('abort')),
      mine && unplayed && twice(t('tournaments.delete'), t('tournaments.delete.sure'), t, () => this.#delete()),
      mine && !unplayed && titled && twice(t('tournaments.remove_title'), t('tournaments.remove_title.sure'), t,
        () => this.#do(() => this.#ask('/title', { method: 'DELETE' }))));
  }

  /**
   * The form with which the organizer removes an entrant.
   * @param {TournamentNow['entrants']} others
   */
  #remove(others) {
    const { t } = this;
    if (others.length === 0) return null;
    const submit = (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      this.#leave(select.value);
    };
    const select = h('select', { name: 'entrant' }, others.map(({ name, shown }) => h('option', { value: name }, shown)));
    return h('form', { class: 'inline', submit }, h('label', {}, t('tournaments.entrant'), select),
      h('button', {}, t('tournaments.remove')));
  }

  #delete() {
    this.#do(async () => {
      await this.#ask('', { method: 'DELETE' });
      location.assign('/tournaments');
    });
  }

  /** @param {{name?: string, mirror?: boolean}} body */
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
    const before = this.#shown;
    try {
      await act();
      // The events may have updated the page already.
      if (this.#shown === before) this.#plan();
    } catch (error) {
      fill(this.trouble, sentence(error, this.t)).hidden = false;
    }
  }
}

/** Asks for the pictures of the games being played again: their addresses stay the same. */
function freshPictures() {
  if (document.hidden) return;
  for (const picture of all('img[data-picture]')) {
    if (picture instanceof HTMLImageElement) picture.src = `/matches/${picture.dataset.picture}/picture.svg?at=${Date.now()}`;
  }
}

/**
 * The server writes times in UTC. Shows them as the visitor's clock does.
 * @param {Document} page
 */
function inVisitorsTime(page) {
  for (const time of all('time[data-ms]', page)) time.replaceWith(moment(Number(time.dataset.ms)));
}

begin(async () => {
  await new Page(required('#tournament').dataset.tournament ?? '', await loadTexts()).start();
});
