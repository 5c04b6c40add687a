// The end of a match: the panel says how it ended for the viewer, who resigned, left or ran out of time, and how the points
// add up; it offers the next actions, and can be closed.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { easy, giveSeat, make, me, open, openMatch, openSeats, randomNumbers, twoPeople, twoSeats } from './play.js';
import { URL_, api, flawless, games, launch, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const two = games.filter((game) => game.min_seats <= 2 && game.max_seats >= 2);
const heading = (page) => page.locator('.end h2');
const why = (page) => page.locator('.end .why').allInnerTexts();

// Plays both seats with pseudo-random moves, through the API.
async function playBoth(id, tokens, dice) {
  for (;;) {
    const page = await api(`/v1/matches/${id}`, { token: tokens[0] });
    if (page.stage === 'over') return page;
    const token = tokens[page.turn];
    const { legal_moves: moves, ply } = page.turn === 0 ? page : await api(`/v1/matches/${id}`, { token });
    const { notation } = moves[dice() % moves.length];
    await api(`/v1/matches/${id}/moves`, { token, body: { ply, notation } });
  }
}

test('resignation names the player, and the panel leads on', { timeout: 300_000 }, async (t) => {
  const { all, pages: [ana, bogdan] } = await twoPeople(t, browser, two[0].slug, { seed: '2' }, [{ width: 390, height: 844 }, {}]);
  await bogdan.getByRole('button', { name: 'Resign' }).click();
  await bogdan.getByRole('button', { name: 'Resign' }).click();
  for (const page of [ana, bogdan]) await heading(page).waitFor();
  assert.equal(await heading(ana).innerText(), 'You have won.');
  assert.deepEqual(await why(ana), ['Bogdan resigned.']);
  assert.equal(await heading(bogdan).innerText(), 'You have lost.');
  assert.deepEqual(await why(bogdan), ['You resigned.']);
  // The panel can be closed with its button or a key, and opened again; the board is behind it.
  const place = await ana.locator('.place').boundingBox();
  const panel = await ana.locator('.end').boundingBox();
  assert.ok(panel.y >= 0 && panel.y + panel.height <= 844 && panel.x >= 0 && panel.x + panel.width <= 390);
  assert.ok(place.height > 300);
  await ana.getByRole('button', { name: 'Close' }).click();
  assert.ok(await ana.locator('.end').isHidden());
  await ana.getByRole('button', { name: 'Show the result' }).click();
  await heading(ana).waitFor();
  await ana.locator('.end').press('Escape');
  assert.ok(await ana.locator('.end').isHidden());
  // On an upright phone rarely used tools are folded, so that the board is large.
  const link = ana.getByRole('button', { name: 'Copy link' });
  const more = ana.getByRole('button', { name: 'More replay tools', exact: true });
  assert.ok(await link.isHidden());
  assert.ok((await ana.locator('.place').boundingBox()).height > 600);
  await more.click();
  assert.ok(await link.isVisible());
  assert.ok(await ana.getByLabel('As seen by').isVisible());
  await more.click();
  assert.ok(await link.isHidden());
  assert.ok(await bogdan.getByRole('button', { name: 'More replay tools', exact: true }).isHidden(), 'a desk has room for all');
  await ana.getByRole('button', { name: 'Show the result' }).click();
  await ana.getByRole('button', { name: 'Review' }).click();
  await ana.locator('.scrubber output').filter({ hasText: 'Move 0 of' }).waitFor();
  assert.ok(await ana.locator('.end').isHidden());
  // A spectator reads names.
  const eve = await visitor(browser);
  t.after(() => eve.context.close());
  await eve.page.goto(ana.url().replace(/\?.*/, ''));
  await heading(eve.page).waitFor();
  assert.equal(await heading(eve.page).innerText(), 'Ana has won.');
  assert.deepEqual(await why(eve.page), ['Bogdan resigned.']);
  assert.ok(await eve.page.getByRole('button', { name: 'Play again', exact: true }).isHidden());
  flawless(...all, eve);
});

test('the address of the match is shared', async (t) => {
  const { all, pages: [ana] } = await twoPeople(t, browser, two[0].slug, {});
  await ana.getByRole('button', { name: 'Call the match off' }).click();
  await ana.getByRole('button', { name: 'Call the match off' }).click();
  await heading(ana).waitFor();
  assert.equal(await heading(ana).innerText(), 'The match ended without a result.');
  assert.deepEqual(await why(ana), ['The match was called off before the first move.']);
  await all[0].context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await ana.getByRole('button', { name: 'Share' }).click();
  await ana.getByRole('button', { name: 'Copied' }).waitFor();
  assert.ok((await ana.evaluate(() => navigator.clipboard.readText())).startsWith(`${URL_}/matches/`));
  flawless(...all);
});

test('time-out is told to both sides', { timeout: 300_000 }, async (t) => {
  const game = two.find(({ max_seats: most }) => most === 2);
  const { all, pages: [ana, bogdan] } = await twoPeople(t, browser, game.slug, { clock: { initial_ms: 5_000 }, seed: '3' });
  for (const page of [ana, bogdan]) await heading(page).waitFor({ timeout: 60_000 });
  assert.equal(await heading(ana).innerText(), 'You have lost.');
  assert.deepEqual(await why(ana), ['Your time ran out.']);
  assert.equal(await heading(bogdan).innerText(), 'You have won.');
  assert.deepEqual(await why(bogdan), ['Ana ran out of time.']);
  flawless(...all);
});

test('player who never moves is said not to have come back', { timeout: 300_000 }, async (t) => {
  // A game in which a late move is replaced, so that the match goes on.
  const game = two.find(({ max_seats: most }) => most > 2);
  const { id, seats: [{ token }] } = await make(game.slug, [me('Ana'), easy], { clock: { move_ms: 1_000 }, seed: '3' });
  const who = await visitor(browser);
  t.after(() => who.context.close());
  await giveSeat(who, id, token);
  await openMatch(who, id);
  await heading(who.page).waitFor({ timeout: 280_000 });
  assert.equal(await heading(who.page).innerText(), 'You have lost.');
  assert.deepEqual(await why(who.page), ['You did not move in time for several turns.']);
  flawless(who);
});

test('abandoned match names the player who did not move', { timeout: 300_000 }, async (t) => {
  const match = await twoSeats(two[0].slug, { idle_ms: 6_000, seed: '3' });
  const { ply, legal_moves: [{ notation }] } = await api(`/v1/matches/${match.id}`, { token: match.tokens[0] });
  await api(`/v1/matches/${match.id}/moves`, { token: match.tokens[0], body: { ply, notation } });
  const { all, pages: [ana, bogdan] } = await openSeats(t, browser, match);
  for (const page of [ana, bogdan]) await heading(page).waitFor({ timeout: 60_000 });
  assert.deepEqual(await why(ana), ['Bogdan did not move for too long, so the match ended without a result.']);
  assert.deepEqual(await why(bogdan), ['You did not move for too long, so the match ended without a result.']);
  flawless(...all);
});

test('a draw is called a draw', { timeout: 300_000 }, async (t) => {
  const dice = randomNumbers(5);
  for (let seed = 1; seed < 200; seed += 1) {
    const made = await make('ioiwari', [me('Ana'), open], { seed: `${seed}` });
    const joined = await api(`/v1/matches/${made.id}/join`, { body: { name: 'Bogdan' } });
    const tokens = [made.seats[0].token, joined.seats[0].token];
    const { result } = await playBoth(made.id, tokens, dice);
    if (result.ranks.some((rank) => rank !== 1)) continue;
    const who = await visitor(browser);
    t.after(() => who.context.close());
    await giveSeat(who, made.id, tokens[1]);
    await openMatch(who, made.id);
    await heading(who.page).waitFor();
    assert.equal(await heading(who.page).innerText(), 'It is a draw.');
    assert.equal(await who.page.locator('.status').innerText(), 'It is a draw.');
    flawless(who);
    return;
  }
  assert.fail('no draw in 200 matches');
});

for (const { slug, title } of two) {
  test(`${title}: the parts of the score add up to the points`, { timeout: 300_000 }, async (t) => {
    const dice = randomNumbers(17);
    const made = await make(slug, [me('Ana'), open], { seed: '6' });
    const joined = await api(`/v1/matches/${made.id}/join`, { body: { name: 'Bogdan' } });
    const tokens = [made.seats[0].token, joined.seats[0].token];
    const { result, ended } = await playBoth(made.id, tokens, dice);
    assert.equal(ended, 'played');
    const who = await visitor(browser, { width: 390, height: 844 });
    t.after(() => who.context.close());
    await giveSeat(who, made.id, tokens[0]);
    await openMatch(who, made.id);
    await heading(who.page).waitFor();
    const mine = result.ranks[0] === 1;
    const even = result.ranks.every((rank) => rank === 1);
    const none = !result.ranks.includes(1);
    assert.equal(await heading(who.page).innerText(),
      none ? 'There is no winner.' : even ? 'It is a draw.' : mine ? 'You have won.' : 'You have lost.');
    const [sentence] = await why(who.page);
    assert.ok(sentence.length > 5 && !/seat \d|because/.test(sentence), sentence);
    const cells = (part) => who.page.locator(`.end ${part} tr`).evaluateAll((rows) => rows.map((row) =>
      [...row.querySelectorAll('td')].map((cell) => Number(cell.textContent.replace('\u2212', '-')))));
    const [total] = await cells('tfoot');
    assert.deepEqual(total, result.points);
    const labels = await who.page.locator('.end tbody th').allInnerTexts();
    const rows = (await cells('tbody')).filter((_, i) => !/tie/.test(labels[i]));
    assert.deepEqual([0, 1].map((seat) => rows.reduce((sum, row) => sum + row[seat], 0)), result.points);
    // The strip of players shows the same points.
    assert.deepEqual((await who.page.locator('.players .points').allInnerTexts()).length, 2);
    flawless(who);
  });
}
