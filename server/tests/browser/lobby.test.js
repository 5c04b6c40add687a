// Meeting opponents: the online players, challenges with accept, decline, withdraw and expiry, quick pairing, rated matches.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { good } from './axe.js';
import { fresh, onlineBot, player, signedIn } from './people.js';
import { openMatch } from './play.js';
import { URL_, api, flawless, games, launch, visitor } from './visitor.js';

const { slug, title } = games.find((game) => game.min_seats === 2 && game.max_seats > 2) ?? games[0];
let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

const notice = (page) => page.locator('.notices .notice');
// Shows a part of the lobby, which a phone has to choose.
const part = (page, name) => page.getByRole('group', { name: 'Show' }).getByRole('radio', { name }).check();
// Opens the choices of quick pairing.
const more = (page) => page.locator('#pair').getByText('Another clock, rated, people only').click();
const online = (page, name) => page.locator('[data-list="people"] li, [data-list="bots"] li').filter({ hasText: name });

// Challenges a player from the page, for this game.
async function challenge(page, button, { clock, rated = false, game = slug } = {}) {
  await button.click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Game').selectOption(game);
  if (clock) await dialog.getByLabel('Clock').selectOption({ label: clock });
  await dialog.getByLabel('Rated').setChecked(rated);
  await dialog.getByRole('button', { name: 'Send the challenge' }).click();
  await dialog.waitFor({ state: 'hidden' });
}

async function inMatch(page) {
  await page.waitForURL(/\/matches\/[0-9a-f-]+$/);
  return new URL(page.url()).pathname.split('/').pop();
}

test('challenge from the lobby is accepted on another page, and both play', { timeout: 300_000 }, async (t) => {
  const ana = await signedIn(t, browser, '/lobby', { name: 'ana' });
  const bob = await signedIn(t, browser, `/games/${slug}`, { name: 'bob', width: 390, height: 844 });
  await online(ana.page, bob.name).waitFor();
  await good(ana.page, 'the lobby');
  await challenge(ana.page, online(ana.page, bob.name).getByRole('button'), { clock: '10 minutes, and 5 seconds a move', rated: true });
  await notice(ana.page).filter({ hasText: `You challenge ${bob.name}` }).waitFor();
  const told = notice(bob.page);
  await told.filter({ hasText: `${ana.name} challenges you` }).waitFor();
  assert.match(await told.innerText(), new RegExp(`${title} · 10 min \\+ 5 s · rated`));
  assert.match(await told.locator('.left').innerText(), /^(5:00|4:\d\d) left$/);
  await good(bob.page, 'a challenge on a phone');
  await bob.page.getByRole('button', { name: 'Accept' }).click();
  const id = await inMatch(bob.page);
  assert.equal(await inMatch(ana.page), id, 'the challenger comes along');
  const match = await api(`/v1/matches/${id}`);
  assert.deepEqual([match.stage, match.rated, match.game], ['running', true, slug]);
  // The player to move can move: the key of the player holds the seat.
  for (const { page } of [ana, bob]) await page.locator('.place > *').first().waitFor();
  const yous = await Promise.all([ana, bob].map(({ token }) => api(`/v1/matches/${id}`, { token })));
  const mover = [ana, bob][yous.findIndex(({ turn, you }) => turn === you)];
  await mover.page.locator('.place .lit').first().waitFor();
  assert.equal(await bob.page.locator('.notices .notice').count(), 0);
  await bob.page.getByRole('link', { name: /More/ }).click();
  await bob.page.getByRole('button', { name: 'Resign' }).click();
  await bob.page.getByRole('button', { name: 'Resign' }).click();
  await ana.page.locator('.status').filter({ hasText: 'You have won' }).waitFor();
  flawless(ana.who, bob.who);
});

