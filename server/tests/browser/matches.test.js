// Every game, from the first move to the last: by mouse, by keys, and two browsers against each other. No page ever
// receives anything that only the other seat knows.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { atOnce, clickOnce, dispatchMove, openMatch, giveSeat, make, me, open, playOut, press, shown, withRivals } from './play.js';
import { api, bytes, flawless, games, launch, looked, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

for (const { slug, title, min_seats } of games) {
  const others = Math.max(1, min_seats - 1);

  for (const [how, move, seed] of [['by clicks', clickOnce, 5], ['by keys', press, 7]]) {
    test(`${title}: a whole match ${how}`, { timeout: 300_000 }, async (t) => {
      const { id, token, rivals } = await withRivals(slug, others, { seed: `${seed}` });
      // The match by keys has forced colours too: neither mouse nor colour is needed.
      const who = await visitor(browser, move === press ? { forcedColors: 'active' } : {});
      t.after(() => who.context.close());
      await watchMotion(who);
      await giveSeat(who, id, token);
      await openMatch(who, id);
      if (move === clickOnce) await atOnce(who.page);
      await playOut(id, [{ page: who.page, make: move }], { rivals, seed });
      const page = await api(`/v1/matches/${id}`);
      assert.equal(page.stage, 'over');
      assert.equal(page.ended, 'played');
      await who.page.locator('.scrubber').waitFor();
      assert.equal((await shown(who.page)).ply, String(page.ply));
      assert.match(await who.page.locator('.status').innerText(), /won|lost|draw|Shared|over|no winner/);
      await who.page.locator('.truth strong').filter({ hasText: 'The record is correct' }).waitFor();
      assert.deepEqual(await who.page.evaluate(() => window.motions), [], 'nothing moves for visitors who prefer reduced motion');
      flawless(who);
    });
  }

  if (min_seats < 2) continue;
  test(`${title}: two browsers against each other, and no secret between them`, { timeout: 300_000 }, async (t) => {
    const made = await make(slug, [me('Ana'), ...Array(others).fill(open)], { seed: '12' });
    const ana = await visitor(browser, { record: true });
    const bogdan = await visitor(browser, { width: 390, height: 844, record: true });
    t.after(() => Promise.all([ana.context.close(), bogdan.context.close()]));
    await giveSeat(ana, made.id, made.seats[0].token);
    await ana.page.goto(`${process.env.KIBITZ_URL}/matches/${made.id}`);
    const link = await ana.page.getByLabel('The link to this match').inputValue();
    await bogdan.page.goto(link);
    await bogdan.page.getByLabel('Your name').fill('Bogdan <b>');
    await bogdan.page.getByRole('button', { name: 'Join' }).click();
    for (const { page } of [ana, bogdan]) await page.locator('.place > *').first().waitFor();
    assert.equal(await ana.page.locator('.player .who').nth(1).innerText(), 'Bogdan <b>');
    await playOut(made.id, [{ page: ana.page, make: dispatchMove }, { page: bogdan.page, make: dispatchMove }], { seed: 12 });
    await Promise.all([ana, bogdan].map(({ page }) => page.locator('.scrubber').waitFor()));
    const seen = [await looked(made.id, 0), await looked(made.id, 1)];
    for (const [mine, who] of [[0, ana], [1, bogdan]]) {
      // The page shows all hands once the match is over. Before that the server refuses to show one seat's view to another.
      // The moves in advance are computed from the view that the page sends, which is in its texts, too. They can be those of the other.
      const texts = (await bytes(who)).filter(({ from }) => !/\/events\?.*\bseat=|\/legal-moves$/.test(from));
      const has = (text) => texts.some((part) => part.text.includes(text));
      const secrets = secretsOf(seen[1 - mine], seen[mine]);
      for (const secret of secrets) assert.ok(!has(secret), `seat ${mine} was sent ${secret}`);
      const own = secretsOf(seen[mine], seen[1 - mine]);
      if (own.length > 0) assert.ok(own.some(has), 'what a seat may know is sent to it, so the test would see it');
      t.diagnostic(`seat ${mine}: ${secrets.length} secrets of the other, none among ${texts.length} texts`);
    }
    flawless(ana, bogdan);
  });
}

// Collects every animation and transition of the page, with the class of the element that moves.
function watchMotion(who) {
  return who.context.addInitScript(() => {
    window.motions = [];
    const note = (what, element) => window.motions.push(`${what}: ${element.className}`);
    const { animate } = Element.prototype;
    Element.prototype.animate = function noted(...how) {
      note('animate', this);
      return animate.apply(this, how);
    };
    for (const kind of ['animationstart', 'transitionrun']) document.addEventListener(kind, (event) => note(kind, event.target), true);
  });
}

// The secrets that one seat saw and the other did not: lists of at least three things, as JSON, that are in the positions
// of the one and never in those of the other.
function secretsOf(theirs, mine) {
  const lists = (events) => {
    const found = new Set();
    const walk = (value) => {
      if (value === null || typeof value !== 'object') return;
      if (Array.isArray(value) && value.length >= 3) found.add(JSON.stringify(value));
      Object.values(value).forEach(walk);
    };
    events.forEach((event) => [event.position, event.legal_moves].forEach(walk));
    return found;
  };
  const known = JSON.stringify(mine);
  return [...lists(theirs.filter((event) => event.type !== 'ended'))].filter((text) => !known.includes(text));
}
