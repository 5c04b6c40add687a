// A player's page: their matches.

import { begin } from './begin.js';
import { all, fill, required } from './dom.js';
import { games, keepFilled, when } from './lists.js';
import { loadTexts } from './texts.js';

for (const time of all('time[data-ms]')) fill(time, when(Number(time.dataset.ms)));
begin(async () => {
  const [t, known] = await Promise.all([loadTexts(), games()]);
  const place = required('[data-list="matches"]');
  keepFilled(place, known, t, {
    path: `/v1/players/${encodeURIComponent(place.dataset.player ?? '')}/matches`,
    none: 'player.no_matches',
    next: required('#next'),
  });
});
