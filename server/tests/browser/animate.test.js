// Animation: pieces move from their old place to the new one, for visitors who accept motion.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { click, easy, openMatch, giveSeat, randomNumbers, make, me, nextMove } from './play.js';
import { flawless, games, launch, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

for (const { slug, title } of games.filter((game) => game.max_seats > 1)) {
  test(`${title}: moves are animated, and all animations end`, { timeout: 300_000 }, async (t) => {
    const { id, seats: [{ token }] } = await make(slug, [me(), easy], { seed: '21' });
    const who = await visitor(browser, { reducedMotion: 'no-preference' });
    t.after(() => who.context.close());
    await giveSeat(who, id, token);
    await openMatch(who, id);
    const { page } = who;
    // Counts every animation, however short.
    await page.evaluate(() => {
      window.animations = 0;
      const animate = Element.prototype.animate;
      Element.prototype.animate = function counted(frames, options) {
        if (options?.id === 'move-piece') window.animations += 1;
        return animate.call(this, frames, options);
      };
    });
    const dice = randomNumbers(3);
    for (let moves = 0; moves < 4; moves += 1) {
      let next = null;
      for (let tries = 0; next === null && tries < 200; tries += 1) {
        next = await nextMove(page, id, dice());
        if (next === null) await page.waitForTimeout(50);
      }
      if (next === null) break;
      await click(page, next);
    }
    assert.ok(await page.evaluate(() => window.animations) > 0, 'a piece was animated');
    // Every animation ends with its piece in place.
    await page.waitForFunction(() => document.querySelectorAll('.place .animated').length === 0
      && document.querySelector('.place').getAnimations({ subtree: true }).length === 0, null, { timeout: 60_000 });
    flawless(who);
  });
}
