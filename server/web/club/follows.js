// The players whom this visitor follows, in this browser's own storage.

const STORE = 'kibitz.follows';
const MOST = 200;

/** Their names, the newest last. @returns {string[]} */
export function followed() {
  try {
    const all = JSON.parse(localStorage.getItem(STORE) ?? '[]');
    return Array.isArray(all) ? all.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

/**
 * Follows a player, or no longer.
 * @param {string} name
 * @param {boolean} on
 */
export function setFollowed(name, on) {
  const others = followed().filter((one) => one !== name);
  try {
    localStorage.setItem(STORE, JSON.stringify(on ? [...others, name].slice(-MOST) : others));
  } catch {
    // Without storage the visitor follows no one.
  }
}
