// Buraco's cards and melds: their order, what the 2s of a meld stand for, what a meld counts, and why some cards form no
// meld. It only explains; the API says what is legal. Pure: it draws nothing.

export const SUITS = ['♠', '♥', '♣', '♦'];
export const RANKS = ['A', '2', '3', '4', '5', '6', '7', '8', '9', '10', 'J', 'Q', 'K'];
const HIGH = 14;
export const CANASTRA = 7;

/** @param {string} card */
export const suitOf = (card) => card.slice(-1);
/** @param {string} card */
export const rankOf = (card) => card.slice(0, -1);
/**
 * The place of a card's rank: 1 to 13, ace to king.
 * @param {string} card
 */
export const placeOf = (card) => RANKS.indexOf(rankOf(card)) + 1;

/**
 * Sorts by suit, then by rank; the ace comes after the king.
 * @param {string} card
 */
const order = (card) => SUITS.indexOf(suitOf(card)) * 20 + (placeOf(card) === 1 ? HIGH : placeOf(card));
/** @param {string[]} cards */
export const sorted = (cards) => [...cards].sort((a, b) => order(a) - order(b));

/**
 * What a card counts.
 * @param {string} card
 */
const countOf = (card) => {
  const place = placeOf(card);
  if (place === 1) return 15;
  return place >= 3 && place <= 7 ? 5 : 10;
};

/**
 * Whether a meld has a wild card: a 2 that is not followed by the 3 of its own suit.
 * @param {string[]} meld
 */
export const dirty = (meld) => meld.some((card, i) => rankOf(card) === '2' && meld[i + 1] !== `3${suitOf(card)}`);

/**
 * What a canastra counts besides its cards; 0 for a shorter meld.
 * @param {string[]} meld
 */
export const bonus = (meld) => {
  if (meld.length < CANASTRA) return 0;
  return dirty(meld) ? 100 : 200;
};

/**
 * What a meld counts.
 * @param {string[]} meld
 */
export const worth = (meld) => meld.reduce((sum, card) => sum + countOf(card), 0) + bonus(meld);

/**
 * The suit of a meld: that of its cards from 3 to king, else of its ace.
 * @param {string[]} meld
 */
export function suitOfMeld(meld) {
  const plain = meld.find((card) => placeOf(card) > 2) ?? meld.find((card) => placeOf(card) === 1);
  return suitOf(plain ?? meld[0]);
}

/**
 * The place of a meld's first card in the sequence, 1 to 14; 0 for a wild card below a low ace.
 * @param {string[]} meld
 */
export function lowest(meld) {
  const plain = meld.findIndex((card) => placeOf(card) > 2);
  if (plain >= 0) return placeOf(meld[plain]) - plain;
  const ace = meld.findIndex((card) => placeOf(card) === 1);
  return ace === meld.length - 1 ? HIGH - ace : 1 - ace;
}

/**
 * The card that each wild 2 of a meld represents; null for other cards.
 * @param {string[]} meld
 */
export function standsFor(meld) {
  const suit = suitOfMeld(meld);
  const low = lowest(meld);
  return meld.map((card, i) => {
    const place = low + i;
    if (rankOf(card) !== '2' || (place === 2 && suitOf(card) === suit)) return null;
    return place < 1 ? '2' : `${place === HIGH ? 'A' : RANKS[place - 1]}${suit}`;
  });
}

/**
 * The cards of a meld in their order on the table, each wild 2 where it lies; sorted if they form no meld.
 * @param {string[]} cards
 */
export function inOrder(cards) {
  const suit = suitOfMeld(cards);
  /** @type {string[] | null} */
  let best = null;
  let fewest = Infinity;
  for (let low = 0; low <= HIGH + 1 - cards.length; low += 1) {
    const { row, wild } = from(cards, suit, low);
    if (row !== null && wild < fewest) [best, fewest] = [row, wild];
  }
  return best ?? sorted(cards);
}

/**
 * Whether cards form a meld: three or more of a suit in sequence, of which one may be a wild 2.
 * @param {string[]} cards
 */
export function isMeld(cards) {
  if (cards.length < 3 || cards.length > HIGH || cards.every((card) => placeOf(card) === 2)) return false;
  const suit = suitOfMeld(cards);
  for (let low = 0; low <= HIGH + 1 - cards.length; low += 1) {
    const { row, wild } = from(cards, suit, low);
    if (row !== null && wild < 2) return true;
  }
  return false;
}

/**
 * The cards laid from the place `low` upwards; `row` is null if they do not fit. `wild`: how many 2s are wild.
 * @param {string[]} cards
 * @param {string} suit
 * @param {number} low
 * @returns {{row: string[] | null, wild: number}}
 */
function from(cards, suit, low) {
  const left = [...cards];
  const take = (/** @type {(card: string) => boolean} */ fits) => {
    const at = left.findIndex(fits);
    return at < 0 ? null : left.splice(at, 1)[0];
  };
  const row = cards.map((_, i) => {
    const place = low + i === HIGH ? 1 : low + i;
    return take((card) => suitOf(card) === suit && placeOf(card) === place);
  });
  const wild = left.length;
  const whole = row.map((card) => card ?? take((other) => rankOf(other) === '2'));
  return { row: whole.every((card) => card !== null) ? /** @type {string[]} */ (whole) : null, wild };
}

/**
 * Why these cards form no meld, as the key of a sentence.
 * @param {string[]} cards
 */
export function fault(cards) {
  const plain = cards.filter((card) => rankOf(card) !== '2');
  const twos = cards.length - plain.length;
  if (new Set(plain.map(suitOf)).size > 1) return 'suits';
  const places = plain.map(placeOf).filter((place) => place > 1);
  if (new Set(places).size < places.length) return 'twice';
  if (cards.length < 3) return 'few';
  if (twos > 2 || plain.length === 0) return 'twos';
  return twos > 0 ? 'gap.two' : 'gap';
}
