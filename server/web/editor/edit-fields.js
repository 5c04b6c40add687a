// The fields of a position that is being edited, as controls. Pure drawing: the editor handles presses. `data-field`
// and the other data of a control say what is pressed.

/** @import {Child, EditChoice, EditField, EditPiece, Translate} from '../types.ts' */
/** @typedef {EditField & {kind: 'pieces'}} Pieces */

import { h } from '../lib/dom.js';

// A choice of more than this many words is a list that opens.
const FEW = 6;
// The icons of the buttons that remove one piece, and all pieces: a delete key, a bin.
const SIGNS = {
  remove: 'M9 5H21V19H9L3 12ZM12 9.5L17 14.5M17 9.5L12 14.5', clear: 'M4 7H20M9 7V4H15V7M6 7L7 20H17L18 7M10 11V16M14 11V16',
};

/**
 * The control of a field. `at`: the selected piece, if the field has pieces.
 * @param {EditField} field
 * @param {number | null} at
 * @param {Translate} t
 */
export function control(field, at, t) {
  switch (field.kind) {
    case 'count': return count(field, t);
    case 'switch': return toggle(field);
    case 'choice': return choice(field);
    default: return pieces(field, at, t);
  }
}

/**
 * A set of fields with a heading.
 * @param {string} heading
 * @param {Child[]} controls
 * @param {Child} [note]
 */
export function group(heading, controls, note = null) {
  return h('fieldset', { class: 'group', data: { piece: `group:${heading}` } }, h('legend', {}, heading), controls, note);
}

/** @param {string} id */
const named = (id) => `edit-${id}`;

/** @param {EditField | EditChoice} what */
const picture = ({ picture: draw }) => draw && h('span', { class: 'picture', 'aria-hidden': 'true' }, draw());

/**
 * @param {EditField & {kind: 'count'}} field
 * @param {Translate} t
 */
function count(field, t) {
  const { id, label, value, least, most } = field;
  const step = (/** @type {number} */ by, /** @type {string} */ key, /** @type {string} */ sign) => h('button', {
    type: 'button', data: { field: id, by, piece: `${id}:${by}` }, 'aria-label': t(key, { what: label }),
    'aria-disabled': (by < 0 ? value <= least : value >= most) && 'true',
  }, sign);
  return h('div', { class: 'field count', data: { piece: id } },
    h('label', { for: named(id) }, picture(field), h('span', { class: field.picture && 'ear' }, label)),
    h('span', { class: 'stepper' }, step(-1, 'edit.less', '\u2212'),
      h('input', { id: named(id), type: 'number', inputmode: 'numeric', min: least, max: most, value, data: { field: id } }),
      step(1, 'edit.more', '+')));
}

/** @param {EditField & {kind: 'switch'}} field */
function toggle(field) {
  const { id, label, value } = field;
  return h('label', { class: 'field option', data: { piece: id } },
    h('input', { type: 'checkbox', checked: value, data: { field: id } }), picture(field), h('span', {}, label));
}

/** @param {EditField & {kind: 'choice'}} field */
function choice(field) {
  const { id, label, value, choices } = field;
  if (choices.length > FEW && !choices.some((one) => one.picture)) {
    return h('div', { class: 'field', data: { piece: id } }, h('label', { for: named(id) }, label),
      h('select', { id: named(id), data: { field: id } }, choices.map((one, at) => h('option', {
        value: at, selected: one.value === value, disabled: one.off && one.value !== value,
      }, one.label))));
  }
  return h('fieldset', { class: 'field choice', data: { piece: id } }, h('legend', {}, label),
    h('div', { class: 'options' }, choices.map((one, at) => h('label', { class: ['option', one.picture && 'drawn'], title: one.label },
      h('input', { type: 'radio', name: named(id), value: at, checked: one.value === value, disabled: one.off && one.value !== value,
        data: { field: id, at } }),
      picture(one), h('span', { class: one.picture && 'ear' }, one.label)))));
}

/**
 * The pieces of the field, and those that may be added or may replace the selected one.
 * @param {Pieces} field
 * @param {number | null} at
 * @param {Translate} t
 */
function pieces(field, at, t) {
  const { id, label, value, least = 0, most } = field;
  const offered = field.choices(at);
  const full = at === null && value.length >= most;
  const lead = full ? 'edit.full' : at === null ? 'edit.add' : 'edit.replace';
  const drawn = (/** @type {EditPiece} */ one) => field.piece(one);
  const act = (/** @type {'remove' | 'clear'} */ name, /** @type {boolean} */ off) => h('button', {
    type: 'button', data: { field: id, act: name, piece: `${id}:${name}` }, 'aria-disabled': off && 'true', 'aria-label': t(`edit.${name}`),
    title: t(`edit.${name}`),
  }, h('svg', { viewBox: '0 0 24 24', 'aria-hidden': 'true' }, h('path', { d: SIGNS[name] })));
  return h('fieldset', { class: 'field pieces', data: { piece: id } },
    h('legend', {}, label, ' ', h('span', { class: 'soft' }, t('edit.count', { n: value.length }))),
    h('div', { class: 'there', data: { piece: `${id}:there` } },
      h('div', { class: 'tray' },
        value.map((one, i) => face(drawn(one), { field: id, at: i, piece: `${id}:at${i}` }, { 'aria-pressed': String(i === at) })),
        // The place at the end: the next choice is added.
        value.length < most && h('button', { type: 'button', class: 'piece spare', data: { field: id, at: value.length, piece: `${id}:end` },
          'aria-label': t('edit.end'), title: t('edit.end'), 'aria-pressed': String(at === null) }, '+')),
      value.length > 0 && h('div', { class: 'acts' }, act('remove', at === null || value.length <= least), least === 0 && act('clear', false))),
    h('div', { class: 'palette', role: 'group', 'aria-labelledby': named(`${id}:lead`), data: { piece: `${id}:palette` } },
      h('span', { class: 'lead', id: named(`${id}:lead`), data: { piece: `${id}:lead` } }, t(lead)),
      offered.map((one, i) => face(one, { field: id, choice: i, piece: `${id}:c${one.value}` },
        { 'aria-disabled': (one.off || full) && 'true' }))));
}

/**
 * A button that shows a piece.
 * @param {EditChoice} piece
 * @param {Record<string, string | number>} data
 * @param {Record<string, string | boolean | undefined>} more
 */
const face = (piece, data, more) => h('button', {
  type: 'button', class: ['piece', piece.picture && 'drawn'], title: piece.label, data, ...more,
}, picture(piece), h('span', { class: piece.picture && 'ear' }, piece.label));
