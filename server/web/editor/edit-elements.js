// The elements of the board that can be edited: the fields that each opens, and its name. Pure.

/** @import {EditField, Translate} from '../types.ts' */
/** @typedef {{what: string, whole: string}} Name the name of an element: alone, and with its content */

/**
 * The fields that an element opens.
 * @param {EditField[]} fields
 * @param {string} target
 */
export const opened = (fields, target) => fields.filter((field) => (
  field.targets.includes(target) || (field.kind === 'pieces' && field.places?.includes(target))));

/**
 * The elements that can be edited, with their names, and those that are open.
 * @param {EditField[]} fields
 * @param {EditField[]} open
 * @param {{id: string, at: number} | null} selected the selected piece of a field
 * @param {Translate} t
 */
export function elements(fields, open, selected, t) {
  const picked = open.flatMap((field) => (field.kind === 'pieces' && selected?.id === field.id
    ? field.places?.[selected.at] ?? [] : field.targets));
  /** @type {Map<string, Name>} */
  const next = new Map();
  for (const target of new Set(fields.flatMap((field) => field.targets))) next.set(target, name(opened(fields, target), t));
  for (const field of fields) {
    if (field.kind !== 'pieces') continue;
    for (const [i, target] of (field.places ?? []).entries()) {
      const { label } = field.piece(field.value[i]);
      next.set(target, { what: field.group, whole: label });
    }
  }
  return { next, picked };
}

/**
 * An element of the board in words.
 * @param {EditField[]} fields those that it opens
 * @param {Translate} t
 * @returns {Name}
 */
function name(fields, t) {
  const content = fields.flatMap((field) => {
    switch (field.kind) {
      case 'count': return field.value > 0 ? t('edit.number', { what: field.label, n: field.value }) : [];
      case 'switch': return field.value ? t('edit.there') : [];
      case 'choice': return field.choices.find(({ value }) => value === field.value)?.label ?? [];
      default: return field.value.map((piece) => field.piece(piece).label);
    }
  }).join(', ');
  const [{ kind, group, label }] = fields;
  const what = kind === 'switch' ? `${group}, ${label}` : group;
  return { what, whole: t('edit.named', { what, content: content || t('edit.none') }) };
}
