// A game's page: the form that starts a match, and the game's latest matches.

import { begin } from './begin.js';
import { required } from './dom.js';
import { games, keepFilled } from './lists.js';
import { start } from './start.js';
import { loadTexts } from './texts.js';

const loading = loadTexts();
start(required('#start', HTMLFormElement), loading);
begin(async () => {
  const [t, known] = await Promise.all([loading, games()]);
  const place = required('[data-list="matches"]');
  keepFilled(place, known, t, { query: { game: place.dataset.game, limit: '8' }, none: 'game.none' });
});
