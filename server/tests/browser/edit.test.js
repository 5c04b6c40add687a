// Editing a position by hand on the analysis board: by mouse, by keys alone, on a phone; the possible values of a field.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { good } from './axe.js';
import { gameData } from './game-data.js';
import { easy, giveSeat, make, me, openMatch, randomNumbers } from './play.js';
import { URL_, api, flawless, games, launch, resize, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const PHONE = { width: 390, height: 844, hasTouch: true };
const SIDE = { width: 844, height: 390, hasTouch: true };
const WINDOWS = [
  { kind: 'phone', windows: [{ name: 'phone', size: PHONE }, { name: 'phone on its side', size: SIDE }] },
  { kind: 'tablet', windows: [{ name: 'tablet', size: { width: 1024, height: 768 } }, { name: 'tablet held upright', size: { width: 768, height: 1024 } }] },
];
// A refused position is part of the tests.
const REFUSED = /status of 422/;

const panel = (page) => page.getByRole('region', { name: 'Edit the position' });
const element = (page, target) => page.locator(`.place [data-target=${JSON.stringify(target)}]`).filter({ visible: true }).first();
const open = (page, target) => element(page, target).click();
const shownPosition = async (page) => JSON.parse(await page.getByLabel('Position as JSON').inputValue());
// The panel's verdict on the position; waits until it has these words.
const verdict = (page, words) => panel(page).getByRole('status').filter({ hasText: words }).waitFor();

// Opens a position on the analysis board, and edits it.
async function editing(t, slug, position, options = {}) {
  const who = await visitor(browser, { forgive: REFUSED, ...options });
  t.after(() => who.context.close());
  const { page } = who;
  await page.goto(`${URL_}/games/${slug}/analysis#position=${encodeURIComponent(JSON.stringify(position))}`);
  await page.locator('.place > *').first().waitFor();
  await edit(page);
  return who;
}

// Begins to edit the position that is shown.
async function edit(page) {
  await page.getByRole('button', { name: 'Edit the position' }).click();
  await panel(page).waitFor();
}

// The edit plan of each game. A game without one has no editor and says so.
const plans = new Map();
for (const { slug } of games) plans.set(slug, (await gameData(slug)).edit);
// What the plan of a game needs of the page.
const tools = (page) => ({ page, panel: panel(page), open: (target) => open(page, target), api });

for (const { slug, title } of games) {
  const plan = plans.get(slug);
  if (plan === null) continue;

  test(`${title}: a position is edited by mouse, undone, and given to the engine`, { timeout: 300_000 }, async (t) => {
    const begin = await plan.begin({ api });
    const who = await editing(t, slug, begin);
    const { page } = who;
    const button = page.getByRole('button', { name: 'Edit the position' });
    assert.equal(await button.getAttribute('aria-pressed'), 'true');
    // Nothing can be played meanwhile.
    assert.equal(await page.locator('.bar').isVisible(), false);
    await plan.edit(tools(page));
    await verdict(page, 'is to move');
    const made = await shownPosition(page);
    plan.check(made, begin);
    assert.deepEqual(JSON.parse(decodeURIComponent(new URL(page.url()).hash).slice('#position='.length)), made);
    await api(`/v1/games/${slug}/legal-moves`, { body: { position: made } });
    // Back to the beginning, and forward again.
    const undo = page.getByRole('button', { name: 'Undo', exact: true }).and(page.locator('.editor button'));
    while (await undo.getAttribute('aria-disabled') !== 'true') await undo.click();
    assert.deepEqual(await shownPosition(page), begin);
    const redo = page.getByRole('button', { name: 'Redo' });
    while (await redo.getAttribute('aria-disabled') !== 'true') await redo.click();
    assert.deepEqual(await shownPosition(page), made);
    // Done: a new line begins, and the engine is asked.
    await page.getByRole('button', { name: 'Done' }).click();
    await panel(page).waitFor({ state: 'hidden' });
    await page.locator('.place .lit').first().waitFor();
    await page.getByRole('button', { name: 'Ask the engine' }).click();
    await page.getByText(/^After .* s/).waitFor({ timeout: 60_000 });
    assert.deepEqual(await shownPosition(page), made);
    flawless(who);
  });

  test(`${title}: a position is edited with keys alone`, { timeout: 300_000 }, async (t) => {
    const begin = await plan.begin({ api });
    const who = await visitor(browser, { forgive: REFUSED });
    t.after(() => who.context.close());
    const { page } = who;
    await page.goto(`${URL_}/games/${slug}/analysis#position=${encodeURIComponent(JSON.stringify(begin))}`);
    await page.locator('.place .lit').first().waitFor();
    const { keyboard } = page;
    const focused = () => page.evaluate(() => {
      const { activeElement: on } = document;
      return { target: on.dataset.target, name: on.getAttribute('aria-label') ?? on.textContent, panel: Boolean(on.closest('.editor .fields')) };
    });
    const tabTo = async (reached, most = 160) => {
      for (let presses = 0; presses < most; presses += 1) {
        if (reached(await focused())) return;
        await keyboard.press('Tab');
      }
      assert.fail('Tab does not lead there');
    };
    await tabTo(({ name }) => name === 'Edit the position');
    await keyboard.press('Enter');
    await panel(page).waitFor();
    await tabTo(({ target }) => target === plan.keys.target);
    // Enter leads to the fields, Escape back to the board.
    await keyboard.press('Enter');
    assert.equal((await focused()).panel, true);
    await keyboard.press('Escape');
    assert.equal((await focused()).target, plan.keys.target);
    await keyboard.press('Enter');
    await tabTo(({ name }) => name === plan.keys.control);
    await keyboard.press('Enter');
    const once = await shownPosition(page);
    assert.notDeepEqual(once, begin);
    // The control keeps the focus.
    assert.equal((await focused()).name, plan.keys.control);
    await keyboard.press('Enter');
    assert.notDeepEqual(await shownPosition(page), once);
    await keyboard.press('Control+z');
    assert.deepEqual(await shownPosition(page), once);
    await keyboard.press('Control+z');
    assert.deepEqual(await shownPosition(page), begin);
    await keyboard.press('Control+y');
    assert.deepEqual(await shownPosition(page), once);
    await keyboard.press('Control+z');
    // Cancel ends the editing; the focus is on the button that began it.
    await tabTo(({ name }) => name === 'Cancel');
    await keyboard.press('Enter');
    await panel(page).waitFor({ state: 'hidden' });
    assert.equal((await focused()).name, 'Edit the position');
    flawless(who);
  });

  if (plan.wrong) {
    test(`${title}: an impossible position stays, and the panel says why`, { timeout: 300_000 }, async (t) => {
      const begin = await plan.begin({ api });
      const who = await editing(t, slug, begin);
      const { page } = who;
      await plan.wrong(tools(page));
      await verdict(page, plan.why);
      const made = await shownPosition(page);
      assert.notDeepEqual(made, begin);
      const answer = await fetch(`${URL_}/v1/games/${slug}/legal-moves`, { method: 'POST', headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ position: made }) });
      assert.equal(answer.status, 422);
      // It cannot be used.
      assert.equal(await page.getByRole('button', { name: 'Done' }).getAttribute('aria-disabled'), 'true');
      await page.getByRole('button', { name: 'Done' }).dispatchEvent('click');
      assert.deepEqual(await shownPosition(page), made);
      assert.equal(await panel(page).isVisible(), true);
      await good(page, `${slug}, an impossible position`);
      await page.keyboard.press('Control+z');
      await verdict(page, 'is to move');
      flawless(who);
    });
  }

  for (const { kind, windows } of WINDOWS) {
    test(`${title}: the panel is beside or below the board on a ${kind} held either way, and accessible`, { timeout: 300_000 }, async (t) => {
      const { position } = await api(`/v1/games/${slug}/positions`, { body: { seed: 4, plies: 9 } });
      const who = await editing(t, slug, position, windows[0].size);
      const { page } = who;
      const { target } = plan.keys;
      const measure = () => page.evaluate(() => {
        const inside = (box) => box.top >= 0 && box.bottom <= innerHeight + 0.5 && box.left >= 0 && box.right <= innerWidth + 0.5;
        const [place, editor] = ['.place', '.editor'].map((one) => document.querySelector(one).getBoundingClientRect());
        const controls = [...document.querySelectorAll('.editor :is(button, input, select)')].map((one) => one.closest('.option') ?? one);
        const small = controls.filter((one) => {
          if (!one.checkVisibility()) return false;
          const { width, height } = one.getBoundingClientRect();
          return Math.min(width, height) < (one.matches('.stepper *') ? 44 : 24);
        });
        const first = controls.find((one) => one.matches('.fields *') && one.checkVisibility()).getBoundingClientRect();
        const cut = [...document.querySelectorAll('.place .lit')].filter((one) => {
          const { left, right, width } = one.getBoundingClientRect();
          return width > 0 && (left < place.left - 1 || right > place.right + 1);
        });
        return { place: inside(place), editor: inside(editor), first: first.bottom <= editor.bottom, small: small.map((one) => one.outerHTML), cut: cut.map((one) => one.dataset.edit),
          apart: place.bottom <= editor.top || place.right <= editor.left };
      });
      for (const [n, { name, size: { width, height } }] of windows.entries()) {
        if (n > 0) {
          // The page brings board and panel into view when the editing begins.
          await panel(page).getByRole('button', { name: 'Cancel' }).click();
          await panel(page).waitFor({ state: 'hidden' });
          await resize(page, { width, height });
          await edit(page);
        }
        // The middle of a card may lie below another one.
        await element(page, target).dispatchEvent('click');
        const rest = await measure();
        const whole = name === 'tablet' ? { place: rest.place, editor: rest.editor } : { place: true, editor: true };
        assert.deepEqual(rest, { ...whole, first: true, small: [], cut: [], apart: true }, name);
        await good(page, `${slug}, edited on a ${name}`);
        // The fields of the whole position, which a phone shows instead.
        if (name === 'tablet') continue;
        await panel(page).getByRole('radio', { name: 'The position' }).check();
        assert.deepEqual(await measure(), rest, name);
      }
      flawless(who);
    });
  }

  test(`${title}: on a phone the panel shows one part at a time, and the board stays in sight`, { timeout: 300_000 }, async (t) => {
    const { position } = await api(`/v1/games/${slug}/positions`, { body: { seed: 4, plies: 9 } });
    const who = await editing(t, slug, position, PHONE);
    const { page } = who;
    const parts = panel(page).getByRole('radiogroup', { name: 'What to edit' });
    const general = panel(page).locator('.general');
    // The fields of the whole position are there as long as nothing is pressed.
    assert.ok(await general.isVisible());
    assert.ok(await parts.isHidden());
    await element(page, plan.keys.target).dispatchEvent('click');
    const first = panel(page).locator('.fields > .group').first();
    assert.ok(await first.isVisible());
    assert.ok(await general.isHidden());
    assert.equal(await parts.getByRole('radio').first().isChecked(), true);
    await parts.getByRole('radio', { name: 'The position' }).check();
    assert.ok(await general.isVisible());
    assert.ok(await first.isHidden());
    await good(page, `${slug}, the whole position on a phone`);
    const { scrollY } = await page.evaluate(() => ({ scrollY: window.scrollY }));
    // Each element of the board: its fields are in a few screens of the panel, and scrolling to the last one moves nothing else.
    const found = await page.evaluate(async () => {
      const drawn = () => new Promise((done) => requestAnimationFrame(done));
      const visible = (target) => [...document.querySelectorAll('.place [data-target]')].find((one) => one.dataset.target === target && one.checkVisibility());
      const lit = [...document.querySelectorAll('.place .lit')].filter((one) => one.checkVisibility() && one.clientWidth > 0);
      const fields = document.querySelector('.editor .fields');
      const found = [];
      for (const target of new Set(lit.map((one) => one.dataset.target))) {
        visible(target).dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }));
        await drawn();
        const shown = [...fields.querySelectorAll('button, input, select')].filter((one) => one.checkVisibility());
        shown.at(-1)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
        const { top, bottom } = document.querySelector('.place').getBoundingClientRect();
        const choice = document.querySelector('.editor [role="radiogroup"][aria-label="What to edit"]');
        found.push({ target, screens: fields.scrollHeight / fields.clientHeight, general: document.querySelector('.editor .general').checkVisibility(),
          first: !choice.checkVisibility() || choice.querySelector('[type="radio"], [role="radio"]').matches(':checked, [aria-checked="true"]'),
          sideways: fields.scrollWidth - fields.clientWidth, scrollY: window.scrollY, inside: top >= 0 && bottom <= innerHeight });
      }
      return found;
    });
    assert.ok(found.length > 3, `${found.length} elements`);
    for (const { target, screens, ...rest } of found) {
      assert.ok(screens < 9, `${target}: ${screens} screens`);
      assert.deepEqual(rest, { general: false, first: true, sideways: 0, scrollY, inside: true }, `${target} is shown, not the position`);
    }
    flawless(who);
  });

  test(`${title}: on a phone a press on a small element turns the board until a finger hits it, and changes nothing`, { timeout: 300_000 }, async (t) => {
    const { position } = await api(`/v1/games/${slug}/positions`, { body: { seed: 4, plies: 9 } });
    for (const size of [PHONE, SIDE]) {
      const who = await editing(t, slug, position, size);
      const { page } = who;
      // The targets that a finger misses. Parts of the board without room are not shown: their fields are in the list.
      const small = () => page.evaluate(() => [...document.querySelectorAll('.place [data-target]')].filter((one) => {
        const { width, height } = one.getBoundingClientRect();
        return width > 0 && Math.min(width, height) < 24;
      }).map((one) => one.getAttribute('data-target')));
      for (const target of await small()) {
        // An earlier press may have turned the board to it.
        if (!(await small()).includes(target)) continue;
        await element(page, target).dispatchEvent('click');
        assert.ok(!(await small()).includes(target), `${target} on a board ${size.width} px wide`);
      }
      // The wrong element may have been hit.
      assert.deepEqual(await shownPosition(page), position);
      flawless(who);
    }
  });

  test(`${title}: each value of each field makes a position that the rules know, or is explained`, { timeout: 300_000 }, async (t) => {
    const who = await visitor(browser, { forgive: REFUSED });
    t.after(() => who.context.close());
    const { page } = who;
    await page.goto(`${URL_}/games/${slug}/analysis`);
    await page.locator('.place > *').first().waitFor();
    for (const [seed, plies] of [[1, 0], [2, 9], [3, 30], [4, 60]]) {
      const { position } = await api(`/v1/games/${slug}/positions`, { body: { seed, plies } });
      const found = await page.evaluate(tryAll, { slug, position, most: 260, seed });
      assert.ok(found.tried > 20, `${found.tried} values of ${found.fields} fields`);
      assert.deepEqual(found.changed, [], 'the present value changes nothing');
      assert.deepEqual(found.twice, [], 'each field has its own id');
      assert.deepEqual(found.unexplained, []);
      assert.ok(found.walked > 0, 'some of many random edits one after another are possible');
      // Most values give a possible position at once.
      assert.ok(found.refused < found.tried / 2, `${found.refused} of ${found.tried} refused: ${slug}, seed ${seed}`);
    }
    flawless(who);
  });
}

