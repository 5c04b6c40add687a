// The elements of the page of a match: its header, and an empty element for each of its parts.

/** @import {Game, Translate} from '../types.ts' */

import { fill, h } from '../lib/dom.js';
import { file } from '../lib/texts.js';

// The icon of the link to the rest of the page: three lines.
const MENU = 'M4 6h16v2.2H4zM4 10.9h16v2.2H4zM4 15.8h16V18H4z';

/** @typedef {Record<'players' | 'tip' | 'chat' | 'bubble' | 'stage' | 'end' | 'actions' | 'settings' | 'hints' | 'review' | 'others' | 'analysis'
 *   | 'moves' | 'dialogue' | 'report' | 'origin', HTMLElement>} Parts the elements of the page's parts */

/**
 * Fills the page, and returns the elements of its parts.
 * @param {HTMLElement} root
 * @param {{t: Translate, game: Game, header: HTMLElement[]}} options `header`: the elements after the game's name
 * @returns {Parts}
 */
export function layout(root, { t, game, header }) {
  const part = (/** @type {string} */ tag, /** @type {string} */ name, /** @type {string} */ label) =>
    h(tag, { class: name, 'aria-label': t(label) });
  const parts = {
    players: part('ul', 'players', 'match.players'), tip: part('section', 'tip', 'tip.title'), chat: part('section', 'chat', 'chat.title'),
    bubble: h('p', { class: 'bubble', role: 'status' }), stage: part('section', 'board', 'match.board'),
    end: h('section', { class: 'end', 'aria-label': t('end.title'), tabindex: '-1', hidden: true }),
    actions: h('div', { class: 'actions' }), settings: h('div', { class: 'settings' }),
    hints: part('section', 'hints', 'hint.title'),
    review: part('section', 'review', 'replay.title'), others: h('div', { class: 'other-views' }),
    analysis: part('section', 'analysis', 'analysis.title'), moves: part('section', 'record', 'match.moves'),
    dialogue: part('section', 'dialogue', 'dialogue.title'),
    report: h('div', { class: 'report-match' }), origin: h('p', { class: 'origin', hidden: true }),
  };
  fill(root,
    // The parts that a turn needs: on a phone exactly one screen.
    h('div', { class: 'screen' },
      h('header', {},
        h('a', { class: 'home', href: '/', 'aria-label': t('trouble.home') },
          h('img', { src: file('icon.svg'), alt: '', width: '24', height: '24' })),
        h('h1', {}, h('a', { href: `/games/${game.slug}` }, game.title)), header,
        h('a', { class: 'more', href: '#side', title: t('match.more'), 'aria-label': t('match.more') },
          h('svg', { viewBox: '0 0 24 24', width: '24', height: '24', 'aria-hidden': 'true' },
            h('path', { d: MENU, fill: 'currentColor' })))),
      parts.players,
      h('div', { class: 'middle' }, parts.bubble, parts.stage, parts.end, parts.review)),
    parts.others,
    h('aside', { id: 'side', 'aria-label': t('match.side') },
      parts.origin, parts.hints, parts.actions, parts.chat, parts.moves, parts.analysis, parts.dialogue, parts.settings, parts.report));
  return parts;
}
