// The page `/tv`: the match that is most worth watching, and then the next one; and the chat of its spectators.

import { begin } from '../lib/page/begin.js';
import { h } from '../lib/dom.js';
import { fullScreenButton } from '../lib/matches/full-screen.js';
import { games } from '../lib/matches/lists.js';
import { of } from '../lib/matches/seats.js';
import { myToken } from '../lib/session.js';
import { loadTexts } from '../lib/texts.js';
import { Chat } from '../match/parts/chat.js';
import { keepShowing } from './show.js';

begin(async () => {
  const section = document.querySelector('.show');
  if (!(section instanceof HTMLElement)) return;
  const [t, known] = await Promise.all([loadTexts(), games()]);
  const button = fullScreenButton(t, section);
  if (button) section.append(h('p', { class: 'fills' }, button));
  // Other sites show no chat, nor does an operator who has switched it off.
  const place = document.querySelector('.chat');
  const chat = place instanceof HTMLElement ? new Chat(place, t) : null;
  await keepShowing(section, known, t, location.pathname, {
    // The holder of a seat is known to the server by its token, and gets no chat of the spectators.
    begins: (match) => chat?.follow(match, () => ({ token: of(match.id).token ?? myToken() })),
    waits: () => chat?.writing ?? false,
  });
});
