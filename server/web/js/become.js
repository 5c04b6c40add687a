// Turns what stands on the page into what was drawn anew. What is the same is left alone: drawing a board costs the
// browser what has changed, and what is pressed, focused or in flight stays where it is.

// Makes the children of `place` those of `drawn`, which is used up.
export function become(place, drawn) {
  const wanted = new Set([...drawn.childNodes].map(key));
  const known = new Map();
  for (const child of [...place.childNodes]) {
    const name = key(child);
    if (name === null) continue;
    // What goes makes room first, so that those behind it need not be moved, which would take their focus.
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
    known.delete(name);
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

// Who an element is among its siblings; null: whoever stands in its place.
function key(node) {
  return node.dataset?.piece ?? node.dataset?.target ?? null;
}

function change(old, fresh) {
  if (old.isEqualNode(fresh)) return;
  if (!(old instanceof Element)) {
    old.data = fresh.data;
    return;
  }
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name)) old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) === value) continue;
    // The page's policy forbids the attribute, not the property.
    if (name === 'style') old.style.cssText = value;
    else old.setAttribute(name, value);
  }
  become(old, fresh);
}
