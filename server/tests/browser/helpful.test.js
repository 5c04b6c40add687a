// When something is wrong, the page names the fault and says what to do: a private link without its key, a server that is
// gone, a page from before an update.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { easy, giveSeat, make, me, open } from './play.js';
import { good } from './axe.js';
import { signedIn } from './people.js';
import { serve } from './server.js';
import { URL_, flawless, games, launch, visitor } from './visitor.js';

const { slug } = games.find((game) => game.min_seats === 2) ?? games[0];
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

test('a private link without its key says that the key is missing', { timeout: 300_000 }, async (t) => {
  const { id, key } = await make(slug, [me('Ana'), open], { private: true });
  const who = await visitor(browser, { width: 390, height: 844, forgive: /404/ });
  t.after(() => who.context.close());
  await who.page.goto(`${URL_}/matches/${id}`);
  const alert = who.page.getByRole('alert').filter({ hasText: '#key=' });
  await alert.waitFor();
  await who.page.getByRole('heading', { level: 1, name: 'Match not found' }).waitFor();
  await good(who.page, 'without a key');
  await who.page.getByRole('link', { name: 'All matches' }).waitFor();
  // The page gives another reason for a wrong key than for none.
  await who.page.goto(`${URL_}/matches/${id}#key=${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`);
  await who.page.reload();
  await alert.getByText('the key that this browser has is wrong').waitFor();
  // With the key the page shows the match.
  await who.page.goto(`${URL_}/matches/${id}#key=${key}`);
  await who.page.reload();
  await who.page.getByRole('button', { name: 'Join' }).waitFor();
  flawless(who);
});

const MISSING = '/matches/0198c0de-1111-7000-8000-000000000000';

test('a missing match: the page says why it may be missing and where to go', { timeout: 300_000 }, async (t) => {
  const who = await visitor(browser, { width: 390, height: 844, forgive: /404/ });
  t.after(() => who.context.close());
  const { page } = who;
  const main = page.getByRole('main');
  await page.goto(URL_ + MISSING);
  const reasons = page.getByRole('alert').getByRole('listitem');
  await reasons.first().waitFor();
  assert.deepEqual(await reasons.locator('b').allInnerTexts(), ['The match is private.',
    'It is your own private match, and you are not signed in here.', 'The address has a typing error, or a part of it is missing.']);
  const links = await main.getByRole('link').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  assert.deepEqual(links, [`/account?next=${MISSING}`, '/matches', '/lobby', '/']);
  assert.ok(await main.getByRole('link', { name: 'Choose a game' }).evaluate((link) => link.getBoundingClientRect().bottom <= innerHeight),
    'all links are on the first screen of a phone');
  // A signed-in player need not sign in, and has matches of their own.
  const ana = await signedIn(t, browser, MISSING, { width: 390, height: 844, forgive: /404/ });
  await make(slug, [me(), easy]).then(({ id, seats: [{ token }] }) => giveSeat(ana.who, id, token));
  await ana.page.reload();
  await ana.page.getByRole('alert').getByText('The match is private.').waitFor();
  assert.equal(await ana.page.getByRole('link', { name: 'Sign in as' }).count(), 0);
  await ana.page.getByRole('main').getByRole('link', { name: 'My matches' }).click();
  await ana.page.getByRole('heading', { name: 'My matches', exact: true }).waitFor();
  await ana.page.waitForFunction(() => document.querySelector('#mine').getBoundingClientRect().top < innerHeight / 2);
  flawless(who, ana.who);
});

test('a server that deletes finished matches names that reason too', { timeout: 300_000 }, async (t) => {
  const server = await serve({ KIBITZ_RETENTION_DAYS: '30' });
  t.after(() => server.stop());
  const who = await visitor(browser, { forgive: /404|another host/ });
  t.after(() => who.context.close());
  await who.page.goto(server.url + MISSING);
  await who.page.getByRole('alert').getByText('This server keeps a finished match for 30 days.').waitFor();
  flawless(who);
});

