// The words of the bar and the marks of the board during a turn: the action in the game's words, the action of each button,
// the possible choices; none of them needs colour.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { choose, easy, giveSeat, later, make, me, nextMove, openMatch, openSeats, randomNumbers, twoSeats } from './play.js';
import { api, flawless, games, launch, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

async function seated(t, slug, options, more) {
  const { id, seats: [{ token }] } = await make(slug, [me(), easy], { seed: '6', ...more });
  const who = await visitor(browser, options);
  t.after(() => who.context.close());
  await giveSeat(who, id, token);
  await openMatch(who, id);
  return { id, token, who, page: who.page };
}

// A match of Ana, who has a page, with Bogdan, who has none. With the moves of `until` alone it is the same in every run; an
// engine's moves depend on the machine's speed. With this seed Ana begins in Buraco, and each condition below comes true.
async function paired(t, slug) {
  const two = await twoSeats(slug, { seed: '1' });
  const { all: [who] } = await openSeats(t, browser, two, [{ width: 390, height: 844 }]);
  return { ...two, token: two.tokens[0], who, page: who.page };
}

// Plays both seats by the API until a condition on Ana's turn holds; the page has then caught up. Each move is of the first
// kind in `preferred` that can be played.
async function until({ page, id, tokens }, fits, ...preferred) {
  const dice = randomNumbers(4);
  for (let moves = 0; moves < 300; moves += 1) {
    const sides = await Promise.all(tokens.map((token) => api(`/v1/matches/${id}`, { token })));
    const mover = sides.findIndex(({ legal_moves: legal }) => legal.length > 0);
    assert.ok(mover >= 0, 'the match has not ended before');
    const now = sides[mover];
    if (mover === 0 && fits(now)) {
      await page.waitForFunction((ply) => Number(document.querySelector('#match').dataset.ply) >= ply, now.ply);
      return now;
    }
    const good = preferred.map((prefer) => now.legal_moves.filter(({ move }) => prefer(move)));
    const list = good.find((some) => some.length > 0) ?? now.legal_moves;
    const { notation } = list[dice() % list.length];
    await api(`/v1/matches/${id}/moves`, { token: tokens[mover], body: { ply: now.ply, notation } });
  }
  return assert.fail('the condition never holds');
}

const say = (page) => page.locator('.bar .say');

for (const { slug, title } of games.filter((game) => game.min_seats <= 2 && game.max_seats >= 2)) {
  test(`${title}: the bar names the action at every turn`, { timeout: 300_000 }, async (t) => {
    const { id, who, page } = await seated(t, slug, { width: 390, height: 844 });
    const dice = randomNumbers(12);
    for (let moves = 0; moves < 12; moves += 1) {
      let next = null;
      while (next === null && await page.locator('#match').getAttribute('data-stage') === 'running') {
        next = await nextMove(page, id, dice());
        if (next === null) await page.waitForTimeout(20);
      }
      if (next === null) break;
      await page.locator('.place .lit').first().waitFor();
      assert.doesNotMatch(await say(page).innerText(), /highlighted|rest of the move|^Chosen|lit\b/, `ply ${next.ply}`);
      await choose(page, next.targets);
      const text = await say(page).innerText();
      assert.ok(text.length > 5 && !/highlighted|rest of the move/.test(text), text);
      const verb = await page.locator('.bar button.main').innerText();
      assert.notEqual(verb, 'Play', 'the button names the action');
      // Both fit their places.
      for (const part of ['.bar .say', '.bar button.main']) {
        const cut = await page.locator(part).evaluate((one) => one.scrollHeight - one.clientHeight);
        assert.ok(cut <= 1, `${part}: "${await page.locator(part).innerText()}" is cut by ${cut} px`);
      }
      await page.locator('.bar button.main').click();
      await later(page, next.ply);
    }
    flawless(who);
  });
}

test('Splendor: a chosen card offers Buy and Reserve as buttons, with the payment', { timeout: 300_000 }, async (t) => {
  const match = await paired(t, 'splendor');
  const { id, token, who, page } = match;
  // With a full hand no card can be reserved without a return: a purchase empties it.
  const chips = (move) => ['take', 'take_two'].includes(move.action) && !move.returns?.length;
  const purchase = (move) => move.action === 'buy';
  // Three reserved cards would leave no room for the one that this test reserves.
  const noReserve = (move) => !move.action.startsWith('reserve');
  const both = ({ legal_moves: moves }) => moves.find(({ move }) => move.action === 'buy'
    && moves.some(({ move: other }) => other.action === 'reserve' && other.card === move.card && !other.returns?.length));
  const now = await until(match, both, chips, purchase, noReserve);
  const { move } = both(now);
  await page.locator(`.place [data-piece="card:${move.card}"].payable`).first().waitFor();
  await choose(page, [`card:${move.card}`]);
  const main = page.locator('.bar button.main');
  assert.match(await main.innerText(), /^Buy \(pays (\d (red|green|blue|white|black|gold)(, )?)+\)$/);
  assert.ok(await page.locator('.place .bill').count() > 0, 'the payment is on the card');
  const reserve = page.locator('.bar').getByRole('button', { name: /^Reserve/ });
  assert.equal(await reserve.innerText(), now.position.chips.gold > 0 ? 'Reserve (+1 gold)' : 'Reserve');
  await reserve.click();
  await later(page, now.ply);
  const after = await api(`/v1/matches/${id}`, { token });
  assert.ok(after.position.players[0].reserved.includes(move.card), 'one press reserves it');
  // The reserved card is marked, if it can be paid, among the viewer's own things.
  await page.locator('.dock .reserved').waitFor();
  flawless(who);
});

test('Buraco: steps of the turn, cards that can be melded, and buttons for what the choice makes', { timeout: 300_000 }, async (t) => {
  const match = await paired(t, 'buraco');
  const { id, token, who, page } = match;
  await page.locator('.place .lit').first().waitFor();
  assert.deepEqual(await page.locator('.phases [aria-current=step]').allInnerTexts(), ['Draw']);
  const melds = ({ legal_moves: moves }) => moves.find(({ move }) => move.meld_new);
  const now = await until(match, melds, (move) => move === 'get_stock' || move.discard);
  const { move } = melds(now);
  assert.deepEqual(await page.locator('.phases [aria-current=step]').allInnerTexts(), ['Meld', 'Discard']);
  // Exactly the cards of some listed meld are marked.
  const marked = await page.locator('.hand .card.can').evaluateAll((all) => all.map((one) => one.dataset.target.split(':')[1]));
  const listed = now.legal_moves.flatMap(({ move: mv }) => (mv.meld_new ?? mv.meld_join)?.cards ?? []);
  assert.deepEqual([...new Set(marked)].sort(), [...new Set(listed)].sort());
  const cards = [];
  for (const card of move.meld_new.cards) cards.push(`card:${card}${cards.includes(`card:${card}`) ? ':2' : ''}`);
  await choose(page, cards);
  await page.locator('.bar').getByRole('button', { name: 'New meld' }).click();
  await later(page, now.ply);
  const after = await api(`/v1/matches/${id}`, { token });
  assert.equal(after.position.melds[0].length, now.position.melds[0].length + 1, 'one press lays it');
  flawless(who);
});

test('a hint on a phone is one press away, on the board and in the bar', { timeout: 300_000 }, async (t) => {
  const { slug } = games.find((game) => game.min_seats === 2);
  const { who, page } = await seated(t, slug, { width: 390, height: 844 }, { hints: true });
  await page.locator('.place .lit').first().waitFor();
  await page.locator('.quick').click();
  await page.locator('.bar .advice').filter({ hasText: 'Hint: ' }).waitFor();
  assert.ok(await page.locator('.place .hinted').count() > 0);
  assert.equal(await page.evaluate(() => scrollY), 0);
  flawless(who);
});

test('marks remain in forced colours', { timeout: 300_000 }, async (t) => {
  for (const { slug } of games.filter((game) => game.min_seats <= 2 && game.max_seats >= 2)) {
    const { id, who, page } = await seated(t, slug, { forcedColors: 'active' });
    await page.locator('.place .lit').first().waitFor();
    const line = (selector) => page.locator(selector).filter({ visible: true }).evaluateAll((all) => all.map((one) => {
      // The mark may be on the element, on its content or on the element before it.
      const styles = [one, ...one.querySelectorAll('*'), one.previousElementSibling].filter(Boolean)
        .flatMap((part) => [getComputedStyle(part), getComputedStyle(part, '::after')]);
      return styles.some((style) => (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0)
        || (style.content !== 'none' && style.content !== 'normal'));
    }));
    const next = await nextMove(page, id, 3);
    const lit = await line('.place .lit');
    // If any card may be chosen, only the possible melds are marked.
    assert.ok(lit.length > 0 && lit.some(Boolean), `${slug}: what is possible is marked`);
    await choose(page, next.targets.slice(0, 1));
    assert.ok((await line('.place .picked')).every(Boolean), `${slug}: what is chosen is marked`);
    flawless(who);
  }
});
