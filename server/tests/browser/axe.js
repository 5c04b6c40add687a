// Checks that a page is accessible, light and dark, and no wider than its window.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const ALL = ['minor', 'moderate', 'serious', 'critical'];

// What the checker finds on the page as it is, of these grades.
async function findings(page, grades) {
  await page.evaluate(axe);
  return page.evaluate(async (impacts) => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });
    return violations.filter(({ impact }) => impacts.includes(impact)).map(({ id, nodes }) =>
      `${id}: ${nodes.slice(0, 3).map(({ html, any }) => `${html.slice(0, 160)} ${any[0]?.message}`).join(' | ')}`);
  }, grades);
}

// Checks the page as it is; `what` names it in a failure.
export async function good(page, what, grades = ALL) {
  for (const colorScheme of ['light', 'dark']) {
    await page.emulateMedia({ colorScheme });
    assert.deepEqual(await findings(page, grades), [], `${what}, ${colorScheme}`);
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${what} is ${wide} px wider than the window`);
}