// In the browser: sets the fields of a position to their values, at most `most` of them, and asks the API about each. Then
// makes 60 random edits one after another.
async function tryAll({ slug, position, most, seed }) {
  const { fields, fault } = await import(`/web/games/${slug}/edit.js`);
  const texts = await (await fetch(`/web/games/${slug}/en.json`)).json();
  const known = (key) => {
    if (!(key in texts)) throw new Error(`no text ${key}`);
    return key;
  };
  const namesOf = (view) => (view.players ?? [0, 1]).map((_, i) => `Seat ${i + 1}`);
  const all = fields(position, namesOf(position), known);
  // The order of an object's members does not matter.
  const sorted = (value) => {
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map(sorted);
    return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
  };
  const text = (view) => JSON.stringify(sorted(view));
  const free = (choices) => choices.filter(({ off }) => !off).map(({ value }) => value);
  const lists = (field) => [
    ...(field.least > 0 ? [] : [[]]), ...(field.value.length < field.most ? free(field.choices(null)).map((one) => [...field.value, one]) : []),
    ...field.value.flatMap((_, at) => [
      ...(field.value.length > (field.least ?? 0) ? [field.value.toSpliced(at, 1)] : []), ...free(field.choices(at)).map((one) => field.value.with(at, one)),
    ]),
  ];
  const values = (field) => {
    if (field.kind === 'count') return Array.from({ length: field.most - field.least + 1 }, (_, i) => field.least + i);
    if (field.kind === 'switch') return [true, false];
    return field.kind === 'choice' ? free(field.choices) : lists(field);
  };
  const changed = all.filter((field) => text(field.set(field.value)) !== text(position)).map(({ id }) => id);
  const tries = all.flatMap((field) => values(field).map((value) => ({ id: field.id, value, view: field.set(value) })));
  let state = seed * 7919;
  const dice = () => {
    state = (state * 48271) % 2147483647;
    return state;
  };
  const chosen = tries.map((one) => ({ one, order: dice() })).sort((a, b) => a.order - b.order).slice(0, most).map(({ one }) => one);
  const unexplained = [];
  // Whether the API accepts a position; if not, the reason must be explained.
  const possible = async ({ id, value, view }) => {
    const answer = await fetch(`/v1/games/${slug}/legal-moves`, { method: 'POST', headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ position: view }) });
    if (answer.ok) return true;
    const { detail } = await answer.json();
    if (!fault?.(view, namesOf(view), known)) unexplained.push(`${id} = ${JSON.stringify(value)}: ${detail}`);
    return false;
  };
  let refused = 0;
  await Promise.all(Array.from({ length: 6 }, async (_, lane) => {
    for (const one of chosen.filter((__, i) => i % 6 === lane)) if (!await possible(one)) refused += 1;
  }));
  let [view, walked] = [position, 0];
  for (let edits = 0; edits < 60; edits += 1) {
    const now = fields(view, namesOf(view), known);
    const field = now[dice() % now.length];
    const from = values(field);
    if (from.length === 0) continue;
    const value = from[dice() % from.length];
    view = field.set(value);
    if (await possible({ id: field.id, value, view })) walked += 1;
  }
  const ids = all.map(({ id }) => id);
  return { fields: all.length, tried: chosen.length, refused, walked, changed, unexplained, twice: ids.filter((id, at) => ids.indexOf(id) !== at) };
}

