// The pages in every language: chosen by the browser, switched by the visitor; no text is missing, and none is too long
// for its place on a phone.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { easy, giveSeat, make, me, open, openMatch } from './play.js';
import { URL_, api, flawless, games, launch, load, resize, visitor } from './visitor.js';

const LANGUAGES = ['en', 'ro', 'pt', 'pt-BR'];
const PHONE = { width: 390, height: 844 };
const SIDE = { width: 844, height: 390 };
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// What a piece of code makes of the texts `t` that the modules of a page have, of the module `api` and of a value `given`.
const texts = (page, code, given) => page.evaluate(`(async (given) => {
  const base = document.querySelector('link[href$="lib/style.css"]').href.replace('lib/style.css', '');
  const [{ loadTexts }, api] = await Promise.all([import(base + 'lib/texts.js'), import(base + 'lib/api.js')]);
  const t = await loadTexts();
  ${code}
})(${JSON.stringify(given ?? null)})`);

// The faults of the texts as they are shown: the page is too wide, or a button or label loses a part of its text.
function faults(page) {
  return page.evaluate(() => {
    const found = [];
    const root = document.documentElement;
    if (root.scrollWidth > innerWidth) found.push(`the page is ${root.scrollWidth} px wide`);
    const shown = (element) => element.checkVisibility({ opacityProperty: true, visibilityProperty: true })
      && element.getBoundingClientRect().width > 1;
    for (const element of document.querySelectorAll('button, select, input, a, h1, h2, h3, label, legend, summary, th, p, dt')) {
      if (!shown(element) || element.closest('.ear, pre, svg')) continue;
      const { overflowX, textOverflow } = getComputedStyle(element);
      const cut = overflowX !== 'visible' && overflowX !== 'auto' && element.scrollWidth > element.clientWidth + 1;
      // An ellipsis is meant for names, which may be of any length; a field scrolls.
      if (cut && textOverflow !== 'ellipsis' && !(element instanceof HTMLInputElement)) found.push(`cut: ${element.tagName} ${element.textContent.trim().slice(0, 60)}`);
      const { left, right } = element.getBoundingClientRect();
      const scrolls = element.closest('.wide, .commands, nav, [tabindex]');
      if (!scrolls && (left < -1 || right > innerWidth + 1)) {
        found.push(`outside: ${element.tagName} ${element.textContent.trim().slice(0, 60)}`);
      }
    }
    // A key that is shown instead of its text.
    const words = [...document.body.querySelectorAll('*')].filter((one) => !one.closest('pre, code') && shown(one));
    const own = words.flatMap(({ childNodes }) => [...childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE));
    const keys = own.map(({ data }) => data).join('\n').match(/\b(page|nav|home|game|start|level|stage|list|match|end|board|hint|replay|analysis|player|tournaments|say|advice|prompt|score|engine)\.[a-z_]+\b/g);
    if (keys) found.push(`keys are shown: ${[...new Set(keys)]}`);
    return found;
  });
}

// Plays a few moves by the API.
async function playSome(id, token) {
  for (let moves = 0; moves < 3;) {
    const { legal_moves: legal, ply, stage } = await api(`/v1/matches/${id}`, { token });
    if (stage === 'over') return;
    if (legal.length === 0) {
      await new Promise((done) => setTimeout(done, 20));
      continue;
    }
    await api(`/v1/matches/${id}/moves`, { token, body: { ply, notation: legal[0].notation } });
    moves += 1;
  }
}

// A finished rated tournament of two engines: the paths of its page and of an engine's. All languages show the same one.
let played;
async function tournament() {
  const { slug, engines: [best] } = games.find((game) => game.min_seats === 2 && game.engines[0].instant) ?? games[0];
  const { token } = await api('/v1/players', { body: { name: `cup-${Date.now()}` } });
  const { id } = await api('/v1/tournaments', { token, body: { title: 'Cup', game: slug, format: { kind: 'swiss', rounds: 1 }, rated: true, clock: { initial_ms: 90_000 } } });
  const names = ['easy', 'max'].map((level) => `${slug}:${best.name}:${best.version}:${level}`);
  for (const name of names) await api(`/v1/tournaments/${id}/entries`, { token, body: { name } });
  await api(`/v1/tournaments/${id}/start`, { token, method: 'POST' });
  while ((await api(`/v1/tournaments/${id}`)).stage !== 'ended') await new Promise((done) => setTimeout(done, 200));
  return [`/tournaments/${id}`, `/players/${encodeURIComponent(names[0])}`];
}

