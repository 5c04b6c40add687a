// The texts of the pages, from en.json.

/** @import {Translate} from '../types.ts' */

import { ask } from './api.js';

/**
 * The texts of a table as a function `t(key, values)`. A key that the table lacks is shown as it is.
 * @param {Record<string, string>} table
 * @returns {Translate}
 */
export function translator(table) {
  return (key, values = {}) =>
    String(table[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** @type {Map<string, Promise<Translate>>} */
const loading = new Map();

/** Fetches a table of texts, once for all modules of a page. */
export function loadTexts(url = '/web/en.json') {
  const texts = loading.get(url) ?? ask(url, { cache: 'default' }).then(translator);
  loading.set(url, texts);
  return texts;
}
