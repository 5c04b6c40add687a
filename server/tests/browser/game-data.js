// The data of a game for the tests that all games share, from the game's own file `engines/src/games/GAME/tests/browser.js`:
//
// - `edit`: a plan of edits on the analysis board, or null if the board has no `edit.js`. `begin({api})`: the first position.
//   `edit(tools)`: the edits by mouse. `check(view, begin)`: checks their result. `keys`: `{target, control}`, an element and its
//   control for keys alone. `wrong(tools)`, optional: edits that make the position impossible, and `why`: the panel's reason, a
//   pattern. `tools`: `{page, panel, open, api}`; `panel`: the locator of the editor; `open(target)`: presses an element.
// - `pictures`: `parts`, the selector of the pieces in the pictures of the rules.
// - `tips`: optional; `passing`, the targets of tips that the board shows only while they can be chosen.
// - `art(folder)`: optional; `{pieces, colours}`, the pieces and colours that the game's `picture.rs` draws with; see board-art.js.
// - `scrolling`: optional, a pattern of targets that may be scrolled out of sight on a small phone.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';

const GAMES = new URL('../../../engines/src/games/', import.meta.url);

/** What is wrong with the data of a game, as demands; an empty list if nothing is. */
export function lacking(slug, data) {
  const where = `engines/src/games/${slug}/tests/browser.js`;
  if (!data) return [`${where} is missing: a game has an edit plan and data for the browser tests (server/tests/browser/game-data.js)`];
  const demands = [];
  const demand = (holds, text) => {
    if (!holds) demands.push(`${where} must export ${text}`);
  };
  demand(typeof data.pictures?.parts === 'string', '`pictures.parts`, the selector of the pieces in the pictures of the rules');
  demand('edit' in data, '`edit`, a plan of edits, or null if the board has no edit.js');
  const { edit } = data;
  if (existsSync(new URL(`${slug}/board/edit.js`, GAMES))) {
    for (const name of ['begin', 'edit', 'check']) demand(typeof edit?.[name] === 'function', `the function \`edit.${name}\`, because the board has an edit.js`);
    demand(edit?.keys?.target && edit.keys.control, '`edit.keys`, an element and its control, because the board has an edit.js');
    demand(!edit?.wrong || edit.why instanceof RegExp, '`edit.why`, the panel\'s reason for `edit.wrong`');
  }
  return demands;
}

/** Whether the game has a contest: then its texts say how the contest runs a bot. */
export const hasContest = (slug) => 'harness' in JSON.parse(readFileSync(new URL(`${slug}/board/about.en.json`, GAMES), 'utf8'));

/** The data of a game as its file exports it, or null if it has no such file. */
export async function exported(slug) {
  const file = new URL(`${slug}/tests/browser.js`, GAMES);
  return existsSync(file) ? await import(file.href) : null;
}

/** The data of a game. It fails if anything is missing, and says what. */
export async function gameData(slug) {
  const data = await exported(slug);
  assert.deepEqual(lacking(slug, data), []);
  return data;
}
