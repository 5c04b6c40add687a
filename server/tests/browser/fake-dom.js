// Boards without a browser: loads their modules from the source tree and draws them on a minimal document.

import { register } from 'node:module';
import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';

import { translator } from '../../web/lib/texts.js';

const ROOT = new URL('../../../', import.meta.url);

// Resolves /web to server/web.
register(`data:text/javascript,${encodeURIComponent(`
  export function resolve(name, context, next) {
    return next(name.startsWith('/web/') ? '${new URL('server', ROOT)}' + name : name, context);
  }
`)}`);

// The parts of an element that `h` of dom.js uses.
class Element {
  constructor(tag) {
    Object.assign(this, { tag, attributes: {}, dataset: {}, children: [], style: { setProperty() {} } });
  }

  setAttribute(name, value) {
    this.attributes[name] = String(value);
  }

  append(...children) {
    this.children.push(...children);
  }

  addEventListener() {
    throw new Error('a board adds no listeners');
  }

  // This element and all below it.
  * all() {
    yield this;
    for (const child of this.children) if (child instanceof Element) yield* child.all();
  }
}

globalThis.document = {
  createElement: (tag) => new Element(tag),
  createElementNS: (_, tag) => new Element(tag),
};

// The texts of a game in a language, as a function that fails if a key or value is missing.
export async function words(game, tag = 'en') {
  const file = new URL(`engines/src/games/${game}/board/${tag}.json`, ROOT);
  const table = JSON.parse(await readFile(file, 'utf8'));
  const say = translator(table, tag);
  return (key, values) => {
    if (!(key in table)) throw new Error(`${game}: ${tag}.json has no ${key}`);
    const text = say(key, values);
    if (/\{\w+\}|undefined|NaN|\[object/.test(text)) throw new Error(`${game}: ${key} becomes ${text}`);
    return text;
  };
}

// The board of a game as pages load it, or null. Its texts `t` fail if a key or value is missing.
export async function board(game) {
  const folder = new URL(`engines/src/games/${game}/board/`, ROOT);
  if (!existsSync(new URL('board.js', folder))) return null;
  const t = await words(game);
  return { ...await import(new URL('board.js', folder)), t };
}

// A drawn position: `{element, targets, pieces}`, the targets with their accessible names.
export function drawn(made, view, ctx) {
  const element = made.draw(view, {
    me: null, turn: null, last: null, step: undefined, picked: [], next: new Set(), t: made.t, ...ctx,
  });
  const targets = new Map();
  const pieces = [];
  for (const { dataset, attributes } of element.all()) {
    if (dataset.target !== undefined) targets.set(dataset.target, attributes['aria-label']);
    if (dataset.piece !== undefined) pieces.push(dataset.piece);
  }
  return { element, targets, pieces };
}
