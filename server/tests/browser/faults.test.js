// A bot's page: its last faults for its owner and for others, the link to the turn; and files of matches on the analysis board.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';

import { good } from './axe.js';
import { fresh, player, signedIn } from './people.js';
import { easy } from './play.js';
import { program } from './server.js';
import { URL_, api, flawless, games, launch, resize, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const WINDOWS = { desk: { width: 1280, height: 860 }, phone: { width: 360, height: 740 } };

// Looks at the page in both windows.
async function fits(page, name, part) {
  for (const [window, size] of Object.entries(WINDOWS)) {
    await resize(page, size);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wider <= 0, `${name}, ${window}: ${wider} px too wide`);
    if (process.env.KIBITZ_PICTURES) {
      await part.scrollIntoViewIfNeeded();
      await page.screenshot({ path: `${process.env.KIBITZ_PICTURES}/${name}-${window}.png` });
    }
  }
}

// A bot of a person that crashes at its second turn in a match against the engine; the match.
async function crashed(owner, name, { slug, bot_seats: [seat] }) {
  const { token } = await api('/v1/me/bots', { token: owner.token, body: { name, about: { version: '1.4' } } });
  const seats = [easy, easy];
  seats[seat] = { kind: 'player', name };
  const { id } = await api('/v1/matches', { token: owner.token, body: { game: slug, seats, seed: '5' } });
  const shim = program('kibitz-shim');
  const bot = `ulimit -c 0; ${shim} ${slug} --server ${URL_} --nodes 30 --seed 1 --memory - | while read -r line; do
    n=$((n + 1)); [ $n -eq 2 ] && { echo 'no idea <b>at all</b>' >&2; kill -SEGV $$; exit; }; echo "$line"; done`;
  const child = spawn(shim, ['join', `${URL_}/v1/matches/${id}`, '--', 'sh', '-c', bot],
    { env: { ...process.env, KIBITZ_TOKEN: token }, stdio: 'ignore' });
  await once(child, 'exit');
  return id;
}

const game = games.find(({ bot_seats: seats }) => seats.length > 0);

test('the page of a bot lists its last faults with a link to the turn', { timeout: 300_000 }, async (t) => {
  const owner = await player();
  const name = fresh('robo');
  const id = await crashed(owner, name, game);
  const { who, page } = await signedIn(t, browser, `/players/${name}`, { session: owner });
  const fault = page.locator('ol.faults > li').first();
  await fault.waitFor();
  const text = await fault.innerText();
  for (const part of ['Crash', game.title, 'version 1.4', 'signal: 11']) assert.ok(text.includes(part), `${part}: ${text}`);
  assert.match(await fault.locator('pre').innerText(), /\d+ ms \| no idea <b>at all<\/b>/);
  assert.match(await page.getByRole('region', { name: 'Faults by kind' }).innerText(), /Crash\s+1\.4\s+1\s/);
  await good(page, 'faults');
  await fits(page, 'faults', fault);
  // By keys alone to the turn, with its dialogue.
  const link = fault.getByRole('link');
  await link.focus();
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/matches/${id}\\?seat=\\d+&ply=\\d+$`));
  const dialogue = page.getByRole('region', { name: 'Dialogue of a bot' });
  await dialogue.locator('[aria-current="step"]').waitFor();
  await dialogue.locator('.lines .error').filter({ hasText: 'no idea <b>at all</b>' }).waitFor();
  await dialogue.locator('.lines .foul').filter({ hasText: 'signal: 11' }).waitFor();
  flawless(who);

  const other = await visitor(browser);
  t.after(() => other.context.close());
  await other.page.goto(`${URL_}/players/${name}`);
  await other.page.locator('ol.faults > li').first().waitFor();
  assert.equal(await other.page.locator('ol.faults pre').count(), 0, 'standard error is for its own side');
  flawless(other);
});

for (const { slug, title } of games) {
  test(`${title}: a file of a match is opened on the analysis board`, { timeout: 300_000 }, async (t) => {
    const { id } = await api('/v1/matches', { body: { game: slug, seats: [easy, easy].map((seat) => ({ ...seat, nodes: 20 })), seed: '5' } });
    await (await fetch(`${URL_}/v1/matches/${id}/events?since=0`)).text();
    const record = JSON.stringify(await api(`/v1/matches/${id}/record`));
    const plies = JSON.parse(record).events.filter(({ type }) => type === 'moved' || type === 'fouled').length;
    const who = await visitor(browser, { forgive: /status of 422/ });
    t.after(() => who.context.close());
    const { page } = who;
    await page.goto(`${URL_}/games/${slug}/analysis`);
    await page.locator('.place > *').first().waitFor();
    const chooser = page.locator('#match-file');
    await chooser.setInputFiles({ name: 'bad.txt', mimeType: 'text/plain', buffer: Buffer.from('hello\n') });
    await page.getByRole('alert').filter({ hasText: 'The file cannot be read as a match. At line 1, column 1.' }).waitFor();
    await chooser.setInputFiles({ name: 'record.json', mimeType: 'application/json', buffer: Buffer.from(record) });
    const moves = page.locator('.tools ol.moves > li');
    await moves.last().waitFor();
    assert.equal(await moves.count(), plies);
    await page.getByRole('status').filter({ hasText: `record.json · ${plies} moves` }).waitFor();
    // The server has the match itself.
    assert.equal(await page.getByRole('link', { name: 'Open the replay of this match' }).getAttribute('href'), `/matches/${id}`);
    // By keys alone: the last move, and an earlier one.
    await moves.last().getByRole('button').focus();
    await page.keyboard.press('Enter');
    await page.locator('.tools .asking > .status').filter({ hasText: 'The match is over.' }).waitFor();
    const earlier = moves.nth(3).getByRole('button');
    await earlier.focus();
    await page.keyboard.press('Enter');
    await page.locator('.tools ol.moves [aria-current="step"]').waitFor();
    assert.equal(await earlier.getAttribute('aria-current'), 'step');
    await page.getByRole('button', { name: 'Ask the engine' }).click();
    await page.locator('.engine .found li').first().waitFor();
    await good(page, `${slug}, a file`);
    await fits(page, `file-${slug}`, earlier);
    // Dropped on the page, packed or not.
    await page.evaluate((text) => {
      const data = new DataTransfer();
      data.items.add(new File([text], 'dropped.json'));
      for (const type of ['dragover', 'drop']) {
        document.querySelector('#position').dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }));
      }
    }, record);
    await page.getByRole('status').filter({ hasText: 'dropped.json' }).waitFor();
    flawless(who);
  });
}
