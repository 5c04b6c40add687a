// The page of a match: played, watched and, when it is over, replayed here. It holds what is known of the match and
// hands it to the parts of the page.

import { Acts } from './acts.js';
import { ask, sentence } from './api.js';
import { begin } from './begin.js';
import { board as boardOf } from './board.js';
import { fill, h } from './dom.js';
import { Hints } from './hints.js';
import { Live, online } from './live.js';
import { apply } from './match-state.js';
import { Players } from './players.js';
import { Review } from './review.js';
import { keep, of } from './seats.js';
import { Stage } from './stage.js';
import { result, seatName, seatsShown } from './tell.js';
import { words } from './words.js';

// A move is sent again for so long when the network fails.
const PATIENCE_MS = 60_000;
// So often a match that is over is asked whether somebody wants to play again, and for so long.
const [AGAIN_MS, AGAIN_FOR_MS] = [5_000, 600_000];

class Match {
  page = null;
  // What is known of what happened, by place.
  events = new Map();
  #said = null;
  // A token that the API does not know.
  #refused = null;

  constructor(root, t) {
    this.root = root;
    this.t = t;
    this.id = root.dataset.match;
    this.path = `/v1/matches/${this.id}`;
    const key = new URLSearchParams(location.hash.slice(1)).get('key');
    if (key && of(this.id).key !== key) keep(this.id, { key });
  }

  secrets = () => {
    const { token, key } = of(this.id);
    return { token: token === this.#refused ? undefined : token, key };
  };

  async start() {
    const { t, root } = this;
    try {
      const [page, { games }] = await Promise.all([this.#load(), ask('/v1/games')]);
      this.game = games.find((game) => game.slug === page.game);
      const own = root.dataset.boards.split(' ').includes(page.game);
      this.board = await boardOf(page.game, own, t);
      this.#build();
      this.#take(page);
    } catch (error) {
      return fill(root, h('div', { class: 'notice' }, h('h1', {}, t('match.title')),
        h('p', { role: 'alert' }, sentence(error, t))));
    }
    this.live = new Live({
      path: this.path, secrets: this.secrets, heard: (frame) => this.#heard(frame),
      state: (name) => this.#connection(name),
      // At first a little of what happened before, so that the last move can be told.
      seq: () => (this.events.size > 0 ? this.page.seq : Math.max(0, this.page.seq - 2)),
    });
    if (this.page.stage !== 'over') this.live.start();
    addEventListener('storage', () => {
      if (this.secrets().token !== this.held) this.#rejoin();
    });
    this.held = this.secrets().token;
    return undefined;
  }

  // The page of the match; without my token where that is nobody's here.
  async #load() {
    try {
      return await ask(this.path, { who: this.secrets() });
    } catch (error) {
      if (error.code !== 'bad_token') throw error;
      this.#refused = this.secrets().token;
      return ask(this.path, { who: this.secrets() });
    }
  }

  #build() {
    const { t, root, game } = this;
    const part = (tag, name, label) => h(tag, { class: name, 'aria-label': label && t(label) });
    const parts = {
      players: part('ul', 'players', 'match.players'), stage: part('section', 'board', 'match.board'),
      acts: part('div', 'acts'), hints: part('section', 'hints', 'hint.title'),
      review: part('section', 'review', 'replay.title'),
      study: part('section', 'study', 'study.title'), moves: part('section', 'record', 'match.moves'),
    };
    this.status = h('p', { class: 'status', role: 'status' });
    this.network = h('p', { class: 'network', role: 'status', hidden: true });
    fill(root,
      h('header', {}, h('h1', {}, h('a', { href: `/games/${game.slug}` }, game.title)), this.status, this.network),
      parts.players,
      h('div', { class: 'middle' }, parts.stage, parts.review),
      h('aside', { 'aria-label': t('match.side') }, parts.acts, parts.hints, parts.moves, parts.study));
    this.players = new Players(parts.players, t, (text) => this.stage.tell(text));
    this.stage = new Stage(parts.stage, { board: this.board, t, play: (move) => this.#play(move),
      check: async (position, notations) =>
        (await ask(`/v1/games/${game.slug}/legal-moves`, { body: { position, notations } })).checked });
    this.acts = new Acts(parts.acts, { path: this.path, id: this.id, t, game, secrets: this.secrets,
      changed: (frame) => this.#heard(frame), joined: () => this.#rejoin() });
    this.hints = new Hints(parts.hints, { t, game, words: (move) => this.stage.words(move, this.page.position),
      mark: (move) => this.stage.hint(move) });
    this.review = new Review(parts, { match: this });
  }

  // A frame of the stream, or of an answer.
  #heard(frame) {
    if (frame.type === 'match') {
      if (!this.page || frame.seq >= this.page.seq || frame.you !== this.page.you) this.#take(frame);
      return;
    }
    if (frame.type === 'clock' && this.page) {
      // The clocks stand, or go on, and nothing has happened.
      this.players.told(frame.clock.now_ms);
      this.page = { ...this.page, clock: frame.clock };
      this.players.show(this.page);
      return;
    }
    if (frame.seq === undefined || this.events.has(frame.seq)) return;
    if (frame.seq > this.page.seq + 1) return;
    this.events.set(frame.seq, frame);
    const after = apply(this.page, frame);
    const fresh = after !== this.page;
    if (fresh) this.players.told(frame.at_ms);
    this.page = after;
    this.#show(fresh ? frame : null);
  }

  // The match as it is now, whatever was known of it.
  #take(page) {
    if (page.you !== this.page?.you) this.events.clear();
    this.page = page;
    this.players.told(page.clock?.now_ms);
    this.#show(null);
  }

  // Shows the match; `event`: what has just happened.
  #show(event) {
    const { page, t } = this;
    const mine = page.turn !== null && page.turn === page.you;
    this.root.dataset.stage = page.stage;
    this.root.dataset.ply = page.ply;
    this.players.show(page);
    this.acts.show(page);
    this.hints.show(page);
    this.review.show(event);
    let text = '';
    if (page.stage === 'over') text = result(page, t);
    else if (page.stage === 'open') text = t('match.waiting');
    else if (mine) text = t('match.your_turn');
    else if (page.turn !== null) text = t('match.their_turn', { name: seatName(page.seats[page.turn], t) });
    if (text !== this.#said) fill(this.status, text);
    this.#said = text;
    this.status.classList.toggle('mine', mine);
    document.title = t('page.title', { title: `${mine ? `● ${t('match.your_turn')} ` : ''}${this.game.title}` });
    if (page.stage === 'over') this.#over();
  }

  // Waits for a rematch.
  #over() {
    if (this.waiting) return;
    const until = Date.now() + AGAIN_FOR_MS;
    this.waiting = setInterval(async () => {
      if (this.page.rematch || Date.now() > until) return clearInterval(this.waiting);
      if (document.visibilityState !== 'visible' || !navigator.onLine) return undefined;
      try {
        const page = await this.#load();
        if (page.rematch) {
          this.page = { ...this.page, rematch: page.rematch };
          this.acts.show(this.page);
        }
      } catch {
        // It is asked again soon.
      }
      return undefined;
    }, AGAIN_MS);
  }