test('challenge is declined with a reason, withdrawn, and expires', { timeout: 300_000 }, async (t) => {
  const bob = await signedIn(t, browser, '/', { name: 'bob' });
  const ana = await signedIn(t, browser, `/players/${bob.name}`, { name: 'ana', width: 390, height: 844 });
  await ana.page.locator('[data-challenge]').click();
  await good(ana.page, 'the dialog on a phone');
  await ana.page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  const button = ana.page.locator('[data-challenge]');
  await challenge(ana.page, button);
  await bob.page.getByRole('button', { name: 'Decline' }).click();
  await bob.page.getByLabel('Reason').fill('<i>tomorrow</i>');
  await bob.page.getByRole('button', { name: 'Decline' }).click();
  await notice(bob.page).waitFor({ state: 'detached' });
  await notice(ana.page).filter({ hasText: `${bob.name} has declined` }).waitFor();
  assert.match(await notice(ana.page).innerText(), /Reason: <i>tomorrow<\/i>/);
  await ana.page.getByRole('button', { name: 'Close' }).click();
  assert.equal(await notice(ana.page).count(), 0);

  await challenge(ana.page, button);
  await notice(bob.page).filter({ hasText: 'challenges you' }).waitFor();
  // The notice is on every page, and after a reload.
  await bob.page.goto(`${URL_}/tournaments`);
  await notice(bob.page).filter({ hasText: 'challenges you' }).waitFor();
  // It can be put aside: the next page shows it again.
  await bob.page.getByRole('button', { name: 'Later' }).click();
  assert.ok(await notice(bob.page).isHidden());
  await bob.page.goto(`${URL_}/matches`);
  await notice(bob.page).filter({ hasText: 'challenges you' }).waitFor();
  await ana.page.getByRole('button', { name: 'Withdraw' }).click();
  await notice(ana.page).waitFor({ state: 'detached' });
  await notice(bob.page).filter({ hasText: 'has withdrawn' }).waitFor();

  const body = { game: slug, open_ms: 1000 };
  await api(`/v1/players/${bob.name}/challenges`, { token: ana.token, body });
  for (const { page } of [ana, bob]) await notice(page).filter({ hasText: 'has expired' }).waitFor();
  flawless(ana.who, bob.who);
});

test('online bot is listed with rating and policy, and challenged; it declines what its policy excludes', { timeout: 300_000 }, async (t) => {
  const owner = await player('owner');
  const bot = await onlineBot(t, owner, slug, ['--rated', 'never', '--concurrent', '1']);
  const ana = await signedIn(t, browser, '/lobby', { name: 'ana', width: 390, height: 844, forgive: /409/ });
  const entry = online(ana.page, bot.name);
  await part(ana.page, 'Online');
  await entry.waitFor({ timeout: 30_000 });
  assert.match(await entry.innerText(), new RegExp(`${title}.*never rated.*plays 0 of 1`, 's'));
  await entry.getByRole('button').click();
  const dialog = ana.page.getByRole('dialog');
  assert.equal(await dialog.getByLabel('Game').inputValue(), slug);
  const offered = await dialog.getByLabel('Game').locator('option:not([disabled])').evaluateAll((all) => all.map((one) => one.value));
  assert.deepEqual(offered, [slug], 'the bot plays nothing else');
  await dialog.getByLabel('Rated').check();
  await dialog.getByRole('button', { name: 'Send the challenge' }).click();
  await dialog.getByRole('alert').filter({ hasText: /does not accept such a match/ }).waitFor();
  await dialog.getByLabel('Rated').uncheck();
  await dialog.getByRole('button', { name: 'Send the challenge' }).click();
  const id = await inMatch(ana.page);
  const match = await api(`/v1/matches/${id}`);
  assert.ok(match.seats.some((seat) => seat.name === bot.name));
  await api(`/v1/matches/${id}/resign`, { token: ana.token, method: 'POST' });
  bot.stop();
  await ana.page.goto(`${URL_}/lobby`);
  await entry.waitFor({ state: 'detached', timeout: 30_000 });
  flawless(ana.who);
});

