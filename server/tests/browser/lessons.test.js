// The lessons: those of every game solved on a phone, by touch; a game's at a desk by mouse and by keys; a wrong move is answered; the
// browser remembers what is done; on small phones every lesson needs no scrolling, in every language.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { goodInSizes } from './axe.js';
import { choose, playButton, pressTargets } from './play.js';
import { api, flawless, games, launch, load, resize, visitor } from './visitor.js';

const SIZES = [['a small phone', 360, 640], ['a phone on its side', 844, 390], ['a desk', 1280, 860]];
const PHONE = { width: 360, height: 740, hasTouch: true };
const SMALL = [[360, 640], [740, 330]];
// The game that is learnt at a desk: one with two kinds of answers to wrong moves, and nothing hidden.
const DESK = 'ioiwari';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const status = (page) => page.locator('.status');
const list = (page) => page.getByRole('navigation', { name: 'All lessons' }).getByRole('link');

// The lessons of a game, each with a right and a wrong move: their targets on the board.
async function lessonsOf(page, slug) {
  const lessons = await api(`/web/games/${slug}/lessons/lessons.json`);
  const all = [];
  for (const { id, position, answers } of lessons) {
    const { moves } = await api(`/v1/games/${slug}/legal-moves`, { body: { position } });
    const answer = ({ notation }) => answers.find(({ moves: patterns }) => patterns.some((pattern) =>
      new RegExp(`^${pattern.split('*').map((part) => part.replace(/[[\]]/g, '\\$&')).join('.*')}$`).test(notation)));
    const find = (right) => moves.find((move) => Boolean(answer(move).right) === right);
    const targets = (move) => page.evaluate(async ([game, chosen, view]) => {
      const { paths } = await import(`/web/games/${game}/board.js`);
      return paths(chosen, view).flat();
    }, [slug, move.move, position]);
    all.push({ id, right: await targets(find(true)), wrong: await targets(find(false)) });
  }
  return all;
}

async function picture(page, name) {
  if (!process.env.KIBITZ_PICTURES) return;
  const size = page.viewportSize();
  for (const [where, width, height] of [['phone', 390, 844], ['small', 360, 640], ['side', 844, 390], ['desk', 1280, 860]]) {
    for (const colorScheme of where === 'phone' ? ['light', 'dark'] : ['light']) {
      await resize(page, { width, height });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${process.env.KIBITZ_PICTURES}/lessons-${name}-${where}-${colorScheme}.png` });
    }
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await resize(page, size);
}

// What cannot be seen of a lesson in small windows without scrolling, or is cut off. `answered`: after a move.
async function unseen(page, answered) {
  const size = page.viewportSize();
  const found = [];
  for (const [width, height] of SMALL) {
    await resize(page, { width, height });
    found.push(...await page.evaluate((parts) => {
      const place = document.querySelector('.place');
      const all = parts.flatMap((part) => [...document.querySelectorAll(part)]).filter((one) => one.checkVisibility());
      const outside = all.filter((one) => {
        const { left, top, right, bottom } = one.getBoundingClientRect();
        return left < 0 || top < 0 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5;
      });
      const cut = all.filter((one) => one !== place && one.matches('p, button, a') && (one.scrollHeight > one.clientHeight + 1 || one.scrollWidth > one.clientWidth + 1));
      const named = (list, what) => list.map((one) => `${innerWidth}x${innerHeight}: ${one.className || one.tagName} ${one.textContent.slice(0, 30)} is ${what}`);
      return [...named(outside, 'outside the window'), ...named(cut, 'cut'), ...(scrollY > 0 ? [`scrolled by ${scrollY} px`] : [])];
    }, ['.tools h2', '.tools p', '.tools .buttons > *', '.tools nav a', 'h1 a', '.place', '.bar', '.bar button', ...(answered ? [] : ['.bar .say'])]));
  }
  await resize(page, size);
  return found;
}

// Makes a move by touch.
async function tap(page, targets) {
  for (const target of targets) {
    await page.locator(`.place [data-target=${JSON.stringify(target)}].lit`).filter({ visible: true }).first().tap();
  }
  await playButton(page).tap();
}

for (const { slug, title } of games) {
  test(`${title}: all lessons are solved on a phone, and a wrong move is answered`, { timeout: 280_000 }, async (t) => {
    const who = await visitor(browser, PHONE);
    t.after(() => who.context.close());
    const { page } = who;
    await load(page, `/games/${slug}`);
    await page.locator('.intro').getByRole('link', { name: 'Lessons' }).tap();
    await page.waitForURL(`**/games/${slug}/lessons`);
    const lessons = await lessonsOf(page, slug);
    assert.ok(lessons.length >= 5 && lessons.length <= 8);
    for (const [at, { id, right, wrong }] of lessons.entries()) {
      await page.getByText(`Lesson ${at + 1} of ${lessons.length}:`).waitFor();
      await page.locator('.place .lit').first().waitFor();
      await picture(page, `${slug}-${id}`);
      if (at === 0) await goodInSizes(page, `${slug}: a lesson`, SIZES);
      await resize(page, PHONE);
      await tap(page, wrong);
      await page.locator('.status.missed').waitFor();
      assert.deepEqual(await unseen(page, true), [], id);
      assert.match(await status(page).innerText(), /^Not this one\. .{10}/);
      assert.equal(await page.locator('.place .lit').count(), 0, 'the move is made');
      await page.getByRole('button', { name: 'Try again' }).tap();
      await tap(page, right);
      await page.locator('.status.solved').waitFor();
      assert.match(await status(page).innerText(), /^Right\. .{10}/);
      await picture(page, `${slug}-${id}-solved`);
      assert.deepEqual(await unseen(page, true), [], id);
      if (at === 0) await goodInSizes(page, `${slug}: a solved lesson`, SIZES);
      await resize(page, PHONE);
      if (at + 1 < lessons.length) await page.getByRole('button', { name: 'Next lesson' }).tap();
    }
    assert.ok(await page.getByRole('link', { name: 'Play a first match' }).isVisible());
    assert.equal(await page.getByRole('link', { name: 'Puzzles' }).getAttribute('href'), `/puzzles?game=${slug}`);
    assert.ok(await page.getByRole('button', { name: 'Next lesson' }).isHidden());
    await goodInSizes(page, `${slug}: the last lesson`, SIZES);
    await resize(page, PHONE);
    // The browser remembers what is done.
    await load(page, `/games/${slug}/lessons`);
    await page.locator('.place .lit').first().waitFor();
    for (const link of await list(page).all()) assert.match(await link.innerText(), /\(done\)/);
    await list(page).nth(1).tap();
    await page.getByText(`Lesson 2 of ${lessons.length}:`).waitFor();
    assert.equal(new URL(page.url()).hash, `#${lessons[1].id}`);
    flawless(who);
  });
}

