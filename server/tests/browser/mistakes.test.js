// The page of a player's costliest moves: where chances were lost, each move with its better one, and the way to the analysis board.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { goodInSizes } from './axe.js';
import { player, signedIn } from './people.js';
import { randomNumbers } from './play.js';
import { URL_, api, flawless, games, launch, load, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// A match of these two with random moves, which the first one resigns after some of them, and its analysis.
async function analysed(game, [first, second], plies, terms = {}) {
  const dice = randomNumbers(4);
  const made = await api('/v1/matches', { token: first.token, body: { game, seed: '3', seats: [{ kind: 'me' }, { kind: 'player', name: second.name }], ...terms } });
  const path = `/v1/matches/${made.id}`;
  await api(`${path}/join`, { token: second.token, body: {} });
  for (let done = 0; done < plies;) {
    for (const { token } of [first, second]) {
      const { legal_moves: legal, ply, stage } = await api(path, { token });
      if (stage === 'over') break;
      if (legal.length > 0) await api(`${path}/moves`, { token, body: { ply, notation: legal[dice() % legal.length].notation } });
      done = ply + 1;
    }
    if ((await api(path, { token: first.token })).stage === 'over') break;
  }
  if ((await api(path, { token: first.token })).stage !== 'over') await api(`${path}/resign`, { token: first.token, method: 'POST' });
  await api(`${path}/analysis`, { token: first.token, method: 'POST' });
  for (;;) {
    const { stage, analysis } = await api(`${path}/analysis`, { token: first.token });
    if (stage === 'done') return { id: made.id, analysis };
    assert.equal(stage, 'pending');
    await new Promise((done) => setTimeout(done, 100));
  }
}

const costly = ({ decisions }, seat) => decisions.filter((one) => one.seat === seat && one.value?.loss >= 0.05);

for (const { slug, title } of games.filter((game) => game.min_seats <= 2 && game.max_seats >= 2)) {
  test(`${title}: the costliest moves of a player, by kind, each to try again`, { timeout: 300_000 }, async (t) => {
    const players = [await player('ana'), await player('bob')];
    // Where few moves lose chances, a longer match has some.
    const matches = [await analysed(slug, players, 16)];
    if (costly(matches[0].analysis, 0).length === 0) matches.push(await analysed(slug, players, 80));
    const { id, analysis } = matches.at(-1);
    const expected = costly(analysis, 0).sort((a, b) => b.value.loss - a.value.loss);
    assert.ok(expected.length > 0, 'random moves lose chances');
    const who = await visitor(browser);
    t.after(() => who.context.close());
    const { page } = who;
    await load(page, `/players/${players[0].name}`);
    await page.getByRole('link', { name: `Costliest moves: ${title}` }).click();
    const items = page.locator('ol.mistakes > li');
    await items.first().waitFor();
    assert.equal(await items.count(), Math.min(expected.length, 20));
    const accuracy = Number(/^Accuracy: ([\d.]+) of 100, over \d+ moves? in analysed matches$/.exec(await page.locator('p.accuracy').innerText())[1]);
    const seats = matches.map((one) => one.analysis.seats[0]);
    const sum = (/** @type {(seat: any) => number} */ of) => seats.reduce((total, seat) => total + of(seat), 0);
    const mean = sum((seat) => seat.accuracy * seat.decisions) / sum((seat) => seat.decisions);
    assert.ok(Math.abs(accuracy - mean) <= 0.11, `${accuracy}, in the analyses ${mean}`);
    assert.match(await items.first().innerText(), /^Cost \d+\s?%: .+\n+Better: .+\n+.+ · .+\n+Try again/);
    // Phases and kinds have words in the language of the page.
    const rows = await page.locator('table.results tbody th').allInnerTexts();
    assert.ok(rows.length > 0 && rows.every((row) => /^(Opening|Middle|End) · [a-z ]+$/.test(row)), String(rows));
    // Only one kind.
    const { kind } = expected[0];
    await page.getByLabel('Kind of move').selectOption(kind);
    const ofKind = expected.filter((one) => one.kind === kind).length;
    await page.waitForFunction((count) => document.querySelectorAll('ol.mistakes > li').length === count, Math.min(ofKind, 20));
    await goodInSizes(page, `${slug}: the costliest moves`, [['a phone', 390, 844], ['a desk', 1280, 860]]);
    // The move in its match, and the position on the analysis board.
    assert.equal(await page.getByRole('link', { name: /of the match$/ }).first().getAttribute('href'), `/matches/${id}?ply=${expected[0].ply}`);
    await page.getByRole('link', { name: 'Try again' }).first().click();
    await page.locator('.place .lit').first().waitFor();
    assert.ok(page.url().startsWith(`${URL_}/games/${slug}/analysis#position=`), page.url());
    flawless(who);
  });
}

test('private matches are on the page of the player alone, and in the file', { timeout: 300_000 }, async (t) => {
  const [{ slug, title }] = games.filter((game) => game.perfect_information);
  const [ana, bob] = [await player('ana'), await player('bob')];
  const { analysis } = await analysed(slug, [ana, bob], 40, { private: true });
  const expected = costly(analysis, 0);
  assert.ok(expected.length > 0);
  const path = `/players/${ana.name}/mistakes/${slug}`;
  const other = await visitor(browser);
  t.after(() => other.context.close());
  await load(other.page, path);
  assert.match(await other.page.locator('#mistakes').innerText(), /No analysed match yet/);
  assert.match(await other.page.locator('h1').innerText(), new RegExp(`${ana.name}.*${title}`));
  flawless(other);
  const { page, who } = await signedIn(t, browser, path, { session: ana });
  await page.locator('ol.mistakes > li').first().waitFor();
  assert.equal(await page.locator('ol.mistakes > li').count(), expected.length);
  const [download] = await Promise.all([page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as positions for kibitz suite' }).click()]);
  assert.equal(download.suggestedFilename(), `${slug}.jsonl`);
  flawless(who);
});
