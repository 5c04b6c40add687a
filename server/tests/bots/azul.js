// A bot for Azul, written from the competition's specification: reads the whole state each turn, and fills the line that has
// the least room to spare. It must not use code of the engines.

import process from 'node:process';

const COLOURS = ['g', 'o', 'b', 'y', 'r'];
/** The words of a turn: the time, the centre, the displays, the marker's holder, and two boards. */
const WORDS = 1 + 6 + 25 + 1 + 2 * (10 + 25 + 2);

/** The best move of a turn: its words. */
function choose(words) {
  const take = count => words.splice(0, count);
  take(1);
  const centre = take(6).map(Number);
  const displays = [centre.slice(0, 5)];
  for (let i = 0; i < 5; i += 1) displays.push(take(5).map(Number));
  take(1);
  const lines = [];
  for (let i = 0; i < 5; i += 1) {
    const [count, colour] = take(2);
    lines.push({ count: Number(count), colour });
  }
  const wall = [];
  for (let i = 0; i < 5; i += 1) wall.push(take(5));
  let best = null, most = -Infinity;
  displays.forEach((tiles, display) => tiles.forEach((count, c) => {
    if (count === 0) return;
    for (let line = 0; line <= 5; line += 1) {
      let worth = -2 * count;
      if (line < 5) {
        const { count: held, colour } = lines[line];
        const room = line + 1 - held;
        const isOpen = room > 0 && (held === 0 || colour === COLOURS[c]) && !wall[line].includes(COLOURS[c]);
        if (!isOpen) continue;
        const surplus = Math.max(0, count - room);
        worth = 2 * Math.min(count, room) - 3 * surplus - (room - Math.min(count, room)) / 2;
      }
      if (display === 0 && centre[5] === 1) worth -= 1;
      if (worth > most) [best, most] = [`${display} ${COLOURS[c]} ${line}`, worth];
    }
  }));
  return best;
}

let text = '';
const words = [];
process.stdin.on('data', data => {
  const parts = (text + data).split(/\s+/);
  text = parts.pop();
  words.push(...parts.filter(Boolean));
  while (words.length >= WORDS) process.stdout.write(`${choose(words.splice(0, WORDS))}\n`);
});
process.stdin.on('end', () => process.exit(0));
process.stdout.write('state\n');
