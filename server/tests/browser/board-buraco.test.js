// Buraco's board: every legal move is offered when its cards are picked, and melds are shown correctly.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { board } from './fake-dom.js';
import { api, played, positions, shown } from './api-data.js';

const made = await board('buraco');
const CARDS = '../../../engines/src/games/buraco/board/cards.js';
const { dirty, fault, inOrder, lowest, standsFor, suitOfMeld } = await import(CARDS);

test('every listed move is offered, whichever copies of its cards are picked, and legal', async () => {
  let melds = 0;
  for await (const { view, moves, at } of positions('buraco', { parts: 7 })) {
    const hand = new Set(made.choices(view));
    assert.equal(hand.size, view.hand.length, at);
    const asked = [];
    for (const { move, notation } of moves) {
      const path = made.paths(move, view);
      const place = path.at(-1)[0];
      const cards = path.slice(0, -1).flat();
      for (const target of cards) assert.ok(hand.has(target), `${at}: ${target}`);
      const second = (target) => hand.has(`${target}:2`) && !cards.includes(`${target}:2`);
      const others = cards.map((target) => (second(target) ? `${target}:2` : target));
      for (const picked of [[...cards].reverse(), others]) {
        const offers = made.offers(picked, view);
        assert.equal(new Set(offers.map(({ target }) => target)).size, offers.length, at);
        const offer = offers.find(({ target }) => target === place);
        assert.ok(offer, `${at}: ${notation} is not offered`);
        asked.push({ ...offer, move });
      }
      melds += notation.startsWith('MELD') ? 1 : 0;
    }
    for (let from = 0; from < asked.length; from += 100) {
      const part = asked.slice(from, from + 100);
      const notations = part.map(({ notation }) => notation);
      const { checked } = await api('/v1/games/buraco/legal-moves', { position: view, notations });
      checked.forEach(({ legal, move, notation }, i) =>
        assert.deepEqual([legal, move], [true, part[i].move], `${at}: ${notation}`));
    }
  }
  assert.ok(melds > 200, `${melds} melds and joins`);
});

test('only cards get offers', async () => {
  const { position } = await api('/v1/games/buraco/positions', { seed: 3 });
  assert.deepEqual(made.offers(['stock'], position), []);
  assert.deepEqual(made.offers(made.choices(position).slice(0, 1), position), []);
});

test('wild cards are shown as the cards they stand for', async () => {
  let wild = 0;
  for await (const { view, at } of positions('buraco', { parts: 6 })) {
    for (const meld of view.melds.flat()) {
      const replaced = standsFor(meld);
      const whole = meld.map((card, i) => replaced[i] ?? card);
      const low = lowest(meld);
      whole.forEach((card, i) => {
        if (low + i < 1) return;
        assert.equal('A 2 3 4 5 6 7 8 9 10 J Q K A'.split(' ')[low + i - 1], card.slice(0, -1), `${at}: ${meld}`);
        if (card.slice(0, -1) !== 'A') assert.equal(card.slice(-1), suitOfMeld(meld), `${at}: ${meld}`);
      });
      assert.equal(dirty(meld), replaced.some((card) => card !== null), `${at}: ${meld}`);
      wild += replaced.filter((card) => card !== null).length;
    }
  }
  assert.ok(wild > 20, `${wild} wild cards`);
});

test('a meld is named in its order on the table', async () => {
  assert.deepEqual(inOrder(['3♠', 'A♠', '2♦']), ['A♠', '2♦', '3♠']);
  assert.deepEqual(inOrder(['K♥', 'A♥', 'Q♥']), ['Q♥', 'K♥', 'A♥']);
  assert.deepEqual(inOrder(['5♣', '7♣', '2♥']), ['5♣', '2♥', '7♣']);
  let melds = 0;
  let wild = 0;
  for (const seed of ['1', '2', '3', '4', '5', '6']) {
    const { id, token } = await played('buraco', seed);
    for (const { view, last } of await shown(id, token)) {
      const cards = last?.move.meld_new?.cards ?? (last?.move.get_discard && [...last.move.get_discard.cards, last.before.pile.at(-1)]);
      if (!cards) continue;
      melds += 1;
      const laid = view.melds[last.seat].at(-1);
      wild += dirty(laid) ? 1 : 0;
      assert.deepEqual(inOrder(cards), laid);
      assert.ok(made.say(last.move, last.before, made.t).includes(laid.join(' ')));
    }
  }
  assert.ok(melds > 10 && wild > 0, `${melds} melds, ${wild} with a wild card`);
});

test('picked cards are described by what they form', () => {
  const view = { drawn: true, to_move: 0, melds: [[['5♠', '6♠', '7♠']], []], pile: ['4♥'], hand: [] };
  const forms = (cards, ...places) => made.forms(cards.map((card) => `card:${card}`), view, new Set(places), made.t);
  assert.equal(forms(['8♠'], 'meld:0', 'pile'), 'It fits your meld 5♠ to 7♠. Or discard it to end your turn.');
  assert.equal(forms(['8♥'], 'pile'), 'It fits none of your melds; discard it to end your turn.');
  assert.equal(forms(['8♠', '9♠', '10♠'], 'meld:0', 'new'), 'They form a new meld. They fit your meld 5♠ to 7♠.');
  assert.equal(forms(['8♠', '9♥', '10♠']), 'They form no meld: a meld has one suit only.');
  view.drawn = false;
  assert.equal(forms(['5♥', '6♥'], 'pile'), 'Together with 4♥ they form a meld: you may take the lixo.');
  assert.equal(forms(['5♥', '8♠']), 'With 4♥ they form no meld: a meld has one suit only.');
});

test('faults name the right reason', () => {
  assert.equal(fault(['5♠', '6♠']), 'few');
  assert.equal(fault(['5♠', '6♥', '7♠']), 'suits');
  assert.equal(fault(['5♠', '5♠', '6♠']), 'twice');
  assert.equal(fault(['2♠', '2♥', '2♦', '6♠']), 'twos');
  assert.equal(fault(['5♠', '6♠', '9♠']), 'gap');
  assert.equal(fault(['5♠', '2♥', '9♠']), 'gap.two');
});
