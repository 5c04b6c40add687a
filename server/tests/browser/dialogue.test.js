// What the bot in a seat read and wrote, beside the board: for its own side all of it, for others what it wrote for everybody.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';

import { good as accessible } from './axe.js';
import { easy, giveSeat, make, me, openMatch } from './play.js';
import { program } from './server.js';
import { URL_, flawless, games, launch, resize, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// A bot that says on standard error what it plays, for everybody and for its owner.
const SAYS = 'while read -r line; do echo "kibitz plays $line" >&2; echo "secret $line" >&2; echo "$line"; done';

// Plays a seat with the official program of its contest behind `kibitz-shim join`.
async function playAsBot({ slug, id, token }) {
  const shim = program('kibitz-shim');
  const bot = `${shim} ${slug} --server ${URL_} --nodes 30 --seed 1 --memory - | ${SAYS}`;
  const child = spawn(shim, ['join', `${URL_}/v1/matches/${id}`, '--', 'sh', '-c', bot],
    { env: { ...process.env, KIBITZ_TOKEN: token }, stdio: ['ignore', 'ignore', 'pipe'] });
  let notes = '';
  child.stderr.on('data', (text) => { notes += text; });
  const [status] = await once(child, 'exit');
  assert.equal(status, 0, notes);
}

for (const { slug, title, bot_seats: [seat] } of games.filter((game) => game.bot_seats.length > 0)) {
  test(`${title}: the dialogue of a bot is beside the board and follows it`, { timeout: 300_000 }, async (t) => {
    const seats = [easy, easy];
    seats[seat] = me('Robo');
    const { id, seats: made } = await make(slug, seats, { seed: '5' });
    const { token } = made.find((one) => one.seat === seat);
    await playAsBot({ slug, id, token });
    const who = await visitor(browser);
    t.after(() => who.context.close());
    await giveSeat(who, id, token);
    await openMatch(who, id, '?ply=4');
    const { page } = who;
    const part = page.getByRole('region', { name: 'Dialogue of a bot' });
    await part.locator('summary').click();
    const turns = part.locator('ol.bot-turns > li');
    await turns.first().waitFor();
    const lines = await part.locator('.lines .printed').allInnerTexts();
    assert.ok(lines.length > 3 && lines.every((line) => line.startsWith('> ')), `${lines}`);
    // Each line lies where it stands: no other part of the page shares its style.
    const places = await part.locator('.lines code').evaluateAll((all) => all.map((line) => getComputedStyle(line).position));
    assert.deepEqual([...new Set(places)], ['static']);
    const errors = await part.locator('.lines .error').allInnerTexts();
    for (const start of ['! kibitz plays ', '! secret ']) assert.ok(errors.some((line) => line.startsWith(start)), `${errors}`);
    // The turn of the position on the board is marked, and a turn shows its position.
    const marked = () => part.locator('[aria-current="step"]').innerText();
    const plyOf = (text) => Number(/\d+/.exec(text)[0]);
    const plies = (await turns.getByRole('button').allInnerTexts()).map(plyOf);
    const latest = (at) => Math.max(...plies.filter((ply) => ply <= at));
    assert.equal(plyOf(await marked()), latest(4));
    await page.getByRole('button', { name: 'Next move' }).click();
    await page.waitForFunction(() => location.search === '?ply=5');
    assert.equal(plyOf(await marked()), latest(5));
    const chosen = turns.filter({ has: page.locator('.printed') }).nth(1).getByRole('button');
    const ply = plyOf(await chosen.innerText());
    await chosen.focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction((at) => location.search === `?ply=${at}`, ply);
    assert.match(await marked(), new RegExp(`^After ${ply} moves? .* s`));
    await accessible(page, `${slug}, dialogue`);
    for (const [name, size] of Object.entries({ desk: { width: 1280, height: 860 }, phone: { width: 360, height: 740 } })) {
      await resize(page, size);
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(wider <= 0, `${name}: ${wider} px too wide`);
      if (process.env.KIBITZ_PICTURES) {
        await part.scrollIntoViewIfNeeded();
        await page.screenshot({ path: `${process.env.KIBITZ_PICTURES}/dialogue-${slug}-${name}.png` });
      }
    }
    flawless(who);

    const spectator = await visitor(browser);
    t.after(() => spectator.context.close());
    await openMatch(spectator, id);
    const open = spectator.page.getByRole('region', { name: 'Dialogue of a bot' });
    await open.locator('summary').click();
    await open.locator('.lines .error').first().waitFor();
    const all = await open.locator('.lines .error').allInnerTexts();
    assert.ok(all.every((line) => line.startsWith('! kibitz plays ')), `${all}`);
    flawless(spectator);
  });
}
