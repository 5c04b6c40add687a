// Together: the invitation with its QR code, the chat of the players, sounds and notifications, taking back, rematch.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import jsQR from 'jsqr';

import { good as accessible } from './axe.js';
import { click, easy, giveSeat, make, me, nextMove, open, openMatch, randomNumbers, shown, twoPeople } from './play.js';
import { signedIn } from './people.js';
import { serve } from './server.js';
import { URL_, api, bytes, flawless, games, launch, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const two = games.filter((game) => game.min_seats <= 2 && game.max_seats >= 2);
const chat = (page) => page.getByRole('region', { name: 'Chat' });
const say = (page, phrase) => chat(page).getByRole('button', { name: phrase, exact: true }).click();
const heard = (page, text) => chat(page).getByRole('listitem').filter({ hasText: text }).waitFor();

// Reads the QR code that a page shows, from its picture.
async function scan(who) {
  const picture = await who.page.locator('.qr').screenshot();
  const tab = await who.context.newPage();
  const image = await tab.evaluate(async (base64) => {
    const answer = await fetch(`data:image/png;base64,${base64}`);
    const bitmap = await createImageBitmap(await answer.blob());
    const canvas = Object.assign(document.createElement('canvas'), { width: bitmap.width, height: bitmap.height });
    const pen = canvas.getContext('2d');
    pen.drawImage(bitmap, 0, 0);
    return { data: [...pen.getImageData(0, 0, bitmap.width, bitmap.height).data], width: bitmap.width, height: bitmap.height };
  }, picture.toString('base64'));
  await tab.close();
  return jsQR(new Uint8ClampedArray(image.data), image.width, image.height)?.data;
}

for (const [what, more] of [['a public match', {}], ['a private match, with its key', { private: true }]]) {
  test(`the QR code leads to ${what}`, async (t) => {
    const { id, seats: [{ token }], key } = await make(two[0].slug, [me('Ana'), open], more);
    for (const colorScheme of ['light', 'dark']) {
      const who = await visitor(browser, { width: 390, height: 844, colorScheme });
      t.after(() => who.context.close());
      await giveSeat(who, id, token, { key });
      await who.page.goto(`${URL_}/matches/${id}`);
      await who.page.locator('.qr').waitFor();
      const link = await who.page.getByLabel('The link to this match').inputValue();
      assert.equal(await scan(who), link);
      assert.ok(link.startsWith(`${URL_}/matches/${id}`) && (!key || link.includes(key)));
      await accessible(who.page, `invitation to ${what}`);
      flawless(who);
    }
  });
}

test('the invitation is shared with the system, where it can', async (t) => {
  const { id, seats: [{ token }] } = await make(two[0].slug, [me('Ana'), open]);
  const who = await visitor(browser);
  t.after(() => who.context.close());
  await giveSeat(who, id, token);
  await who.page.addInitScript(() => {
    navigator.share = async (what) => { globalThis.shared = what; };
  });
  await who.page.goto(`${URL_}/matches/${id}`);
  await who.page.locator('.invite').getByRole('button', { name: 'Share' }).click();
  const { url, title } = await who.page.evaluate(() => globalThis.shared);
  assert.deepEqual([url, title], [`${URL_}/matches/${id}`, two[0].title]);
  flawless(who);
});

test('players talk, in the match and after it; spectators hear nothing', { timeout: 300_000 }, async (t) => {
  const { id, all, pages: [ana, bogdan] } = await twoPeople(t, browser, two[0].slug, { seed: '4' }, [{ width: 390, height: 844 }, {}]);
  const eve = await visitor(browser, { record: true });
  t.after(() => eve.context.close());
  await openMatch(eve, id);
  await eve.page.locator('#match[data-connection=open]').waitFor();
  await say(ana, 'Good luck!');
  await heard(bogdan, 'Ana Good luck!');
  // The message is shown over the board too, for players who do not see the chat.
  await bogdan.locator('.bubble').filter({ hasText: 'Ana: Good luck!' }).waitFor();
  await chat(bogdan).getByLabel('Your message').fill('secret <b>text</b>');
  await chat(bogdan).getByRole('button', { name: 'Send' }).click();
  await heard(ana, 'Bogdan secret <b>text</b>');
  await accessible(ana, 'chat');
  // A page that is opened later shows the earlier messages.
  await ana.reload();
  await heard(ana, 'secret <b>text</b>');
  // The chat goes on after the end.
  await bogdan.getByRole('button', { name: 'Resign' }).click();
  await bogdan.getByRole('button', { name: 'Resign' }).click();
  await ana.locator('.end h2').waitFor();
  await ana.getByRole('button', { name: 'Close' }).click();
  await say(ana, 'Good game!');
  await heard(bogdan, 'Ana Good game!');
  assert.equal(await chat(eve.page).getByRole('listitem').count(), 0);
  for (const { from, text } of await bytes(eve)) assert.ok(!/secret|good_luck/.test(text) || /\.(js|json)$/.test(from), from);
  flawless(...all, eve);
});

test('spectators talk among themselves: guests read, players neither read nor write', { timeout: 300_000 }, async (t) => {
  const { id, tokens: [token], all, pages: [ana] } = await twoPeople(t, browser, two[0].slug, { seed: '4' });
  const guest = await visitor(browser, { width: 390, height: 844, colorScheme: 'dark' });
  t.after(() => guest.context.close());
  const eve = await signedIn(t, browser, `/matches/${id}`, { name: 'eve' });
  await openMatch(guest, id);
  const room = chat(guest.page);
  await room.getByText('Only spectators see it. The players do not.').waitFor();
  await room.getByRole('link', { name: 'Sign in to write to the other spectators' }).waitFor();
  assert.equal(await room.getByRole('button', { name: 'Hello!' }).count(), 0);
  await chat(eve.page).getByLabel('Your message').fill('What a <b>match</b>');
  await chat(eve.page).getByRole('button', { name: 'Send' }).click();
  await heard(eve.page, `${eve.name} What a <b>match</b>`);
  // A spectator who reads along, in the stream; the head counts what is not on the screen.
  await guest.page.getByRole('link', { name: 'Chat, 1 new message', exact: true }).click();
  await heard(guest.page, `${eve.name} What a <b>match</b>`);
  await guest.page.locator('.to-chat .unread').waitFor({ state: 'hidden' });
  await accessible(guest.page, 'the spectators\' chat');
  await accessible(eve.page, 'the spectators\' chat, for an author');
  // What the players say meanwhile is not for them.
  await say(ana, 'Good luck!');
  await heard(ana, 'Ana Good luck!');
  await say(eve.page, 'Good move!');
  await heard(guest.page, `${eve.name} Good move!`);
  assert.equal(await room.getByRole('listitem').count(), 2);
  assert.equal(await chat(ana).getByRole('listitem').count(), 1);
  await api(`/v1/matches/${id}/resign`, { token, body: {} });
  // Its author deletes a message after the end, too; whoever opens the page now does not see it.
  await eve.page.locator('.end h2').waitFor();
  await eve.page.getByRole('button', { name: 'Close' }).click();
  const mine = chat(eve.page).getByRole('listitem').filter({ hasText: 'What a' });
  await mine.getByRole('button', { name: 'Delete' }).click();
  await mine.getByRole('button', { name: 'Delete' }).click();
  await mine.waitFor({ state: 'detached' });
  await guest.page.reload();
  await heard(guest.page, 'Good move!');
  assert.equal(await room.getByRole('listitem').count(), 1);
  flawless(...all, eve, guest);
});

test('on a phone the head counts new messages and leads to them; a player may hide what others write', { timeout: 300_000 }, async (t) => {
  const { all, pages: [ana, bogdan] } = await twoPeople(t, browser, two[0].slug, { seed: '4' }, [{ width: 390, height: 844 }, {}]);
  await ana.evaluate(() => scrollTo(0, 0));
  await say(bogdan, 'Hello!');
  await ana.getByRole('link', { name: 'Chat, 1 new message', exact: true }).waitFor();
  await say(bogdan, 'Good luck!');
  await ana.getByRole('link', { name: 'Chat, 2 new messages', exact: true }).click();
  // Visible messages are not new.
  await ana.locator('.to-chat .unread').waitFor({ state: 'hidden' });
  assert.ok(await chat(ana).getByRole('listitem').last().isVisible());
  await chat(ana).getByLabel('Hide what others write').check();
  await chat(ana).getByRole('listitem').first().waitFor({ state: 'hidden' });
  await say(ana, 'Thanks!');
  await say(bogdan, 'Sorry!');
  await heard(bogdan, 'Ana Thanks!');
  await heard(bogdan, 'Sorry!');
  assert.equal(await chat(ana).getByRole('listitem').count(), 1);
  // The browser keeps the choice; nothing is lost.
  await ana.reload();
  await heard(ana, 'Thanks!');
  assert.equal(await chat(ana).getByRole('listitem').count(), 1);
  await chat(ana).getByLabel('Hide what others write').uncheck();
  await heard(ana, 'Sorry!');
  flawless(...all);
});

test('what is said too fast is refused in words', { timeout: 300_000 }, async (t) => {
  const { all, pages: [ana] } = await twoPeople(t, browser, two[0].slug, { seed: '4' }, [{ forgive: /status of 429/ }, {}]);
  for (let n = 0; n < 6; n += 1) {
    await say(ana, 'Hello!');
    await chat(ana).getByRole('listitem').nth(n).waitFor();
  }
  await say(ana, 'Hello!');
  await chat(ana).getByRole('alert').filter({ hasText: 'wait' }).waitFor();
  assert.equal(await chat(ana).getByRole('listitem').count(), 6);
  flawless(...all);
});

test('an operator can switch free text off', { timeout: 300_000 }, async (t) => {
  const server = await serve({ KIBITZ_NO_CHAT_TEXT: 'true' });
  t.after(() => server.stop());
  const post = async (path, body, token) => {
    const answer = await fetch(server.url + path, { method: 'POST', body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) } });
    return { status: answer.status, body: await answer.json() };
  };
  const { body: { id, seats: [{ token }] } } = await post('/v1/matches', { game: two[0].slug, seats: [me('Ana'), open] });
  await post(`/v1/matches/${id}/join`, { name: 'Bogdan' });
  assert.equal((await post(`/v1/matches/${id}/chat`, { text: 'hello' }, token)).body.code, 'bad_field');
  assert.equal((await post(`/v1/matches/${id}/chat`, { phrase: 'hello' }, token)).status, 200);
  assert.equal((await post(`/v1/matches/${id}/chat`, { phrase: 'hello' })).body.code, 'token_needed');
  const who = await visitor(browser, { forgive: /another host/ });
  t.after(() => who.context.close());
  await giveSeat(who, id, token);
  await who.page.goto(`${server.url}/matches/${id}`);
  await heard(who.page, 'Hello!');
  assert.ok(await chat(who.page).getByLabel('Your message').isHidden());
});

