// Elements are made here, and only here: text is always text, so no name can become markup, and nothing needs a style
// attribute, which the pages' Content-Security-Policy forbids.

const SVG = 'http://www.w3.org/2000/svg';
const SVG_TAGS = new Set(
  ['svg', 'g', 'path', 'circle', 'ellipse', 'rect', 'line', 'polyline', 'polygon', 'text', 'tspan', 'defs', 'use', 'title',
    'pattern', 'clipPath', 'symbol', 'linearGradient', 'radialGradient', 'stop'],
);

// Makes an element. `attrs`: attributes; a function is a listener (`click: f`); `class` takes a text or a list in which
// false parts are left out; `data` and `style` take objects; undefined, null and false leave an attribute out.
// `children`: nodes, texts, numbers, lists of them; null, undefined and false are left out.
export function h(tag, attrs = {}, ...children) {
  const element = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attrs ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (name === 'class') element.setAttribute('class', [value].flat(9).filter(Boolean).join(' '));
    else if (name === 'data') for (const [key, text] of Object.entries(value)) element.dataset[key] = text;
    else if (name === 'style') for (const [key, text] of Object.entries(value)) element.style.setProperty(key, text);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// Replaces all that an element holds.
export function fill(element, ...children) {
  element.replaceChildren(...children.flat(9).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}
