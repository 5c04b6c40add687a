// What this browser has subscribed to at its push service, and what the server was told of it. Browsers replace a subscription by
// themselves now and then: then the server must learn of the new one. The service worker does that when the browser reports it, and the
// pages make up for what it has missed.

/** @typedef {{endpoint?: string, keys?: Record<string, string>}} PushTarget */
/** @typedef {{target: PushTarget, key: ArrayBuffer | string | null}} Told `target`: where the server sends to; `key`: the server's own */

// The id of this browser's subscription, in the pages' own storage.
const OWN = 'kibitz.push';
// The table in which pages and worker keep what the server was told.
const TABLE = 'told';
const ROW = 'here';

/** The id of this browser's subscription; null: it has none. */
export const ownId = () => localStorage.getItem(OWN);

/** The registration of the service worker; undefined: there is none. */
async function registered() {
  return 'serviceWorker' in navigator ? navigator.serviceWorker.getRegistration('/') : undefined;
}

/**
 * Notes what the server was told.
 * @param {string} id of the subscription
 * @param {PushSubscription} subscription
 */
export async function told(id, subscription) {
  localStorage.setItem(OWN, id);
  await keep(subscription);
}

/** What this browser has subscribed to; null: nothing. */
export async function ownSubscription() {
  return await (await registered())?.pushManager?.getSubscription() ?? null;
}

/** Ends what this browser has subscribed to. */
export async function forget() {
  localStorage.removeItem(OWN);
  await table('readwrite', (rows) => rows.delete(ROW));
  await (await ownSubscription())?.unsubscribe();
}

/**
 * Tells the server of the subscription that this browser has now, if that is another one than the server was told; called on a page.
 * `unknown`: the server does not send to the one that it was told.
 * @param {boolean} [unknown]
 * @returns {Promise<boolean>} whether the server was told something new
 */
export async function repair(unknown = false) {
  const registration = await registered();
  if (!ownId() || !registration?.pushManager || Notification.permission !== 'granted') return false;
  const subscription = await registration.pushManager.getSubscription();
  // It was made before pages kept what the server was told.
  if (subscription && !await table('readonly', (rows) => rows.get(ROW))) await keep(subscription);
  return renew(registration.pushManager, { unknown });
}

/**
 * The same in the service worker. `old`: the subscription that the browser has replaced, if it says so.
 * @param {PushManager} manager
 * @param {{unknown?: boolean, old?: PushSubscription | null}} options
 * @returns {Promise<boolean>}
 */
export async function renew(manager, { unknown = false, old } = {}) {
  // The pages and the worker may notice the same at once.
  return await navigator.locks.request('kibitz.push', async () => {
    /** @type {Told | undefined} */
    const before = await table('readonly', (rows) => rows.get(ROW)) ?? (old && of(old));
    if (!before) return false;
    let now = await manager.getSubscription();
    if (unknown && now?.endpoint === before.target.endpoint) {
      await now?.unsubscribe();
      now = null;
    }
    now ??= await manager.subscribe({ userVisibleOnly: true, applicationServerKey: before.key });
    const { target } = of(now);
    if (JSON.stringify(target) === JSON.stringify(before.target)) return false;
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ from: before.target, to: target });
    const { ok, status } = await fetch('/v1/push-subscriptions/renew', { method: 'POST', headers, body });
    if (ok) await keep(now);
    if (status !== 404) return ok;
    // The player has removed it in another browser, or the sign-in of this one has ended.
    await table('readwrite', (rows) => rows.delete(ROW));
    await now.unsubscribe();
    return false;
  });
}

/** @param {PushSubscription} subscription */
const keep = (subscription) => table('readwrite', (rows) => rows.put(of(subscription), ROW));

/**
 * @param {PushSubscription} subscription
 * @returns {Told}
 */
function of(subscription) {
  const { endpoint, keys } = subscription.toJSON();
  return { target: { endpoint, keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' } }, key: subscription.options.applicationServerKey };
}

/**
 * Reads or changes the table.
 * @param {IDBTransactionMode} mode
 * @param {(rows: IDBObjectStore) => IDBRequest} act
 */
async function table(mode, act) {
  const opening = indexedDB.open('kibitz.push', 1);
  opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore(TABLE));
  const database = await result(opening);
  try {
    return await result(act(database.transaction(TABLE, mode).objectStore(TABLE)));
  } finally {
    database.close();
  }
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>}
 */
function result(request) {
  return new Promise((done, fail) => {
    request.addEventListener('success', () => done(request.result));
    request.addEventListener('error', () => fail(request.error));
  });
}
