// Speed and reach: the requests of a page before its board; pages for search engines, previews of links and browsers without
// JavaScript; and a match inside another site.

import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';

import { good } from './axe.js';
import { measured } from './load.js';
import { easy, make, me, open, randomNumbers } from './play.js';
import { URL_, api, flawless, games, launch, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// The page, its script and the board's, six style sheets and scripts, two tables of texts, the icon and, for a player, the
// match. With 49 requests, most of them one after another, a slow network took ten seconds.
const MOST_REQUESTS = 14;
// Files that are requested only when the board is shown.
const LATE = ['/icon.svg', '/match/parts/chat.js'];
const NO_LIMIT = { offline: false, latency: 0, downloadThroughput: -1, uploadThroughput: -1 };

const text = async (path, headers = {}) => (await fetch(URL_ + path, { headers })).text();
const meta = (html, name) => new RegExp(`<meta (?:name|property)="${name}" content="([^"]*)"`).exec(html)?.[1];

// A finished match of two guests: the first one resigns.
async function finished(game, more) {
  const { id, seats, key } = await make(game, [me('Ana'), me('Bogdan')], more);
  await api(`/v1/matches/${id}/resign`, { token: seats[0].token, method: 'POST' });
  return { id, key };
}

for (const { slug, title } of games.filter((game) => game.max_seats >= 2)) {
  test(`${title}: one round of requests before the board, none for files the second time`, { timeout: 300_000 }, async () => {
    for (const player of [false, true]) {
      const [cold, warm] = await measured(browser, slug, { player, network: NO_LIMIT });
      assert.ok(cold.requests <= MOST_REQUESTS, `${cold.requests} requests: ${cold.sent.map(({ name }) => name)}`);
      // The browser asks for the icon, and the page for the chat, when the board is there; after a short first visit in the second one.
      const isLate = ({ name }) => LATE.some((file) => name.endsWith(file)) && !cold.sent.some((sent) => sent.name === name);
      const again = warm.sent.filter((sent) => !isLate(sent)).map(({ name }) => name);
      // Only the page, the ratings at the table and, for a player, the match.
      const others = again.filter((name) => !name.endsWith('/ratings'));
      assert.ok(again.length - others.length <= 1 && others.length <= (player ? 2 : 1), `${again}`);
    }
  });
}

// How much of a page may move while it loads: the sum of all layout shifts, as browsers measure them. Up to 0.1 is good
// (web.dev, "Cumulative Layout Shift").
const MOST_SHIFT = 0.1;
const MODERATE = { offline: false, latency: 100, downloadThroughput: 200_000, uploadThroughput: 100_000 };

test('pages do not move while they load', { timeout: 300_000 }, async (t) => {
  const running = await make('azul', [me('Ana'), me('Bogdan')]);
  const hidden = await make('splendor', [me('Ana'), me('Bogdan')], { private: true });
  const over = await finished('ioiwari');
  // As many matches as the lobby lists.
  for (let n = 0; n < 8; n += 1) await make('ioiwari', [me('Ana'), open]);
  const paths = ['/', '/games/azul', '/games/azul/analysis', '/games/azul/leaderboard', '/lobby', '/matches', '/tournaments', '/account', '/bots',
    `/matches/${running.id}`, `/matches/${over.id}`, `/matches/${hidden.id}#key=${hidden.key}`];
  // Most of the time is spent waiting, so the three sizes are looked at together.
  await Promise.all([[390, 844], [844, 390], [1440, 900]].map(async ([width, height]) => {
    const who = await visitor(browser, { width, height });
    t.after(() => who.context.close());
    const session = await who.context.newCDPSession(who.page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', MODERATE);
    await who.page.addInitScript(() => {
      window.shifts = [];
      new PerformanceObserver((list) => window.shifts.push(...list.getEntries().map(({ value, sources }) =>
        ({ value, of: sources.map(({ node }) => node?.id || node?.className || node?.nodeName) }))))
        .observe({ type: 'layout-shift', buffered: true });
    });
    for (const path of paths) {
      await who.page.goto(URL_ + path, { waitUntil: 'load' });
      // The script then asks for the page's lists, or for the match.
      await who.page.waitForTimeout(800);
      const shifts = await who.page.evaluate(() => window.shifts);
      const sum = shifts.reduce((all, { value }) => all + value, 0);
      assert.ok(sum <= MOST_SHIFT, `${path} at ${width}x${height}: ${sum} ${JSON.stringify(shifts)}`);
    }
    flawless(who);
  }));
});

test('every page that search engines may list says what it is for', async () => {
  const { id } = await finished('ioiwari');
  for (const path of ['/', '/games/azul', '/games/azul/analysis', '/games/azul/leaderboard', '/lobby', '/matches', '/tournaments',
    '/tournaments/new', '/account', '/bots', '/docs/problems', `/matches/${id}`]) {
    const about = meta(await text(path), 'description');
    assert.ok(about?.length > 10, `${path}: ${about}`);
  }
});

test('files are named by their version and kept for ever; those of another version are not', async () => {
  const html = await text('/');
  const files = [...html.matchAll(/(?:src|href)="(\/web\/[^"]+)"/g)].map(([, path]) => path);
  assert.ok(files.length >= 6);
  for (const path of files) {
    assert.match(path, /^\/web\/v\.[0-9a-f]{24}\//);
    const kept = await fetch(URL_ + path);
    assert.equal(kept.headers.get('cache-control'), 'public, max-age=31536000, immutable', path);
    const other = await fetch(URL_ + path.replace(/v\.[0-9a-f]+/, 'v.0123456789abcdef01234567'));
    assert.deepEqual([other.status, other.headers.get('cache-control')], [200, 'no-store'], path);
  }
});

test('a module comes with all that it imports', async () => {
  const html = await text('/');
  const [, script] = /<script type="module" src="([^"]+)"/.exec(html);
  const module = await text(script);
  assert.doesNotMatch(module, /^import /m);
  assert.match(module, /createElementNS/, 'dom.js is in it');
});

test('without JavaScript a finished match shows its result', { timeout: 60_000 }, async (t) => {
  const { id } = await finished(games[0].slug);
  const who = await visitor(browser, { javaScriptEnabled: false });
  t.after(() => who.context.close());
  await who.page.goto(`${URL_}/matches/${id}`);
  await who.page.getByRole('heading', { level: 1, name: games[0].title }).waitFor();
  await who.page.getByText('Bogdan has won.').waitFor();
  assert.match(await who.page.getByRole('row', { name: /Bogdan/ }).innerText(), /1/);
  flawless(who);
});

test('a preview names the players and shows the board; a private match shows nothing', { timeout: 300_000 }, async () => {
  const dice = randomNumbers(3);
  for (const { slug, title } of games.filter((game) => game.max_seats >= 2)) {
    const { id, seats } = await make(slug, [me('Ana'), me('Bogdan')]);
    const before = await png(`/matches/${id}/picture.png`);
    for (let moves = 0; moves < 6; moves += 1) {
      for (const { token } of seats) {
        const { legal_moves: legal, ply } = await api(`/v1/matches/${id}`, { token });
        if (legal.length === 0) continue;
        const { notation } = legal[dice() % legal.length];
        await api(`/v1/matches/${id}/moves`, { token, body: { ply, notation } });
      }
    }
    const html = await text(`/matches/${id}`);
    assert.equal(meta(html, 'og:title'), `${title}: Ana – Bogdan`);
    assert.equal(meta(html, 'og:url'), `${URL_}/matches/${id}`);
    const picture = meta(html, 'og:image').replaceAll('&amp;', '&');
    assert.ok(picture.startsWith(URL_), picture);
    assert.notDeepEqual(await png(picture.slice(URL_.length)), before, `${slug}: the picture shows the moves`);
  }
  const { id } = await make(games[0].slug, [me(), open], { private: true });
  assert.equal((await fetch(`${URL_}/matches/${id}/picture.png`)).status, 404);
  assert.equal((await fetch(`${URL_}/matches/${id}/embed`)).status, 404);
  const nowhere = '0198c0de-1111-7000-8000-000000000000';
  // Its page is that of a match that does not exist, but for the id.
  const [secret, none] = await Promise.all([id, nowhere].map(async (one) =>
    (await text(`/matches/${one}`)).replaceAll(one, '').replaceAll(one.replaceAll('-', '%2D'), '')));
  assert.ok(secret === none, 'it looks like a match that does not exist');
});

// A PNG of the size of previews, or of this one.
async function png(path, [width, height] = [1200, 630]) {
  const answer = await fetch(URL_ + path);
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'image/png'], path);
  const bytes = Buffer.from(await answer.arrayBuffer());
  assert.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [width, height], path);
  return bytes;
}

