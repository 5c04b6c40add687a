// Builds the page of a match: its elements, and its parts around one store. The parts do not know each other.

/** @import {Refused} from '../lib/api.js' */
/** @import {MatchStore} from '../lib/matches/match-store.js' */

import { ask } from '../lib/api.js';
import { fill, h } from '../lib/dom.js';
import { fullScreenButton } from '../lib/matches/full-screen.js';
import { reportButton } from '../lib/page/report.js';
import { Stage } from '../board/stage.js';
import { Review } from '../review/review.js';
import { Guide } from '../teach/guide.js';
import { Rules } from '../teach/rules.js';
import { chatPlace } from './chat-place.js';
import { Connection } from './connection.js';
import { layout } from './layout.js';
import { watchRematch } from './rematch.js';
import { sendMove } from './send-move.js';
import { Actions } from './parts/actions.js';
import { Alerts } from './parts/alerts.js';
import { Condition } from './parts/condition.js';
import { dialoguePlace } from './parts/dialogue-place.js';
import { End } from './parts/end.js';
import { Hints } from './parts/hints.js';
import { tableChoice } from './parts/looks.js';
import { origin } from './parts/origin.js';
import { Players } from './parts/players.js';
import { premovesPlace } from './parts/premoves-place.js';
import { Ratings } from './parts/ratings.js';
import { Status } from './parts/status.js';

/**
 * Builds the page around the store, and returns the connection, which is not open yet. The order of the parts is the order in
 * which they learn of a change.
 * @param {HTMLElement} root
 * @param {MatchStore} match
 * @param {string | null} picture the address of the game's picture
 * @param {(error: Refused) => void} barred called if the viewer may not see the match any more
 */
export function build(root, match, picture, barred) {
  const { t, board, game } = match;
  const taught = (root.dataset.lessons ?? '').split(' ').includes(game.slug);
  const rules = new Rules({ t, board, title: game.title, options: match.page.options, lessons: taught ? `/games/${game.slug}/lessons` : null });
  rules.listen();
  const [quick, chatLink] = [h('span', { class: 'quick-place' }), h('span', { class: 'chat-place' })];
  const status = new Status(match);
  const condition = new Condition(match);
  const connection = new Connection(root, match, barred);
  const parts = layout(root, { t, game, header: [status.root, condition.root, quick, chatLink, rules.button()] });
  // The state of the match for style sheets and tests.
  match.on('changed', () => {
    root.dataset.stage = match.page.stage;
    root.dataset.ply = String(match.page.ply);
  });
  const ratings = new Ratings(match);
  new Players(parts.players, match, ratings);
  const stage = stageOf(parts.stage, match);
  new Actions(parts.actions, match, picture);
  const hints = new Hints(parts.hints, match);
  stage.talk.append(parts.tip);
  const guide = new Guide(parts.tip, match);
  chatPlace({ root: parts.chat, bubble: parts.bubble, head: chatLink }, match);
  new End(parts.end, match, ratings.line);
  dialoguePlace(parts.dialogue, match);
  origin(parts.origin, match);
  new Review(parts, match, stage);
  const alerts = new Alerts(match);
  fill(quick, hints.quick);
  fill(parts.report, reportButton({ kind: 'match', match: match.id }, t('report.match'), t, match.secrets));
  const ofPlayer = h('div', { class: 'of-player' }, stage.setting, premovesPlace(match), guide.setting, alerts.root);
  match.on('changed', () => { ofPlayer.hidden = match.page.you === null || match.page.stage === 'over'; });
  fill(parts.settings, ofPlayer, tableChoice(t), fullScreenButton(t));
  match.on('changed', (event) => {
    // The result is announced after the animation of the last move.
    if (match.page.stage === 'over' && event) stage.rest().then(() => match.publish('settled'));
    else match.publish('settled');
  });
  watchRematch(match);
  match.take(match.page);
  return connection;
}

/**
 * The stage, which other pages use too, with what it does for the parts of this page.
 * @param {HTMLElement} root
 * @param {MatchStore} match
 */
function stageOf(root, match) {
  const { t, board, game } = match;
  const stage = new Stage(root, {
    board, t, play: (move) => sendMove(move, match), shown: (scene) => match.publish('scene', scene),
    plan: (move) => match.publish('plan', move),
    check: async (position, notations) => (await ask(`/v1/games/${game.slug}/legal-moves`, { body: { position, notations } })).checked,
  });
  match.on('premove', (move) => stage.send(move));
  match.on('dropped', (text) => stage.complain(text));
  match.on('announce', (text) => stage.tell(text));
  match.on('mark', (targets) => stage.mark(targets));
  match.on('hint', (moves) => {
    stage.hint(moves[0]);
    stage.rank(moves);
  });
  match.on('look', (place) => stage.marks.focus(place));
  return stage;
}
