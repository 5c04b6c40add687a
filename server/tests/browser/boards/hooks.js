// What a board finds in a browser, for tests without one: modules below /web, and as much of a document as drawing
// needs.

import { register } from 'node:module';

const web = new URL('../../../web/', import.meta.url).href;
register(`data:text/javascript,${encodeURIComponent(`
  export const resolve = (name, context, next) =>
    next(name.startsWith('/web/') ? ${JSON.stringify(web)} + name.slice('/web/'.length) : name, context);
`)}`);

class Drawn {
  constructor(tag) {
    Object.assign(this, { tag, attributes: {}, dataset: {}, children: [], style: { setProperty() {} } });
  }

  setAttribute(name, value) {
    this.attributes[name] = String(value);
  }

  append(...children) {
    this.children.push(...children);
  }

  // All elements from here down.
  get all() {
    return [this, ...this.children.filter((child) => child instanceof Drawn).flatMap((child) => child.all)];
  }
}

globalThis.document = { createElement: (tag) => new Drawn(tag), createElementNS: (_, tag) => new Drawn(tag) };
