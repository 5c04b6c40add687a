// The first page: what is being played, what was finished, and the matches of this browser.

import { begin } from './begin.js';
import { fill, h } from './dom.js';
import { ask } from './api.js';
import { games, keepFilled, line } from './lists.js';
import { unpressed } from './press.js';
import { forget, list } from './seats.js';
import { words } from './words.js';

// So often the lists are asked for again while the page is seen.
const AGAIN_MS = 15_000;
const SHOWN = '8';
const MINE = 20;

begin(async () => {
  const [t, known] = await Promise.all([words(), games()]);
  const place = (name) => document.querySelector(`[data-list="${name}"]`);
  const lists = [
    keepFilled(place('running'), known, t, { query: { stage: 'running', limit: SHOWN }, none: 'home.none_live' }),
    keepFilled(place('over'), known, t, { query: { stage: 'over', limit: SHOWN }, none: 'home.none_over' }),
  ];

  // The matches in which this browser holds a seat. Those that the server does not know any more can be forgotten.
  let told;
  async function mine() {
    const held = list().slice(0, MINE);
    const found = await Promise.all(held.map((one) =>
      ask(`/v1/matches/${one.id}`, { who: one }).catch((error) => ({ missing: [404, 401].includes(error.status) }))));
    // The games lie below and move.
    await unpressed();
    const tells = JSON.stringify(found.map((entry) => [entry.id, entry.seq]));
    if (tells === told) return;
    told = tells;
    const lines = { mine: [], past: [] };
    found.forEach((entry, at) => {
      const goesOn = entry.stage === 'open' || entry.stage === 'running';
      if (entry.id) lines[goesOn ? 'mine' : 'past'].push(line(entry, known, t, held[at]));
      else if (entry.missing) lines.past.push(gone(held[at]));
    });
    for (const [name, shown] of Object.entries(lines)) fill(place(name), shown);
    document.getElementById('past').hidden = !lines.past.length;
    document.getElementById('mine').hidden = !lines.past.length && !lines.mine.length;
  }

  function gone(one) {
    const shown = h('p', { class: 'match gone' }, known.get(one.game)?.title, known.has(one.game) && ': ', t('list.gone'),
      h('button', {
        type: 'button',
        click: () => {
          forget(one.id);
          shown.remove();
        },
      }, t('list.forget')));
    return shown;
  }

  mine();
  setInterval(() => {
    if (document.hidden) return;
    for (const again of lists) again();
    mine();
  }, AGAIN_MS);
});
