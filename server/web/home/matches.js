// The list of matches. A form filters it; the filter is also in the page's address.

import { begin } from '../lib/page/begin.js';
import { fill, h, required } from '../lib/dom.js';
import { games, keepFilled } from '../lib/matches/lists.js';
import { loadTexts } from '../lib/texts.js';

const form = required('#filters', HTMLFormElement);
const address = new URLSearchParams(location.search);
for (const field of form.elements) {
  if (!(field instanceof HTMLInputElement || field instanceof HTMLSelectElement) || !field.name) continue;
  const value = address.get(field.name);
  if (value !== null) field.value = value;
}
/** @returns {Record<string, string>} */
const chosen = () => {
  const all = [...new FormData(form)].map(([name, value]) => [name, String(value).trim()]);
  return Object.fromEntries(all.filter(([, value]) => value));
};

begin(async () => {
  const [t, known] = await Promise.all([loadTexts(), games()]);
  // A link to the page of the player whose matches are listed.
  const page = required('#player');
  const showPlayer = (/** @type {Record<string, string>} */ { player }) => {
    page.hidden = !player;
    const href = player && `/players/${encodeURIComponent(player)}`;
    fill(page, player && h('a', { href }, t('matches.player_page', { name: player })));
  };
  showPlayer(chosen());
  const again = keepFilled(required('[data-list="matches"]'), known, t,
    { query: chosen(), none: 'matches.none', next: required('#next') });
  const narrow = (/** @type {Event} */ event) => {
    event.preventDefault();
    const query = chosen();
    const text = new URLSearchParams(query).toString();
    history.replaceState(null, '', text ? `?${text}` : location.pathname);
    showPlayer(query);
    again(query);
  };
  form.addEventListener('change', narrow);
  form.addEventListener('submit', narrow);
});
