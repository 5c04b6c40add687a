// The drawings of the boards as SVG, for the pictures that the program draws of a position: `node board-art.js` writes each game's
// `art.json` from its board's own modules and style sheet, in their light colours. A game names its pieces in `tests/browser.js`
// (`art`); engines/src/picture reads the file. art.test.js checks that the files are those of the boards.

import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { launch } from './visitor.js';

const ROOT = new URL('../../../', import.meta.url);
const GAMES = new URL('engines/src/games/', ROOT);
const HOST = 'http://board.art';

/** Where a game's drawings are. */
export const fileOf = (slug) => new URL(`${slug}/art.json`, GAMES);

// The file of an address below /web/.
function fileAt(path) {
  const [, game, name] = /^\/web\/games\/(\w+)\/(.+)$/.exec(path) ?? [];
  return game ? new URL(`${game}/board/${name}`, GAMES) : new URL(`server${path}`, ROOT);
}

function serve(route) {
  const { pathname } = new URL(route.request().url());
  if (pathname === '/') return route.fulfill({ contentType: 'text/html', body: '<!doctype html><html style="color-scheme: light"><body></body></html>' });
  const file = fileAt(pathname);
  if (!existsSync(file)) return route.fulfill({ status: 404 });
  return route.fulfill({ contentType: pathname.endsWith('.css') ? 'text/css' : 'text/javascript', body: readFileSync(file) });
}

// In the browser: the pieces that `art` makes, as SVG with the styles that they have on the board, and the colours it names.
async function serialize([slug, art]) {
  const style = document.createElement('link');
  style.rel = 'stylesheet';
  style.href = `/web/games/${slug}/board.css`;
  await new Promise((done) => { style.onload = done; document.head.append(style); });
  const { pieces, colours } = await (0, eval)(`(${art})`)(`/web/games/${slug}/`);
  const board = document.createElement('div');
  board.className = `board-${slug}`;
  document.body.append(board);
  const PLAIN = {
    'fill-opacity': '1', stroke: 'none', 'stroke-width': '1px', 'stroke-opacity': '1', 'stroke-linejoin': 'miter',
    'stroke-linecap': 'butt', opacity: '1', 'paint-order': 'normal',
  };
  const SHAPES = new Set(['path', 'circle', 'rect', 'ellipse', 'g', 'defs', 'clipPath', 'linearGradient', 'stop']);
  const hex = (text) => text.replace(/rgba?\(([^)]+)\)/g, (_, list) => {
    const [red, green, blue, alpha = 1] = list.split(',').map(Number);
    return `#${[red, green, blue, ...(alpha < 1 ? [Math.round(alpha * 255)] : [])].map((n) => n.toString(16).padStart(2, '0')).join('')}`;
  });
  const markup = (element) => {
    const tag = element.tagName;
    if (!SHAPES.has(tag)) return '';
    const own = [...element.attributes].filter(({ name }) => !['class', 'style', 'fill', ...Object.keys(PLAIN)].includes(name))
      .map(({ name, value }) => [name, value]);
    const now = getComputedStyle(element);
    const drawn = !['defs', 'clipPath', 'linearGradient', 'stop', 'g'].includes(tag);
    const fill = element.getAttribute('fill')?.startsWith('url(') ? element.getAttribute('fill') : hex(now.fill);
    const worn = Object.entries(PLAIN).filter(([name, plain]) => now.getPropertyValue(name) !== plain)
      .filter(([name]) => !name.startsWith('stroke-') || now.stroke !== 'none')
      .map(([name]) => [name, hex(now.getPropertyValue(name)).replace(/px$/, '')]);
    const styles = drawn ? [...(fill === '#000000' ? [] : [['fill', fill]]), ...worn] : worn.filter(([name]) => name === 'opacity');
    const text = [...own, ...styles].map(([name, value]) => ` ${name}="${value}"`).join('');
    return `<${tag}${text}>${[...element.children].map(markup).join('')}</${tag}>`;
  };
  const made = {};
  for (const [name, piece] of Object.entries(pieces)) {
    board.append(piece);
    const svg = piece.matches('svg') ? piece : piece.querySelector('svg.art') ?? piece.querySelector('svg');
    made[name] = [...svg.children].map(markup).join('');
    piece.remove();
  }
  const probe = document.createElement('i');
  board.append(probe);
  const resolved = Object.fromEntries(Object.entries(colours).map(([name, [kind, value]]) => {
    probe.className = kind;
    probe.style.color = value;
    return [name, hex(getComputedStyle(probe).color)];
  }));
  return { pieces: made, colours: resolved };
}

/** The drawings of each game that has some, as the text of its file. */
export async function drawings() {
  const browser = await launch();
  try {
    const page = await (await browser.newContext({ colorScheme: 'light' })).newPage();
    await page.route(`${HOST}/**`, serve);
    const all = new Map();
    for (const slug of readdirSync(GAMES).filter((name) => existsSync(new URL(`${name}/tests/browser.js`, GAMES)))) {
      const { art } = await import(new URL(`${slug}/tests/browser.js`, GAMES));
      if (!art) continue;
      await page.goto(`${HOST}/`);
      all.set(slug, `${JSON.stringify(await page.evaluate(serialize, [slug, String(art)]), null, 1)}\n`);
    }
    return all;
  } finally {
    await browser.close();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [slug, text] of await drawings()) writeFileSync(fileOf(slug), text);
}
