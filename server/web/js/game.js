// A game's page: the form that starts a match, and the game's last matches.

import { games, keepFilled } from './lists.js';
import { start } from './start.js';
import { words } from './words.js';

const t = await words();
start(document.getElementById('start'), t);
const known = await games();
const place = document.querySelector('[data-list="matches"]');
keepFilled(place, known, t, { query: { game: place.dataset.game, limit: '8' }, none: 'game.none' });
