// What keeps a match from going on as usual: a lost connection, a server that stops, a stopped clock, a full disk, a seat that
// is lost, a sealed match. Each is brought about, measured and photographed in every size and language. It has one place, in which
// it fits, and no box of the page moves. With KIBITZ_PICTURES, the pictures are kept in that folder.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { good } from './axe.js';
import { fresh, player } from './people.js';
import { choose, giveSeat, me, nextMove, playButton } from './play.js';
import { serve } from './server.js';
import { URL_, api, flawless, games, launch, resize, visitor } from './visitor.js';

const SIZES = [[1440, 900], [1024, 768], [768, 1024], [390, 844], [360, 640], [844, 390], [667, 375]];
const LOCALES = ['en', 'ro', 'pt'];
const FOLDER = process.env.KIBITZ_PICTURES;
// The pages are those of a server of their own, which goes away.
const FORGIVEN = /another host|Failed to load|WebSocket/;
const order = { clock: { initial_ms: 2_400_000, increment_ms: 0 }, seed: '4' };

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// A server with a match of `game` for people, and a visitor of each language at the first seat.
async function match(t, { slug, min_seats }, settings) {
  const count = Math.max(2, min_seats);
  const server = await serve(settings);
  t.after(() => server.stop());
  const ask = async (path, body) => (await fetch(server.url + path, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
  })).json();
  const { id, seats: [{ token }] } = await ask('/v1/matches', { ...order, game: slug, seats: Array.from({ length: count }, (_, n) => me(`Player ${n + 1}`)) });
  const all = await Promise.all(LOCALES.map(async (locale) => ({ ...await visitor(browser, { locale, forgive: FORGIVEN }), locale })));
  t.after(() => Promise.all(all.map(({ context }) => context.close())));
  for (const who of all) {
    await giveSeat(who, id, token);
    await who.page.goto(`${server.url}/matches/${id}`);
    await connected(who);
    await who.page.locator('.place .lit').first().waitFor();
  }
  return { server, id, token, all, name: slug };
}

const connected = ({ page }) => page.locator('#match[data-connection=open]').waitFor({ timeout: 60_000 });
const told = ({ page }, text = '') => page.locator('.condition').filter({ hasText: text }).waitFor({ timeout: 60_000 });

// The boxes of everything that the page shows, except what tells the condition, and what is in a clock.
function boxes(page) {
  return page.evaluate(() => {
    document.querySelector('.place').scrollTo(0, 0);
    return [...document.querySelectorAll('#match, #match *')]
      .filter((one) => !one.closest('.condition, .clock > *, .ear') && one.getBoundingClientRect().width > 0)
      .map((one) => {
        const { x, y, width, height } = one.getBoundingClientRect();
        return `${one.tagName} ${one.classList[0] ?? ''} ${one.dataset.target ?? ''}: ${[x, y, width, height].map((n) => Math.round(n * 2) / 2)}`;
      });
  });
}

// The boxes of each visitor in each size.
async function measured(all) {
  const found = [];
  for (const { page } of all) {
    for (const [width, height] of SIZES) {
      await resize(page, { width, height });
      found.push(await boxes(page));
    }
  }
  return found;
}

// Checks the page while the condition lasts. `was`: the boxes without it; `but`: a pattern of those that may differ.
async function check(all, name, was, but = /^$/) {
  for (const [one, { page, locale }] of all.entries()) {
    for (const [at, [width, height]] of SIZES.entries()) {
      const what = `${name}-${locale}-${width}x${height}`;
      await resize(page, { width, height });
      if (FOLDER) await page.screenshot({ path: join(FOLDER, `${what}.png`) });
      if (was) {
        const [old, now] = [was[one * SIZES.length + at], await boxes(page)];
        assert.deepEqual(now.filter((box) => !old.includes(box) && !but.test(box)), [], `${what}: boxes have moved`);
      }
      assert.deepEqual(await page.evaluate(() => {
        const place = document.querySelector('.condition');
        const { left, right, top, bottom } = place.getBoundingClientRect();
        const over = (element) => {
          const box = element.getBoundingClientRect();
          const hit = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
          return hit !== element && !element.contains(hit);
        };
        return [
          place.scrollWidth > place.clientWidth + 1 && `${place.scrollWidth} px of text in ${place.clientWidth}`,
          place.scrollHeight > place.clientHeight + 1 && `lines of ${place.scrollHeight} px in ${place.clientHeight}`,
          (left < 0 || top < 0 || right > innerWidth || bottom > innerHeight) && 'outside the window',
          over(place) && 'covered', over(document.querySelector('.ask')) && 'covers the button of the rules',
          document.documentElement.scrollWidth > innerWidth && 'the page is wider than the window',
        ].filter(Boolean);
      }), [], `${what}: ${await page.locator('.condition').innerText()}`);
    }
  }
  if (FOLDER) {
    await all[0].page.emulateMedia({ colorScheme: 'dark' });
    await all[0].page.screenshot({ path: join(FOLDER, `${name}-dark.png`) });
    await all[0].page.emulateMedia({ colorScheme: 'light' });
  }
}

const two = games.find((game) => game.min_seats === 2 && game.max_seats > 2) ?? games[0];