test('search engines and devices find what they need', async () => {
  assert.match(await text('/robots.txt'), /^User-agent: \*\nDisallow: \/v1\//);
  const manifest = JSON.parse(await text('/manifest.webmanifest'));
  assert.deepEqual([manifest.name, manifest.start_url, manifest.display], ['kibitz', '/', 'standalone']);
  for (const { src, sizes } of manifest.icons) {
    if (src.endsWith('.png')) await png(src, sizes.split('x').map(Number));
    else assert.equal((await fetch(URL_ + src)).status, 200);
  }
  for (const { slug } of games) {
    const html = await text(`/games/${slug}`);
    assert.ok(meta(html, 'description').length > 20);
    await png(meta(html, 'og:image').slice(URL_.length));
  }
  await png('/icons/preview.png');
  assert.equal((await fetch(`${URL_}/icons/7.png`)).status, 404);
});

test('another site can show a match by its embed address, and nothing else', { timeout: 300_000 }, async (t) => {
  const { id } = await make(games[0].slug, [me('Ana'), easy]);
  const site = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<!doctype html><title>Another site</title>
      <iframe id="embed" width="600" height="600" src="${URL_}/matches/${id}/embed"></iframe>
      <iframe id="plain" width="600" height="600" src="${URL_}/matches/${id}"></iframe>`);
  });
  await new Promise((done) => site.listen(0, '127.0.0.1', done));
  t.after(() => site.close());
  const who = await visitor(browser, { forgive: /another host|frame-ancestors|favicon/ });
  t.after(() => who.context.close());
  await who.page.goto(`http://127.0.0.1:${site.address().port}/`);
  await who.page.frameLocator('#embed').locator('.place > *').first().waitFor();
  const inside = who.page.frameLocator('#embed');
  assert.equal(await inside.getByRole('button', { name: /join/i }).count(), 0, 'it is for watching only');
  assert.equal(await inside.locator('header.top, footer.bottom').count(), 0);
  assert.equal(await who.page.frameLocator('#plain').locator('main').count(), 0, 'the page itself cannot be framed');
  // As wide as a frame of another site.
  await who.page.setViewportSize({ width: 480, height: 480 });
  await who.page.goto(`${URL_}/matches/${id}/embed`);
  await who.page.locator('.place > *').first().waitFor();
  await good(who.page, 'the embed address');
  flawless(who);
});
