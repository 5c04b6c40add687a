// Starts a match from the form of a game's page: the seat it gives is kept, and the browser goes to the match.

import { ask, freshKey, sentence } from './api.js';
import { keep, link, myName } from './seats.js';

// Puts a form to work. `words`: a promise of the pages' words, which are needed only where something goes wrong.
export function start(form, words) {
  const trouble = form.querySelector('.trouble');
  form.elements.name.value = myName();
  const refresh = () => {
    const players = Number(new FormData(form).get('seats'));
    form.toggleAttribute('data-alone', players === 1);
    form.toggleAttribute('data-many', players > 2);
    for (const label of form.querySelectorAll('.mixed [data-seat]')) {
      label.hidden = Number(label.dataset.seat) >= players;
    }
  };
  form.addEventListener('change', refresh);
  refresh();
  // The same click sent twice, by a nervous finger or a bad network, makes one match.
  let attempt = null;
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const against = event.submitter?.value ?? 'medium';
    const body = order(form, against);
    const asked = JSON.stringify(body);
    if (attempt?.asked !== asked) attempt = { asked, key: freshKey() };
    form.toggleAttribute('data-busy', true);
    trouble.hidden = true;
    try {
      const admission = await ask('/v1/matches', { body, again: attempt.key });
      myName(form.elements.name.value.trim());
      keep(admission.id, admission, form.dataset.game);
      attempt = null;
      location.assign(link(admission.id, admission.key));
    } catch (error) {
      if (error.code !== 'unreachable') attempt = null;
      // Where there are no words either, the page has said so when it began.
      trouble.textContent = sentence(error, await words.catch(() => () => ''));
      trouble.hidden = false;
    } finally {
      form.toggleAttribute('data-busy', false);
    }
  });
  form.inert = false;
}

// The match that the form asks for.
export function order(form, against) {
  const choice = new FormData(form);
  const players = against === 'alone' ? 1 : Number(choice.get('seats'));
  const name = choice.get('name').trim();
  const me = name ? { kind: 'me', name } : { kind: 'me' };
  const others = [];
  for (let seat = 1; seat < players; seat += 1) {
    others.push(opponent(against === 'mixed' ? choice.get(`opponent${seat}`) : against));
  }
  const [initial, increment, each] = choice.get('clock').split(' ').map(Number);
  const place = { first: 0, last: players - 1, lot: Math.floor(Math.random() * players) }[choice.get('seat')];
  const hints = { yes: true, no: false }[choice.get('hints')];
  const seats = others.toSpliced(place, 0, me);
  const body = { game: form.dataset.game, seats, private: choice.get('private') !== '', hints };
  if (initial || each) {
    body.clock = {};
    if (initial) Object.assign(body.clock, { initial_ms: initial, increment_ms: increment });
    if (each) body.clock.move_ms = each;
  }
  return body;
}

function opponent(who) {
  return who === 'friend' ? { kind: 'open' } : { kind: 'engine', level: who };
}