test('the server is gone: the clock stands and says so, and goes on when it is back', { timeout: 300_000 }, async (t) => {
  const server = await serve();
  t.after(() => server.stop());
  const order = { game: slug, seats: [me(), me('Bo')], clock: { initial_ms: 600_000, increment_ms: 0 } };
  const answer = await fetch(`${server.url}/v1/matches`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(order),
  });
  const { id, seats: [{ token }] } = await answer.json();
  const who = await visitor(browser, { width: 390, height: 844, forgive: /another host|Failed to load|WebSocket/ });
  t.after(() => who.context.close());
  const { page } = who;
  await giveSeat(who, id, token);
  await page.goto(`${server.url}/matches/${id}`);
  await page.locator('#match[data-connection=open]').waitFor();
  await page.locator('.clock.running').waitFor();
  await server.pause();
  await page.getByRole('status').filter({ hasText: 'reconnecting' }).waitFor();
  const clock = page.locator('.clock').first();
  // On a busy machine the server may have paused it just before.
  assert.match(await clock.getAttribute('title'), /last known|paused/);
  const text = await clock.innerText();
  await page.waitForTimeout(1500);
  assert.equal(await clock.innerText(), text, 'it does not run');
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, 'the page is not wider than the window');
  await good(page, 'without a server');
  await server.resume();
  await page.locator('.condition').waitFor({ state: 'hidden', timeout: 60_000 });
  await page.locator('.clock.running').waitFor({ timeout: 60_000 });
  // The same pages are back, so nothing has to be loaded again.
  assert.equal(await page.locator('.stale').count(), 0);
  flawless(who);
});

test('a page from before an update offers to load the new one', { timeout: 300_000 }, async (t) => {
  const { id, seats: [{ token }] } = await make(slug, [me(), easy]);
  const who = await visitor(browser, { width: 390, height: 844 });
  t.after(() => who.context.close());
  const { page, context } = who;
  await giveSeat(who, id, token);
  await page.goto(`${URL_}/matches/${id}`);
  await page.locator('#match[data-connection=open]').waitFor();
  // The server has other pages when the connection comes back.
  let asked = 0;
  await page.route('**/web/version', (route) => {
    asked += 1;
    return route.fulfill({ json: { version: '0123456789abcdef01234567' } });
  });
  await context.setOffline(true);
  await page.locator('.condition').filter({ hasText: 'Connection lost' }).waitFor();
  await context.setOffline(false);
  const notice = page.getByRole('status').filter({ hasText: 'kibitz has been updated' });
  await notice.waitFor();
  await good(page, 'with newer pages');
  await page.unroute('**/web/version');
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: 'Reload' }).click()]);
  await page.locator('.place .lit').first().waitFor();
  assert.equal(await notice.count(), 0);
  assert.equal(asked, 1);
  assert.deepEqual(who.faults.filter((fault) => !/INTERNET_DISCONNECTED|WebSocket/.test(fault)), []);
});

test('the version of a page is that of the server', async () => {
  const { version } = await (await fetch(`${URL_}/web/version`)).json();
  assert.ok((await (await fetch(URL_)).text()).includes(`/web/v.${version}/home/home.js`));
});

for (const language of ['en', 'ro', 'pt']) {
  test(`${language}: a page of an error says what happened and leads on`, async () => {
    const texts = await (await fetch(`${URL_}/web/${language}.json`)).json();
    const headers = { accept: 'text/html', 'accept-language': language };
    for (const [path, status, title, next] of [
      ['/nowhere', 404, 'title', '/'], ['/players/nobody-of-this-name', 404, 'no_player', '/lobby'], ['/games/chess', 404, 'no_game', '/'],
      ['/tournaments/0198c0de-1111-7000-8000-000000000000', 404, 'no_tournament', '/tournaments'],
      [`/games/${slug}/leaderboard?kind=dog`, 400, 'refused', '/'],
    ]) {
      const answer = await fetch(URL_ + path, { headers });
      const page = await answer.text();
      assert.equal(answer.status, status, path);
      assert.ok(page.includes(`<h1>${texts[`trouble.${title}`]}</h1>`), `${path}: ${page}`);
      assert.ok(page.includes(`<a class="button main" href="${next}">`), path);
      for (const game of games) assert.ok(page.includes(`href="/games/${game.slug}"`), `${path} leads to ${game.slug}`);
    }
  });
}
