// Plays in a browser: creates a match, takes a seat, and makes moves by mouse or keys, on highlighted targets only.

import assert from 'node:assert/strict';

import { URL_, api, visitor } from './visitor.js';

export const me = (name = 'Ana') => ({ kind: 'me', name });
export const easy = { kind: 'engine', level: 'easy', think_ms: 10 };
export const open = { kind: 'open' };

// Creates a match; `{id, seats: [{seat, token}], key}`.
export function make(game, seats, more = {}) {
  return api('/v1/matches', { body: { game, seats, ...more } });
}

// Gives a browser the seat that creating or joining the match would have given it.
export async function giveSeat(who, id, token, more = {}) {
  await who.context.addInitScript(([match, held]) => {
    // A new tab is about:blank.
    if (!location.protocol.startsWith('http')) return;
    const all = JSON.parse(localStorage.getItem('kibitz.seats') ?? '{}');
    if (!all[match]) localStorage.setItem('kibitz.seats', JSON.stringify({ ...all, [match]: held }));
  }, [id, { token, seats: [], ...more }]);
}

// Opens the page of a match and waits for its board.
export async function openMatch(who, id, query = '') {
  await who.page.goto(`${URL_}/matches/${id}${query}`);
  await who.page.locator('.place > *').first().waitFor();
}

// The match's state as the page shows it.
export function shown(page) {
  return page.evaluate(() => ({ ...document.querySelector('#match').dataset }));
}

// The targets that choose a legal move of the page's own seat, in order; null if it is not its turn. `dice`: a number
// that selects the move.
export function nextMove(page, id, dice) {
  return page.evaluate(async ([match, number]) => {
    const { token } = JSON.parse(localStorage.getItem('kibitz.seats'))[match];
    const answer = await fetch(`/v1/matches/${match}`, { headers: { authorization: `Bearer ${token}` } });
    const told = await answer.json();
    if (told.legal_moves.length === 0) return null;
    const { clash } = await import('/web/board/picker.js');
    const own = document.querySelector('#match').dataset.boards.split(' ').includes(told.game);
    const board = await import(own ? `/web/games/${told.game}/board.js` : '/web/board/plain-board.js');
    const routes = told.legal_moves.map((mv) => ({ move: mv, path: board.paths(mv.move, told.position) }));
    const same = clash(routes);
    if (same) throw new Error(`two moves are made in the same way: ${JSON.stringify(same)}`);
    const { move, path } = routes[number % routes.length];
    return { targets: path.flat(), notation: move.notation, ply: told.ply };
  }, [id, dice]);
}

const selector = (target) => `.stage:not(.ahead) .place [data-target=${JSON.stringify(target)}]`;
export const playButton = (page) => page.locator('.bar button.main');

// Waits until the page shows a later ply, or the end.
export function later(page, ply) {
  return page.waitForFunction((before) => {
    const { ply: now, stage } = document.querySelector('#match').dataset;
    return Number(now) > before || stage === 'over';
  }, ply, { polling: 'raf', timeout: 60_000 });
}

// Chooses targets by mouse, one after another.
export async function choose(page, targets) {
  for (const target of targets) {
    await page.locator(`${selector(target)}.lit`).filter({ visible: true }).first().click({ timeout: 60_000 });
  }
}

// Makes a move by mouse.
export async function click(page, { targets, ply }) {
  await choose(page, targets);
  await playButton(page).click({ timeout: 60_000 });
  await later(page, ply);
}

// Chooses targets by click events in the page, for tests of what a match shows and not of how it is operated: a mouse needs
// several times as long.
export function dispatchClicks(page, targets) {
  return page.evaluate(async (all) => {
    for (const [target, selector] of all) {
      const choice = () => [...document.querySelectorAll(selector)].find((one) => one.checkVisibility({ visibilityProperty: true }));
      const end = performance.now() + 60_000;
      while (!choice()) {
        if (performance.now() > end) throw new Error(`${target} cannot be chosen`);
        await new Promise(requestAnimationFrame);
      }
      const chosen = choice();
      chosen.scrollIntoView({ block: 'nearest', inline: 'nearest' });
      chosen.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
    }
  }, targets.map((target) => [target, `${selector(target)}.lit`]));
}

// Makes a move by click events in the page.
export async function dispatchMove(page, { targets, ply }) {
  await dispatchClicks(page, targets);
  await dispatchPlay(page, ply);
}

// Presses Play by a click event in the page.
export async function dispatchPlay(page, ply) {
  await page.waitForFunction(() => {
    const button = document.querySelector('.bar button.main');
    if (!button?.checkVisibility() || button.disabled) return false;
    button.click();
    return true;
  }, undefined, { polling: 'raf', timeout: 60_000 });
  await later(page, ply);
}

// Makes a move by mouse when complete moves are played at once: the button is needed only if a longer move begins with it.
export async function clickOnce(page, { targets, ply }) {
  await choose(page, targets);
  const sent = await page.waitForFunction((before) => {
    const { ply: now, stage } = document.querySelector('#match').dataset;
    if (Number(now) > before || stage === 'over') return 'sent';
    return document.querySelector('.bar button.main').disabled ? null : 'asks';
  }, ply, { polling: 'raf', timeout: 60_000 });
  if (await sent.jsonValue() === 'asks') await playButton(page).click({ timeout: 60_000 });
  await later(page, ply);
}

// Switches on playing at once.
export function atOnce(page) {
  return page.getByLabel('Play at once').check();
}

// Makes a move with keys alone: arrows to each target, Enter.
export async function press(page, { targets, ply }) {
  await pressTargets(page, targets);
  await later(page, ply);
}