test('sounds are off until they are switched on, and stay on', { timeout: 300_000 }, async (t) => {
  const { all, id, tokens, pages: [ana] } = await twoPeople(t, browser, two[0].slug, { seed: '4' });
  await ana.evaluate(() => {
    globalThis.played = [];
    document.addEventListener('kibitz:sound', ({ detail }) => globalThis.played.push(detail));
  });
  const dice = randomNumbers(3);
  assert.ok(!(await ana.getByLabel('Sounds').isChecked()));
  await click(ana, await nextMove(ana, id, dice()));
  assert.deepEqual(await ana.evaluate(() => globalThis.played), []);
  await ana.getByLabel('Sounds').check();
  const { ply, legal_moves: [{ notation }] } = await api(`/v1/matches/${id}`, { token: tokens[1] });
  await api(`/v1/matches/${id}/moves`, { token: tokens[1], body: { ply, notation } });
  await ana.waitForFunction(() => globalThis.played.filter((one) => one === 'turn').length === 2);
  await ana.reload();
  assert.ok(await ana.getByLabel('Sounds').isChecked());
  flawless(...all);
});

test('a player who looks elsewhere is notified, and the title says whose move it is', { timeout: 300_000 }, async (t) => {
  const { all, id, tokens, pages: [ana] } = await twoPeople(t, browser, two[0].slug, { seed: '4' });
  await all[0].context.grantPermissions(['notifications']);
  await ana.evaluate(() => {
    globalThis.told = [];
    globalThis.Notification = class extends EventTarget {
      static permission = 'granted';
      static requestPermission = async () => 'granted';
      constructor(title, { body, tag }) {
        super();
        globalThis.told.push({ title, body, tag });
      }
    };
  });
  assert.ok(!(await ana.getByLabel('Notify me when it is my move').isChecked()));
  await ana.getByLabel('Notify me when it is my move').check();
  assert.match(await ana.title(), /^● Your move/);
  await click(ana, await nextMove(ana, id, 1));
  assert.doesNotMatch(await ana.title(), /Your move/);
  const reply = async () => {
    const { ply, legal_moves: [{ notation }] } = await api(`/v1/matches/${id}`, { token: tokens[1] });
    await api(`/v1/matches/${id}/moves`, { token: tokens[1], body: { ply, notation } });
  };
  await ana.evaluate(() => Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true }));
  await reply();
  await ana.waitForFunction(() => document.title.startsWith('●'));
  assert.deepEqual(await ana.evaluate(() => globalThis.told), [{ title: two[0].title, body: 'Your move', tag: id }]);
  flawless(...all);
});

