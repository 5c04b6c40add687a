// The small card of a player: rating, form, the chance against the visitor, and a link to the player's page. A link with
// `data-card="NAME"` opens it, with `data-game` for a game.

/** @import {ListEntry, PlayerPage, Translate} from '../../types.ts' */

import { ask, sentence } from '../api.js';
import { avatar } from './avatar.js';
import { fill, h } from '../dom.js';
import { vacationText } from '../matches/match-text.js';
import { me, playerLink } from '../session.js';

// How many of the last matches are the form.
const FORM = 10;
// A difference of this many points of rating means a score of 10 to 1.
const TENFOLD = 400;

/** @type {HTMLElement | null} */
let open = null;

/**
 * Opens the card beside the link.
 * @param {HTMLElement} anchor
 * @param {Translate} t
 */
export async function showCard(anchor, t) {
  const { card: name = '', game = '' } = anchor.dataset;
  open?.remove();
  const content = h('div', {});
  const box = h('div', { class: 'player-card', popover: 'auto', role: 'dialog', 'aria-label': name }, content);
  open = box;
  anchor.after(box);
  box.addEventListener('toggle', () => { if (!box.matches(':popover-open')) box.remove(); });
  fill(content, h('p', { class: 'who' }, avatar(name), h('b', {}, name)), h('p', { class: 'soft' }, t('card.loading')));
  box.showPopover();
  place(box, anchor);
  try {
    const path = `/v1/players/${encodeURIComponent(name)}`;
    const own = me()?.name;
    const [player, matches, mine] = await Promise.all([ask(path), ask(`${path}/matches?game=${game}&stage=over&limit=${FORM}`),
      own && own !== name ? ask(`/v1/players/${encodeURIComponent(own)}`) : null]);
    fill(content, told(name, game, t, { player, matches: matches.matches, mine }));
  } catch (error) {
    fill(content, h('p', { class: 'trouble' }, sentence(error, t)));
  }
  place(box, anchor);
  content.querySelector('a')?.focus();
}

/**
 * @param {string} name
 * @param {string} game
 * @param {Translate} t
 * @param {{player: PlayerPage, matches: ListEntry[], mine: PlayerPage | null}} known
 */
function told(name, game, t, { player, matches, mine }) {
  const of = (/** @type {PlayerPage | null} */ one) => one?.ratings.find((rating) => rating.game === game);
  const [rating, own] = [of(player), of(mine)];
  const results = matches.map(({ seats }) => {
    const rank = seats.find((seat) => seat.name === name)?.rank;
    const shared = seats.filter((seat) => seat.rank === 1).length > 1;
    if (rank === undefined || rank === null) return 'none';
    if (rank !== 1) return 'lost';
    return shared ? 'drawn' : 'won';
  }).filter((result) => result !== 'none');
  const won = results.filter((result) => result === 'won').length;
  const chance = rating && own && Math.round(100 / (1 + 10 ** ((rating.points - own.points) / TENFOLD)));
  return [
    h('p', { class: 'who' }, avatar(name), h('a', { href: playerLink(name) }, name)),
    player.vacation_until_ms !== undefined && h('p', { class: 'vacation' }, vacationText(player.vacation_until_ms, t)),
    rating && h('p', {}, h('b', {}, `${rating.points}${rating.provisional ? '?' : ''}`), ` ± ${rating.margin} · `, t('card.played', { count: rating.played })),
    results.length > 0 && h('p', { class: 'form' }, h('span', { 'aria-hidden': 'true' }, results.map((result) => h('i', { class: result }))),
      ' ', t('card.form', { won, count: results.length })),
    chance !== undefined && h('p', {}, t('card.chance', { percent: chance })),
  ];
}

/**
 * Puts the card below the link, inside the window.
 * @param {HTMLElement} box
 * @param {HTMLElement} anchor
 */
function place(box, anchor) {
  const { left, bottom, top } = anchor.getBoundingClientRect();
  const { width, height } = box.getBoundingClientRect();
  const x = Math.max(8, Math.min(left, innerWidth - width - 8));
  const y = bottom + 6 + height > innerHeight ? Math.max(8, top - height - 6) : bottom + 6;
  box.style.setProperty('left', `${x}px`);
  box.style.setProperty('top', `${y}px`);
}
