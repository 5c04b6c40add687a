// The list of matches, narrowed by the form, which stands in the address too.

import { begin } from './begin.js';
import { fill, h } from './dom.js';
import { games, keepFilled } from './lists.js';
import { words } from './words.js';

const form = document.getElementById('filters');
const address = new URLSearchParams(location.search);
for (const field of form.elements) if (field.name && address.has(field.name)) field.value = address.get(field.name);
const chosen = () => {
  const all = [...new FormData(form)].map(([name, value]) => [name, value.trim()]);
  return Object.fromEntries(all.filter(([, value]) => value));
};

begin(async () => {
  const [t, known] = await Promise.all([words(), games()]);
  // Whose matches are listed has a page too.
  const page = document.getElementById('player');
  const showPlayer = ({ player }) => {
    page.hidden = !player;
    const href = player && `/players/${encodeURIComponent(player)}`;
    fill(page, player && h('a', { href }, t('matches.player_page', { name: player })));
  };
  showPlayer(chosen());
  const again = keepFilled(document.querySelector('[data-list="matches"]'), known, t,
    { query: chosen(), none: 'matches.none', next: document.getElementById('next') });
  const narrow = (event) => {
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