for (const { slug, title } of games) {
  test(`${title}: a move against engines can be taken back`, { timeout: 300_000 }, async (t) => {
    const { id, seats: [{ token }] } = await make(slug, [me(), easy], { seed: '8' });
    const who = await visitor(browser, { width: 390, height: 844 });
    t.after(() => who.context.close());
    await giveSeat(who, id, token);
    await openMatch(who, id);
    const { page } = who;
    await page.locator('.place .lit').first().waitFor();
    const start = await api(`/v1/matches/${id}`, { token });
    const dice = randomNumbers(7);
    for (let moves = 0; moves < 2; moves += 1) {
      await page.locator('.place .lit').first().waitFor();
      await click(page, await nextMove(page, id, dice()));
    }
    await page.locator('.place .lit').first().waitFor();
    const before = await api(`/v1/matches/${id}`, { token });
    while ((await api(`/v1/matches/${id}`, { token })).ply > start.ply) {
      const { ply } = await api(`/v1/matches/${id}`, { token });
      await page.waitForFunction((now) => document.querySelector('#match').dataset.ply === String(now), ply);
      await page.getByRole('button', { name: 'Take back' }).click();
      await page.waitForFunction((now) => Number(document.querySelector('#match').dataset.ply) < now, ply);
    }
    const back = await api(`/v1/matches/${id}`, { token });
    assert.ok(before.ply > back.ply);
    assert.deepEqual(back.position, start.position);
    assert.deepEqual(back.legal_moves, start.legal_moves);
    // The match goes on from there, and its record is true.
    await page.locator('.place .lit').first().waitFor();
    await click(page, await nextMove(page, id, dice()));
    await page.getByRole('button', { name: 'Resign' }).click();
    await page.getByRole('button', { name: 'Resign' }).click();
    await page.locator('.end h2').waitFor({ timeout: 280_000 });
    await page.locator('.truth strong').filter({ hasText: 'The record is correct.' }).waitFor();
    flawless(who);
  });
}

