// The place of the chat, which is loaded when the viewer of the match has one: a player who meets engines alone has none.

/** @import {MatchStore} from '../lib/matches/match-store.js' */

import { fill } from '../lib/dom.js';
import { hasChat } from '../lib/matches/match-state.js';
import { file } from '../lib/texts.js';

/**
 * `bubble`: where a new message is shown for a moment; `head`: the place of the link to the chat.
 * @param {Record<'root' | 'bubble' | 'head', HTMLElement>} places
 * @param {MatchStore} match
 */
export function chatPlace({ root, bubble, head }, match) {
  let loading = false;
  root.hidden = true;
  bubble.hidden = true;
  const load = async () => {
    loading = true;
    try {
      /** @type {typeof import('./parts/chat.js')} */
      const { Chat } = await import(file('match/parts/chat.js'));
      const chat = new Chat(root, match.t, bubble);
      fill(head, chat.link);
      chat.follow(match);
    } catch {
      // The connection is lost: the next change of the match tries again.
      loading = false;
    }
  };
  match.on('changed', () => { if (!loading && hasChat(match.page)) load(); });
}
