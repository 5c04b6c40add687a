// Programs on a bot's page: a newcomer uploads one, sees its check, and the bot plays rated matches; versions, mistakes and refusals;
// what others see; the policy.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { good } from './axe.js';
import { openMatch } from './play.js';
import { fresh, player, signedIn } from './people.js';
import { serve } from './server.js';
import { URL_, api, flawless, launch, resize, visitor } from './visitor.js';

const run = promisify(execFile);
const SOURCE = fileURLToPath(new URL('../bots/ioiwari.c', import.meta.url));
const WINDOWS = { desk: { width: 1280, height: 860 }, phone: { width: 360, height: 740 } };
// The bot says on standard error what it plays.
const SAYS = `#include <stdio.h>
#include <stdlib.h>
#define printf(format, value) (fprintf(stderr, "kibitz plays %d\\n", value), printf(format, value))
`;
// Thinks for a while, so that its check can be seen running, always answers with a word that no referee knows, and says why.
const WRONG = `#include <stdio.h>
int main(void) { char line[1000]; while (fgets(line, 1000, stdin)) { for (volatile long n = 0; n < 60000000; n++) {} fprintf(stderr, "no idea <b>at all</b>\\n"); puts("what"); fflush(stdout); } }
`;
// Plays until it has made three moves, then crashes.
const CRASHES = `#include <stdio.h>
#include <stdlib.h>
static int moves;
#define printf(format, value) (moves++ < 3 ? printf(format, value) : (fprintf(stderr, "lost count\\n"), abort(), 0))
`;

let browser;
let folder;
const modules = {};
before(async () => {
  browser = await launch();
  folder = await mkdtemp(join(tmpdir(), 'kibitz-modules-'));
  const compile = async (name, source, ...options) => {
    const file = join(folder, `${name}.wasm`);
    await run('clang', ['--target=wasm32-wasi', '-std=c11', '-D_POSIX_C_SOURCE=200809L', '-O2', ...options, '-o', file, source]);
    modules[name] = file;
  };
  const written = async (name, text) => {
    const file = join(folder, name);
    await writeFile(file, text);
    return file;
  };
  await compile('first', SOURCE, '-include', await written('says.h', SAYS));
  await compile('second', SOURCE, '-O1');
  await compile('wrong', await written('wrong.c', WRONG));
  await compile('crashes', SOURCE, '-include', await written('crashes.h', CRASHES));
  modules.text = await written('text.wasm', 'no module\n');
});
after(async () => {
  await browser.close();
  await rm(folder, { recursive: true, force: true });
});

// Looks at the page in both windows, and takes pictures if they are wanted.
async function fits(page, name, part) {
  for (const [window, size] of Object.entries(WINDOWS)) {
    await resize(page, size);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    assert.ok(wider <= 0, `${name}, ${window}: ${wider} px too wide`);
    if (!process.env.KIBITZ_PICTURES) continue;
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await part.scrollIntoViewIfNeeded();
      await page.screenshot({ path: `${process.env.KIBITZ_PICTURES}/${name}-${window}-${colorScheme}.png`, fullPage: true });
    }
  }
  await resize(page, WINDOWS.desk);
}

// Drops a file on the form.
async function drop(page, file) {
  const bytes = (await readFile(file)).toString('base64');
  await page.evaluate(([text, name]) => {
    const data = new DataTransfer();
    data.items.add(new File([Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0))], name, { type: 'application/wasm' }));
    for (const type of ['dragover', 'drop']) {
      document.querySelector('form.upload').dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: data }));
    }
  }, [bytes, file.split('/').at(-1)]);
}

const version = (page, number) => page.locator(`.versions > li[data-number="${number}"]`);
const inState = (page, number, state) => version(page, number).locator(`h3 .tag.${state}`).waitFor({ timeout: 280_000 });

// Uploads a module by its form and waits until its check has this end.
async function upload(page, number, file, state) {
  await page.locator('form.upload input[type=file]').setInputFiles(file);
  await page.locator('form.upload select').selectOption('ioiwari');
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await inState(page, number, state);
}

// A bot of a new player, with its page open for the owner.
async function withBot(t, more = {}) {
  const owner = await player('ana');
  const name = fresh('robo');
  await api('/v1/me/bots', { token: owner.token, body: { name } });
  const { page, who } = await signedIn(t, browser, `/players/${name}`, { session: owner, ...more });
  return { name, owner, page, who };
}