test('at a desk a lesson is solved by mouse, the next one by keys, and the page begins with the first that is open', { timeout: 280_000 }, async (t) => {
  const who = await visitor(browser);
  t.after(() => who.context.close());
  const { page } = who;
  await load(page, `/games/${DESK}/lessons`);
  const [first, second, third] = await lessonsOf(page, DESK);
  await choose(page, first.right);
  await playButton(page).click();
  const next = page.getByRole('button', { name: 'Next lesson' });
  await next.waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === 'Next lesson');
  // From here on without the mouse.
  await page.keyboard.press('Enter');
  await page.getByText('Lesson 2 of').waitFor();
  await page.locator('.place .lit').first().waitFor();
  await pressTargets(page, second.wrong);
  await page.locator('.status.missed').waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === 'Try again');
  await page.keyboard.press('Enter');
  await page.locator('.place .lit').first().waitFor();
  await pressTargets(page, second.right);
  await page.locator('.status.solved').waitFor();
  await load(page, `/games/${DESK}/lessons`);
  await page.getByText('Lesson 3 of').waitFor();
  assert.deepEqual(await page.evaluate(() => JSON.parse(localStorage.getItem('kibitz.lessons'))), { [DESK]: [first.id, second.id] });
  // The links of the list, and the browser's way back.
  await list(page).nth(0).click();
  await page.getByText('Lesson 1 of').waitFor();
  await list(page).nth(2).click();
  await page.getByText('Lesson 3 of').waitFor();
  await page.goBack();
  await page.getByText('Lesson 1 of').waitFor();
  await load(page, `/games/${DESK}/lessons#${third.id}`);
  await page.getByText('Lesson 3 of').waitFor();
  flawless(who);
});

test('a stored value that cannot be read begins the lessons again', { timeout: 280_000 }, async (t) => {
  const who = await visitor(browser);
  t.after(() => who.context.close());
  const { page } = who;
  await who.context.addInitScript(() => localStorage.setItem('kibitz.lessons', '{"'));
  await load(page, `/games/${DESK}/lessons`);
  await page.getByText('Lesson 1 of').waitFor();
  flawless(who);
});

test('no lesson needs scrolling on a small phone held either way, in any language', { timeout: 280_000 }, async (t) => {
  const firsts = new Set();
  for (const locale of ['en', 'pt', 'pt-BR', 'ro']) {
    const who = await visitor(browser, { locale, width: 360, height: 640 });
    t.after(() => who.context.close());
    const { page } = who;
    for (const { slug } of games) {
      const lessons = await api(`/web/games/${slug}/lessons/lessons.json`);
      await load(page, `/games/${slug}/lessons`);
      for (const { id } of lessons) {
        const what = `${slug}, ${id}, ${locale}`;
        await page.evaluate((hash) => { location.hash = hash; }, id);
        await page.locator(`nav a[href="#${id}"][aria-current]`).waitFor();
        await page.locator('.place .lit').first().waitFor();
        const [wide, texts] = await page.evaluate(() => [document.documentElement.scrollWidth - innerWidth,
          [...document.querySelectorAll('.tools h2, .tools .about, .tools .status')].map((one) => one.innerText)]);
        assert.ok(wide <= 0, `${what}: ${wide} px too wide`);
        // A text that is missing shows its key.
        for (const text of texts) assert.ok(text.length > 5 && !/^\w+\.\w+$/.test(text), `${what}: ${text}`);
        assert.deepEqual(await unseen(page, false), [], what);
        if (slug === DESK && id === lessons[0].id) firsts.add(texts[1]);
      }
    }
    flawless(who);
    await who.context.close();
  }
  assert.equal(firsts.size, 4);
});
