// Ioiwari's board: seven pits on a ring with beads in them, a bank on each side.

import { h } from '/web/js/dom.js';

import { FULL, PITS, paths, say, sow, steps } from './moves.js';

export { paths, say, steps };

// Where so many beads lie, in percent of what they lie in.
const LIE = [
  [],
  [[50, 50]],
  [[32, 50], [68, 50]],
  [[50, 30], [31, 64], [69, 64]],
  [[33, 33], [67, 33], [33, 67], [67, 67]],
  [[50, 26], [27, 44], [73, 44], [36, 71], [64, 71]],
];

export function draw(view, ctx) {
  const me = ctx.me ?? 0;
  const told = ctx.step === undefined ? happened(ctx.last) : null;
  return h('div', { class: 'board-ioiwari' },
    bank(view, ctx, 1 - me, told, 'theirs'),
    ring(view, ctx, told),
    bank(view, ctx, me, told, 'ours'),
    h('p', { class: 'legend' }, ctx.t('legend')));
}

// What the last move did: the pit it emptied, where its last bead came to, and what the banks gained.
function happened(last) {
  if (!last) return null;
  const { own, other, took, last: end } = sow(last.before.pits, last.move.pit - 1);
  const gained = last.seat === 0 ? [own, other] : [other, own];
  return { from: last.move.pit - 1, end, took, gained };
}

const bead = (piece, [x, y], shade) => h('span', {
  class: ['bead', `shade-${shade % 3}`], data: { piece }, style: { left: `${x}%`, top: `${y}%` }, 'aria-hidden': 'true',
});

function ring(view, ctx, told) {
  const { t } = ctx;
  const { sowing } = view;
  return h('div', { class: 'ring', role: 'group', 'aria-label': t('ring') },
    arrows(),
    view.pits.map((_, i) => pit(view, ctx, i, told)),
    h('div', { class: 'centre' }, sowing
      ? [h('div', { class: 'held' }, held(sowing)),
        h('p', {}, t(sowing.hand === 1 ? 'held.one' : 'held', { n: sowing.hand }))]
      : h('p', { class: 'words' }, words(ctx, told))));
}

// The place of a pit on the ring, in percent, or of something a little nearer to its middle.
function place(i, radius = 36.5) {
  const turn = (i / PITS) * 2 * Math.PI - Math.PI / 2;
  return { left: `${50 + radius * Math.cos(turn)}%`, top: `${50 + radius * Math.sin(turn)}%` };
}

function pit(view, ctx, i, told) {
  const { t } = ctx;
  const beads = view.pits[i];
  const label = t(beads === 0 ? 'pit.empty' : beads === 1 ? 'pit.one' : 'pit', { pit: i + 1, n: beads });
  const state = [
    beads === FULL && 'full', view.sowing?.at === i && 'at', view.sowing?.from === i && 'from',
    told?.from === i && 'from', told?.end === i && (told.took > 0 ? 'captured' : 'ended'),
  ];
  return [
    h('div', {
      class: ['pit', state], data: { target: `pit:${i + 1}` }, 'aria-label': label, title: label, style: place(i),
    },
      LIE[beads].map((spot, k) => bead(`pit:${i}:${k}`, spot, i + k)),
      told?.end === i && told.took > 0 && h('span', { class: 'ghost', 'aria-hidden': 'true' }, `−${told.took}`)),
    h('span', { class: 'number', style: place(i, 24.4), 'aria-hidden': 'true' }, beads),
    h('span', { class: 'name', style: place(i, 18.6), 'aria-hidden': 'true' }, i + 1),
  ];
}

// The beads in the hand keep the names they had in the pit they come from.
const held = (sowing) => LIE[sowing.hand].map((spot, k) => bead(`pit:${sowing.from}:${k}`, spot, k));

function words({ t, seats }, told) {
  if (!told) return t('centre.start');
  const name = (seat) => seats[seat]?.name ?? t('seat', { n: seat + 1 });
  const gains = [0, 1].filter((seat) => told.gained[seat] > 0);
  const key = (seat) => (told.gained[seat] === 1 ? 'centre.gain.one' : 'centre.gain');
  return gains.map((seat) => h('span', {}, t(key(seat), { n: told.gained[seat], who: name(seat) })));
}

// Which way the beads go: between each two pits.
function arrows() {
  const turns = Array.from({ length: PITS }, (_, i) => `rotate(${((i + 0.5) / PITS) * 360} 50 50)`);
  return h('svg', { class: 'way', viewBox: '0 0 100 100', 'aria-hidden': 'true' },
    turns.map((transform) => h('path', { d: 'M48.9 8.6L51.3 11 48.9 13.4', transform })));
}

function bank(view, ctx, seat, told, side) {
  const { t } = ctx;
  const name = ctx.seats[seat]?.name ?? t('seat', { n: seat + 1 });
  const beads = view.banks[seat];
  const gained = told?.gained[seat] ?? 0;
  // While beads are sown it is still the turn of whoever sows.
  const turn = (view.sowing?.seat ?? ctx.turn) === seat;
  return h('section', { class: ['bank', side, turn && 'turn'], 'aria-label': t('bank.of', { who: name, n: beads }) },
    h('header', {}, h('strong', {}, name), turn && h('span', { class: 'tag' }, t('to_move'))),
    h('div', { class: 'count' }, h('b', {}, beads), gained > 0 && h('span', { class: 'gain' }, `+${gained}`)),
    h('div', { class: 'tray', title: t('bank') },
      Array.from({ length: beads }, (_, k) => bead(`bank:${seat}:${k}`, [0, 0], seat + k)),
      beads > 20 && null));
}
