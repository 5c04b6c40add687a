// Checks that a page is accessible, light and dark, and no wider than its window.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { resize } from './visitor.js';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ALL = ['minor', 'moderate', 'serious', 'critical'];
// The rules that depend on colours.
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];
// The rules that depend on the places and sizes of elements.
const OF_LAYOUT = ['target-size', 'scrollable-region-focusable'];

// The checker's findings on the current page, of these grades. `rules`: only these rules of the checker. `places`: only these
// elements, by their numbers among all.
async function findings(page, grades, { rules, places } = {}) {
  if (!await page.evaluate(() => 'axe' in window)) await page.evaluate(axe);
  return page.evaluate(async ({ impacts, runOnly, numbers }) => {
    const all = document.body.querySelectorAll('*');
    const context = numbers ? { include: numbers.map((number) => all[number]) } : document;
    // The page has no frames, and nothing here needs selectors.
    const options = { resultTypes: ['violations'], iframes: false, selectors: false, preload: false };
    const { violations } = await window.axe.run(context, { ...options, ...(runOnly && { runOnly }) });
    return violations.filter(({ impact }) => impacts.includes(impact)).map(({ id, nodes }) =>
      `${id}: ${nodes.slice(0, 3).map(({ html, any }) => `${html.slice(0, 160)} ${any[0]?.message}`).join(' | ')}`);
  }, { impacts: grades, runOnly: rules, numbers: places });
}

async function noWiderThanItsWindow(page, what) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${what} is ${wide} px wider than the window`);
}

// Checks the current page; `what` names it in a failure. Dark differs from light only in the colours. `dark`: whether to
// check that too.
export async function good(page, what, grades = ALL, dark = true) {
  for (const [colorScheme, rules] of [['light'], ...dark ? [['dark', OF_COLOURS]] : []]) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await findings(page, grades, { rules }), [], `${what}, ${colorScheme}`);
  }
  await noWiderThanItsWindow(page, what);
}

// Of each element of the page, whether it is shown, and how its text looks and on what. The contrast that a text needs depends
// on whether it is large: from 24 px, or 18.66 px if it is bold.
function appearance(page) {
  return page.evaluate(() => [...document.body.querySelectorAll('*')].map((element) => {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return { shown: false };
    const { color, backgroundColor, backgroundImage, fontSize, fontWeight, opacity, position, textDecorationLine } = getComputedStyle(element);
    const { width, height } = element.getBoundingClientRect();
    const size = [0, 18.66, 24].filter((least) => parseFloat(fontSize) > least).length;
    return { shown: width > 0 && height > 0, look: [color, backgroundColor, backgroundImage, size, fontWeight, opacity, position, textDecorationLine].join() };
  }));
}

// Checks the current page in windows of these sizes, `[name, width, height]`, by all rules where other elements are shown than
// in the sizes before. Where the same are shown, only those rules can find more that look at the layout, and at the colours of the
// texts that look different. Its dark colours depend on no size. `overlaps`: whether elements lie on one another, otherwise in each
// size, so that each text may have another background.
export async function goodInSizes(page, what, sizes, grades = ALL, overlaps = false) {
  const everywhere = overlaps ? [...OF_LAYOUT, ...OF_COLOURS] : OF_LAYOUT;
  const before = [];
  for (const [size, width, height] of sizes) {
    const here = `${what} on ${size}`;
    await resize(page, { width, height });
    await page.emulateMedia({ colorScheme: 'light' });
    const seen = await appearance(page);
    const same = before.find((other) => other.length === seen.length && other.every(({ shown }, place) => shown === seen[place].shown));
    if (!same) {
      await good(page, here, grades, before.length === 0);
    } else {
      const places = [...seen.keys()].filter((place) => seen[place].look !== same[place].look);
      assert.deepEqual(await findings(page, grades, { rules: everywhere }), [], here);
      if (!overlaps && places.length > 0) assert.deepEqual(await findings(page, grades, { rules: OF_COLOURS, places }), [], here);
      await noWiderThanItsWindow(page, here);
    }
    before.push(seen);
  }
}
