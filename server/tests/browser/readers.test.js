// Every game to its end with the means of a screen reader: names and roles of the accessibility tree, and live regions. No
// mouse, no colours, no motion.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { giveSeat, later, openMatch, playOut, withRivals } from './play.js';
import { api, flawless, games, launch, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

// Collects the texts of live regions, as a screen reader reads them.
function listen(who) {
  return who.context.addInitScript(() => {
    window.heard = [];
    const LIVE = '[aria-live="polite"], [aria-live="assertive"], [role="status"], [role="alert"]';
    new MutationObserver((changes) => {
      for (const region of new Set(changes.flatMap(({ target }) => (target instanceof Element ? target : target.parentElement)?.closest(LIVE) ?? []))) {
        const text = region.textContent.trim();
        if (text && region.checkVisibility()) window.heard.push(text);
      }
    }).observe(document, { subtree: true, childList: true, characterData: true });
  });
}

const heard = (page) => page.evaluate(() => window.heard.splice(0));

// A node of the accessibility tree: its role, name, whether it can be focused, and its element.
function described(node) {
  const value = (name) => node.properties?.find((property) => property.name === name)?.value.value;
  return { role: node.role?.value, name: node.name?.value.trim() ?? '', node: node.backendDOMNodeId,
    focusable: !node.ignored && value('focusable') === true };
}

// The elements of the page that can be focused, from the accessibility tree.
async function focusable(session) {
  const { nodes } = await session.send('Accessibility.getFullAXTree');
  return nodes.map(described).filter((node) => node.focusable && node.role !== 'RootWebArea');
}

// The accessibility tree's nodes for the elements of a target. The whole tree would take many times as long.
async function nodesOf(session, target) {
  const { root: { nodeId } } = await session.send('DOM.getDocument', { depth: 0 });
  const selector = `[data-target=${JSON.stringify(target)}]`;
  const { nodeIds } = await session.send('DOM.querySelectorAll', { nodeId, selector });
  const all = await Promise.all(nodeIds.map((one) => session.send('Accessibility.getPartialAXTree', { nodeId: one, fetchRelatives: false })));
  return all.flatMap(({ nodes }) => nodes.map(described));
}

// Focuses the button of a target, found in the accessibility tree, and presses it.
async function activate(page, session, target) {
  const found = (await nodesOf(session, target)).find(({ role, focusable: can }) => can && role === 'button');
  assert.ok(found, `the accessibility tree has no button for ${target}`);
  assert.ok(found.name.length > 1, `${target} has a name: ${found.name}`);
  assert.doesNotMatch(found.name, /[{}]|undefined|NaN|^\w+\.\w+/, 'the name is a text');
  await session.send('DOM.focus', { backendNodeId: found.node });
  await page.keyboard.press('Enter');
}

for (const { slug, title, min_seats: least } of games) {
  test(`${title}: a whole match by names and announcements`, { timeout: 600_000 }, async (t) => {
    const { id, token, rivals } = await withRivals(slug, Math.max(1, least - 1), { seed: '4' });
    const who = await visitor(browser, { forcedColors: 'active' });
    t.after(() => who.context.close());
    const { page, context } = who;
    await listen(who);
    await giveSeat(who, id, token);
    await openMatch(who, id);
    const session = await context.newCDPSession(page);
    await session.send('DOM.enable');
    let own = 0;
    let silent = 0;
    const move = async (one, { targets, ply }) => {
      await one.locator('.place .lit').first().waitFor({ timeout: 60_000 });
      own += 1;
      // The page announces the viewer's turn, or the other player's action.
      if ((await heard(one)).length === 0 && own > 1) silent += 1;
      for (const target of targets) await activate(one, session, target);
      const now = await focusable(session);
      assert.deepEqual(now.filter(({ role, name }) => !name && role !== 'generic'), [], 'everything that can be focused has a name');
      const play = now.filter(({ role, name }) => role === 'button' && name);
      assert.ok(play.length > 0);
      await one.locator('.bar button.main').focus();
      await one.keyboard.press('Enter');
      await later(one, ply);
    };
    await playOut(id, [{ page, make: move }], { rivals, seed: 4 });
    assert.ok(own > 3);
    assert.equal(silent, 0, 'no turn begins without an announcement');
    await page.locator('section.end').waitFor();
    const said = (await heard(page)).join(' | ');
    assert.match(said, /won|lost|draw|Shared|over|no winner/, 'the result is announced');
    assert.equal((await api(`/v1/matches/${id}`)).ended, 'played');
    flawless(who);
  });
}