for (const locale of LANGUAGES) {
  test(`${locale}: the pages around the matches at 390 px`, { timeout: 300_000 }, async (t) => {
    const who = await visitor(browser, { ...PHONE, locale });
    t.after(() => who.context.close());
    const { player } = await api('/v1/players', { body: { name: `lang-${locale}-${Date.now()}` } }).then(
      (made) => ({ player: made.name }));
    played ??= tournament();
    const paths = ['/', '/matches', '/tournaments', '/tournaments/new', ...await played, '/lobby', '/account', '/bots', '/docs/problems', '/nowhere', `/players/${player}`,
      ...games.flatMap(({ slug }) => [`/games/${slug}`, `/games/${slug}/leaderboard`, `/games/${slug}/analysis`])];
    for (const path of paths) {
      await load(who.page, path);
      const scrolled = (all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText);
      assert.deepEqual(await who.page.locator('.wide').evaluateAll(scrolled), [], `${path}: tables that must be scrolled`);
      assert.equal(await who.page.locator('.wide:not([role="region"][tabindex="0"])').count(), 0, `${path}: tables that the keyboard cannot scroll`);
      assert.equal(await who.page.locator('html').getAttribute('lang'), locale, path);
      for (const summary of await who.page.locator('main summary').all()) {
        if (await summary.isVisible()) await summary.click();
      }
      assert.deepEqual(await faults(who.page), [], path);
    }
    assert.deepEqual(who.faults.filter((fault) => !/404/.test(fault)), []);
  });

  for (const { slug, title, min_seats: least } of games) {
    test(`${locale}: a match of ${title} on a phone held either way: turns, rules, the end, its replay`, { timeout: 300_000 }, async (t) => {
      const seats = [me('Ana'), ...Array(Math.max(2, least) - 1).fill(easy)];
      const { id, seats: [{ token }] } = await make(slug, seats, { seed: '6', hints: true, clock: { initial_ms: 600_000, increment_ms: 5_000 } });
      const who = await visitor(browser, { ...PHONE, locale });
      t.after(() => who.context.close());
      const { page } = who;
      // The phone is turned at each moment, and so is upright and on its side at every second one.
      let [held, turned] = [PHONE, SIDE];
      const check = async (what) => {
        assert.deepEqual(await faults(page), [], `${what}, ${held.width} px wide`);
        await resize(page, turned);
        [held, turned] = [turned, held];
        assert.deepEqual(await faults(page), [], `${what}, ${held.width} px wide`);
      };
      await giveSeat(who, id, token);
      await openMatch(who, id);
      await page.locator('.place .lit').first().waitFor();
      await check('at the first turn');
      await page.locator('.place .lit').filter({ visible: true }).first().click();
      await check('with a choice begun');
      await page.locator('.quick').click();
      await page.locator('.bar .advice').waitFor();
      await check('with a hint');
      await page.keyboard.press('?');
      await page.locator('.drawer .rule').first().waitFor();
      await check('with the rules');
      await page.keyboard.press('Escape');
      await playSome(id, token);
      await api(`/v1/matches/${id}/resign`, { token, method: 'POST' });
      await page.locator('section.end').waitFor();
      await check('at the end');
      await page.locator('section.end .close').click();
      await page.locator('.evaluate input').check();
      await page.locator('.scrubber .buttons button').nth(1).click();
      await page.locator('.evaluate .found p').first().waitFor();
      await check('in the replay');
      flawless(who);
    });
  }

  test(`${locale}: a match that waits for players, and a missing one`, { timeout: 300_000 }, async (t) => {
    const { id, seats: [{ token }] } = await make(games[0].slug, [me('Ana'), open]);
    const who = await visitor(browser, { ...PHONE, locale, forgive: /404/ });
    t.after(() => who.context.close());
    await giveSeat(who, id, token);
    await who.page.goto(`${URL_}/matches/${id}`);
    await who.page.locator('.actions input[readonly], .actions output, .actions button').first().waitFor();
    assert.deepEqual(await faults(who.page), []);
    await who.page.goto(`${URL_}/matches/0198c0de-1111-7000-8000-000000000000`);
    await who.page.getByRole('alert').filter({ hasText: /./ }).first().waitFor();
    assert.deepEqual(await faults(who.page), []);
    flawless(who);
  });
}

