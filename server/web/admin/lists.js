// The lists of the operator and what can be done with their entries: each action is one request to `/v1/admin`, as a command of
// `kibitz admin` is.

/** @import {Child, ListEntry} from '../types.ts' */

import { h } from '../lib/dom.js';
import { moment, when } from '../lib/matches/lists.js';
import { playerLink } from '../lib/session.js';

/**
 * A field of an action's form: a text, or how long something holds, in milliseconds.
 * @typedef {{name: string, label: string, kind: 'text' | 'time', required?: boolean}} Field
 */
/**
 * @typedef {object} Action
 * @property {string} label
 * @property {string} about what happens, as a sentence
 * @property {Field[]} [fields] become the JSON body
 * @property {string} path
 * @property {'POST' | 'PUT' | 'DELETE'} method
 * @property {boolean} [hard] it cannot be undone
 * @property {object} [body] more of the body
 * @property {(answer: any) => string | null} [secret] a text of the answer that is shown once, to be copied
 */
/**
 * @typedef {object} List
 * @property {string} id
 * @property {string} title
 * @property {string} path
 * @property {string} key the field of the answer that has the entries
 * @property {string} [page] the parameter that asks for the next part
 * @property {string} none what an empty list says
 * @property {[string, (entry: any) => Child][]} columns the first one names the entry
 * @property {(entry: any) => Action[]} actions
 * @property {Action} [add] makes a new entry
 */

const enc = encodeURIComponent;
const REASON = /** @type {Field} */ ({ name: 'reason', label: 'Reason', kind: 'text' });
const TIME = /** @type {Field} */ ({ name: 'for_ms', label: 'For', kind: 'time' });

const until = (/** @type {number | null} */ ms) => (ms === null ? 'without end' : moment(ms));
const player = (/** @type {string | null} */ name) => (name === null ? 'a guest' : h('a', { href: playerLink(name) }, name));
const short = (/** @type {string} */ hash) => h('code', { title: hash }, hash.slice(0, 12));
const match = (/** @type {string} */ id) => h('a', { href: `/matches/${id}` }, h('code', {}, id.slice(0, 13)));

/**
 * What can be done with a match.
 * @param {string} id
 * @returns {Action[]}
 */
function ofMatch(id) {
  const path = `/v1/admin/matches/${id}`;
  return [
    { label: 'Delete', about: 'The match goes from all lists, with its moves and chat. If it is not over, it ends first, without a result.',
      path, method: 'DELETE', hard: true },
  ];
}

/**
 * What a report is about: a link, and the actions that it calls for.
 * @param {any} about
 * @returns {{link: Child, actions: Action[]}}
 */
function reported(about) {
  switch (about.kind) {
    case 'match': return { link: match(about.match), actions: ofMatch(about.match) };
    case 'chat': return { link: match(about.match), actions: [{ label: 'Delete the message', about: 'The message goes from the chat.',
      path: `/v1/admin/matches/${about.match}/chat/${about.n}`, method: 'DELETE', hard: true }] };
    case 'player': return { link: player(about.name), actions: [{ label: 'Delete the description', about: 'The player’s text and link go.',
      path: `/v1/admin/players/${enc(about.name)}/about`, method: 'DELETE', hard: true }] };
    default: return { link: h('a', { href: `/tournaments/${about.tournament}` }, 'tournament'), actions: [{ label: 'Remove the title',
      about: 'The tournament goes on without a title.', path: `/v1/admin/tournaments/${about.tournament}/title`, method: 'DELETE', hard: true }] };
  }
}

/**
 * @param {string} name
 * @returns {Action[]}
 */
function ofPlayer(name) {
  const path = `/v1/admin/players/${enc(name)}`;
  return [
    { label: 'Mute', about: `${name} can write neither chat nor other texts.`, fields: [REASON, TIME], path: `${path}/restrictions/mute`, method: 'PUT' },
    { label: 'Ban', about: `${name} can neither play nor write.`, fields: [REASON, TIME], path: `${path}/restrictions/ban`, method: 'PUT' },
    { label: 'Rename', about: `${name} gets another name.`, fields: [{ name: 'name', label: 'New name', kind: 'text', required: true }],
      path: `${path}/rename`, method: 'POST' },
    { label: 'New key', about: `The key, tokens, passkeys and recovery codes of ${name} stop working. Give the new key to the player.`, path: `${path}/revoke`, method: 'POST',
      body: { reissue: true }, hard: true, secret: ({ token }) => token },
    { label: 'Remove', about: `The account of ${name} goes, with all that belongs to it. Matches stay, without the name.`, path, method: 'DELETE', hard: true },
  ];
}

/** @param {ListEntry} entry */
const seats = ({ seats: list }) => list.map((seat) => seat.name ?? seat.engine?.name ?? seat.kind).join(', ');

