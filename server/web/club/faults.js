// The last faults of a bot on its page: how many of each kind, since when, in which version; each with what went wrong and a link
// to its turn. For the bot's owner also the reports of its check matches.

/** @import {BotCheck, BotFault, BotFaults, Game, Translate} from '../types.ts' */

import { ask, sentence } from '../lib/api.js';
import { fill, h, required } from '../lib/dom.js';
import { day, when } from '../lib/matches/lists.js';
import { me } from '../lib/session.js';

/**
 * Fills the part.
 * @param {HTMLElement} root its `data-faults`: the bot's name; its `data-owner`: the owner's
 * @param {Map<string, Game>} known
 * @param {Translate} t
 */
export async function showFaults(root, known, t) {
  const name = root.dataset.faults ?? '';
  const isOwn = me() !== null && [name, root.dataset.owner].includes(me()?.name);
  const path = `/v1/players/${encodeURIComponent(name)}/faults`;
  const title = (/** @type {string} */ game) => known.get(game)?.title ?? game;
  const [list, counts, place] = [h('ol', { class: 'faults' }), h('div', {}), required('.fault-list', HTMLElement, root)];
  const more = h('button', { type: 'button', hidden: true, click: () => load() }, t('matches.more'));
  let next = '';
  const load = async () => {
    /** @type {BotFaults} */
    const page = await ask(`${path}?limit=10${next && `&before=${next}`}`, { who: me() ?? {} });
    list.append(...page.faults.map((fault) => h('li', {}, faultShown(fault, title, t))));
    if (!next) fill(counts, page.groups.length > 0 && groupTable(page, title, t));
    next = page.next ?? '';
    more.hidden = !next;
    return page;
  };
  try {
    const page = await load();
    const say = page.faults.length === 0 ? 'faults.none' : page.all ? 'faults.all' : 'faults.public';
    fill(place, h('p', { class: 'soft' }, t(say)), counts, list, h('p', { class: 'more' }, more));
    if (isOwn && root.dataset.owner === me()?.name) await showChecks(required('.checks', HTMLElement, root), name, title, t);
  } catch (error) {
    fill(place, h('p', { class: 'trouble' }, sentence(error, t)));
  }
}

/**
 * How many faults of each kind, since when.
 * @param {BotFaults} page
 * @param {(game: string) => string} title
 * @param {Translate} t
 */
function groupTable({ groups }, title, t) {
  const column = (/** @type {string} */ key) => h('th', { scope: 'col' }, t(key));
  return h('div', { class: 'wide', role: 'region', tabindex: '0', 'aria-label': t('faults.counts') },
    h('table', { class: 'results' },
      h('thead', {}, h('tr', {}, column('player.game'), column('faults.kind'), column('faults.version'), column('faults.count'),
        column('faults.first'), column('faults.last'))),
      h('tbody', {}, groups.map(({ game, kind, version, count, first_ms, last_ms }) => h('tr', {},
        h('th', { scope: 'row' }, title(game)), h('td', {}, t(`faults.${kind}`)), h('td', {}, version ?? '–'), h('td', {}, count),
        h('td', {}, day(first_ms)), h('td', {}, day(last_ms)))))));
}

/**
 * @param {BotFault} fault
 * @param {(game: string) => string} title
 * @param {Translate} t
 */
function faultShown(fault, title, t) {
  const { kind, ply, detail, instead, version, think_ms: ms, lines = [] } = fault;
  const link = h('a', { href: `/matches/${fault.match}?seat=${fault.seat}&ply=${ply}` },
    `${t(`faults.${kind}`)} · ${title(fault.game)} · ${t('dialogue.after', { count: ply })}`);
  const about = [version && t('faults.of_version', { version }), t('dialogue.time', { seconds: ms / 1000 })].filter(Boolean).join(' · ');
  return [h('p', {}, link, ' ', h('span', { class: 'soft' }, when(fault.at_ms), ` · ${about}`)),
    h('p', {}, h('code', {}, detail), '. ', instead === null ? t('faults.ended') : t('match.instead', { move: instead })),
    lines.length > 0 && h('pre', { tabindex: '0', 'aria-label': t('faults.lines') }, lines.map((line) => `${line.ms} ms | ${line.text}`).join('\n'))];
}

/**
 * The reports of the check matches.
 * @param {HTMLElement} place
 * @param {string} name
 * @param {(game: string) => string} title
 * @param {Translate} t
 */
async function showChecks(place, name, title, t) {
  /** @type {{checks: BotCheck[]}} */
  const { checks } = await ask(`/v1/me/bots/${encodeURIComponent(name)}/checks`, { who: me() ?? {} });
  if (checks.length === 0) return;
  fill(place, h('h3', {}, t('checks.title')), h('p', { class: 'soft' }, t('checks.say')),
    h('ol', { class: 'faults' }, checks.map((check) => h('li', {},
      h('p', {}, h('a', { href: `/matches/${check.match}` }, `${title(check.game)} · ${t('checks.seats', { count: check.seats })}`), ' ',
        h('span', { class: 'soft' }, when(check.created_ms))),
      check.report.length > 0
        ? h('ul', { lang: 'en' }, check.report.map((line) => h('li', {}, line)))
        : h('p', { class: 'soft' }, t('checks.running'))))));
}
