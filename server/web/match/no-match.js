// The content of a match's page if it cannot show the match: the reason, and links to other pages.

/** @import {Translate} from '../types.ts' */

import { Refused, sentence } from '../lib/api.js';
import { h } from '../lib/dom.js';
import { list } from '../lib/matches/seats.js';
import { me } from '../lib/session.js';

/**
 * The reason that the match cannot be shown, and what to do.
 * @param {unknown} error
 * @param {Translate} t
 * @param {{id: string, key?: string, retentionDays: number}} about the match, the key that this browser has for it, and
 *   after how many days the server deletes finished matches; 0: never
 */
export function noMatch(error, t, about) {
  const missing = error instanceof Refused && error.code === 'no_such_match';
  const refused = error instanceof Refused && ['bad_token', 'token_needed'].includes(error.code);
  const sealed = error instanceof Refused && error.code === 'sealed';
  const title = missing ? 'trouble.no_match' : sealed ? 'trouble.sealed' : 'match.title';
  return h('div', { class: 'notice no-match' }, h('h1', {}, t(title)),
    missing ? reasons(t, about) : h('p', { role: 'alert' }, sealed ? t('problem.sealed') : sentence(error, t)),
    h('p', { class: 'buttons' },
      sealed && h('a', { class: 'button main', href: '/tournaments' }, t('trouble.tournaments')),
      !missing && !refused && !sealed && h('button', { type: 'button', class: 'main', click: () => location.reload() }, t('page.reload')),
      missing && holdsMatches() && h('a', { class: 'button main', href: '/#mine' }, t('home.mine')),
      h('a', { class: 'button', href: '/matches' }, t('home.all')),
      h('a', { class: 'button', href: '/lobby' }, t('trouble.lobby')),
      h('a', { class: 'button', href: '/' }, t('home.games'))));
}

/** Whether the home page may list matches of this visitor. */
const holdsMatches = () => me() !== null || list().length > 0;

/**
 * The possible reasons that the server knows no such match, the most likely first. The server does not say which: a
 * private match looks like one that does not exist.
 * @param {Translate} t
 * @param {{id: string, key?: string, retentionDays: number}} about
 */
function reasons(t, { id, key, retentionDays: days }) {
  return h('div', { role: 'alert' }, h('p', {}, t('no_match.say')),
    h('ul', {},
      h('li', {}, h('b', {}, t('no_match.private')), ' ', t(key ? 'no_match.wrong_key' : 'no_match.no_key')),
      me() === null && h('li', {}, h('b', {}, t('no_match.own')), ' ',
        h('a', { href: `/account?next=/matches/${id}` }, t('no_match.sign_in'))),
      h('li', {}, h('b', {}, t('no_match.address')), ' ', t('no_match.compare')),
      days > 0 && h('li', {}, h('b', {}, t('no_match.deleted')), ' ', t('no_match.retention', { days }))));
}