  // The scene for the stage: the position that is there now.
  scene(last) {
    const { page } = this;
    return {
      view: page.position, me: page.you, seats: seatsShown(page, this.t), turn: page.turn, moves: page.legal_moves,
      last, still: page.stage === 'over',
    };
  }

  // Makes a move. It names its ply, so it may be sent again until there is an answer.
  async #play(move) {
    const { t } = this;
    const { ply } = this.page;
    const until = Date.now() + PATIENCE_MS;
    for (let tries = 0; ; tries += 1) {
      await online();
      if (this.page.ply !== ply) return undefined;
      try {
        const body = { ply, notation: move.notation };
        return this.#heard(await ask(`${this.path}/moves`, { who: this.secrets(), body }));
      } catch (error) {
        if (this.page.ply !== ply) return undefined;
        if (error.match) {
          this.#take(error.match);
          throw new Error(t('match.gone_on'));
        }
        const again = error.code === 'unreachable' || error.status === 503;
        if (!again || Date.now() > until) throw new Error(sentence(error, t));
        await new Promise((done) => setTimeout(done, Math.min(1000, error.retry_after_ms ?? 300 * 2 ** tries)));
      }
    }
  }

  // Other secrets are held than before: a seat was taken, here or in another tab.
  #rejoin() {
    this.held = this.secrets().token;
    this.live.restart();
  }

  #connection(name) {
    this.root.dataset.connection = name;
    const lost = name === 'lost';
    this.network.hidden = !lost;
    if (lost) fill(this.network, this.t('match.lost'));
  }
}

begin(async () => new Match(document.querySelector('#match'), await words()).start());
