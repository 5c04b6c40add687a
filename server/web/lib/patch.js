// Changes the page into a newly drawn tree, and only where the two differ. So only the changes cost time, and an
// element that is pressed, focused or animated stays where it is.

/**
 * Makes the children of `place` equal to those of `drawn`. Uses up `drawn`.
 * @param {Node} place
 * @param {Node} drawn
 */
export function patch(place, drawn) {
  const wanted = new Set([...drawn.childNodes].map(key));
  /** @type {Map<string, ChildNode>} */
  const known = new Map();
  for (const child of [...place.childNodes]) {
    const name = key(child);
    if (name === null) continue;
    // Remove first: then the elements after it need not be moved. A moved element loses the focus.
    if (wanted.has(name)) known.set(name, child);
    else child.remove();
  }
  let at = place.firstChild;
  for (const fresh of [...drawn.childNodes]) {
    const name = key(fresh);
    const same = name === null ? at : known.get(name);
    if (!same || key(same) !== name || same.nodeName !== fresh.nodeName) {
      place.insertBefore(fresh, at);
      continue;
    }
    if (name !== null) known.delete(name);
    if (same === at) at = at.nextSibling;
    else place.insertBefore(same, at);
    change(same, fresh);
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

/**
 * The key of an element among its siblings: its piece, else its target. Null: its position identifies it.
 * @param {Node} node
 */
function key(node) {
  const data = node instanceof HTMLElement || node instanceof SVGElement ? node.dataset : null;
  return data?.piece ?? data?.target ?? null;
}

/**
 * Changes one node into another of the same kind.
 * @param {ChildNode} old
 * @param {ChildNode} fresh
 */
function change(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (!(old instanceof Element && fresh instanceof Element)) {
    old.nodeValue = fresh.nodeValue;
    return;
  }
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && !opened(old, name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) === value) continue;
    // The page's policy forbids setting the attribute, but not the property.
    if (name === 'style' && (old instanceof HTMLElement || old instanceof SVGElement)) old.style.cssText = value;
    else old.setAttribute(name, value);
  }
  patch(old, fresh);
}

/**
 * Whether the attribute says that a visitor has opened the element: it stays open.
 * @param {Element} element
 * @param {string} name
 */
function opened(element, name) {
  return name === 'open' && element.nodeName === 'DETAILS';
}
