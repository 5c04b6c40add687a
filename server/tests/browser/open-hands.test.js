// A finished match shows the hands of all on one board; "As seen by" changes it. With KIBITZ_PICTURES, pictures are kept there.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { good } from './axe.js';
import { giveSeat, make, me, openMatch } from './play.js';
import { api, flawless, games, launch, visitor } from './visitor.js';

const FOLDER = process.env.KIBITZ_PICTURES;
// Where a board draws what another seat holds, face down.
const HIDDEN = { buraco: '.theirs .hidden .back', septica: '.seat .hidden .back', splendor: '.others .reserved .back' };

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

for (const { slug, title } of games.filter((game) => game.slug in HIDDEN)) {
  test(`${title}: a finished match shows all hands, for players and spectators, and plays back with them`, { timeout: 300_000 }, async (t) => {
    const { id, seats } = await make(slug, [me('Ana'), me('Bo')], { seed: '6' });
    for (let ply = 0; ply < 6; ply += 1) {
      const { turn } = await api(`/v1/matches/${id}`);
      const { token } = seats[turn];
      const { legal_moves: moves } = await api(`/v1/matches/${id}`, { token });
      // A card reserved from a deck is hidden from the others.
      const { notation } = moves.find(({ move }) => move.action === 'reserve_top') ?? moves[0];
      await api(`/v1/matches/${id}/moves`, { token, body: { ply, notation } });
    }
    await api(`/v1/matches/${id}/resign`, { token: seats[0].token, method: 'POST' });
    for (const token of [seats[1].token, null]) {
      const who = await visitor(browser);
      t.after(() => who.context.close());
      const { page } = who;
      if (token) await giveSeat(who, id, token);
      await openMatch(who, id);
      await page.locator('.end').waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
      const eyes = page.getByLabel('As seen by');
      assert.equal(await eyes.evaluate((one) => one.selectedOptions[0].text), 'All hands');
      const backs = page.locator(`.place ${HIDDEN[slug]}`);
      assert.equal(await backs.count(), 0, 'nothing lies face down');
      if (FOLDER) await page.screenshot({ path: join(FOLDER, `open-${slug}-${token ? 'player' : 'spectator'}.png`) });
      await page.getByRole('button', { name: 'Previous move' }).click();
      await page.getByText(/Move 5 of 6/).waitFor();
      assert.equal(await backs.count(), 0, 'nor before the last move');
      await good(page, 'all hands');
      if (token === null) continue;
      await eyes.selectOption({ label: 'Me' });
      await backs.first().waitFor();
      await eyes.selectOption({ label: 'All hands' });
      await backs.first().waitFor({ state: 'detached' });
      flawless(who);
    }
  });
}
