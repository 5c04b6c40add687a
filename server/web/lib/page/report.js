// Reports to the operator: a button that opens a dialog with a field for the reason.

/** @import {Reported, Secrets, Translate} from '../../types.ts' */

import { ask, sentence } from '../api.js';
import { fill, h } from '../dom.js';

/**
 * A button that reports something.
 * @param {Reported} about
 * @param {string} label
 * @param {Translate} t
 * @param {() => Secrets} who the secrets of the visitor
 */
export function reportButton(about, label, t, who) {
  return h('button', { type: 'button', class: 'quiet', 'aria-label': label, title: label,
    click: () => open(about, label, t, who) }, t('report.report'));
}

/**
 * Opens the dialog. It is the same for all that can be reported, and exists only while it is open.
 * @param {Reported} about
 * @param {string} title
 * @param {Translate} t
 * @param {() => Secrets} who
 */
function open(about, title, t, who) {
  const trouble = h('p', { class: 'trouble', role: 'alert', hidden: true });
  const reason = h('input', { name: 'reason', required: true, maxlength: '300', autocomplete: 'off' });
  const close = () => dialog.close();
  const send = h('button', { class: 'main' }, t('report.send'));
  const form = h('form', { class: 'card', submit: async (event) => {
    event.preventDefault();
    send.disabled = true;
    try {
      await ask('/v1/reports', { who: who(), body: { about, reason: reason.value } });
      fill(form, h('h2', {}, title), h('p', { role: 'status' }, t('report.thanks')),
        h('p', { class: 'buttons' }, h('button', { type: 'button', class: 'main', autofocus: true, click: close }, t('report.close'))));
      form.querySelector('button')?.focus();
    } catch (error) {
      fill(trouble, sentence(error, t)).hidden = false;
      send.disabled = false;
    }
  } }, h('h2', {}, title), h('p', {}, t('report.say')), h('label', {}, t('report.reason'), reason), trouble,
  h('p', { class: 'buttons' }, send, h('button', { type: 'button', click: close }, t('report.cancel'))));
  /** @type {HTMLDialogElement} */
  const dialog = h('dialog', { class: 'report', 'aria-label': title, close: () => dialog.remove() }, form);
  document.body.append(dialog);
  dialog.showModal();
  reason.focus();
}
