// Takes screenshots of every page and board: `node screenshots.js OUTDIR [GAME...]`.

import { join } from 'node:path';

import { player } from './people.js';
import { choose, easy, openMatch, giveSeat, randomNumbers, make, me, open, nextMove } from './play.js';
import { URL_, api, games, launch, visitor } from './visitor.js';

const [folder, ...named] = process.argv.slice(2);
const chosen = games.filter(({ slug }) => named.length === 0 || named.includes(slug));
const SIZES = [[390, 844], [844, 390], [1024, 768], [1440, 900]];
const browser = await launch();

// Pictures of the page in every size, light and dark. `whole`: of the whole page, not only of the window.
async function pictures(page, name, whole = false) {
  for (const [width, height] of SIZES) {
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height });
      await page.evaluate(() => scrollTo(0, 0));
      await page.waitForTimeout(120);
      await page.screenshot({ path: join(folder, `${name}-${width}x${height}-${colorScheme}.png`), fullPage: whole });
    }
  }
  console.log(name);
}

// Plays pseudo-random moves, through the API.
async function play(id, token, most, dice) {
  for (let moves = 0; moves < most;) {
    const page = await api(`/v1/matches/${id}`, { token });
    if (page.stage === 'over') return;
    if (page.legal_moves.length === 0) {
      await new Promise((done) => setTimeout(done, 20));
      continue;
    }
    const { notation } = page.legal_moves[dice() % page.legal_moves.length];
    await api(`/v1/matches/${id}/moves`, { token, body: { ply: page.ply, notation } });
    moves += 1;
  }
}

async function board({ slug, min_seats }) {
  const { id, seats: [{ token }] } = await make(slug, [me(), ...Array(Math.max(1, min_seats - 1)).fill(easy)],
    { seed: '17', clock: { initial_ms: 600_000, increment_ms: 5_000 } });
  const who = await visitor(browser);
  const { page } = who;
  await giveSeat(who, id, token);
  await openMatch(who, id);
  await page.locator('.place .lit').first().waitFor();
  await pictures(page, `${slug}-start`);
  await page.keyboard.press('?');
  await page.locator('.drawer, dialog[open]').first().waitFor();
  await pictures(page, `${slug}-rules`);
  await page.keyboard.press('Escape');
  const dice = randomNumbers(17);
  await play(id, token, 8, dice);
  const middle = await api(`/v1/matches/${id}`, { token });
  if (middle.stage !== 'over') {
    await page.waitForFunction((ply) => Number(document.querySelector('#match').dataset.ply) >= ply, middle.ply);
    const next = await nextMove(page, id, dice());
    await pictures(page, `${slug}-middle`);
    if (next) await choose(page, next.targets.slice(0, 1));
    await pictures(page, `${slug}-chosen`);
  }
  await play(id, token, Infinity, dice);
  await page.locator('.truth strong').waitFor();
  await pictures(page, `${slug}-end`);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Analyse the whole match' }).click();
  await page.locator('.judged').first().waitFor({ timeout: 600_000 });
  await pictures(page, `${slug}-analysed`, true);
  await page.getByLabel('Evaluate each position').check();
  await page.getByRole('button', { name: 'Previous move' }).click();
  await page.locator('.evaluate .found p').first().waitFor();
  await pictures(page, `${slug}-evaluated`);
  await who.context.close();
  await analysis(slug);
}

// The analysis board: the engine's opinion, and the editor.
async function analysis(slug) {
  const who = await visitor(browser);
  const { page } = who;
  const { position } = await api(`/v1/games/${slug}/positions`, { body: { seed: 4, plies: 9 } });
  await page.goto(`${URL_}/games/${slug}/analysis#position=${encodeURIComponent(JSON.stringify(position))}`);
  await page.locator('.place .lit').first().waitFor();
  await page.getByRole('button', { name: 'Ask the engine' }).click();
  await page.locator('.ranked li').first().waitFor();
  await pictures(page, `analysis-${slug}`);
  await page.getByRole('button', { name: 'Edit the position' }).click();
  await page.locator('.place .lit').filter({ visible: true }).last().dispatchEvent('click');
  await pictures(page, `editor-${slug}`);
  await who.context.close();
}

// Two players with a name who have met in rated matches, and a tournament of engines that has ended; the paths of their pages.
async function people(slug) {
  const [ana, bogdan] = [await player('ana'), await player('bogdan')];
  for (const [winner, loser] of [[ana, bogdan], [ana, bogdan], [bogdan, ana], [ana, bogdan]]) {
    const { id } = await api('/v1/matches', { token: winner.token, body: {
      game: slug, rated: true, clock: { initial_ms: 600_000 }, seats: [{ kind: 'me' }, { kind: 'open' }],
    } });
    await api(`/v1/matches/${id}/join`, { token: loser.token, body: {} });
    await api(`/v1/matches/${id}/resign`, { token: loser.token, method: 'POST' });
  }
  const { token } = ana;
  const { id } = await api('/v1/tournaments', { token, body: {
    title: 'Autumn Cup', game: slug, format: { kind: 'swiss', rounds: 1 }, clock: { initial_ms: 90_000, increment_ms: 2_500 },
  } });
  const html = await (await fetch(`${URL_}/tournaments/${id}`)).text();
  for (const [, name] of [...html.matchAll(/<option value="([^"]+:easy)"/g)].slice(-2)) await api(`/v1/tournaments/${id}/entries`, { token, body: { name } });
  await api(`/v1/tournaments/${id}/start`, { token, method: 'POST' });
  while ((await api(`/v1/tournaments/${id}`)).stage !== 'ended') await new Promise((done) => setTimeout(done, 200));
  return { tournament: `/tournaments/${id}`, player: `/players/${ana.name}`, leaderboard: `/games/${slug}/leaderboard?kind=person` };
}

async function around() {
  const who = await visitor(browser);
  const { page } = who;
  for (const [name, path] of [['home', '/'], ['matches', '/matches'], ['bots', '/bots'],
    ['account', '/account'], ['lobby', '/lobby'], ...Object.entries(await people(chosen.find((game) => game.min_seats === 2)?.slug ?? 'azul')), ['tournaments', '/tournaments'], ['new-tournament', '/tournaments/new'], ['nothing', '/no-such-page'],
    ['no-match', '/matches/0198c0de-1111-7000-8000-000000000000'],
    ...chosen.map(({ slug }) => [`game-${slug}`, `/games/${slug}`])]) {
    // A page with a stream of events always has an open request, so wait for a fixed time.
    await page.goto(URL_ + path, { waitUntil: 'load' });
    await page.waitForTimeout(1_000);
    await pictures(page, name, true);
  }
  const { slug } = games.find((game) => game.max_seats > 1);
  const { id, seats: [{ token }] } = await make(slug, [me(), open]);
  await page.goto(`${URL_}/matches/${id}`);
  await page.getByRole('button', { name: 'Join' }).waitFor();
  await pictures(page, 'match-free-seat', true);
  await giveSeat(who, id, token);
  await page.reload();
  await page.getByLabel('The link to this match').waitFor();
  await page.getByText('Let a program play').click();
  await pictures(page, 'match-invitation', true);
  await who.context.close();
}

for (const game of chosen) await board(game);
await around();
await browser.close();
