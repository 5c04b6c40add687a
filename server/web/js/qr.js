// A text as a QR code (ISO/IEC 18004): bytes, error correction level M, versions 1 to 15. Pure: it draws nothing.

// For level M, by version: the codewords of error correction in a block, and the number of blocks.
const EACH = [10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24];
const BLOCKS = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10];
// The bits that name level M in the format information.
const LEVEL = 0;

/**
 * The code of a text as rows of modules, true for dark ones; null if the text is too long.
 * @param {string} text
 * @returns {boolean[][] | null}
 */
export function qr(text) {
  const bytes = [...new TextEncoder().encode(text)];
  const version = EACH.findIndex((_, i) => 4 + lengthBits(i + 1) + 8 * bytes.length <= 8 * capacity(i + 1)) + 1;
  if (version === 0) return null;
  const words = interleaved(version, content(version, bytes));
  const fixed = frame(version);
  const all = MASKS.map((mask, number) => masked(version, fixed, words, mask, number));
  return all.reduce((best, one) => (penalty(one) < penalty(best) ? one : best));
}

const lengthBits = (/** @type {number} */ version) => (version < 10 ? 8 : 16);
const sizeOf = (/** @type {number} */ version) => 17 + 4 * version;

/**
 * All codewords of a version.
 * @param {number} version
 */
function codewords(version) {
  let modules = (16 * version + 128) * version + 64;
  if (version > 1) {
    const count = Math.floor(version / 7) + 2;
    modules -= (25 * count - 10) * count - 55;
    if (version > 6) modules -= 36;
  }
  return Math.floor(modules / 8);
}

const capacity = (/** @type {number} */ version) => codewords(version) - EACH[version - 1] * BLOCKS[version - 1];

/**
 * The codewords of the content: mode, length, bytes and padding.
 * @param {number} version
 * @param {number[]} bytes
 */
function content(version, bytes) {
  /** @type {number[]} */
  const bits = [];
  const put = (/** @type {number} */ value, /** @type {number} */ count) => {
    for (let i = count - 1; i >= 0; i -= 1) bits.push((value >> i) & 1);
  };
  put(4, 4);
  put(bytes.length, lengthBits(version));
  for (const byte of bytes) put(byte, 8);
  const room = 8 * capacity(version);
  put(0, Math.min(4, room - bits.length));
  put(0, (8 - (bits.length % 8)) % 8);
  for (let pad = 0xec; bits.length < room; pad ^= 0xec ^ 0x11) put(pad, 8);
  return Array.from({ length: bits.length / 8 }, (_, i) => bits.slice(8 * i, 8 * i + 8).reduce((sum, bit) => 2 * sum + bit, 0));
}

/**
 * The product in the field of 256 elements.
 * @param {number} a
 * @param {number} b
 */
function times(a, b) {
  let product = 0;
  for (let i = 7; i >= 0; i -= 1) {
    product = (product << 1) ^ ((product >>> 7) * 0x11d);
    product ^= ((b >>> i) & 1) * a;
  }
  return product;
}

/**
 * The Reed-Solomon remainder of a block.
 * @param {number[]} block
 * @param {number} degree
 */
function remainder(block, degree) {
  /** @type {number[]} */
  const divisor = Array(degree - 1).fill(0).concat(1);
  let root = 1;
  for (let i = 0; i < degree; i += 1) {
    for (let j = 0; j < degree; j += 1) divisor[j] = times(divisor[j], root) ^ (divisor[j + 1] ?? 0);
    root = times(root, 2);
  }
  return block.reduce((rest, byte) => {
    const factor = byte ^ rest[0];
    return [...rest.slice(1), 0].map((value, i) => value ^ times(divisor[i], factor));
  }, Array(degree).fill(0));
}

/**
 * All codewords in the order in which they are drawn.
 * @param {number} version
 * @param {number[]} data
 */
function interleaved(version, data) {
  const [count, each] = [BLOCKS[version - 1], EACH[version - 1]];
  const short = Math.floor(codewords(version) / count) - each;
  const longer = codewords(version) % count;
  /** @type {number[][]} */
  const blocks = [];
  for (let i = 0, at = 0; i < count; i += 1) {
    const length = short + (i < count - longer ? 0 : 1);
    blocks.push(data.slice(at, at + length));
    at += length;
  }
  const checks = blocks.map((block) => remainder(block, each));
  const across = (/** @type {number[][]} */ rows) => Array.from({ length: Math.max(...rows.map((row) => row.length)) },
    (_, i) => rows.flatMap((row) => (i < row.length ? [row[i]] : []))).flat();
  return [...across(blocks), ...across(checks)];
}

/**
 * The centres of the alignment patterns.
 * @param {number} version
 */
function alignments(version) {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const step = Math.ceil((4 * version + 4) / (2 * count - 2)) * 2;
  return [6, ...Array.from({ length: count - 1 }, (_, i) => sizeOf(version) - 7 - step * (count - 2 - i))];
}

/**
 * The modules that do not depend on the content; undefined where content and mask decide. The places of the format
 * information are light for now.
 * @param {number} version
 * @returns {(boolean | undefined)[][]}
 */
