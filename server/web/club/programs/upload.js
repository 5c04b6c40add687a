// The form that uploads a program: a file that is chosen or dropped, its game, a note.

/** @import {BotProgram, Game, Secrets, Translate} from '../../types.ts' */

import { Refused, authHeaders, read, sentence } from '../../lib/api.js';
import { fill, h } from '../../lib/dom.js';
import { me } from '../../lib/session.js';
import { sizeOf } from './program-text.js';

// The largest module that a server takes, in bytes.
const MOST = 16 * 1024 * 1024;

/**
 * @param {string} path of the bot's programs
 * @param {Map<string, Game>} known
 * @param {Translate} t
 * @param {(program: BotProgram) => Promise<void>} uploaded
 * @returns {{form: HTMLFormElement, choose: (game: string) => void}} `choose`: proposes this game
 */
export function uploadForm(path, known, t, uploaded) {
  /** @type {File | null} */
  let file = null;
  const chosen = h('span', { class: 'chosen' }, t('programs.drop'));
  /** @type {HTMLInputElement} */
  const chooser = h('input', { type: 'file', accept: '.wasm,application/wasm', change: () => pick(chooser.files?.[0]) });
  const zone = h('label', { class: 'drop' }, h('span', { class: 'name' }, t('programs.file')), chosen, chooser);
  const game = h('select', { required: true, autocomplete: 'off' }, h('option', { value: '' }, t('programs.game.choose')),
    [...known.values()].filter(({ bot_seats: seats }) => seats.length > 0).map(({ slug, title }) => h('option', { value: slug }, title)));
  const note = h('input', { maxlength: '200', autocomplete: 'off', placeholder: t('programs.note.example') });
  const activate = h('input', { type: 'checkbox', checked: true, autocomplete: 'off' });
  const go = h('button', { class: 'main', disabled: true }, t('programs.upload'));
  const bar = h('progress', { max: '1', 'aria-label': t('programs.sending'), hidden: true });
  const trouble = h('p', { class: 'trouble', role: 'alert', hidden: true });
  const form = h('form', { class: 'card upload', submit, 'aria-label': t('programs.upload') }, zone,
    h('div', { class: 'fields' }, h('label', {}, t('player.game'), game), h('label', {}, t('programs.note'), note)),
    h('label', { class: 'check' }, activate, t('programs.activate_then')), h('p', { class: 'buttons' }, go, bar), trouble);
  listenForDrops(form, (dropped) => {
    pick(dropped);
    go.focus();
  });

  /** @param {unknown} error */
  function say(error) {
    trouble.hidden = error === null;
    fill(trouble, error !== null && sentence(error, t));
  }

  /** @param {File | undefined} given */
  function pick(given) {
    file = given && given.size <= MOST ? given : null;
    say(given && !file ? new Refused({ code: 'body_too_large', detail: t('problem.body_too_large') }) : null);
    fill(chosen, file ? [h('strong', {}, file.name), ` · ${sizeOf(file.size, t)}`] : t('programs.drop'));
    zone.classList.toggle('full', file !== null);
    go.disabled = file === null;
  }

  /** @param {SubmitEvent} event */
  async function submit(event) {
    event.preventDefault();
    if (!file) return;
    const query = new URLSearchParams({ game: game.value, ...(note.value.trim() && { note: note.value.trim() }), ...(!activate.checked && { activate: 'false' }) });
    say(null);
    [go.disabled, bar.hidden, bar.value] = [true, false, 0];
    try {
      const program = await send(`${path}?${query}`, { who: me() ?? {}, file, kind: 'application/wasm', sent: (share) => { bar.value = share; } });
      note.value = '';
      chooser.value = '';
      pick(undefined);
      await uploaded(program);
    } catch (error) {
      say(error);
      go.disabled = file === null;
    }
    bar.hidden = true;
  }
  return { form, choose: (slug) => { game.value = slug; } };
}

/**
 * Calls `dropped` with a file that is dropped on the element, and marks the element while one is dragged over it.
 * @param {HTMLElement} element
 * @param {(file: File) => void} dropped
 */
function listenForDrops(element, dropped) {
  const over = (/** @type {boolean} */ is) => element.classList.toggle('over', is);
  element.addEventListener('dragover', (event) => {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    over(true);
  });
  element.addEventListener('dragleave', (event) => {
    if (!(event.relatedTarget instanceof Node && element.contains(event.relatedTarget))) over(false);
  });
  element.addEventListener('drop', (event) => {
    event.preventDefault();
    over(false);
    const file = event.dataTransfer?.files[0];
    if (file) dropped(file);
  });
}

/**
 * Sends a file as the body of a PUT, and returns the JSON of the response.
 * @param {string} path
 * @param {{who: Secrets, file: Blob, kind: string, sent: (share: number) => void}} options `kind`: its media type; `sent`: called
 *   with the share that has been sent, from 0 to 1, which `fetch` cannot tell
 * @returns {Promise<any>}
 */
function send(path, { who, file, kind, sent }) {
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest();
    request.open('PUT', path);
    for (const [name, value] of Object.entries({ ...authHeaders(who), 'content-type': kind })) request.setRequestHeader(name, value);
    request.upload.addEventListener('progress', ({ loaded, total }) => sent(total > 0 ? loaded / total : 0));
    request.addEventListener('load', () => {
      read(Promise.resolve(new Response(request.responseText || null, { status: request.status }))).then(done, fail);
    });
    request.addEventListener('error', () => fail(new Refused({ detail: '', code: 'unreachable' })));
    request.send(file);
  });
}
