// The drawings that the program's pictures of positions are made of are those of the boards.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { drawings, fileOf } from './board-art.js';

test('the drawings in pictures of positions are those of the boards', { timeout: 300_000 }, async () => {
  const all = await drawings();
  assert.ok(all.size >= 5, [...all.keys()].join());
  for (const [slug, text] of all) {
    const kept = readFileSync(fileOf(slug), 'utf8');
    assert.ok(kept === text, `art.json of ${slug} differs from its board: run \`node server/tests/browser/board-art.js\``);
    const { pieces, colours } = JSON.parse(kept);
    for (const [name, shapes] of Object.entries(pieces)) assert.match(shapes, /^<[\s\S]*>$/, `${slug}: ${name} is empty`);
    for (const [name, colour] of Object.entries(colours)) assert.match(colour, /^#[0-9a-f]{6}([0-9a-f]{2})?$/, `${slug}: ${name}`);
  }
});
