// A game's page: the form that starts a match, and the game's last matches.

import { begin } from './begin.js';
import { games, keepFilled } from './lists.js';
import { start } from './start.js';
import { words } from './words.js';

const spoken = words();
start(document.getElementById('start'), spoken);
begin(async () => {
  const [t, known] = await Promise.all([spoken, games()]);
  const place = document.querySelector('[data-list="matches"]');
  keepFilled(place, known, t, { query: { game: place.dataset.game, limit: '8' }, none: 'game.none' });
});