function frame(version) {
  const size = sizeOf(version);
  /** @type {(boolean | undefined)[][]} */
  const rows = Array.from({ length: size }, () => Array(size).fill(undefined));
  const set = (/** @type {number} */ x, /** @type {number} */ y, /** @type {boolean} */ dark) => {
    if (rows[y]?.[x] !== undefined || (x >= 0 && x < size && y >= 0 && y < size)) rows[y][x] = dark;
  };
  for (let i = 0; i < size; i += 1) {
    set(6, i, i % 2 === 0);
    set(i, 6, i % 2 === 0);
  }
  for (const [cx, cy] of [[3, 3], [size - 4, 3], [3, size - 4]]) {
    for (let dy = -4; dy <= 4; dy += 1) {
      for (let dx = -4; dx <= 4; dx += 1) {
        const away = Math.max(Math.abs(dx), Math.abs(dy));
        set(cx + dx, cy + dy, away !== 2 && away !== 4);
      }
    }
  }
  const centres = alignments(version);
  const last = centres.length - 1;
  for (const [i, cx] of centres.entries()) {
    for (const [j, cy] of centres.entries()) {
      if ((i === 0 && j === 0) || (i === 0 && j === last) || (i === last && j === 0)) continue;
      for (let dy = -2; dy <= 2; dy += 1) {
        for (let dx = -2; dx <= 2; dx += 1) set(cx + dx, cy + dy, Math.max(Math.abs(dx), Math.abs(dy)) !== 1);
      }
    }
  }
  format(set, size, 0);
  if (version >= 7) {
    const bits = (version << 12) | check(version, 12, 0x1f25);
    for (let i = 0; i < 18; i += 1) {
      const [a, b] = [size - 11 + (i % 3), Math.floor(i / 3)];
      set(a, b, ((bits >>> i) & 1) === 1);
      set(b, a, ((bits >>> i) & 1) === 1);
    }
  }
  return rows;
}

/**
 * The check bits of a BCH code.
 * @param {number} value
 * @param {number} bits
 * @param {number} generator
 */
function check(value, bits, generator) {
  let rest = value;
  for (let i = 0; i < bits; i += 1) rest = (rest << 1) ^ ((rest >>> (bits - 1)) * generator);
  return rest;
}

/**
 * Draws the format information, which names the mask.
 * @param {(x: number, y: number, dark: boolean) => void} set
 * @param {number} size
 * @param {number} mask
 */
function format(set, size, mask) {
  const data = (LEVEL << 3) | mask;
  const bits = ((data << 10) | check(data, 10, 0x537)) ^ 0x5412;
  const bit = (/** @type {number} */ i) => ((bits >>> i) & 1) === 1;
  for (let i = 0; i <= 5; i += 1) set(8, i, bit(i));
  set(8, 7, bit(6));
  set(8, 8, bit(7));
  set(7, 8, bit(8));
  for (let i = 9; i < 15; i += 1) set(14 - i, 8, bit(i));
  for (let i = 0; i < 8; i += 1) set(size - 1 - i, 8, bit(i));
  for (let i = 8; i < 15; i += 1) set(8, size - 15 + i, bit(i));
  set(8, size - 8, true);
}

/** @type {((x: number, y: number) => boolean)[]} */
const MASKS = [
  (x, y) => (x + y) % 2 === 0,
  (_, y) => y % 2 === 0,
  (x) => x % 3 === 0,
  (x, y) => (x + y) % 3 === 0,
  (x, y) => (Math.floor(x / 3) + Math.floor(y / 2)) % 2 === 0,
  (x, y) => ((x * y) % 2) + ((x * y) % 3) === 0,
  (x, y) => (((x * y) % 2) + ((x * y) % 3)) % 2 === 0,
  (x, y) => (((x + y) % 2) + ((x * y) % 3)) % 2 === 0,
];

/**
 * The whole code with one mask.
 * @param {number} version
 * @param {(boolean | undefined)[][]} fixed
 * @param {number[]} words
 * @param {(x: number, y: number) => boolean} mask
 * @param {number} number
 */
function masked(version, fixed, words, mask, number) {
  const size = sizeOf(version);
  const rows = fixed.map((row) => row.map((dark) => dark === true));
  let at = 0;
  for (let right = size - 1; right >= 1; right -= 2) {
    // The column of the timing pattern is left out.
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) {
      for (const x of [right, right - 1]) {
        const upwards = ((right + 1) & 2) === 0;
        const y = upwards ? size - 1 - step : step;
        if (fixed[y][x] !== undefined) continue;
        const dark = at < 8 * words.length && ((words[at >> 3] >>> (7 - (at & 7))) & 1) === 1;
        rows[y][x] = dark !== mask(x, y);
        at += 1;
      }
    }
  }
  format((x, y, dark) => { rows[y][x] = dark; }, size, number);
  return rows;
}

/**
 * How hard a code is to read: long runs, blocks, patterns like a finder's, and an uneven share of dark modules.
 * @param {boolean[][]} rows
 */
function penalty(rows) {
  const size = rows.length;
  const columns = rows.map((_, x) => rows.map((row) => row[x]));
  let sum = 0;
  for (const line of [...rows, ...columns]) {
    const text = line.map((dark) => (dark ? '1' : '0')).join('');
    for (const [run] of text.matchAll(/0{5,}|1{5,}/g)) sum += run.length - 2;
    sum += 40 * [...text.matchAll(/(?=10111010000|00001011101)/g)].length;
  }
  for (let y = 1; y < size; y += 1) {
    for (let x = 1; x < size; x += 1) {
      const dark = rows[y][x];
      if (rows[y - 1][x] === dark && rows[y][x - 1] === dark && rows[y - 1][x - 1] === dark) sum += 3;
    }
  }
  const dark = rows.flat().filter(Boolean).length;
  return sum + 10 * Math.floor(Math.abs(dark * 20 - size * size * 10) / (size * size));
}