test('the navigation is one row on a narrow phone, with the puzzles, in every language', { timeout: 120_000 }, async (t) => {
  for (const locale of LANGUAGES) {
    const who = await visitor(browser, { ...PHONE, width: 360, locale });
    t.after(() => who.context.close());
    await load(who.page, '/puzzles');
    if (process.env.KIBITZ_PICTURES) await who.page.screenshot({ path: `${process.env.KIBITZ_PICTURES}/nav-${locale}.png` });
    const links = await who.page.locator('.top nav a').filter({ visible: true }).evaluateAll((all) => all.map((one) => [one.getAttribute('href'), one.offsetTop]));
    assert.ok(links.some(([href]) => href === '/puzzles'), locale);
    assert.equal(new Set(links.map(([, top]) => top)).size, 1, `${locale}: ${JSON.stringify(links)}`);
    assert.deepEqual(await faults(who.page), [], locale);
    flawless(who);
  }
});

test('the visitor switches the language, and the choice is remembered', { timeout: 300_000 }, async (t) => {
  const who = await visitor(browser, { locale: 'ro-RO' });
  t.after(() => who.context.close());
  const { page } = who;
  const heading = page.getByRole('heading', { level: 1 });
  await page.goto(URL_);
  assert.equal(await heading.innerText(), 'Joacă, privește, înțelege');
  await page.getByRole('navigation', { name: 'Limba' }).getByRole('link', { name: 'Português', exact: true }).click();
  await page.getByText('Escolha um jogo', { exact: true }).waitFor();
  assert.equal(await page.locator('html').getAttribute('lang'), 'pt');
  await page.goto(`${URL_}/matches`);
  assert.equal(await heading.innerText(), 'Partidas');
  // The chosen language is marked for screen readers too.
  assert.equal(await page.getByRole('link', { name: 'Português', exact: true }).getAttribute('aria-current'), 'true');
  await page.getByRole('link', { name: 'English' }).click();
  await page.getByRole('heading', { level: 1, name: 'Matches' }).waitFor();
  flawless(who);
});

test('Brazilian Portuguese has words of its own, and shares the rest with the European one', { timeout: 60_000 }, async (t) => {
  const words = { pt: /ficheiro/, 'pt-BR': /arquivo/ };
  for (const [locale, word] of Object.entries(words)) {
    const who = await visitor(browser, { locale });
    t.after(() => who.context.close());
    await load(who.page, '/lobby');
    assert.equal(await who.page.locator('html').getAttribute('lang'), locale);
    const said = await texts(who.page, "return [t('problem.bad_file'), t('match.free')]");
    assert.match(said[0], word);
    assert.equal(said[1], 'Lugar livre');
    // A game without a text of its own in Brazil has that of Portugal.
    await load(who.page, `/games/${games[0].slug}`);
    assert.ok(await who.page.locator('.rule').count() >= 5);
    flawless(who);
  }
});

test('without JavaScript the switch leads back to the page, and never to another site', { timeout: 60_000 }, async (t) => {
  const who = await visitor(browser, { locale: 'en', javaScriptEnabled: false });
  t.after(() => who.context.close());
  await who.page.goto(`${URL_}/tournaments`);
  await who.page.getByRole('link', { name: 'Română' }).click();
  await who.page.waitForURL(`${URL_}/tournaments`);
  await who.page.getByRole('heading', { level: 1, name: 'Turnee' }).waitFor();
  for (const back of ['//example.org', 'https://example.org/', '/\\example.org', '/\r\nx: y', '']) {
    const answer = await fetch(`${URL_}/language?to=pt&back=${encodeURIComponent(back)}`, { redirect: 'manual' });
    assert.deepEqual([answer.status, answer.headers.get('location')], [303, '/'], back);
  }
  flawless(who);
});

test('plural forms, numbers and dates follow the language', { timeout: 60_000 }, async (t) => {
  for (const [locale, forms] of [
    ['en', ['1 point', '2 points', '20 points', '1,234 points']],
    ['ro', ['1 punct', '2 puncte', '20 de puncte', '1.234 de puncte']],
    ['pt', ['1 ponto', '2 pontos', '20 pontos', '1.234 pontos']],
    ['pt-BR', ['1 ponto', '2 pontos', '20 pontos', '1.234 pontos']],
  ]) {
    const who = await visitor(browser, { locale });
    t.after(() => who.context.close());
    await who.page.goto(`${URL_}/bots`);
    const said = await texts(who.page, "return [1, 2, 20, 1234].map((points) => t('match.point_count', { points }))");
    assert.deepEqual(said, forms, locale);
    const month = await who.page.evaluate(async () => {
      const { when } = await import('/web/lib/matches/lists.js');
      return when(Date.UTC(2020, 1, 15)).textContent;
    });
    assert.equal(month, new Date(Date.UTC(2020, 1, 15)).toLocaleDateString(locale, { day: 'numeric', month: 'short', year: 'numeric' }));
    flawless(who);
  }
});