// Asks a server until the answer is there.
async function until(ask, what) {
  const end = Date.now() + 240_000;
  for (;;) {
    const answer = await ask();
    if (answer) return answer;
    assert.ok(Date.now() < end, `${what} does not come`);
    await new Promise((done) => setTimeout(done, 500));
  }
}

test('a newcomer uploads a bot, and it plays its first rated match', { timeout: 600_000 }, async (t) => {
  const server = await serve({ KIBITZ_LADDER: 'true', KIBITZ_LADDER_MATCHES_PER_HOUR: '3600' });
  t.after(() => server.stop());
  const who = await visitor(browser, { forgive: /another host/ });
  t.after(() => who.context.close());
  const { page } = who;
  // From nothing: the bots' page leads to the account, and from the new bot to its page.
  await page.goto(`${server.url}/bots`);
  await good(page, 'bots');
  await page.getByRole('region', { name: 'Let your bot live here' }).getByRole('link', { name: 'Create a bot' }).click();
  await page.locator('#create [name=name]').fill('ana');
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByLabel('Name of the bot').fill('robo');
  await page.getByRole('button', { name: 'Create the bot' }).click();
  await page.locator('#bots .bots').getByRole('link', { name: 'Upload a program' }).click();
  await page.waitForURL(/\/players\/robo#programs$/);
  await page.getByText('No program yet.').waitFor();
  await fits(page, 'programs-empty', page.locator('#programs'));
  await drop(page, modules.first);
  await page.locator('.drop.full').filter({ hasText: 'first.wasm' }).waitFor();
  await page.getByRole('button', { name: 'Upload', exact: true }).and(page.locator(':focus')).waitFor();
  await page.locator('form.upload select').selectOption('ioiwari');
  await page.getByLabel('Note', { exact: true }).fill('my first bot');
  await page.keyboard.press('Enter');
  await version(page, 1).filter({ hasText: 'my first bot' }).waitFor();
  await inState(page, 1, 'active');
  await page.getByRole('status').filter({ hasText: 'Program 1 has passed its check and plays now.' }).waitFor();
  assert.match(await version(page, 1).innerText(), /Check passed without a mistake[\s\S]*mistakes: 0/);
  await good(page, 'programs');

  const answer = async (path) => (await fetch(server.url + path)).json();
  const rated = await until(async () => {
    const { matches } = await answer('/v1/players/robo/matches');
    for (const { id, stage } of matches) {
      const found = await answer(`/v1/matches/${id}`);
      if (found.rated && stage === 'over') return found;
    }
    return null;
  }, 'the first rated match');
  const seat = rated.seats.find((one) => one.name === 'robo');
  assert.equal(seat.program.number, 1);
  await page.goto(`${server.url}/matches/${rated.id}`);
  await page.locator('.place > *').first().waitFor();
  const tag = page.locator('.players .tag.hosted');
  await tag.waitFor();
  assert.equal(await tag.innerText(), 'hosted: 1');
  assert.match(await tag.getAttribute('title'), /clock counts its instructions/);
  const dialogue = page.getByRole('region', { name: 'Dialogue of a bot' });
  await dialogue.locator('summary').click();
  await dialogue.getByLabel('Seat').selectOption({ label: 'robo' });
  await dialogue.getByText(`Program 1 of this bot (SHA-256 ${seat.program.hash.slice(0, 12)})`).waitFor();
  assert.match(await dialogue.locator('.bot-turns button').first().innerText(), /[\d,]{5,} instructions/);
  await dialogue.locator('.lines .error').filter({ hasText: 'kibitz plays' }).first().waitFor();
  await good(page, 'a match of a hosted bot');
  await fits(page, 'match-hosted', dialogue);
  await page.goto(`${server.url}/players/robo`);
  await page.getByRole('heading', { name: 'Ratings' }).waitFor();
  await page.getByText(/\d of 240 minutes\./).waitFor();
  const results = (number) => version(page, number).locator('.results');
  assert.match(await results(1).first().innerText(), /^Matches: \d+ · \d+ won · \d+ drawn · \d+ lost · mistakes: 0$/);
  assert.match(await results(1).last().innerText(), /^Rated: [1-9]\d* · rating after the last one: \d+\s±\s\d+$/);
  // Another version has results of its own, and its mistakes lead to the faults.
  await upload(page, 2, modules.crashes, 'active');
  await until(async () => {
    await page.reload();
    await version(page, 2).waitFor();
    // It makes its mistake in matches that are long enough.
    return (await results(2).count()) === 2 && (await results(2).getByRole('link').count()) === 1;
  }, 'a mistake of the second program in a rated match');
  assert.match(await results(2).first().innerText(), /^Matches: [1-9].* · mistakes: [1-9]\d* Last faults$/);
  assert.match(await results(1).first().innerText(), /mistakes: 0$/);
  await good(page, 'results of two programs');
  await fits(page, 'programs-results', page.locator('#programs'));
  await results(2).getByRole('link', { name: 'Last faults' }).click();
  await page.locator('#faults:target').getByText('version program 2').first().waitFor();
  flawless(who);
});

test('versions: another one, an earlier one again, notes, published, deleted', { timeout: 300_000 }, async (t) => {
  const { name, page, who, owner } = await withBot(t);
  await upload(page, 1, modules.first, 'active');
  await upload(page, 2, modules.second, 'active');
  await inState(page, 1, 'retired');
  // One press activates the earlier one.
  await version(page, 1).getByRole('button', { name: 'Play with it: program 1' }).click();
  await inState(page, 1, 'active');
  await inState(page, 2, 'retired');
  assert.equal(await page.evaluate(() => document.activeElement?.closest('li')?.dataset.number), '1', 'the focus stays at the program');
  // By keys alone: a note.
  await version(page, 2).getByRole('button', { name: 'Add a note: program 2' }).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type('a <b>weaker</b> one');
  await page.keyboard.press('Enter');
  await version(page, 2).locator('.note').filter({ hasText: 'a <b>weaker</b> one' }).waitFor();
  await version(page, 2).getByRole('button', { name: 'Publish: program 2' }).click();
  await version(page, 2).getByText('published', { exact: true }).waitFor();
  const download = async (from, button) => {
    const [file] = await Promise.all([page.waitForEvent('download'), version(from, 2).getByRole('button', { name: button }).click()]);
    return file;
  };
  const file = await download(page, 'Download: program 2');
  assert.equal(file.suggestedFilename(), `${name}-2.wasm`);
  assert.deepEqual(await readFile(await file.path()), await readFile(modules.second));
  await upload(page, 3, modules.crashes, 'active');
  const report = version(page, 3).locator('details.check-report');
  assert.ok(await report.evaluate((box) => box.open), 'a report with mistakes is open');
  assert.match(await report.innerText(), /Check passed, with mistakes[\s\S]*crashes: \d+[\s\S]*lost count/);
  await good(page, 'three versions');
  await fits(page, 'programs-three', page.locator('#programs'));

  // Others see what plays, and the published one.
  const other = await visitor(browser);
  t.after(() => other.context.close());
  await other.page.goto(`${URL_}/players/${name}`);
  const shown = other.page.locator('#programs .versions > li');
  await shown.first().waitFor();
  assert.deepEqual(await shown.locator('h3').allInnerTexts().then((all) => all.map((text) => /Program (\d)/.exec(text)[1])), ['3', '2']);
  const [published] = await Promise.all([other.page.waitForEvent('download'), shown.nth(1).getByRole('link', { name: 'Download' }).click()]);
  assert.deepEqual(await readFile(await published.path()), await readFile(modules.second));
  assert.ok(!(await other.page.locator('#programs').innerText()).includes('weaker'), 'notes are the owner\'s');
  await good(other.page, 'the programs of another player');
  await fits(other.page, 'programs-public', other.page.locator('#programs'));
  flawless(other);

  // Deleted, after a question.
  await version(page, 3).getByRole('button', { name: 'Delete' }).click();
  await version(page, 3).getByText('Delete program 3 for ever?').waitFor();
  await version(page, 3).getByRole('button', { name: 'Delete' }).click();
  await version(page, 3).waitFor({ state: 'detached' });
  const { programs } = await api(`/v1/me/bots/${name}/programs`, { token: owner.token });
  assert.deepEqual(programs.map(({ number }) => number), [2, 1]);
  flawless(who);
});

test('a program that only makes mistakes is refused, and a file that is no module', { timeout: 300_000 }, async (t) => {
  const { page, who } = await withBot(t, { forgive: /status of 422/ });
  await page.locator('form.upload input[type=file]').setInputFiles(modules.text);
  await page.locator('form.upload select').selectOption('ioiwari');
  await page.getByRole('button', { name: 'Upload', exact: true }).click();
  await page.locator('form.upload').getByRole('alert').filter({ hasText: 'WebAssembly' }).waitFor();
  // A file that is too large is not sent at all.
  await page.locator('form.upload input[type=file]').setInputFiles({ name: 'big.wasm', mimeType: 'application/wasm', buffer: Buffer.alloc(17 << 20) });
  await page.locator('form.upload').getByRole('alert').filter({ hasText: 'too large' }).waitFor();
  assert.ok(await page.getByRole('button', { name: 'Upload', exact: true }).isDisabled());
  await upload(page, 1, modules.wrong, 'checking');
  await page.getByRole('status').filter({ hasText: 'Program 1 is uploaded and waits for its check.' }).waitFor();
  await good(page, 'a running check');
  await fits(page, 'programs-checking', page.locator('#programs'));
  await inState(page, 1, 'refused');
  await page.getByRole('status').filter({ hasText: 'Program 1 was refused.' }).waitFor();
  const report = await version(page, 1).locator('details.check-report').innerText();
  assert.match(report, /Refused: it made nothing but mistakes/);
  assert.match(report, /lines that the dialogue does not allow: \d+/);
  assert.ok(report.includes('no idea <b>at all</b>'), report);
  assert.equal(await version(page, 1).getByRole('button', { name: 'Play with it' }).count(), 0);
  await good(page, 'a refused program');
  await fits(page, 'programs-refused', page.locator('#programs'));
  flawless(who);
});

test('the owner chooses the matches that the bot accepts', { timeout: 300_000 }, async (t) => {
  const { name, page, who, owner } = await withBot(t, { forgive: /status of 422/ });
  await upload(page, 1, modules.second, 'active');
  const part = page.locator('details.policy');
  await part.locator('summary').click();
  await part.getByLabel('Rated').selectOption('only');
  await part.getByLabel('Opponents').selectOption('bots');
  await part.getByLabel('Shortest clock, in seconds').fill('60');
  await part.getByLabel('Matches at a time').fill('3');
  await part.getByLabel('Plays on the permanent ladder').uncheck();
  await part.getByRole('button', { name: 'Save' }).click();
  await part.getByRole('status').filter({ hasText: 'Saved' }).waitFor();
  const policy = await api(`/v1/me/bots/${name}/policy`, { token: owner.token });
  assert.deepEqual(policy, { games: ['ioiwari'], concurrent: 3, rated: 'only', clock_ms: [60_000, 1_000_000_000], unlimited: true, from: 'bots', ladder: false });
  await good(page, 'policy');
  await fits(page, 'programs-policy', part);
  await page.reload();
  await part.locator('summary').click();
  assert.equal(await part.getByLabel('Shortest clock, in seconds').inputValue(), '60');
  assert.equal(await part.getByLabel('Longest clock, in seconds').inputValue(), '');
  // Without a game it is refused.
  await part.getByLabel('Ioiwari').uncheck();
  await part.getByRole('button', { name: 'Save' }).click();
  await part.getByRole('alert').filter({ hasText: 'game' }).waitFor();
  flawless(who);
});

test('a running match names the hosted program, and the page is in each language', { timeout: 300_000 }, async (t) => {
  const { name, page, who, owner } = await withBot(t);
  await upload(page, 1, modules.second, 'active');
  const order = { game: 'ioiwari', seats: [{ kind: 'player', name }, { kind: 'open' }], clock: { initial_ms: 600_000 } };
  const { id } = await api('/v1/matches', { token: owner.token, body: order });
  await api(`/v1/matches/${id}/join`, { body: { name: 'Bogdan' } });
  await openMatch(who, id);
  const seat = page.locator('.players .player').filter({ hasText: name });
  await seat.locator('.tag.hosted').waitFor();
  assert.match(await seat.locator('.clock').innerText(), /^(9:59|10:00)$/);
  for (const language of ['ro', 'pt']) {
    await page.context().addCookies([{ name: 'kibitz-language', value: language, url: URL_ }]);
    await page.goto(`${URL_}/players/${name}`);
    await page.locator('.versions > li').waitFor();
    await good(page, `programs, ${language}`);
  }
  flawless(who);
});