test('many edits one after another are each drawn, judged and undone', { timeout: 300_000 }, async (t) => {
  for (const { slug } of games.filter((game) => plans.get(game.slug) !== null)) {
    const { position } = await api(`/v1/games/${slug}/positions`, { body: { seed: 6, plies: 12 } });
    const who = await editing(t, slug, position);
    const { page } = who;
    const dice = randomNumbers(17);
    // Presses an element, and a control of its fields. Each press is drawn before the next one.
    const press = (numbers) => page.evaluate(async (all) => {
      const drawn = () => new Promise((done) => requestAnimationFrame(done));
      const controls = '.editor .fields .group :is(button[data-choice], button[data-by]):not([aria-disabled])';
      for (const [selector, number] of [['.place .lit', all[0]], [controls, all[1]]]) {
        const found = document.querySelectorAll(selector);
        found[number % found.length]?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, composed: true }));
        await drawn();
      }
    }, numbers);
    for (let edits = 0; edits < 25; edits += 1) await press([dice(), dice()]);
    const last = await shownPosition(page);
    assert.notDeepEqual(last, position);
    await panel(page).getByRole('status').filter({ hasText: /\S/ }).waitFor();
    await page.keyboard.press('Control+z');
    await page.evaluate(() => {
      for (let presses = 1; presses < 80; presses += 1) {
        document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'z', code: 'KeyZ', ctrlKey: true, bubbles: true, cancelable: true }));
      }
    });
    assert.deepEqual(await shownPosition(page), position);
    await verdict(page, /is to move|is over/);
    flawless(who);
  }
});

test('a page of a match does not load what only the editor needs', { timeout: 60_000 }, async (t) => {
  const { slug } = games[0];
  const { id, seats: [{ token }] } = await make(slug, [me(), easy], { seed: '21' });
  const who = await visitor(browser);
  t.after(() => who.context.close());
  const asked = [];
  who.page.on('request', (request) => asked.push(request.url()));
  await giveSeat(who, id, token);
  await openMatch(who, id);
  await who.page.locator('.place .lit').first().waitFor();
  assert.deepEqual(asked.filter((url) => /edit(or|-fields|-elements)?\.js/.test(url)), []);
});
