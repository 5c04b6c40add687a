// The names of guests who chose none: an adjective and an animal in the visitor's language, from the guest's number, with a
// colour. `guest_name` in `server/src/web/words.rs` makes the same names. Pure.

/** @import {Translate} from '../../types.ts' */

// `style.css` has a rule for each of them.
const COLOURS = 12;

/**
 * The place of a guest's words in the lists of texts, and of the colour.
 * @param {number} number of the guest, from 1
 * @param {Translate} t
 */
function place(number, t) {
  const [adjectives, animals] = ['guest.adjectives', 'guest.animals'].map((key) => t(key).split(' '));
  const at = number - 1;
  const rest = Math.floor(at / adjectives.length);
  return { adjective: adjectives[at % adjectives.length], animal: animals[rest % animals.length],
    colour: Math.floor(rest / animals.length) % COLOURS };
}

/**
 * The name shown for a guest who has not chosen one.
 * @param {{guest?: number | null}} who
 * @param {Translate} t
 */
export function guestName({ guest }, t) {
  if (!guest) return t('match.guest');
  const { adjective, animal } = place(guest, t);
  return t('guest.name', { adjective, animal });
}

/**
 * The class of the mark beside the name of such a guest; undefined: the holder of the seat has no such name.
 * @param {{guest?: number | null}} who
 * @param {Translate} t
 */
export function guestColour({ guest }, t) {
  return guest ? `guest-${place(guest, t).colour}` : undefined;
}
