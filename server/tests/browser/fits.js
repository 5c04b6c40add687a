// Checks that a turn of a match needs no scrolling, that all controls are large enough for a finger, and that each player's
// line has room for the name.

// The least size of a control, in CSS pixels (WCAG 2.2, 2.5.8).
const LEAST = 24;

// The least width of a player's name, in CSS pixels: some letters and an ellipsis.
const NAME = 40;

// The faults of the current controls: outside the window, covered, too small; or the page scrolls to show them; or a
// player's line is too narrow.
export function misfits(page) {
  return page.evaluate(async ([least, name]) => {
    // A card in flight is not yet in its place.
    const flights = document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity);
    await Promise.allSettled(flights.map(({ finished }) => finished));
    const wrong = [];
    const inside = ({ left, top, right, bottom }) => left >= -0.5 && top >= -0.5 && right <= innerWidth + 0.5 && bottom <= innerHeight + 0.5;
    const shown = (element) => element.getBoundingClientRect().width > 0;
    const place = document.querySelector('.place');
    if (scrollY !== 0) wrong.push(`the page is scrolled by ${scrollY}`);
    if (place.scrollHeight > place.clientHeight + 1) wrong.push(`the board is ${place.scrollHeight - place.clientHeight} px too high`);
    if (place.scrollWidth > place.clientWidth + 1) wrong.push(`the board is ${place.scrollWidth - place.clientWidth} px too wide`);
    for (const part of ['.bar', '.players', '.screen > header', '.place']) {
      if (!inside(document.querySelector(part).getBoundingClientRect())) wrong.push(`${part} is outside the window`);
    }
    for (const player of document.querySelectorAll('.player')) {
      if (player.scrollWidth > player.clientWidth + 1) wrong.push(`${player.textContent} needs ${player.scrollWidth} px of ${player.clientWidth}`);
      const { width } = player.querySelector('.who').getBoundingClientRect();
      if (width < name && player.querySelector('.who').scrollWidth > width + 1) wrong.push(`a name has ${width} px`);
    }
    // How many pixels of a line through an element belong to it, one after another: looked at every `step` pixels.
    const run = (element, at, share, step) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const length = at === 'x' ? width : height;
      let most = 0;
      let from = null;
      for (let d = 0.5; d < length && most < least; d += step) {
        const [x, y] = at === 'x' ? [left + d, top + height * share] : [left + width * share, top + d];
        const hit = document.elementFromPoint(x, y);
        const own = hit !== null && (element === hit || element.contains(hit));
        from = own ? from ?? d : null;
        if (own) most = Math.max(most, d - from + 1);
      }
      return most;
    };
    // The most pixels of any line. A look at every pixel takes half the time of a match, so it must show first that every
    // fourth is not enough: what lies on an element and is narrower stops no finger.
    const free = (element, at) => {
      const shares = [0.5, 0.25, 0.75];
      if (shares.some((share) => run(element, at, share, 4) >= least)) return least;
      return Math.max(...shares.map((share) => run(element, at, share, 1)));
    };
    const pressed = [...document.querySelectorAll('.place .lit, .place .picked, .bar button, .screen > header a, .players a')]
      .filter(shown);
    for (const element of pressed) {
      const what = element.dataset.target ?? element.textContent;
      const rect = element.getBoundingClientRect();
      if (!inside(rect)) wrong.push(`${what} is outside the window`);
      // A chosen card or chip may lie below the next target.
      if (element.matches('.picked:not(.lit)')) continue;
      const [wide, high] = [free(element, 'x'), free(element, 'y')];
      if (wide < least || high < least) wrong.push(`${what}: ${wide} by ${high} px can be pressed`);
    }
    return wrong;
  }, [LEAST, NAME]);
}