// Chooses targets with keys alone, and presses Play.
export async function pressTargets(page, targets) {
  for (const target of targets) {
    await page.locator(`${selector(target)}.lit`).filter({ visible: true }).first().waitFor({ timeout: 60_000 });
    await reach(page, target);
    await page.keyboard.press('Enter');
  }
  // A complete move that cannot be longer has moved the focus to the button already.
  for (let tries = 0; !(await playButton(page).evaluate((button) => button === document.activeElement)); tries += 1) {
    assert.ok(tries < 6, 'Tab leads from the board to the button');
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
}

// The focused element, and the distance from it to a target.
function course(page, target) {
  return page.evaluate((wanted) => {
    const active = document.activeElement;
    // The bar's buttons have targets too, but make the move at once.
    const on = active.closest('.place [data-target]')?.dataset.target;
    const all = [...document.querySelectorAll('.place .lit, .place .picked')];
    const goal = all.find((element) => element.dataset.target === wanted && element.getBoundingClientRect().width > 0);
    const [a, b] = [active, goal].map((element) => element.getBoundingClientRect());
    return { on, inside: Boolean(active.closest('.place')), dx: b.left + b.width / 2 - a.left - a.width / 2,
      dy: b.top + b.height / 2 - a.top - a.height / 2 };
  }, target);
}

async function reach(page, target) {
  const seen = new Map();
  for (let presses = 0; presses < 400; presses += 1) {
    const at = await course(page, target);
    if (at.on === target) return;
    // If the arrow keys go in circles, Tab visits every target.
    if (!at.inside || presses > 60) {
      await page.keyboard.press('Tab');
      continue;
    }
    // The direct way first; another way from a target visited before.
    const across = at.dx > 0 ? ['ArrowRight', 'ArrowLeft'] : ['ArrowLeft', 'ArrowRight'];
    const along = at.dy > 0 ? ['ArrowDown', 'ArrowUp'] : ['ArrowUp', 'ArrowDown'];
    const [first, second] = Math.abs(at.dx) > Math.abs(at.dy) ? [across, along] : [along, across];
    const ways = [first[0], second[0], second[1], first[1]];
    const times = seen.get(at.on) ?? 0;
    seen.set(at.on, times + 1);
    await page.keyboard.press(ways[times % ways.length]);
  }
  assert.fail(`no keys lead to ${target}`);
}

// Plays a match to its end with pseudo-random moves, which the seed determines. `players`: `[{page, make}]`, where `make` is
// `clickOnce`, `press` or the like; `rivals`: `[{seat, token}]`, seats without a page, for which an engine moves by the API. The
// course of a match with a seat of the engine would be another one in each run.
export async function playOut(id, players, { rivals = [], seed = 11, most = 2000 } = {}) {
  for (let steps = 0; steps < most; steps += 1) {
    const { stage, turn, ply } = await api(`/v1/matches/${id}`);
    if (stage === 'over') {
      await Promise.all(players.map(({ page }) => page.locator('#match[data-stage=over]').waitFor()));
      return ply;
    }
    const number = randomNumbers((seed * 16807 + ply * 69621) % 2147483647)();
    const rival = rivals.find(({ seat }) => seat === turn);
    if (rival) {
      await moveByApi(id, rival.token, number);
      continue;
    }
    let mover = null;
    for (const player of players) {
      const next = await nextMove(player.page, id, number);
      if (next) mover = { ...player, next };
    }
    if (mover) await mover.make(mover.page, mover.next);
    else await players[0].page.waitForTimeout(15);
  }
  return assert.fail(`no end after ${most} steps`);
}

// Makes the move of an engine for a seat, without a page: the same move in each run, since the seed and the number of its
// nodes determine it. `number`: the seed.
export async function moveByApi(id, token, number) {
  const { game, ply, position } = await api(`/v1/matches/${id}`, { token });
  const body = { position, seed: `${number}`, nodes: 100, think_ms: 5_000 };
  const { notation } = await api(`/v1/games/${game}/move`, { body });
  await api(`/v1/matches/${id}/moves`, { token, body: { ply, notation } });
}

// A match of one page and of rivals without one; `{id, token, rivals}`. `more`: of the order.
export async function withRivals(game, count, more = {}) {
  const { id, seats: [own, ...others] } = await make(game, [me('Ana'), ...Array.from({ length: count }, (_, n) => me(`Rival ${n + 1}`))],
    { hints: true, ...more });
  return { id, token: own.token, rivals: others };
}

// A pseudo-random generator with a fixed sequence per seed.
export function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state;
  };
}

// A match of two people, Ana and Bogdan, each with a browser. `more`: of the order; `options`: of each visitor.
export async function twoPeople(t, browser, game, more = {}, options = [{}, {}]) {
  return await openSeats(t, browser, await twoSeats(game, more), options);
}

// A match of Ana and Bogdan, without a browser yet.
export async function twoSeats(game, more = {}) {
  const made = await make(game, [me('Ana'), open], more);
  const joined = await api(`/v1/matches/${made.id}/join`, { body: { name: 'Bogdan' } });
  return { id: made.id, tokens: [made.seats[0].token, joined.seats[0].token] };
}

// Opens such a match in a browser for each seat.
export async function openSeats(t, browser, { id, tokens }, options = [{}, {}]) {
  const all = await Promise.all(options.map((size) => visitor(browser, size)));
  t.after(() => Promise.all(all.map(({ context }) => context.close())));
  for (const [seat, who] of all.entries()) {
    await giveSeat(who, id, tokens[seat]);
    await openMatch(who, id);
    // On a slow machine a match with a short clock is over before its page is loaded.
    await who.page.locator('#match:is([data-connection=open], [data-stage=over])').waitFor();
  }
  return { id, tokens, all, pages: all.map(({ page }) => page) };
}
