// A busy server refuses no visitor of its own pages: they wait, say so, and go on by themselves.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { good } from './axe.js';
import { me } from './play.js';
import { serve } from './server.js';
import { games, launch, visitor } from './visitor.js';

// A game whose engine thinks.
const { slug } = games.find((game) => game.min_seats === 2 && game.max_seats > 1 && !game.engines[0].instant);

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

test('evaluation and "Analyse the whole match" together wait on a busy server, and end', { timeout: 300_000 }, async (t) => {
  const server = await serve({ KIBITZ_THREADS: '1', KIBITZ_QUEUE: '1' });
  let busy = false;
  let others = [];
  t.after(async () => {
    busy = false;
    await Promise.allSettled(others);
    await server.stop();
  });
  const ask = async (path, { token, body, method = 'POST' } = {}) => fetch(server.url + path, {
    method, headers: { ...(body && { 'content-type': 'application/json' }), ...(token && { authorization: `Bearer ${token}` }) }, body: body && JSON.stringify(body),
  });
  const { id, seats } = await (await ask('/v1/matches', { body: { game: slug, seed: '5', seats: [me('Ana'), me('Bo')] } })).json();
  for (let ply = 0; ply < 4; ply += 1) {
    const pages = await Promise.all(seats.map(async ({ token }) => (await ask(`/v1/matches/${id}`, { token, method: 'GET' })).json()));
    const { turn } = pages[0];
    await ask(`/v1/matches/${id}/moves`, { token: seats[turn].token, body: { ply, notation: pages[turn].legal_moves[0].notation } });
  }
  await ask(`/v1/matches/${id}/resign`, { token: seats[0].token });

  // Others keep the only engine busy, from the same address.
  const { position } = await (await ask(`/v1/games/${slug}/positions`, { body: { seed: 3, plies: 4 } })).json();
  busy = true;
  others = Array.from({ length: 6 }, async () => {
    while (busy) {
      const answer = await ask(`/v1/games/${slug}/move`, { body: { position, think_ms: 400 } });
      if (!answer.ok) await new Promise((done) => setTimeout(done, 20));
    }
  });

  const { page, context, faults } = await visitor(browser, { forgive: /another host|status of 503/ });
  t.after(() => context.close());
  let refused = 0;
  page.on('response', (response) => { if (response.status() === 503) refused += 1; });
  await page.goto(`${server.url}/matches/${id}?ply=0`);
  await page.getByLabel('Evaluate each position').check();
  await page.getByRole('button', { name: 'Analyse the whole match' }).click();
  // The page asks about one position after another, until the server has refused one of them.
  for (let ply = 0; refused === 0; ply += 1) {
    await page.getByRole('button', { name: ply % 2 ? 'Previous move' : 'Next move' }).click();
    await page.waitForTimeout(600);
  }
  await page.getByText('All engines are busy. Waiting for one').first().waitFor();
  await good(page, 'a page that waits');
  assert.equal(await page.locator('.trouble').filter({ visible: true }).count(), 0, 'nothing is refused');
  busy = false;
  await page.locator('.evaluate .found .chance').waitFor({ timeout: 280_000 });
  await page.locator('.judged').first().waitFor({ timeout: 200_000 });
  assert.equal(await page.locator('.trouble').filter({ visible: true }).count(), 0, 'nothing is refused');
  assert.deepEqual(faults, []);
});
