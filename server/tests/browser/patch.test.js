// `patch`: the result equals the drawn tree, and unchanged elements stay the same.

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';

import { URL_, flawless, launch, visitor } from './visitor.js';

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

async function opened(t) {
  const who = await visitor(browser);
  t.after(() => who.context.close());
  await who.page.goto(`${URL_}/bots`);
  return who;
}

test('patch makes any tree equal to the drawn tree', { timeout: 300_000 }, async (t) => {
  const who = await opened(t);
  const wrong = await who.page.evaluate(async () => {
    const { patch } = await import('/web/lib/patch.js');
    const { h } = await import('/web/lib/dom.js');
    let state = 7;
    const dice = (sides) => {
      state = (state * 48271) % 2147483647;
      return state % sides;
    };
    // Similar trees, with names that appear, disappear and change places.
    const tree = (depth) => {
      const names = ['a', 'b', 'c', 'd', 'e', 'f'].sort(() => dice(2) - 0.5).slice(0, dice(6));
      const children = Array.from({ length: dice(5) }, (_, at) => {
        if (dice(4) === 0) return `word ${dice(3)}`;
        const kind = ['p', 'span', 'svg', 'g', 'button'][dice(5)];
        const attrs = { class: dice(2) ? `k${dice(2)}` : null, title: dice(3) ? null : 'x' };
        if (dice(3) === 0) attrs.style = { '--at': String(dice(3)), width: `${dice(3)}px` };
        if (names[at]) attrs.data = { [dice(2) ? 'piece' : 'target']: names[at] };
        return h(kind, attrs, depth > 0 ? tree(depth - 1) : null);
      });
      return children;
    };
    const place = document.body.appendChild(h('div'));
    for (let round = 0; round < 3000; round += 1) {
      const drawn = h('div', {}, tree(3));
      const [from, wanted] = [place.innerHTML, drawn.cloneNode(true)];
      patch(place, drawn);
      if (!place.isEqualNode(wanted)) return { round, from, wanted: wanted.innerHTML, is: place.innerHTML };
    }
    return null;
  });
  assert.equal(wrong, null);
  flawless(who);
});

test('unchanged elements stay the same and keep their focus', async (t) => {
  const who = await opened(t);
  const told = await who.page.evaluate(async () => {
    const { patch } = await import('/web/lib/patch.js');
    const { h } = await import('/web/lib/dom.js');
    const place = document.body.appendChild(h('div'));
    const card = (name, kind) => h('button', { class: kind, data: { piece: name } }, h('b', {}, name));
    const draw = (...cards) => patch(place, h('div', {}, h('h2', {}, 'hand'), h('ul', {}, cards)));
    const [title, of] = [() => place.querySelector('h2'), (name) => place.querySelector(`[data-piece=${name}]`)];
    draw(card('a'), card('b'), card('c'));
    const before = { title: title(), b: of('b'), text: of('b').firstChild, c: of('c') };
    of('b').focus();
    draw(card('b', 'lit'), card('d'), card('c'));
    return {
      title: title() === before.title, b: of('b') === before.b, text: of('b').firstChild === before.text,
      c: of('c') === before.c, focus: document.activeElement === before.b, kind: of('b').className, a: of('a') === null,
    };
  });
  assert.deepEqual(told, { title: true, b: true, text: true, c: true, focus: true, kind: 'lit', a: true });
  flawless(who);
});

test('what a visitor has opened stays open', async (t) => {
  const who = await opened(t);
  const told = await who.page.evaluate(async () => {
    const { patch } = await import('/web/lib/patch.js');
    const { h } = await import('/web/lib/dom.js');
    const drawn = (points) => h('div', {}, h('details', {}, h('summary', {}, 'Ana'), h('p', {}, points)));
    const place = document.body.appendChild(drawn('1'));
    place.querySelector('summary').click();
    patch(place, drawn('2'));
    return [place.querySelector('details').open, place.querySelector('p').textContent];
  });
  assert.deepEqual(told, [true, '2']);
  flawless(who);
});
