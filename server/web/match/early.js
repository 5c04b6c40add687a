// Asks for the match of this page while the page's module and its other files are still loading, if this browser
// holds a seat or a key, or a player is signed in: the page's own data is what spectators see. Not a module, so that it
// runs at once.

(() => {
  const id = /^\/matches\/([^/]+)\/?$/.exec(location.pathname)?.[1];
  if (!id) return;
  /** @type {{token?: string, key?: string}} */
  let held = {};
  try {
    const { token } = JSON.parse(localStorage.getItem('kibitz.player') ?? 'null') ?? {};
    held = { token, ...JSON.parse(localStorage.getItem('kibitz.seats') ?? '{}')?.[id] };
  } catch { /* Without storage nothing is held. */ }
  const key = new URLSearchParams(location.hash.slice(1)).get('key') ?? held.key;
  const { token } = held;
  if (!token && !key) return;
  /** @type {Record<string, string>} */
  const headers = {};
  if (token) headers.authorization = `Bearer ${token}`;
  if (key) headers['match-key'] = key;
  const answer = fetch(`/v1/matches/${id}`, { headers, cache: 'no-store' });
  // The module that takes the answer handles a failure.
  answer.catch(() => {});
  window.kibitzEarly = { token, key, answer };
})();