test('quick pairing pairs people, can be cancelled, and takes an engine after the stated wait', { timeout: 300_000 }, async (t) => {
  const ana = await signedIn(t, browser, '/lobby', { name: 'ana' });
  const bob = await signedIn(t, browser, '/lobby', { name: 'bob', width: 390, height: 844 });
  const form = (page) => page.locator('#pair');
  for (const { page } of [ana, bob]) {
    await more(page);
    await form(page).getByLabel('Game').selectOption(slug);
    await form(page).getByLabel('Clock').selectOption('0 0 30000');
    await form(page).getByLabel('Opponent').selectOption('person');
  }
  await form(ana.page).getByRole('button', { name: 'Find an opponent' }).click();
  await form(ana.page).locator('.status').filter({ hasText: 'Waiting for an opponent' }).waitFor();
  const waiting = bob.page.locator('[data-list="waiting"] li').filter({ hasText: `${title} · 30 s a move` });
  await waiting.waitFor();
  await good(ana.page, 'waiting');
  await form(ana.page).getByRole('button', { name: 'Cancel' }).click();
  await form(ana.page).getByRole('button', { name: 'Find an opponent' }).waitFor();
  await waiting.waitFor({ state: 'detached' });
  for (const { page } of [ana, bob]) await form(page).getByRole('button', { name: 'Find an opponent' }).click();
  assert.equal(await inMatch(ana.page), await inMatch(bob.page));

  await ana.page.goto(`${URL_}/lobby`);
  await more(ana.page);
  await form(ana.page).getByLabel('Game').selectOption(slug);
  const since = Date.now();
  await form(ana.page).getByRole('button', { name: 'Find an opponent' }).click();
  await form(ana.page).locator('.status').filter({ hasText: 'after 15 s' }).waitFor();
  const id = await ana.page.waitForURL(/\/matches\//, { timeout: 60_000 }).then(() => inMatch(ana.page));
  assert.ok(Date.now() - since >= 14_000, 'people have the stated time to come first');
  const { seats } = await api(`/v1/matches/${id}`);
  assert.ok(seats.some((seat) => seat.kind === 'engine'));
  flawless(ana.who, bob.who);
});

test('a player who waits is met by one press, a free seat is taken by another; both say what they are', { timeout: 300_000 }, async (t) => {
  const ana = await signedIn(t, browser, '/lobby', { name: 'ana' });
  const bob = await signedIn(t, browser, '/lobby', { name: 'bob', width: 390, height: 844 });
  await ana.page.getByRole('list', { name: 'Play at once' }).getByRole('button', { name: title }).click();
  await bob.page.getByRole('button', { name: new RegExp(`Play with the player who waits: ${title} . 3 min`) }).click();
  assert.equal(await inMatch(ana.page), await inMatch(bob.page));
  const { id } = await api('/v1/matches', { token: ana.token, body: { game: slug, rated: true, clock: { initial_ms: 300_000, increment_ms: 3_000 }, seats: [{ kind: 'me' }, { kind: 'open' }] } });
  await bob.page.goto(`${URL_}/lobby`);
  const card = bob.page.locator('.seat-card').filter({ has: bob.page.locator(`[data-take="${id}"]`) });
  await card.waitFor();
  assert.match(await card.innerText(), new RegExp(`${title}.*${ana.name}.*5 min \\+ 3 s · rated · Free seats: 1`, 's'));
  await good(bob.page, 'the lobby with a free seat');
  await card.getByRole('button').click();
  assert.equal(await inMatch(bob.page), id);
  const match = await api(`/v1/matches/${id}`);
  assert.deepEqual([match.stage, match.seats[1].name], ['running', bob.name]);
  // A guest takes a seat, too; a rated one says why not.
  const { id: free } = await api('/v1/matches', { token: ana.token, body: { game: slug, seats: [{ kind: 'me' }, { kind: 'open' }] } });
  const { id: rated } = await api('/v1/matches', { token: ana.token, body: { game: slug, rated: true, clock: { initial_ms: 300_000 }, seats: [{ kind: 'me' }, { kind: 'open' }] } });
  const guest = await visitor(browser, { forgive: /403/ });
  t.after(() => guest.context.close());
  await guest.page.goto(`${URL_}/lobby`);
  await guest.page.locator(`[data-take="${rated}"]`).click();
  await guest.page.getByRole('alert').filter({ hasText: 'A rated match needs a name' }).waitFor();
  await guest.page.locator(`[data-take="${free}"]`).click();
  assert.equal(await inMatch(guest.page), free);
  await guest.page.locator('.player.you').waitFor();
  flawless(ana.who, bob.who, guest);
});

test('guests are led to sign in, and the form says why a match cannot be rated', { timeout: 300_000 }, async (t) => {
  const guest = await visitor(browser, { width: 390, height: 844 });
  t.after(() => guest.context.close());
  await guest.page.goto(`${URL_}/lobby`);
  await guest.page.getByRole('link', { name: 'Sign in or create a name' }).waitFor();
  assert.ok(await guest.page.getByRole('button', { name: 'Find an opponent' }).isHidden());
  // The links that an empty lobby offers.
  await part(guest.page, 'Engines');
  const atOnce = guest.page.getByRole('region', { name: 'Play at once' });
  assert.deepEqual(await atOnce.getByRole('link').evaluateAll((all) => all.map((one) => one.pathname)), games.map((game) => `/games/${game.slug}`));
  await part(guest.page, 'More');
  await guest.page.locator('[data-list="over"] > *').first().waitFor();
  await good(guest.page, 'the lobby of a guest');
  await guest.page.goto(`${URL_}/games/${slug}`);
  await guest.page.getByText('A rated match needs a name').waitFor();
  assert.ok(await guest.page.getByLabel('Rated match').isDisabled(), 'a guest cannot ask for what is then refused');
  assert.ok(await guest.page.getByRole('button', { name: /^Easy/ }).isEnabled());
  const [box, why] = await Promise.all(['.rated .check', '#no-rating'].map((one) => guest.page.locator(one).boundingBox()));
  assert.ok(why.y - (box.y + box.height) < 12, 'the reason is at the box');
  await good(guest.page, 'why not rated');
  await guest.page.locator('#no-rating').getByRole('link', { name: 'Sign in' }).click();
  await guest.page.getByLabel('Name', { exact: true }).fill(fresh('dan'));
  await guest.page.getByRole('button', { name: 'Create', exact: true }).click();
  // The key of the new name is to be kept; then it goes on where the visitor was.
  await guest.page.getByText('Keep your key in a safe place').waitFor();
  await guest.page.getByRole('link', { name: 'Go on' }).click();
  await guest.page.waitForURL(`${URL_}/games/${slug}`);
  assert.ok(await guest.page.getByLabel('Rated match').isEnabled(), 'back at the game with a name');

  const ana = await signedIn(t, browser, `/games/${slug}`, { name: 'ana' });
  await ana.page.getByLabel('Rated match').check();
  // The box chooses a clock, without which nothing is rated.
  assert.ok(await ana.page.getByRole('button', { name: /^Easy/ }).isEnabled());
  await ana.page.getByText('Clock, seat, name').click();
  assert.notEqual(await ana.page.getByLabel('Clock').inputValue(), '0 0 0');
  await ana.page.getByLabel('Clock').selectOption('0 0 0');
  await ana.page.getByText('Only a match with a clock can be rated').waitFor();
  assert.ok(await ana.page.getByRole('button', { name: /^Easy/ }).isDisabled());
  await ana.page.getByLabel('Clock').selectOption('600000 5000 0');
  assert.ok(await ana.page.getByText('A rated match needs a name').isHidden());
  assert.ok(await ana.page.getByLabel('Your name').isHidden(), 'a player plays under the own name');
  await ana.page.getByLabel('Spectators').selectOption('private');
  await ana.page.getByText('A rated match is public').waitFor();
  await ana.page.getByLabel('Spectators').selectOption('');
  await ana.page.getByLabel('Hints from the engine').selectOption('yes');
  await ana.page.getByText('A rated match has no hints').waitFor();
  await ana.page.getByLabel('Hints from the engine').selectOption('');
  await ana.page.getByLabel('Clock').selectOption({ label: '3 minutes, and 2 seconds a move' });
  await ana.page.getByRole('button', { name: /^Easy/ }).click();
  const id = await inMatch(ana.page);
  const match = await api(`/v1/matches/${id}`);
  assert.deepEqual([match.rated, match.hints], [true, false]);
  assert.ok(match.seats.some((seat) => seat.name === ana.name));
  await openMatch(ana, id);
  // The home page lists the matches of the player.
  await ana.page.goto(URL_);
  await ana.page.locator(`[data-list="mine"] a[href$="${id}"]`).waitFor();
  flawless(guest, ana.who);
});

for (const [way, width, height] of [['upright', 390, 844], ['on its side', 844, 390]]) {
  test(`lobby on a phone ${way}: the first screen has pairing, own matches and free seats; the rest is a press away`, { timeout: 300_000 }, async (t) => {
    const bob = await player('bob');
    const seat = () => api('/v1/matches', { token: bob.token, body: { game: slug, seats: [{ kind: 'me' }, { kind: 'open' }] } });
    // The page is short also where many matches have a free seat.
    for (let n = 0; n < 8; n += 1) await seat();
    const { id: free } = await seat();
    const ana = await signedIn(t, browser, '/', { name: 'ana', width, height });
    const { id: own } = await api('/v1/matches', { token: ana.token, body: { game: slug, seats: [{ kind: 'me' }, { kind: 'engine', level: 'easy' }] } });
    const { page } = ana;
    await page.goto(`${URL_}/lobby`);
    const parts = page.getByRole('group', { name: 'Show' });
    const [pair, mine, seats] = [page.getByRole('list', { name: 'Play at once' }).getByRole('button').last(), page.locator(`[data-list="mine"] a[href="/matches/${own}"]`),
      page.locator(`[data-list="open"] a[href="/matches/${free}"]`)];
    await mine.waitFor();
    await page.waitForTimeout(300);
    for (const one of [pair, parts, ...(height > width ? [mine, seats] : [seats])]) {
      const { y } = await one.boundingBox();
      assert.ok(y >= 0 && y < height - 24, `${one} is at ${y}`);
    }
    if (process.env.KIBITZ_PICTURES) await page.screenshot({ path: `${process.env.KIBITZ_PICTURES}/lobby-${width}.png`, fullPage: true });
    assert.ok(await page.evaluate(() => document.documentElement.scrollHeight) < 2.2 * Math.max(height, 640), 'the page is short');
    // Each part has its own sections; arrow keys go from one to the next.
    const shown = () => page.locator('.lobby [data-part] h2').evaluateAll((all) => all.filter((one) => one.checkVisibility()).map((one) => one.innerText));
    assert.deepEqual(await shown(), ['Matches with a free seat']);
    await parts.getByRole('radio', { name: 'Free seats' }).focus();
    for (const [name, wanted] of [['Online', ['People online', 'Bots online']], ['Engines', ['Play at once']], ['More', ['Leaderboards', 'Recently finished']]]) {
      await page.keyboard.press('ArrowRight');
      assert.ok(await parts.getByRole('radio', { name }).isChecked(), name);
      assert.deepEqual(await shown(), wanted);
      await good(page, `the lobby: ${name}`);
    }
    // A large screen shows all.
    await page.setViewportSize({ width: 1440, height: 900 });
    assert.ok(await parts.isHidden());
    assert.equal((await shown()).length, 6);
    await good(page, 'the lobby on a large screen');
    await page.getByRole('link', { name: 'All my matches' }).click();
    await page.locator(`#mine a[href="/matches/${own}"]`).waitFor();
    flawless(ana.who);
  });
}

test('own matches follow changes while the first page or the lobby is open', { timeout: 60_000 }, async (t) => {
  const bob = await player('bob');
  const body = { game: slug, seats: [{ kind: 'me' }, { kind: 'open' }] };
  const { id } = await api('/v1/matches', { token: bob.token, body });
  const ana = await signedIn(t, browser, '/', { name: 'ana' });
  await api(`/v1/matches/${id}/join`, { token: ana.token, body: {} });
  const lobby = await ana.context.newPage();
  await Promise.all([ana.page.goto(URL_), lobby.goto(`${URL_}/lobby`)]);
  // Both players move until each of them has been shown as the one to move.
  for (let changes = 0; changes < 2; changes += 1) {
    const { turn } = await api(`/v1/matches/${id}`);
    const wanted = turn === 1 ? /^Your move/ : /^Being played/;
    const shown = (page) => page.locator(`[data-list="mine"] a[href="/matches/${id}"] .stage`).filter({ hasText: wanted });
    await Promise.all([ana.page, lobby].map((page) => shown(page).waitFor({ timeout: 20_000 })));
    while ((await api(`/v1/matches/${id}`)).turn === turn) {
      const { token } = turn === 1 ? ana : bob;
      const { ply, legal_moves: [{ notation }] } = await api(`/v1/matches/${id}`, { token });
      await api(`/v1/matches/${id}/moves`, { token, body: { ply, notation } });
    }
  }
  flawless(ana.who);
});
