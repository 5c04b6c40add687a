// The targets of a drawn board: marked as chosen or to be chosen, made reachable by keyboard, found again.

// All elements with a target.
export function targets(place) {
  return [...place.querySelectorAll('[data-target]')];
}

// The element of a target; the first one that can be seen where a board shows it twice.
export function find(place, target) {
  const all = targets(place).filter((element) => element.dataset.target === target);
  return all.find((element) => element.getBoundingClientRect().width > 0) ?? all[0] ?? null;
}

// Those that can be reached now: lit or picked, and to be seen.
export function reachable(place) {
  return targets(place).filter((element) =>
    element.matches('.lit, .picked') && element.getBoundingClientRect().width > 0);
}

// Marks every target of a board; `hinted`: those of a move that was recommended.
export function mark(place, { next, picked, hinted }) {
  for (const element of targets(place)) {
    const target = element.dataset.target;
    const [lit, chosen] = [next.has(target), picked.includes(target)];
    element.classList.toggle('lit', lit);
    element.classList.toggle('picked', chosen);
    element.classList.toggle('hinted', hinted.has(target));
    const native = element instanceof HTMLButtonElement;
    if (lit || chosen) {
      if (!native) element.setAttribute('role', 'button');
      element.setAttribute('aria-pressed', String(chosen));
      element.setAttribute('tabindex', '0');
    } else if (native) {
      element.disabled = true;
    } else if (!element.hasAttribute('role')) {
      // A name for the ear needs a role that may have one.
      element.setAttribute('role', 'group');
    }
  }
}

// What a target is called.
export function name(place, target) {
  return find(place, target)?.getAttribute('aria-label') ?? target;
}
