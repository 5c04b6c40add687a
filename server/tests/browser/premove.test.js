// Premoves: a move that is chosen while another player thinks is played when the turn comes, withdrawn, or dropped if it is not legal
// then. A choice of which only a part is made goes on at the turn if it can.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { good as accessible } from './axe.js';
import { playButton, openSeats, randomNumbers, shown, twoSeats } from './play.js';
import { URL_, api, flawless, games, launch, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const two = games.filter((game) => game.min_seats <= 2 && game.max_seats >= 2);
const PICTURES = process.env.KIBITZ_PICTURES;
const LONG = { timeout: 280_000 };

const page = ({ id, tokens }, seat) => api(`/v1/matches/${id}`, { token: tokens[seat] });

// Makes a move of the seat to move, without a page.
async function play(match, { turn, ply }, notation) {
  await api(`/v1/matches/${match.id}/moves`, { token: match.tokens[turn], body: { ply, notation } });
}

// The moves that seat 0 may choose in advance.
async function premoves(match) {
  const { game, position } = await page(match, 0);
  return (await api(`/v1/games/${game}/legal-moves`, { body: { position } })).premoves;
}

// A match in which these moves have been made, of Ana in seat 0 and Bogdan. The same seed gives the same match.
async function begun(game, moves) {
  const match = await twoSeats(game, { seed: '4' });
  for (const notation of moves) await play(match, await page(match, 0), notation);
  return match;
}

// Ends a match that was only looked at: an address can hold a limited number of seats.
const end = ({ id, tokens }) => api(`/v1/matches/${id}/resign`, { token: tokens[0], method: 'POST' });

// Bogdan's move, and random ones after it while it is still his turn. All of them.
async function answer(match, notation) {
  const played = [notation];
  await play(match, await page(match, 1), notation);
  for (;;) {
    const { turn, ply, legal_moves: legal } = await page(match, 1);
    if (turn !== 1) return played;
    const next = legal[randomNumbers(ply + 17)() % legal.length].notation;
    await play(match, { turn, ply }, next);
    played.push(next);
  }
}

// Whether a move that may be chosen in advance is legal at the turn.
const isLegal = (legal) => (ahead, then) => ahead.moves.findLast(({ notation }) => then.moves.some((one) => one.notation === notation) === legal);

// A choice without its last target that can go on at the turn (`stays`), or cannot: `{part, rest}`, targets. `page`: any page.
const half = (page, game, stays) => (ahead, then) => page.evaluate(async ([slug, early, late, wanted]) => {
  const [{ paths }, { isPossible }] = await Promise.all([import(`/web/games/${slug}/board.js`), import('/web/board/picker.js')]);
  const routes = late.moves.map((move) => ({ move, path: paths(move.move, late.position) }));
  const whole = early.moves.map(({ move }) => paths(move, early.position).flat()).filter((path) => path.length > 1);
  return whole.map((path) => ({ part: path.slice(0, -1), rest: path.slice(-1) }))
    .find(({ part, rest }) => isPossible({ routes }, part) === wanted && isPossible({ routes }, [...part, ...rest]) === wanted);
}, [game, ahead, then, stays]);

// A match before Bogdan's turn: `{moves, plan, replies}`: the moves before it, what Ana may choose in advance, and Bogdan's moves after
// which `pick(ahead, then)` takes it, from what she may choose before and at her turn. Null: the first turns have none.
async function found(game, pick) {
  const moves = [];
  for (let turns = 0; turns < 16; turns += 1) {
    const match = await begun(game, moves);
    const { turn, stage } = await page(match, 0);
    if (stage === 'over') return null;
    const { legal_moves: now } = await page(match, turn);
    if (turn === 1) {
      const ahead = { moves: await premoves(match), position: (await page(match, 0)).position };
      for (const { notation: reply } of now.slice(-6)) {
        if (ahead.moves.length === 0) break;
        const trial = await begun(game, moves);
        const replies = await answer(trial, reply);
        const { turn: next, legal_moves: then, position } = await page(trial, 0);
        const plan = next === 0 && await pick(ahead, { moves: then, position });
        if (next !== null) await end(trial);
        if (!plan) continue;
        await end(match);
        return { moves, plan, replies };
      }
    }
    await end(match);
    moves.push(now[randomNumbers(turns + 3)() % now.length].notation);
  }
  return null;
}

// Such a match with Ana's page.
async function waiting(t, game, { moves }, options = {}) {
  const match = await begun(game, moves);
  const opened = await openSeats(t, browser, match, [options]);
  const [ana] = opened.pages;
  await ana.locator('.stage.ahead').waitFor();
  return { ...match, ...opened, ana };
}

// The targets that choose a move in advance.
function targets({ ana, id, tokens }, plan) {
  return ana.evaluate(async ([match, token, move]) => {
    const answer = await fetch(`/v1/matches/${match}`, { headers: { authorization: `Bearer ${token}` } });
    const { game, position } = await answer.json();
    const board = await import(`/web/games/${game}/board.js`);
    return board.paths(move, position).flat();
  }, [id, tokens[0], plan.move]);
}

const target = (ana, name) => ana.locator(`.place [data-target=${JSON.stringify(name)}]`).filter({ visible: true }).first();
const planned = (ana) => ana.locator('.bar .say').filter({ hasText: 'Planned: ' }).waitFor();
const nothing = (ana) => ana.locator('.bar .say').filter({ hasText: 'You can choose your next move now.' }).waitFor();

// Chooses a move in advance. `press`: how a target is pressed.
async function plan(match, move, press) {
  for (const name of await targets(match, move)) await press(target(match.ana, name));
  // A move that could go on needs the button.
  const button = playButton(match.ana);
  if (await button.isEnabled()) await press(button);
  await planned(match.ana);
}

const keys = async (place) => {
  await place.focus();
  await place.press('Enter');
};
const touch = (place) => place.tap();

// What seat 0 did last, from the events.
async function lastOf(match) {
  const answer = await fetch(`${URL_}/v1/matches/${match.id}/events?since=0`, { headers: { accept: 'application/x-ndjson', authorization: `Bearer ${match.tokens[0]}` } });
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const events = () => text.split('\n').slice(0, -1).filter(Boolean).map((line) => JSON.parse(line));
  const { seq } = await page(match, 0);
  while (!events().some((event) => event.seq === seq && event.type !== 'match')) {
    const { value, done } = await reader.read();
    if (done) break;
    text += value;
  }
  await reader.cancel();
  assert.ok(events().every(({ type }) => type !== 'fouled'), 'a premove is never a foul');
  return events().findLast(({ type, seat }) => type === 'moved' && seat === 0)?.notation;
}

async function picture(ana, name) {
  if (PICTURES) await ana.screenshot({ path: `${PICTURES}/premove-${name}.png` });
}

for (const { slug } of two) {
  test(`${slug}: a planned move is played when the turn comes`, LONG, async (t) => {
    const course = await found(slug, isLegal(true));
    assert.ok(course, 'a move can be chosen in advance');
    const desk = await waiting(t, slug, course);
    const phone = await waiting(t, slug, course, { width: 390, height: 844, hasTouch: true, isMobile: true, colorScheme: 'dark' });
    for (const [match, press, how] of [[desk, keys, 'desk'], [phone, touch, 'phone']]) {
      await picture(match.ana, `${slug}-${how}-offer`);
      await plan(match, course.plan, press);
      await match.ana.locator('.ear').filter({ hasText: 'Planned: ' }).waitFor({ state: 'attached' });
      await picture(match.ana, `${slug}-${how}-planned`);
      await accessible(match.ana, `${slug}: a planned move, ${how}`);
      const { ply } = await page(match, 0);
      for (const notation of course.replies) await play(match, await page(match, 1), notation);
      await match.ana.waitForFunction((least) => Number(document.querySelector('#match').dataset.ply) >= least, ply + course.replies.length + 1);
      assert.equal(await lastOf(match), course.plan.notation);
      flawless(...match.all);
    }
  });

  test(`${slug}: a planned move is withdrawn`, LONG, async (t) => {
    const course = await found(slug, isLegal(true));
    const match = await waiting(t, slug, course);
    const { ana } = match;
    await plan(match, course.plan, keys);
    await ana.keyboard.press('Escape');
    await nothing(ana);
    await plan(match, course.plan, (place) => place.click());
    await ana.getByRole('button', { name: 'Withdraw' }).click();
    await nothing(ana);
    await plan(match, course.plan, (place) => place.click());
    const [last] = (await targets(match, course.plan)).slice(-1);
    await target(ana, last).click();
    await ana.locator('.bar .say').filter({ hasText: 'Planned: ' }).waitFor({ state: 'detached' });
    await ana.keyboard.press('Escape');
    const { ply } = await page(match, 0);
    for (const notation of course.replies) await play(match, await page(match, 1), notation);
    await ana.locator('.stage:not(.ahead) .lit').first().waitFor();
    assert.equal((await page(match, 0)).ply, ply + course.replies.length, 'nothing was sent');
    flawless(...match.all);
  });
}

test('a planned move that is not legal at the turn is dropped, and the bar says so', LONG, async (t) => {
  let times = 0;
  for (const { slug } of two) {
    const course = await found(slug, isLegal(false));
    if (!course) continue;
    times += 1;
    const match = await waiting(t, slug, course, { width: 390, height: 844 });
    const { ana } = match;
    await plan(match, course.plan, (place) => place.click());
    const { ply } = await page(match, 0);
    for (const notation of course.replies) await play(match, await page(match, 1), notation);
    await ana.locator('.bar .say.bad').filter({ hasText: 'Dropped, not possible now: ' }).waitFor();
    await ana.locator('.stage:not(.ahead) .lit').first().waitFor();
    await picture(ana, `${slug}-dropped`);
    assert.equal((await page(match, 0)).ply, ply + course.replies.length);
    await lastOf(match);
    flawless(...match.all);
  }
  assert.ok(times >= 3, `${times} games`);
});

test('a choice of which a part is made stays at the turn if it begins a legal move, and is dropped without a word otherwise', LONG, async (t) => {
  const any = await visitor(browser);
  t.after(() => any.context.close());
  await any.page.goto(`${URL_}/`);
  const times = { stays: 0, goes: 0 };
  const picked = (ana) => ana.locator('.place .picked').evaluateAll((all) => [...new Set(all.map((one) => one.dataset.target))]);
  for (const { slug } of two) {
    for (const [what, options] of [['stays', {}], ['goes', { width: 390, height: 844, hasTouch: true, isMobile: true }]]) {
      const course = await found(slug, half(any.page, slug, what === 'stays'));
      if (!course) continue;
      times[what] += 1;
      const { part, rest } = course.plan;
      const match = await waiting(t, slug, course, options);
      const { ana } = match;
      for (const name of part) await (what === 'goes' ? touch : keys)(target(ana, name));
      await target(ana, part.at(-1)).and(ana.locator('.picked')).waitFor();
      const { ply } = await page(match, 0);
      for (const notation of course.replies) await play(match, await page(match, 1), notation);
      await ana.locator('.stage:not(.ahead) .lit').first().waitFor();
      await picture(ana, `${slug}-half-${what}`);
      assert.deepEqual((await picked(ana)).sort(), what === 'stays' ? [...new Set(part)].sort() : [], slug);
      assert.equal(await ana.locator('.bar .say.bad').count(), 0);
      assert.equal((await page(match, 0)).ply, ply + course.replies.length, 'nothing was sent');
      if (what === 'stays') {
        // The choice goes on from there.
        for (const name of rest) await keys(target(ana, name));
        if (await playButton(ana).isEnabled()) await playButton(ana).click();
        await ana.waitForFunction((least) => Number(document.querySelector('#match').dataset.ply) >= least, ply + course.replies.length + 1);
      }
      flawless(...match.all);
    }
  }
  assert.ok(times.stays >= 2 && times.goes >= 1, JSON.stringify(times));
});

test('a plan outlives a lost connection, but not a reload of the page, nor a move from elsewhere', LONG, async (t) => {
  const { slug } = two.find((game) => game.perfect_information) ?? two[0];
  const course = await found(slug, isLegal(true));
  const match = await waiting(t, slug, course, { forgive: /ERR_INTERNET_DISCONNECTED/ });
  const { ana, all: [who] } = match;
  await plan(match, course.plan, keys);
  await who.context.setOffline(true);
  await ana.locator('#match[data-connection=lost]').waitFor();
  const { ply } = await page(match, 0);
  for (const notation of course.replies) await play(match, await page(match, 1), notation);
  await who.context.setOffline(false);
  await ana.waitForFunction((least) => Number(document.querySelector('#match').dataset.ply) >= least, ply + course.replies.length + 1);
  assert.equal(await lastOf(match), course.plan.notation);
  const other = await waiting(t, slug, course);
  await plan(other, course.plan, keys);
  await other.ana.reload();
  await nothing(other.ana);
  flawless(...match.all, ...other.all);
});

test('who does not want premoves switches them off: nothing is offered and nothing is asked', LONG, async (t) => {
  const { slug } = two[0];
  const course = await found(slug, isLegal(true));
  const match = await waiting(t, slug, course);
  const { ana } = match;
  await plan(match, course.plan, keys);
  await ana.getByLabel('Choose moves in advance').uncheck();
  await ana.locator('.stage:not(.ahead)').waitFor();
  assert.equal(await ana.locator('.place :is(.lit, .picked)').count(), 0);
  let asked = 0;
  ana.on('request', (request) => { asked += request.url().endsWith('/legal-moves') ? 1 : 0; });
  await ana.reload();
  await ana.locator('#match[data-connection=open]').waitFor();
  const { ply } = await page(match, 0);
  for (const notation of course.replies) await play(match, await page(match, 1), notation);
  await ana.locator('.stage:not(.ahead) .lit').first().waitFor();
  assert.equal(asked, 0);
  assert.equal((await shown(ana)).ply, String(ply + course.replies.length));
  flawless(...match.all);
});
