// The words of the pages, out of en.json.

// The words of a table: `t(key, values)`, `{name}` in them replaced by values. A word that is missing shows its name.
export function phrases(table) {
  return (key, values = {}) =>
    String(table[key] ?? key).replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

// Fetches a table of words.
export async function words(url = '/web/en.json') {
  const answer = await fetch(url);
  return phrases(answer.ok ? await answer.json() : {});
}
