// How long a visitor on a slow network waits for the board of a match: `scripts/browser-bench load`, or
// `node server.js node load.js`. Prints one line per case; `measured` is for the tests.
//
// The network: 400 ms until each response begins, 400 kbit/s together in both directions, 6 connections, as Chromium's
// developer tools emulate it and WebPageTest defines "3G Slow".

import { fileURLToPath } from 'node:url';

import { giveSeat, make, me, easy } from './play.js';
import { URL_, flawless, games, launch, visitor } from './visitor.js';

const SLOW_3G = { offline: false, latency: 400, downloadThroughput: 400_000 / 8, uploadThroughput: 400_000 / 8 };

// Opens a match twice: with an empty cache, and again. For each the time until the board is painted, in milliseconds, the
// number of requests before it, and the bytes of their responses. `player`: as a player, else as a spectator.
export async function measured(browser, game, { player, seats = [me(), easy], more = {}, network = SLOW_3G }) {
  const made = await make(game, seats, more);
  const who = await visitor(browser, { width: 390, height: 844 });
  if (player) await giveSeat(who, made.id, made.seats[0].token, { key: made.key });
  const { page, context } = who;
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', network);
  const finished = [];
  session.on('Network.loadingFinished', ({ encodedDataLength, timestamp }) => finished.push({ encodedDataLength, timestamp }));
  const found = [];
  for (const cache of ['cold', 'warm']) {
    finished.length = 0;
    await page.goto('about:blank');
    await page.goto(`${URL_}/matches/${made.id}`, { waitUntil: 'commit' });
    const ms = await page.evaluate(() => new Promise((done) => {
      const look = () => {
        const place = document.querySelector('.place > *');
        // Painted two frames later.
        if (place) requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now())));
        else requestAnimationFrame(look);
      };
      look();
    }));
    const sent = await page.evaluate(() => [...performance.getEntriesByType('navigation'),
      ...performance.getEntriesByType('resource')].filter(({ transferSize }) => transferSize > 0)
      .map(({ name, transferSize, requestStart, responseEnd }) => ({ name, transferSize, requestStart, responseEnd })));
    found.push({ cache, ms: Math.round(ms), requests: sent.length,
      bytes: sent.reduce((sum, { transferSize }) => sum + transferSize, 0), sent });
  }
  flawless(who);
  await context.close();
  return found;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const browser = await launch();
  for (const { slug } of games) {
    for (const player of [false, true]) {
      for (const { cache, ms, requests, bytes } of await measured(browser, slug, { player })) {
        const kib = (bytes / 1024).toFixed(0);
        console.log(`${slug}, ${player ? 'player' : 'spectator'}, ${cache}: ${ms} ms, ${requests} requests, ${kib} KiB`);
      }
    }
  }
  await browser.close();
}
