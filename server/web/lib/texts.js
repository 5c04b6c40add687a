// The texts of the pages, from the file of the page's language; plural forms and numbers of that language.

/** @import {Text, Translate} from '../types.ts' */

import { ask } from './api.js';

/** The language of the page, as a tag: for dates and numbers. */
export const language = () => document.documentElement.lang || 'en';

// The folder of all files of this version of the pages. This module may be a part of another one, in any folder below.
const BASE = /^.*\/web\/(?:v\.[^/]+\/)?/.exec(import.meta.url)?.[0];

/**
 * The address of a file of the pages.
 * @param {string} path
 */
export const file = (path) => new URL(path, BASE).href;

/**
 * The texts of a table as a function `t(key, values)`. A key that the table lacks is shown as it is.
 * @param {Record<string, Text>} table
 * @param {string} [tag] the language
 * @returns {Translate}
 */
export function translator(table, tag = 'en') {
  const plurals = new Intl.PluralRules(tag);
  const numbers = new Intl.NumberFormat(tag);
  const shown = (/** @type {unknown} */ value) => (typeof value === 'number' ? numbers.format(value) : String(value));
  return (key, values = {}) => form(table[key] ?? key, values, plurals)
    .replace(/\{(\w+)\}/g, (whole, name) => (name in values ? shown(values[name]) : whole));
}

/**
 * The form of a text for these values.
 * @param {Text} text
 * @param {Record<string, unknown>} values
 * @param {Intl.PluralRules} plurals
 * @returns {string}
 */
function form(text, values, plurals) {
  if (typeof text === 'string') return text;
  const [[name, forms]] = Object.entries(text);
  return forms[plurals.select(Number(values[name]))] ?? forms.other;
}

/**
 * A value with a proper minus sign.
 * @param {number | string} value
 */
export const signed = (value) => (typeof value === 'number' && value < 0 ? `\u2212${-value}` : String(value));

/** @type {Map<string, Promise<Translate>>} */
const loading = new Map();

/**
 * Fetches a table of texts in the page's language, once for all modules of a page.
 * @param {string} [folder] where it is, below the files of the pages; ends with a slash
 */
export function loadTexts(folder = '') {
  const texts = loading.get(folder)
    ?? ask(file(`${folder}${language()}.json`), { cache: 'default' }).then((table) => translator(table, language()));
  loading.set(folder, texts);
  return texts;
}

/**
 * These texts, and those that the page itself contains because no other page has them.
 * @param {Translate} shared
 * @param {string} prefix the beginning of the keys of the page's own texts
 * @returns {Translate}
 */
export function withOwnTexts(shared, prefix) {
  const own = translator(JSON.parse(document.querySelector('#texts')?.textContent ?? '{}'), language());
  return (key, values) => (key.startsWith(prefix) ? own : shared)(key, values);
}