test('every problem of the API has a text in every language, and its English detail is never shown', { timeout: 300_000 }, async (t) => {
  for (const locale of LANGUAGES) {
    const who = await visitor(browser, { locale });
    t.after(() => who.context.close());
    await load(who.page, '/docs/problems');
    const codes = await who.page.locator('dl.problems dt').evaluateAll((all) => all.map(({ id }) => id));
    assert.ok(codes.length > 100, `${codes.length} codes`);
    const said = await texts(who.page, `return given.map((code) =>
      [code, api.sentence(new api.Refused({ status: 400, code, detail: 'name: RAW' }), t), t('trouble.server')])`, codes);
    for (const [code, text, general] of said) {
      assert.ok(text.length > 8 && !/RAW|problem\.|[{}]/.test(text), `${locale} ${code}: ${text}`);
      assert.notEqual(text, general, `${locale} ${code} has a text of its own`);
    }
    flawless(who);
  }
});

test('times are told as people say them', { timeout: 60_000 }, async (t) => {
  for (const [locale, said] of [
    ['en', ['now', '3 minutes ago', '2 hours ago', /^yesterday 09:55 PM$/, /^Thursday 09:55 PM$/, 'Feb 15', 'Feb 15, 2020']],
    ['ro', ['acum', 'acum 3 minute', 'acum 2 ore', /^ieri 21:55$/, /^joi 21:55$/, '15 feb.', '15 feb. 2020']],
    ['pt', ['agora', 'há 3 minutos', 'há 2 horas', /^ontem 21:55$/, /^quinta-feira 21:55$/, '15 de fev.', '15 de fev. de 2020']],
  ]) {
    const who = await visitor(browser, { locale, timezoneId: 'Europe/Bucharest' });
    t.after(() => who.context.close());
    await load(who.page, '/bots');
    const told = await who.page.evaluate(async () => {
      const { age } = await import('/web/lib/matches/lists.js');
      const now = new Date(2026, 4, 12, 20, 30).getTime();
      const ages = [0, 3 * 60_000 + 5_000, 2 * 3_600_000 + 1].map((gone) => now - gone);
      const days = [[2026, 4, 11, 21, 55], [2026, 4, 7, 21, 55], [2026, 1, 15, 1], [2020, 1, 15, 1]].map((parts) => new Date(...parts).getTime());
      return [...ages, ...days].map((ms) => age(ms, now, document.documentElement.lang));
    });
    for (const [at, wanted] of said.entries()) {
      if (wanted instanceof RegExp) assert.match(told[at], wanted, locale);
      else assert.equal(told[at], wanted, locale);
    }
    flawless(who);
  }
});

test('a guest has a name in the visitor\'s language and a colour, the same in a list, on the match\'s page and in the link\'s preview', { timeout: 300_000 }, async (t) => {
  const { id } = await make(games.find((game) => game.min_seats === 2).slug, [{ kind: 'me' }, open]);
  const { seats: [{ guest }] } = await api(`/v1/matches/${id}`);
  assert.ok(guest >= 1);
  const names = new Set();
  for (const locale of LANGUAGES) {
    const who = await visitor(browser, { locale });
    t.after(() => who.context.close());
    await load(who.page, '/matches');
    const line = who.page.locator(`.match[href="/matches/${id}"] .who`).first();
    const name = await line.innerText();
    assert.match(name, /^\p{Lu}[\p{L}]+ \p{L}+$/u, name);
    assert.match(await line.getAttribute('class'), /guest-\d/);
    await who.page.goto(`${URL_}/matches/${id}`);
    assert.equal(await who.page.locator('.player .who').first().innerText(), name);
    assert.match(await who.page.locator('meta[property="og:title"]').getAttribute('content'), new RegExp(name));
    names.add(name);
    flawless(who);
  }
  assert.ok(names.size >= LANGUAGES.length - 1, `${[...names]}`);
});
