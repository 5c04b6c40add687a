// The words of the pages, out of en.json.

import { ask } from './api.js';

// The words of a table: `t(key, values)`, `{name}` in them replaced by values. A word that is missing shows its name.
export function phrases(table) {
  return (key, values = {}) =>
    String(table[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

// Fetches a table of words.
export async function words(url = '/web/en.json') {
  return phrases(await ask(url, { cache: 'default' }));
}
