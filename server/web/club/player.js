// A player's page: the history of each rating, the results against each opponent, the matches, and the button that blocks the
// player.

/** @import {Game, RatingHistory, OpponentList, Translate} from '../types.ts' */

import { ask, sentence } from '../lib/api.js';
import { begin } from '../lib/page/begin.js';
import { offerBlock } from './blocks.js';
import { showFaults } from './faults.js';
import { showFirstMoves } from './player/first-moves.js';
import { face, proud } from './proud.js';
import { showPrograms } from './programs/programs.js';
import { all, fill, h, required } from '../lib/dom.js';
import { games, day, keepFilled } from '../lib/matches/lists.js';
import { playerName } from '../lib/matches/match-text.js';
import { ratingGraph } from './rating-graph.js';
import { reportButton } from '../lib/page/report.js';
import { me, myToken, playerLink } from '../lib/session.js';
import { loadTexts, withOwnTexts } from '../lib/texts.js';

// How many opponents are shown before the button for more.
const OPPONENTS = 10;

for (const time of all('time[data-ms]')) time.replaceWith(day(Number(time.dataset.ms)));

/**
 * Fills the part of a game.
 * @param {HTMLElement} part
 * @param {string} player the player's path in the API
 * @param {Map<string, Game>} known
 * @param {Translate} t
 */
async function showRating(part, player, known, t) {
  const game = part.dataset.rating;
  const place = required('.history', HTMLElement, part);
  try {
    /** @type {RatingHistory} */
    const { history } = await ask(`${player}/ratings/${game}?points=120`);
    fill(place, ratingGraph(history, t));
  } catch (error) {
    fill(place, h('p', { class: 'trouble' }, sentence(error, t)));
  }
  const name = required('[data-list="matches"]').dataset.player ?? '';
  // A game may have no texts.
  const own = await loadTexts(`games/${game}/`).catch(() => (/** @type {string} */ key) => key);
  try {
    await proud(required('.proud', HTMLElement, part), { name, path: player, game: game ?? '', known: known.get(game ?? ''), t, own });
  } catch {
    // The rest of the page says what is wrong.
  }
  await showOpponents(required('.opponents-of', HTMLElement, part), `${player}/opponents/${game}`, part.ariaLabel ?? '', t, own, known.get(game ?? ''));
}

/**
 * Fills the table of opponents; a button shows more of them.
 * @param {HTMLElement} place
 * @param {string} path
 * @param {string} title of the game
 * @param {Translate} t
 * @param {Translate} own translates the game's texts
 * @param {Game | undefined} known the game
 */
async function showOpponents(place, path, title, t, own, known) {
  const rows = h('tbody', {});
  const counts = ['player.won', 'player.drawn', 'player.lost'].map((key) => t(key)).join(' – ');
  // The number of matches is also the sum of the others.
  const head = [h('th', { scope: 'col' }, t('player.opponent')), h('th', { scope: 'col', class: 'spare' }, t('player.played')),
    h('th', { scope: 'col' }, counts), h('th', { scope: 'col' }, t('player.score'))];
  const more = h('button', { type: 'button', hidden: true, click: () => load() }, t('matches.more'));
  let after = '';
  const load = async () => {
    /** @type {OpponentList} */
    const { opponents, next } = await ask(`${path}?limit=${OPPONENTS}${after && `&after=${encodeURIComponent(after)}`}`);
    rows.append(...opponents.map(({ name, kind, played, won, drawn, lost }) => h('tr', {},
      h('th', { scope: 'row' }, name === null ? h('span', { class: 'soft' }, t('player.deleted')) : h('a', { href: playerLink(name) }, playerName(name, known, { t: own }, t)),
        kind === 'bot' && h('span', { class: 'soft' }, ` ${t(`kind.${kind}`)}`)),
      h('td', { class: 'spare' }, played), h('td', {}, [won, drawn, lost].join(' – ')), h('td', {}, `${Math.round((100 * (won + drawn / 2)) / played)}%`))));
    after = next ?? '';
    more.hidden = !next;
  };
  try {
    await load();
    fill(place, h('label', { class: 'check every-column' }, h('input', { type: 'checkbox', autocomplete: 'off' }), ' ', t('page.columns')),
      h('div', { class: 'wide', role: 'region', tabindex: '0', 'aria-label': `${t('player.opponents')} · ${title}` },
        h('table', { class: 'results' }, h('caption', {}, t('player.opponents')), h('thead', {}, h('tr', {}, head)), rows)), more);
  } catch (error) {
    fill(place, h('p', { class: 'trouble' }, sentence(error, t)));
  }
}

begin(async () => {
  const [t, known] = await Promise.all([loadTexts(), games()]);
  const place = required('[data-list="matches"]');
  const player = `/v1/players/${encodeURIComponent(place.dataset.player ?? '')}`;
  const again = keepFilled(place, known, t, { path: `${player}/matches`, none: 'player.no_matches', next: required('#next') });
  const name = place.dataset.player ?? '';
  face(name, t);
  const report = document.querySelector('#report');
  if (report && name !== me()?.name) {
    fill(report, reportButton({ kind: 'player', name }, t('report.player', { name }), t, () => ({ token: myToken() })));
  }
  const game = document.querySelector('#game');
  if (game instanceof HTMLSelectElement) game.addEventListener('change', () => again({ game: game.value }));
  const block = document.querySelector('[data-block]');
  // A visitor whose key is no longer valid is signed out elsewhere, and gets no button.
  if (block instanceof HTMLElement) offerBlock(block, t).catch(() => fill(block));
  for (const part of all('[data-programs]')) await showPrograms(part, known, withOwnTexts(t, 'programs.'));
  for (const part of all('[data-faults]')) await showFaults(part, known, t);
  for (const part of all('#first-moves')) await showFirstMoves(part, player, known, t);
  for (const part of all('[data-rating]')) await showRating(part, player, known, t);
});
