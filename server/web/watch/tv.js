// The page `/tv`: the match that is most worth watching, and then the next one.

import { begin } from '../lib/page/begin.js';
import { h } from '../lib/dom.js';
import { fullScreenButton } from '../lib/matches/full-screen.js';
import { games } from '../lib/matches/lists.js';
import { keepShowing } from './show.js';
import { loadTexts } from '../lib/texts.js';

begin(async () => {
  const section = document.querySelector('.show');
  if (!(section instanceof HTMLElement)) return;
  const [t, known] = await Promise.all([loadTexts(), games()]);
  const button = fullScreenButton(t, section);
  if (button) section.append(h('p', { class: 'fills' }, button));
  await keepShowing(section, known, t, location.pathname);
});