test('nothing can be taken back against people, nor with a clock', { timeout: 300_000 }, async (t) => {
  const { all, tokens, id, pages: [ana] } = await twoPeople(t, browser, two[0].slug, { seed: '4' });
  await click(ana, await nextMove(ana, id, 1));
  assert.ok(await ana.getByRole('button', { name: 'Take back' }).count() === 0);
  const take = (match, token) => fetch(`${URL_}/v1/matches/${match}/take-back`, { method: 'POST', body: JSON.stringify({ ply: 1 }),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` } }).then((answer) => answer.json());
  assert.equal((await take(id, tokens[0])).code, 'no_take_back');
  const timed = await make(two[0].slug, [me(), easy], { clock: { initial_ms: 600_000 }, seed: '2' });
  const { legal_moves: [{ notation }] } = await api(`/v1/matches/${timed.id}`, { token: timed.seats[0].token });
  await api(`/v1/matches/${timed.id}/moves`, { token: timed.seats[0].token, body: { ply: 0, notation } });
  assert.match((await take(timed.id, timed.seats[0].token)).code, /no_take_back|stale_ply/);
  flawless(...all);
});

test('a rematch is seen by the other side at once', { timeout: 300_000 }, async (t) => {
  const { id, all, pages: [ana, bogdan] } = await twoPeople(t, browser, two[0].slug, { seed: '4' });
  await bogdan.getByRole('button', { name: 'Resign' }).click();
  await bogdan.getByRole('button', { name: 'Resign' }).click();
  await ana.locator('.end h2').waitFor();
  // The page of a player asks for a rematch every second, that of a spectator every five.
  const asked = [];
  for (let n = 0; n < 3; n += 1) {
    await ana.waitForRequest(`${URL_}/v1/matches/${id}`);
    asked.push(performance.now());
  }
  const gaps = asked.slice(1).map((at, n) => at - asked[n]);
  assert.ok(Math.min(...gaps) < 4_000, `it asked again after ${gaps} ms`);
  await bogdan.locator('.end').getByRole('button', { name: 'Play again' }).click();
  await ana.getByText('Another player wants to play again.').waitFor();
  const before = ana.url();
  await ana.getByRole('button', { name: 'Play again too' }).click();
  await ana.waitForURL((url) => url.href !== before);
  await ana.locator('.place .lit, .place > *').first().waitFor();
  await bogdan.waitForFunction(() => document.querySelector('#match').dataset.stage === 'running');
  assert.equal((await shown(ana)).stage, 'running');
  flawless(...all);
});

test('each player sees whether the other one is there', { timeout: 300_000 }, async (t) => {
  const { all, pages: [ana] } = await twoPeople(t, browser, two[0].slug, { seed: '4' });
  const bogdan = ana.locator('.player').nth(1);
  await bogdan.getByRole('img', { name: 'connected', exact: true }).waitFor();
  await all[1].page.close();
  await bogdan.getByRole('img', { name: 'not connected', exact: true }).waitFor();
  flawless(all[0]);
});
