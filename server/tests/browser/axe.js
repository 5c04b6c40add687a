// Checks that a page is accessible, light and dark, and no wider than its window.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ALL = ['minor', 'moderate', 'serious', 'critical'];
// The rules that depend on colours.
const OF_COLOURS = ['color-contrast', 'link-in-text-block'];

// The checker's findings on the current page, of these grades. `rules`: only these rules of the checker.
async function findings(page, grades, rules) {
  if (!await page.evaluate(() => 'axe' in window)) await page.evaluate(axe);
  return page.evaluate(async ({ impacts, runOnly }) => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'], ...(runOnly && { runOnly }) });
    return violations.filter(({ impact }) => impacts.includes(impact)).map(({ id, nodes }) =>
      `${id}: ${nodes.slice(0, 3).map(({ html, any }) => `${html.slice(0, 160)} ${any[0]?.message}`).join(' | ')}`);
  }, { impacts: grades, runOnly: rules });
}

// Checks the current page; `what` names it in a failure. Dark differs from light only in the colours. `dark`: whether to
// check that too.
export async function good(page, what, grades = ALL, dark = true) {
  for (const [colorScheme, rules] of [['light'], ...dark ? [['dark', OF_COLOURS]] : []]) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await findings(page, grades, rules), [], `${what}, ${colorScheme}`);
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${what} is ${wide} px wider than the window`);
}

// Checks the current page in windows of these sizes, `[name, width, height]`. Its colours depend on no size.
export async function goodInSizes(page, what, sizes, grades = ALL) {
  for (const [n, [size, width, height]] of sizes.entries()) {
    await page.setViewportSize({ width, height });
    await good(page, `${what} on ${size}`, grades, n === 0);
  }
}