/** @type {List[]} */
export const LISTS = [
  { id: 'matches', title: 'Running matches', path: '/v1/admin/matches?stage=running&limit=50', key: 'matches', page: 'before', none: 'No match is being played.',
    columns: [['Match', ({ id }) => match(id)], ['Game', ({ game }) => game], ['Seats', seats], ['Created', ({ created_ms: ms }) => when(ms)]],
    actions: ({ id }) => [{ label: 'End', about: 'The match ends now, without a result.', path: `/v1/admin/matches/${id}/end`, method: 'POST', hard: true },
      ...ofMatch(id)] },
  { id: 'over', title: 'Finished matches', path: '/v1/admin/matches?stage=over&limit=50', key: 'matches', page: 'before', none: 'No match is over.',
    columns: [['Match', ({ id }) => match(id)], ['Game', ({ game }) => game], ['Seats', seats], ['Rated', ({ rated }) => (rated ? 'yes' : 'no')],
      ['Ended', ({ ended_ms: ms }) => (ms ? when(ms) : '–')]],
    actions: ({ id, rated }) => [...rated ? [/** @type {Action} */ ({ label: 'Annul', about: 'The result no longer counts for ratings; these are computed again.',
      path: `/v1/admin/matches/${id}/annul`, method: 'POST', hard: true })] : [], ...ofMatch(id)] },
  { id: 'reports', title: 'Reports', path: '/v1/admin/reports', key: 'reports', page: 'after', none: 'No report is open.',
    columns: [['About', ({ about }) => reported(about).link], ['Reason', ({ reason }) => reason], ['Text', ({ text }) => text ?? '–'],
      ['Of', ({ player: name }) => player(name)], ['Reported by', ({ reporter }) => player(reporter)], ['When', ({ created_ms: ms }) => when(ms)]],
    actions: ({ id, about }) => [{ label: 'Settle', about: 'The report goes from this list.', path: `/v1/admin/reports/${id}`, method: 'DELETE' },
      ...reported(about).actions] },
  { id: 'players', title: 'Players', path: '/v1/admin/players?limit=50', key: 'players', page: 'after', none: 'There is no player yet.',
    columns: [['Name', ({ name }) => player(name)], ['Since', ({ created_ms: ms }) => when(ms)]], actions: ({ name }) => ofPlayer(name) },
  { id: 'restrictions', title: 'Muted and banned', path: '/v1/admin/restrictions', key: 'restrictions', none: 'Nobody is muted or banned.',
    columns: [['Name', ({ name }) => player(name)], ['What', ({ kind }) => (kind === 'mute' ? 'muted' : 'banned')], ['Reason', ({ reason }) => reason || '–'],
      ['Until', ({ until_ms: ms }) => until(ms)]],
    actions: ({ name, kind }) => [{ label: 'Lift', about: `${name} may do everything again.`, path: `/v1/admin/players/${enc(name)}/restrictions/${kind}`, method: 'DELETE' }] },
  { id: 'bans', title: 'Banned addresses', path: '/v1/admin/bans', key: 'bans', none: 'No address is banned.',
    columns: [['Addresses', ({ network }) => network], ['Reason', ({ reason }) => reason || '–'], ['Since', ({ created_ms: ms }) => when(ms)],
      ['Until', ({ until_ms: ms }) => until(ms)]],
    actions: ({ network }) => [{ label: 'Unban', about: `${network} is served again.`, path: `/v1/admin/bans?network=${enc(network)}`, method: 'DELETE' }],
    add: { label: 'Ban addresses', about: 'Requests of an address, or of a network such as 192.0.2.0/24, are refused.',
      fields: [{ name: 'network', label: 'Address or network', kind: 'text', required: true }, REASON, TIME], path: '/v1/admin/bans', method: 'POST' } },
  { id: 'invitations', title: 'Invitations', path: '/v1/admin/invitations', key: 'invitations', none: 'There is no invitation.',
    columns: [['Note', ({ note }) => note || '–'], ['Used', ({ used, uses }) => `${used} of ${uses}`], ['Since', ({ created_ms: ms }) => when(ms)],
      ['Until', ({ until_ms: ms }) => until(ms)]],
    actions: ({ id }) => [{ label: 'Revoke', about: 'Its code stops working.', path: `/v1/admin/invitations/${id}`, method: 'DELETE', hard: true }],
    add: { label: 'Invite', about: 'Makes a code with which one player can register.', fields: [{ name: 'note', label: 'Note', kind: 'text' }, TIME],
      path: '/v1/admin/invitations', method: 'POST', secret: ({ code }) => code } },
  { id: 'programs', title: 'Programs of bots', path: '/v1/admin/programs', key: 'programs', page: 'after', none: 'No program has been uploaded.',
    columns: [['Bot', ({ bot }) => player(bot)], ['Game', ({ game }) => game], ['Version', ({ number }) => String(number)], ['Owner', ({ owner }) => player(owner)],
      ['State', ({ state, disabled }) => (disabled === null ? state : 'disabled')], ['Module', ({ hash }) => short(hash)], ['Since', ({ created_ms: ms }) => when(ms)]],
    actions: ({ hash, disabled }) => [disabled === null
      ? { label: 'Disable', about: 'The module runs for no bot until it is enabled.', fields: [REASON], path: `/v1/admin/programs/${hash}/ban`, method: 'PUT' }
      : { label: 'Enable', about: 'Bots may run the module again.', path: `/v1/admin/programs/${hash}/ban`, method: 'DELETE' }] },
];
