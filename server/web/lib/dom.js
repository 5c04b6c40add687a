// Makes and finds elements. No other module makes elements, so text is always text: no name can become markup, and no
// style attribute is needed, which the pages' Content-Security-Policy forbids.

/** @import {Attributes, Child, ElementOf} from '../types.ts' */

const SVG = 'http://www.w3.org/2000/svg';
const SVG_TAGS = new Set(
  ['svg', 'g', 'path', 'circle', 'ellipse', 'rect', 'line', 'polyline', 'polygon', 'text', 'tspan', 'defs', 'use', 'title',
    'pattern', 'clipPath', 'symbol', 'linearGradient', 'radialGradient', 'stop'],
);
// Lists of children and classes may be nested this deep.
const DEPTH = 9;

/**
 * Makes an element. A function among the attributes is a listener (`click: f`); `class` takes a text or a list, whose
 * falsy entries are left out; `data` and `style` take objects, whose undefined entries are left out; undefined, null and
 * false leave an attribute out.
 * @template {string} Tag
 * @param {Tag} tag
 * @param {Attributes} [attrs]
 * @param {...Child} children
 * @returns {ElementOf<Tag>}
 */
export function h(tag, attrs = {}, ...children) {
  const element = SVG_TAGS.has(tag)
    ? /** @type {SVGElement} */ (document.createElementNS(SVG, tag)) : document.createElement(tag);
  for (const [name, value] of Object.entries(attrs)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (name === 'class') element.setAttribute('class', [value].flat(DEPTH).filter(Boolean).join(' '));
    else if (name === 'data') for (const [key, text] of given(value)) element.dataset[key] = text;
    else if (name === 'style') for (const [key, text] of given(value)) element.style.setProperty(key, text);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...shown(children));
  return /** @type {ElementOf<Tag>} */ (/** @type {unknown} */ (element));
}

/**
 * The entries of an object that have a value, as texts.
 * @param {unknown} values
 * @returns {[string, string][]}
 */
function given(values) {
  return Object.entries(/** @type {object} */ (values)).flatMap(([key, value]) => (value === undefined ? [] : [[key, String(value)]]));
}

/**
 * Replaces the content of an element.
 * @template {Element} E
 * @param {E} element
 * @param {...Child} children
 */
export function fill(element, ...children) {
  element.replaceChildren(...shown(children));
  return element;
}

/**
 * The nodes and texts among children.
 * @param {readonly Child[]} children
 */
function shown(children) {
  const flat = /** @type {(Node | string | null | undefined | false)[]} */ (children.flat(DEPTH));
  return flat.filter((child) => child !== null && child !== undefined && child !== false);
}

/**
 * The element that a selector finds. The page must have it: its absence is a defect of the markup.
 * @overload
 * @param {string} selector
 * @returns {HTMLElement}
 */
/**
 * @template {Element} E
 * @overload
 * @param {string} selector
 * @param {new () => E} type
 * @param {ParentNode} [root]
 * @returns {E}
 */
/**
 * @param {string} selector
 * @param {new () => Element} [type]
 * @param {ParentNode} [root]
 */
export function required(selector, type = HTMLElement, root = document) {
  const found = root.querySelector(selector);
  if (!(found instanceof type)) throw new Error(`the page has no ${selector}`);
  return found;
}

/**
 * All elements that a selector finds.
 * @param {string} selector
 * @param {ParentNode} [root]
 * @returns {HTMLElement[]}
 */
export function all(selector, root = document) {
  return [...root.querySelectorAll(selector)].filter((element) => element instanceof HTMLElement);
}

/**
 * The data that the server has put into the page, in the element that a selector finds; null if there is none.
 * @param {string} selector
 * @param {ParentNode} [root]
 */
export function told(selector, root = document) {
  const text = root.querySelector(selector)?.textContent;
  return text ? JSON.parse(text) : null;
}