for (const game of games) {
  test(`${game.title}: a lost connection moves nothing`, { timeout: 300_000 }, async (t) => {
    const { all, name } = await match(t, game);
    const was = await measured(all);
    for (const who of all) await who.context.setOffline(true);
    for (const who of all) await told(who);
    await check(all, `lost-${name}`, was);
    await good(all[0].page, 'a lost connection');
    for (const who of all) await who.context.setOffline(false);
    for (const { page } of all) await page.locator('.condition').waitFor({ state: 'hidden' });
    for (const who of all) await connected(who);
    const again = await measured(all);
    assert.deepEqual(again, was, 'all is as before');
    flawless(...all);
  });
}

test('a server that stops, and the pause after its restart, move nothing', { timeout: 300_000 }, async (t) => {
  const { server, all } = await match(t, two, { KIBITZ_RECONNECT_GRACE_MS: '60000' });
  const was = await measured(all);
  await server.pause();
  await told(all[0], 'restarts');
  await check(all, 'stopping', was);
  await server.resume();
  for (const who of all) await connected(who);
  await told(all[0], 'the clock waits');
  await check(all, 'paused', was);
  await good(all[0].page, 'a paused clock');
  flawless(...all);
});

test('a full disk moves nothing, and the move is made when there is room', { timeout: 300_000 }, async (t) => {
  const { server, id, all } = await match(t, two);
  const [{ page }] = all;
  const next = await nextMove(page, id, 5);
  await choose(page, next.targets);
  const was = await measured(all);
  const limit = (bytes) => execFileSync('prlimit', ['--pid', `${server.pid}`, `--fsize=${bytes}:`]);
  limit(0);
  await playButton(page).click();
  for (const who of all) await told(who);
  await told(all[0], 'cannot store');
  // The first page says in the bar that the move is being sent, in other words than before.
  await check(all.slice(0, 1), 'full-sending', was, /^P (say|before) /);
  await check(all.slice(1), 'full', was.slice(SIZES.length));
  limit('unlimited');
  await page.waitForFunction((ply) => Number(document.querySelector('#match').dataset.ply) > ply, next.ply, { timeout: 60_000 });
  for (const who of all) await who.page.locator('.condition').waitFor({ state: 'hidden', timeout: 60_000 });
  flawless(...all);
});

test('a key that was replaced on another device: the page says so, and the visitor watches', { timeout: 300_000 }, async (t) => {
  const ana = await player('ana');
  const { id } = await api('/v1/matches', { token: ana.token, body: { ...order, game: two.slug, seats: [{ kind: 'me' }, { kind: 'open' }] } });
  await api(`/v1/matches/${id}/join`, { body: { name: 'Bo' } });
  const who = { ...await visitor(browser, { forgive: /401|WebSocket/ }), locale: 'en' };
  t.after(() => who.context.close());
  await who.context.addInitScript((kept) => localStorage.setItem('kibitz.player', kept), JSON.stringify(ana));
  const { page } = who;
  await page.goto(`${URL_}/matches/${id}`);
  await connected(who);
  await page.locator('.player.you').waitFor();
  assert.equal(await page.locator('.condition').count() && await page.locator('.condition').isVisible(), false);
  await api('/v1/me/token', { token: ana.token, body: { end_others: true } });
  await told(who, 'no longer hold a seat');
  assert.equal(await page.locator('.player.you').count(), 0);
  await connected(who);
  await check([who], 'seat');
  await good(page, 'a lost seat');
  flawless(who);
});

test('a sealed match says why it cannot be seen', { timeout: 300_000 }, async (t) => {
  const people = await Promise.all(['ann', 'ben', 'cyd', 'dan'].map((name) => player(name)));
  const [{ token }] = people;
  const { slug } = games.find((game) => game.chance && game.min_seats === 2) ?? two;
  const { id } = await api('/v1/tournaments', { token, body: {
    title: fresh('Cup'), game: slug, format: { kind: 'round_robin' }, clock: { initial_ms: 3_600_000 }, rated: true, grace_ms: 3_600_000 } });
  for (const one of people) await api(`/v1/tournaments/${id}/entries`, { token: one.token, body: { name: one.name } });
  await api(`/v1/tournaments/${id}/start`, { token, method: 'POST' });
  let found;
  while (!found) ({ match: found } = (await api(`/v1/tournaments/${id}`)).games.find((one) => one.match) ?? {});
  const all = await Promise.all(LOCALES.map((locale) => visitor(browser, { locale, forgive: /409/ })));
  t.after(() => Promise.all(all.map(({ context }) => context.close())));
  for (const [one, { page }] of all.entries()) {
    await page.goto(`${URL_}/matches/${found}`);
    await page.locator('.no-match').waitFor();
    for (const [width, height] of SIZES) {
      await resize(page, { width, height });
      if (FOLDER) await page.screenshot({ path: join(FOLDER, `sealed-${LOCALES[one]}-${width}x${height}.png`) });
      const { x, y, width: wide } = await page.locator('.no-match').boundingBox();
      assert.ok(x >= 0 && y >= 0 && x + wide <= width, `sealed, ${LOCALES[one]}, ${width} px`);
    }
    await good(page, 'a sealed match');
  }
  flawless(...all);
});
