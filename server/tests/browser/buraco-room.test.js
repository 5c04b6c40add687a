// Buraco's board shares its room: the halves by what they hold, the cards as large as fit, the lixo with its top card in sight.
// With KIBITZ_PICTURES, pictures are kept in that folder.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { giveSeat, make, me, openMatch, playButton } from './play.js';
import { api, flawless, launch, resize, visitor } from './visitor.js';

const SIZES = [[1440, 900], [1024, 768], [768, 1024], [390, 844], [844, 390]];
const SMALL = [[360, 640], [667, 375]];
const FOLDER = process.env.KIBITZ_PICTURES;

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// A page with a position that random play reaches, seen by its mover.
async function position(t, seed, plies, options = {}) {
  const { position: view } = await api('/v1/games/buraco/positions', { body: { seed, plies } });
  const { id, seats } = await make('buraco', [me('Ana'), me('Bo')], { position: view });
  const who = await visitor(browser, options);
  t.after(() => who.context.close());
  await giveSeat(who, id, seats[view.viewer.seat].token);
  await openMatch(who, id);
  await who.page.locator('.place .lit').first().waitFor();
  return { ...who, who, view };
}

// What is cut: parts that must be scrolled, and cards that are outside of their part. `parts`: those that may not scroll.
function cut(page, parts) {
  return page.evaluate((selector) => [
    ...[...document.querySelectorAll(selector)].filter((one) => one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1)
      .map((one) => `${one.className}: ${one.scrollWidth} by ${one.scrollHeight} px in ${one.clientWidth} by ${one.clientHeight}`),
    ...[...document.querySelectorAll('.lixo .card, .melds .card')].filter((card) => {
      const part = card.closest('.lixo, .seat').getBoundingClientRect();
      const box = card.getBoundingClientRect();
      return box.left < part.left - 1 || box.right > part.right + 1 || box.top < part.top - 1 || box.bottom > part.bottom + 1;
    }).map((card) => `${card.ariaLabel} is outside of ${card.closest('.lixo, .seat').className}`),
  ], parts);
}

for (const [seed, plies] of [[1, 180], [3, 180], [5, 140], [5, 180], [6, 180], [7, 60], [7, 180]]) {
  test(`nothing is cut: position ${plies} of deal ${seed}`, { timeout: 300_000 }, async (t) => {
    const { page, who, view } = await position(t, seed, plies);
    const held = `${view.pile.length} in the lixo, melds ${view.melds.map((all) => all.map((meld) => meld.length))}, ${view.hand.length} in the hand`;
    t.diagnostic(held);
    for (const [width, height] of [...SIZES, ...SMALL]) {
      await resize(page, { width, height });
      if (FOLDER) await page.screenshot({ path: join(FOLDER, `buraco-${seed}-${plies}-${width}x${height}.png`) });
      // A phone has no room for everything: then a seat scrolls.
      const [melds, cards] = [view.melds.flat().length, view.hand.length];
      const small = SMALL.some((size) => size[0] === width) || (Math.min(width, height) < 400 && (melds > 10 || cards > 30));
      const wrong = await cut(page, small ? (cards > 30 ? '.lixo' : '.place, .lixo') : '.place, .lixo, .supply, .seat, .melds');
      assert.deepEqual(wrong.filter((what) => !small || !what.includes('seat')), [], `${width}x${height}: ${held}`);
      if (view.pile.length === 0) continue;
      const top = await page.locator('.slot.upper .card').evaluate((card) => {
        const { left, right, top: up, bottom } = card.getBoundingClientRect();
        return [[left + 3, up + 3], [right - 3, bottom - 3], [(left + right) / 2, (up + bottom) / 2]].every(([x, y]) => card.contains(document.elementFromPoint(x, y)));
      });
      assert.ok(top, `${width}x${height}: the top card is whole`);
    }
    flawless(who);
  });
}

test('a card of the hand can be chosen while the drawn card flies', { timeout: 300_000 }, async (t) => {
  const { id, seats: [{ token }] } = await make('buraco', [me('Ana'), me('Bo')], { seed: '4' });
  const who = await visitor(browser, { reducedMotion: 'no-preference', width: 390, height: 844 });
  t.after(() => who.context.close());
  const { page } = who;
  await giveSeat(who, id, token);
  await openMatch(who, id);
  await page.locator('.place .stock.lit').click();
  // The cards fly so slowly that the tap comes while they do.
  await page.evaluate(() => {
    const animate = Element.prototype.animate;
    Element.prototype.animate = function slowly(frames, options) {
      return animate.call(this, frames, { ...options, duration: 4_000 });
    };
  });
  await playButton(page).click();
  await page.locator('.hand .suit .card.animated').nth(2).waitFor();
  const tapped = await page.evaluate(() => {
    const cards = [...document.querySelectorAll('.hand .suit .card.animated:not(.fresh)')];
    const at = (card) => {
      const { left, top, height } = card.getBoundingClientRect();
      return [left + 8, top + height / 2];
    };
    const card = cards.find((one) => document.elementsFromPoint(...at(one)).find((hit) => hit.closest('.card'))?.closest('.card') === one) ?? cards[0];
    return { target: card.dataset.target, at: at(card) };
  });
  await page.mouse.click(...tapped.at);
  assert.equal(await page.locator('.hand .picked').getAttribute('data-target'), tapped.target);
  flawless(who);
});

test('a few melds have large cards, and each half has the room that its melds need', { timeout: 300_000 }, async (t) => {
  const width = (page, side) => page.locator(`.${side} .melds .card`).first().evaluate((card) => card.getBoundingClientRect().width);
  const height = (page, side) => page.locator(`.seat.${side}`).evaluate((seat) => seat.getBoundingClientRect().height);
  const few = await position(t, 7, 60, { width: 1440, height: 900 });
  const hand = await few.page.locator('.hand .card').first().evaluate((card) => card.getBoundingClientRect().width);
  for (const side of ['ours', 'theirs']) {
    const laid = await width(few.page, side);
    assert.ok(laid >= 0.85 * hand && laid <= 1.05 * hand, `${side}: ${laid} px, a card of the hand has ${hand}`);
  }
  const many = await position(t, 7, 180, { width: 1440, height: 900 });
  const sides = many.view.melds[many.view.viewer.seat].length > 5 ? ['ours', 'theirs'] : ['theirs', 'ours'];
  for (const size of [[1440, 900], [390, 844]]) {
    await resize(many.page, { width: size[0], height: size[1] });
    const [more, less] = [await height(many.page, sides[0]), await height(many.page, sides[1])];
    assert.ok(more > 1.5 * less, `${size}: ${sides[0]} ${more} px, ${sides[1]} ${less} px`);
  }
  flawless(few.who, many.who);
});
