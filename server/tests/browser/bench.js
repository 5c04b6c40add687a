// Measures the cost of the pages: the time until a move made in one browser is seen in another, the bytes of a page, and
// the server's processor time for 200 spectators' pages and for as many plain sockets. Run by scripts/browser-bench.

import { readFileSync } from 'node:fs';

import { click, easy, openMatch, giveSeat, later, randomNumbers, make, me, open, nextMove } from './play.js';
import { URL_, api, games, launch, visitor } from './visitor.js';

const MOVES = Number(process.env.KIBITZ_BENCH_MOVES ?? 120);
const CROWD = 200;
const { slug } = games.find((game) => game.min_seats === 2 && game.max_seats > 2) ?? games[0];
const browser = await launch();

// A match between two browsers: the times from the click that sends a move until the other page shows it, in milliseconds.
// A move is shown when the frame that contains it has been painted.
async function sight() {
  const times = [];
  const dice = randomNumbers(1);
  while (times.length < MOVES) {
    const { id, seats: [{ token }] } = await make(slug, [me('Ana'), open]);
    const { seats: [{ token: other }] } = await api(`/v1/matches/${id}/join`, { body: { name: 'Bogdan' } });
    const pair = await Promise.all([token, other].map(async (held) => {
      const who = await visitor(browser);
      await giveSeat(who, id, held);
      await openMatch(who, id);
      await who.page.evaluate(() => {
        const now = () => performance.timeOrigin + performance.now();
        document.querySelector('.bar button.main').addEventListener('click', () => { window.sent = now(); }, true);
        const painted = new MessageChannel();
        painted.port1.onmessage = () => { window.seen = now(); };
        // The browser paints right after the animation frame callback, and handles the posted message after that.
        new MutationObserver(() => requestAnimationFrame(() => painted.port2.postMessage(null)))
          .observe(document.querySelector('#match'), { attributeFilter: ['data-ply'] });
      });
      return who;
    }));
    for (;;) {
      if ((await api(`/v1/matches/${id}`)).stage === 'over' || times.length >= MOVES) break;
      const ways = await Promise.all(pair.map(({ page }) => nextMove(page, id, dice())));
      const mover = ways.findIndex((next) => next !== null);
      if (mover < 0) break;
      const ply = ways[mover].ply;
      await click(pair[mover].page, ways[mover]);
      await later(pair[1 - mover].page, ply);
      const sent = await pair[mover].page.evaluate(() => window.sent);
      times.push(await pair[1 - mover].page.evaluate(() => window.seen) - sent);
    }
    await Promise.all(pair.map(({ context }) => context.close()));
  }
  return times.sort((a, b) => a - b);
}

// The transferred bytes of a page, with an empty cache.
async function weight(open_) {
  const who = await visitor(browser);
  const session = await who.context.newCDPSession(who.page);
  await session.send('Network.enable');
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => { bytes += encodedDataLength; });
  await open_(who);
  await who.page.waitForTimeout(500);
  await who.context.close();
  return bytes;
}

// The processor time that the server has used, in milliseconds.
function spent() {
  const fields = readFileSync(`/proc/${process.env.KIBITZ_PID}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

// The cost of a match for the server with that crowd, in milliseconds of processor time a move. `how`: `none`, `plain`
// (sockets that only listen) or `pages` (the sockets of the pages, by the pages' own module).
async function crowd(how) {
  const who = await visitor(browser);
  const { id, seats: [{ token }, { token: other }] } = await make(slug, [me('Ana'), me('Bogdan')]);
  await who.page.goto(`${URL_}/matches`);
  await who.page.evaluate(async ([match, kind, count]) => {
    const { Live } = await import('/web/lib/live.js');
    window.heard = 0;
    const path = `/v1/matches/${match}`;
    const ready = Array.from({ length: kind === 'none' ? 0 : count }, () => new Promise((done) => {
      if (kind === 'plain') {
        const socket = new WebSocket(`${path.replace(/^/, location.origin.replace('http', 'ws'))}/live`, ['kibitz']);
        socket.onmessage = () => { window.heard += 1; };
        socket.onopen = done;
      } else {
        let seq = 0;
        new Live({ path, secrets: () => ({}), seq: () => seq, state: (name) => name === 'open' && done(),
          heard: (frame) => { window.heard += 1; seq = frame.seq ?? seq; } }).start();
      }
    }));
    await Promise.all(ready);
  }, [id, how, CROWD]);
  const before = spent();
  let moves = 0;
  const dice = randomNumbers(2);
  for (; moves < MOVES; moves += 1) {
    const page = await api(`/v1/matches/${id}`, { token });
    if (page.stage === 'over') break;
    const mover = page.turn === page.you ? token : other;
    const { legal_moves, ply } = mover === token ? page : await api(`/v1/matches/${id}`, { token: other });
    const { notation } = legal_moves[dice() % legal_moves.length];
    await api(`/v1/matches/${id}/moves`, { token: mover, body: { ply, notation } });
  }
  const used = spent() - before;
  await who.context.close();
  return used / moves;
}

const times = await sight();
const at = (part) => times[Math.min(times.length - 1, Math.floor(times.length * part))].toFixed(1);
console.log(`a move is seen in another browser (${slug}, ${times.length} moves): median ${at(0.5)} ms, `
  + `p99 ${at(0.99)} ms`);
const kib = (bytes) => `${(bytes / 1024).toFixed(1)} KiB`;
console.log(`the first page: ${kib(await weight(({ page }) => page.goto(`${URL_}/`, { waitUntil: 'networkidle' })))}`);
for (const game of games) {
  const others = Array(Math.max(1, game.min_seats - 1)).fill(easy);
  const { id, seats: [{ token }] } = await make(game.slug, [me(), ...others]);
  const bytes = await weight(async (who) => {
    await giveSeat(who, id, token);
    await openMatch(who, id);
  });
  console.log(`the page of a match, ${game.slug}: ${kib(bytes)}`);
}
const crowds = { none: 'no spectators', plain: `${CROWD} plain sockets`, pages: `the sockets of ${CROWD} pages` };
for (const how of ['none', 'plain', 'pages', 'plain', 'pages']) {
  console.log(`server, ${crowds[how]}: ${(await crowd(how)).toFixed(2)} ms of processor a move`);
}
await browser.close();
