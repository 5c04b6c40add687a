// Teaching: the rules with pictures, beside the board and on the page of a game, and the tips of a first match.

import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, test } from 'node:test';

import { good as accessible } from './axe.js';
import { gameData, hasContest } from './game-data.js';
import { click, easy, giveSeat, make, me, nextMove, open, openMatch, randomNumbers } from './play.js';
import { URL_, flawless, games, launch, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const drawer = (page) => page.getByRole('dialog', { name: /^Rules of/ });

// Every rule below this element has a title, a picture, a sentence and an example. `parts`: the selector of the pieces in a
// picture.
async function taught(root, parts, where) {
  const rules = await root.locator('.rule').evaluateAll((all, pieces) => all.map((one) => {
    const picture = one.querySelector('.picture');
    const drawn = picture.firstElementChild?.getBoundingClientRect();
    const box = picture.getBoundingClientRect();
    const inner = [...picture.querySelectorAll(pieces)].map((part) => part.getBoundingClientRect());
    return {
      texts: [...one.querySelectorAll(':scope > h3, :scope > div > p')].map((text) => text.textContent),
      height: drawn?.height ?? 0, parts: inner.length, small: inner.filter(({ width }) => width < 16).length,
      inside: inner.every(({ left, right }) => left >= box.left - 1 && right <= box.right + 1),
    };
  }), parts);
  assert.ok(rules.length >= 5, `${rules.length} rules`);
  for (const { texts, height, parts: pieces, small, inside } of rules) {
    assert.equal(texts.length, 3);
    for (const text of texts) assert.ok(text.length > 3 && !/^rule\.|\{/.test(text), text);
    assert.ok(height > 20 && pieces > small && inside, `the picture of ${texts[0]}: ${where}`);
  }
}

// The rules say which contest's variant they are, if the game has a contest.
async function saysVariant(root, slug) {
  const variant = root.locator('.variant');
  if (hasContest(slug)) {
    assert.ok((await variant.innerText()).length > 40);
    assert.ok(await variant.evaluate((one) => one.nextElementSibling === null), 'the history of the contest comes last');
  }
  else assert.equal(await variant.count(), 0);
}

// The drawer links the game's lessons before the rules, if it has any. The match stays in its own tab.
async function leadsToLessons(page, slug) {
  const there = existsSync(new URL(`../../../engines/src/games/${slug}/lessons/lessons.json`, import.meta.url));
  const link = drawer(page).getByRole('link', { name: /lessons/ });
  assert.equal(await link.count(), there ? 1 : 0);
  if (!there) return;
  assert.deepEqual(await link.evaluate((one) => [one.getAttribute('href'), one.target]), [`/games/${slug}/lessons`, '_blank']);
}

// A match against the easy engine, on its page.
async function begin(t, slug, size = {}) {
  const { id, seats: [{ token }] } = await make(slug, [me(), easy], { seed: '21' });
  const who = await visitor(browser, size);
  t.after(() => who.context.close());
  await giveSeat(who, id, token);
  await openMatch(who, id);
  return { who, page: who.page, id };
}

for (const { slug, title } of games) {
  const { pictures, tips: { passing = [] } = {} } = await gameData(slug);

  test(`${title}: the rules open beside the board, each with a picture and an example`, { timeout: 300_000 }, async (t) => {
    for (const [width, height] of [[390, 844], [844, 390], [1024, 768], [1440, 900]]) {
      const { who, page } = await begin(t, slug, { width, height });
      await page.keyboard.press('?');
      await drawer(page).waitFor();
      await taught(drawer(page), pictures.parts, `${width} px`);
      await saysVariant(drawer(page), slug);
      await leadsToLessons(page, slug);
      await accessible(page, `${slug}, rules, ${width} px`);
      if (process.env.KIBITZ_PICTURES) await page.screenshot({ path: `${process.env.KIBITZ_PICTURES}/rules-${slug}-${width}.png` });
      await page.keyboard.press('Escape');
      await drawer(page).waitFor({ state: 'hidden' });
      // The button opens them too, and has the focus again afterwards.
      const button = page.getByRole('button', { name: 'Rules, with pictures' });
      await button.click();
      await drawer(page).waitFor();
      await drawer(page).getByRole('button', { name: 'Close' }).click();
      assert.ok(await button.evaluate((element) => element === document.activeElement));
      flawless(who);
      await who.context.close();
    }
  });

  test(`${title}: the page of the game shows every rule with its picture, in every language`, { timeout: 300_000 }, async (t) => {
    const titles = new Set();
    for (const [locale, width, height] of [['en', 1440, 900], ['ro', 390, 844], ['pt', 1024, 768]]) {
      const who = await visitor(browser, { locale, width, height });
      t.after(() => who.context.close());
      const { page } = who;
      await page.goto(`${URL_}/games/${slug}`);
      await page.locator('#how').scrollIntoViewIfNeeded();
      await page.locator('.rules').evaluate((rules) => rules.scrollIntoView());
      await page.waitForFunction(() => [...document.querySelectorAll('.rule > .picture')].every((picture) => picture.childElementCount > 0));
      await taught(page.locator('.rules'), pictures.parts, `${locale}, ${width} px`);
      // The server's order is that of the pictures.
      const [shown, drawn] = await page.evaluate(async (game) => {
        const { rules } = await import(`/web/games/${game}/rules.js`);
        return [[...document.querySelectorAll('.rule')].map((one) => one.dataset.rule), rules((key) => key).map(([id]) => id)];
      }, slug);
      assert.deepEqual(shown, drawn);
      titles.add(await page.locator('.rule h3').first().innerText());
      await accessible(page, `${slug}, ${locale}, ${width} px`);
      flawless(who);
    }
    assert.ok(titles.size > 1, [...titles].join());
  });

  test(`${title}: without JavaScript the page of the game has the texts of its rules`, async (t) => {
    const who = await visitor(browser, { javaScriptEnabled: false, locale: 'pt', width: 390, height: 844 });
    t.after(() => who.context.close());
    await who.page.goto(`${URL_}/games/${slug}`);
    const rules = who.page.locator('.rule');
    const count = await rules.count();
    assert.ok(count >= 5);
    for (let at = 0; at < count; at += 1) {
      for (const text of await rules.nth(at).locator(':scope > h3, :scope > div > p').all()) assert.ok((await text.innerText()).length > 3);
      assert.ok(await rules.nth(at).locator('.picture').isHidden(), 'no empty frame');
    }
    assert.ok((await who.page.locator('.how .lead').innerText()).length > 100);
    await saysVariant(who.page.locator('.how'), slug);
    flawless(who);
  });

  test(`${title}: every tip fits its position`, { timeout: 300_000 }, async (t) => {
    const who = await visitor(browser);
    t.after(() => who.context.close());
    await who.page.goto(`${URL_}/games/${slug}`);
    const told = await who.page.evaluate(async (game) => {
      const post = async (path, body) => (await fetch(`/v1/games/${game}/${path}`, {
        method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).json();
      const { board } = await import('/web/board/board.js');
      const loaded = await board(game, true, (key) => key);
      const { tips } = await loaded.tips();
      const all = [];
      for (let seed = 1; seed <= 60; seed += 1) {
        const { position, seat } = await post('positions', { seed, plies: seed % 30 });
        if (seat === null) continue;
        const { moves } = await post('legal-moves', { position });
        const drawn = loaded.draw(position, { me: seat, seats: [], turn: seat, t: loaded.t, picked: [], next: new Set(), last: null, moves });
        const there = new Set([...drawn.querySelectorAll('[data-target]')].map((element) => element.dataset.target));
        for (const { id, values, targets = [] } of tips(position, seat, moves, loaded.t)) {
          all.push({ id, text: loaded.t(`tip.${id}`, values), missing: targets.filter((target) => !there.has(target)) });
        }
      }
      return all;
    }, slug);
    for (const { id, text, missing } of told) {
      assert.ok(text.length > 20 && text.length < 175 && !/^tip\.|[{}]|undefined|NaN/.test(text), `${id}: ${text}`);
      assert.deepEqual(missing.filter((target) => !passing.includes(target)), [], `${id}: ${text}`);
    }
    assert.ok(new Set(told.map(({ id }) => id)).size >= 6, [...new Set(told.map(({ id }) => id))].join());
    flawless(who);
  });

  test(`${title}: a guided first match shows a tip on each turn, once`, { timeout: 300_000 }, async (t) => {
    const who = await visitor(browser, { width: 390, height: 844 });
    t.after(() => who.context.close());
    const { page } = who;
    await page.goto(`${URL_}/games/${slug}`);
    await page.getByRole('button', { name: 'Guided first match' }).click();
    await page.waitForURL(/\/matches\//);
    const id = new URL(page.url()).pathname.split('/').at(-1);
    const tip = page.getByRole('region', { name: 'Tip' });
    const text = tip.locator('p');
    const dice = randomNumbers(5);
    const seen = [];
    // On the first turn there is always a tip. Which tips follow, and when, depends on the deal.
    for (let turn = 0; seen.length < 2; turn += 1) {
      await page.locator('.place .lit').first().waitFor();
      const shown = await tip.waitFor({ timeout: turn === 0 ? 30_000 : 2_000 }).then(() => true, () => false);
      assert.ok(shown || turn > 0, 'a tip on the first turn');
      if (shown) {
        seen.push(await text.innerText());
        if (turn === 0) {
          await accessible(page, `${slug}, tip`);
          // The tip pushes nothing that is needed off the screen.
          const bar = await page.locator('.bar').boundingBox();
          assert.ok(bar.y + bar.height <= 845, 'the bar is on the screen');
          // The tip stays as it is after a reload.
          await page.reload();
          await page.locator('.place .lit').first().waitFor();
          await tip.getByRole('button', { name: 'Got it' }).waitFor({ timeout: 2000 }).catch(() => {});
          if (await tip.isVisible()) await tip.getByRole('button', { name: 'Got it' }).click();
          assert.ok(await tip.isHidden());
        }
      }
      const next = await nextMove(page, id, dice());
      assert.ok(next, `the match is over after these tips: ${seen}`);
      await click(page, next);
    }
    assert.equal(new Set(seen).size, seen.length);
    flawless(who);
  });
}

test('tips can be switched off and on, and are not shown against people', { timeout: 300_000 }, async (t) => {
  const { slug } = games[0];
  const { who, page, id } = await begin(t, slug);
  const tip = page.getByRole('region', { name: 'Tip' });
  await page.locator('.place .lit').first().waitFor();
  assert.ok(await tip.isHidden(), 'no tips unless they are asked for');
  await page.getByLabel('Tips for beginners').check();
  const next = await nextMove(page, id, 3);
  await click(page, next);
  await tip.waitFor();
  await tip.getByRole('button', { name: 'No more tips' }).click();
  assert.ok(await tip.isHidden());
  assert.ok(!(await page.getByLabel('Tips for beginners').isChecked()));
  await page.reload();
  await page.locator('.place > *').first().waitFor();
  assert.ok(!(await page.getByLabel('Tips for beginners').isChecked()));
  // Against people the switch is not offered.
  const made = await make(slug, [me('Ana'), open]);
  await giveSeat(who, made.id, made.seats[0].token);
  await page.evaluate((game) => localStorage.setItem('kibitz.tips', JSON.stringify({ [game]: { on: true, seen: [] } })), slug);
  const other = await fetch(`${URL_}/v1/matches/${made.id}/join`, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } });
  assert.ok(other.ok);
  await openMatch(who, made.id);
  await page.locator('.place .lit').first().waitFor();
  assert.ok(await tip.isHidden());
  assert.ok(await page.getByLabel('Tips for beginners').isHidden());
  flawless(who);
});

for (const [locale, undo] of [['en', 'Undo the last choice'], ['ro', 'Anulează ultima alegere'], ['pt', 'Desfazer a última escolha']]) {
  test(`${locale}: the drawer names the keys, and they do what it says`, { timeout: 300_000 }, async (t) => {
    const { id, seats: [{ token }] } = await make('splendor', [me(), easy], { seed: '21' });
    const who = await visitor(browser, { locale });
    t.after(() => who.context.close());
    await giveSeat(who, id, token);
    await openMatch(who, id);
    const { page } = who;
    await page.locator('.place .lit').first().waitFor();
    await page.keyboard.press('?');
    await page.locator('.keys').getByText(undo).waitFor();
    await page.locator('.keys').scrollIntoViewIfNeeded();
    const cut = await page.locator('.keys').evaluate((keys) => keys.scrollWidth - keys.clientWidth);
    assert.ok(cut <= 0, `${cut} px`);
    await page.keyboard.press('Escape');
    // Two chips, one of them taken back; then all; then three, and the move.
    const picked = page.locator('.place .picked');
    const take = (count) => page.locator('.place [data-target^="chip:"].lit:not(.picked)').nth(count).click();
    await take(0);
    await take(1);
    assert.equal(await picked.count(), 2);
    await page.keyboard.press('Backspace');
    assert.equal(await picked.count(), 1);
    await page.keyboard.press('Escape');
    assert.equal(await picked.count(), 0);
    for (let count = 0; count < 3; count += 1) await take(count);
    await page.keyboard.press('Control+Enter');
    await page.waitForFunction(() => Number(document.querySelector('#match').dataset.ply) > 0);
    flawless(who);
  });
}

test('a phone has no keys', { timeout: 60_000 }, async (t) => {
  const { id } = await make(games[0].slug, [me(), easy]);
  const who = await visitor(browser, { width: 390, height: 844, hasTouch: true, isMobile: true });
  t.after(() => who.context.close());
  await openMatch(who, id);
  await who.page.getByRole('button', { name: 'Rules, with pictures' }).click();
  await drawer(who.page).waitFor();
  assert.ok(await who.page.locator('.keys').isHidden());
  flawless(who);
});

test('a question mark that is written opens nothing', async (t) => {
  const who = await visitor(browser);
  t.after(() => who.context.close());
  const { id } = await make(games[0].slug, [me('Ana'), open]);
  await who.page.goto(`${URL_}/matches/${id}`);
  const name = who.page.getByLabel('Your name');
  await name.pressSequentially('Who?');
  assert.equal(await name.inputValue(), 'Who?');
  assert.equal(await drawer(who.page).count(), 0);
  flawless(who);
});

test('the rules of a game without lessons link none', { timeout: 60_000 }, async (t) => {
  const [{ slug }] = games;
  const who = await visitor(browser);
  t.after(() => who.context.close());
  // The page as it is for such a game.
  await who.page.addInitScript(() => new MutationObserver(() => {
    const root = document.querySelector('#match');
    if (root && root.dataset.lessons !== '') root.dataset.lessons = '';
  }).observe(document, { childList: true, subtree: true }));
  const { id } = await make(slug, [easy, easy]);
  await openMatch(who, id);
  await who.page.keyboard.press('?');
  await drawer(who.page).locator('.rule').first().waitFor();
  assert.equal(await drawer(who.page).getByRole('link').count(), 0);
  flawless(who);
});

test('the link to the lessons opens them in a tab of their own', { timeout: 60_000 }, async (t) => {
  const { who, page } = await begin(t, games[0].slug, { width: 360, height: 640 });
  await page.getByRole('button', { name: 'Rules, with pictures' }).click();
  const [tab] = await Promise.all([who.context.waitForEvent('page'), drawer(page).getByRole('link', { name: /lessons/ }).click()]);
  await tab.getByText(/^Lesson 1 of/).waitFor();
  assert.equal(new URL(tab.url()).pathname, `/games/${games[0].slug}/lessons`);
  assert.ok(await drawer(page).isVisible(), 'the match is still there');
  flawless(who);
});
