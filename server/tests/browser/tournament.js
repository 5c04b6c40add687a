// Tournaments in the browser, as an organizer makes them: the form, the engines, and what their pages show.

import assert from 'node:assert/strict';

import { good } from './axe.js';
import { fresh } from './people.js';
import { URL_, api, games } from './visitor.js';

// A game whose best engine answers at once comes to its end soon.
export const quick = games.find((game) => game.min_seats === 2 && game.engines[0].instant) ?? games[0];

// Fills in the form for a tournament; its title.
export async function fillIn(page, { game = quick.slug, ...fields } = {}) {
  await page.goto(`${URL_}/tournaments`);
  await page.getByRole('link', { name: 'New tournament' }).click();
  const form = page.locator('#new:not([inert])');
  await form.waitFor();
  const title = fresh('Cup');
  await form.getByLabel('Title').fill(title);
  await form.locator('[name=game]').selectOption(game);
  for (const [name, value] of Object.entries(fields)) {
    const field = form.getByLabel(name);
    if (!(await field.isVisible())) await form.getByText('Table, deals, limits').click();
    if (await field.evaluate((one) => one.tagName === 'SELECT')) await field.selectOption(value);
    else await field.fill(String(value));
  }
  await good(page, 'the form');
  return title;
}

// Creates a tournament with the form; its id.
export async function create(page, fields) {
  const title = await fillIn(page, fields);
  await page.getByRole('button', { name: 'Create the tournament' }).click();
  await page.waitForURL(/\/tournaments\/[0-9a-f]{8}-/);
  assert.equal(await page.locator('h1').innerText(), title);
  return new URL(page.url()).pathname.split('/').pop();
}

export const stage = (page, text) => page.locator('#facts .stage').filter({ hasText: text });
export const rows = (page) => page.locator('#standings tbody tr');

// The tables that must be scrolled sideways.
export const scrolled = (page) => page.locator('.wide').evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth)
  .map((one) => `${one.parentElement.id}: ${one.scrollWidth} px in ${one.clientWidth}`));

// The name of a player for people: that of an engine, as `GAME:ENGINE:VERSION:LEVEL`, in words.
export async function shown(name, locale = 'en') {
  const [slug, own, , level] = name.split(':');
  if (!level) return name;
  const [words, texts] = await Promise.all(['/web/', `/web/games/${slug}/`].map((folder) => api(`${folder}${locale}.json`)));
  const [best] = games.find((game) => game.slug === slug).engines;
  return best.name === own ? words[`engine.${level}`] : `${texts[`engine.${own}`]}, ${words[`level.${level}`]}`;
}

// Adds this engine, at its easiest level unless another one is named.
export async function engine(page, name, level = 'easy') {
  const before = await rows(page).count();
  await chooseEngine(page, name, level);
  await rows(page).nth(before).waitFor();
}

// Adds this engine to a gauntlet as a fixed opponent.
export async function opponent(page, name, level = 'easy') {
  const opponents = page.locator('#facts').locator('a[href*="%3A"]');
  const before = await opponents.count();
  await page.getByLabel('As a fixed opponent').check();
  await chooseEngine(page, name, level);
  await opponents.nth(before).waitFor();
  await page.getByLabel('As a fixed opponent').uncheck();
}

async function chooseEngine(page, name, level) {
  const value = await page.locator(`#engine option[value*=":${name}:"][value$=":${level}"]`).getAttribute('value');
  await page.getByLabel('Built-in engine').selectOption(value);
  await page.getByRole('button', { name: 'Add the engine' }).click();
}
