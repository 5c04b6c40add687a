// Shows notifications while no page is open. The server sends each as JSON: title, body, tag, and the path of the page that a press
// opens. It keeps no files and answers no requests, so pages are always those of the server. It has no key of the player.

import { renew } from './subscription.js';

/** @typedef {{title: string, body: string, url: string, tag: string}} Shown */
/** @typedef {{data: {json(): Shown} | null}} PushMessage */
/** @typedef {{notification: Notification}} Pressed */
/** @typedef {{oldSubscription?: PushSubscription | null}} Replaced */

// The checker knows the globals of pages only.
const worker = /** @type {any} */ (globalThis);

// A new version of this file works at once.
worker.addEventListener('install', () => worker.skipWaiting());
worker.addEventListener('activate', (/** @type {{waitUntil(work: Promise<unknown>): void}} */ event) => event.waitUntil(worker.clients.claim()));

worker.addEventListener('push', (/** @type {PushMessage & {waitUntil(work: Promise<unknown>): void}} */ event) => {
  if (!event.data) return;
  const { title, body, url, tag } = event.data.json();
  const icon = '/icons/192.png';
  event.waitUntil(worker.registration.showNotification(title, { body, tag, icon, renotify: true, data: { url } }));
});

worker.addEventListener('notificationclick', (/** @type {Pressed & {waitUntil(work: Promise<unknown>): void}} */ event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data.url));
});

// The browser or its push service has ended the subscription, and perhaps made another one.
worker.addEventListener('pushsubscriptionchange', (/** @type {Replaced & {waitUntil(work: Promise<unknown>): void}} */ event) => {
  event.waitUntil(renew(worker.registration.pushManager, { old: event.oldSubscription }));
});

/**
 * Brings the page with this path to the front: an open one, or a new one.
 * @param {string} path
 */
async function open(path) {
  const { href, pathname } = new URL(path, location.origin);
  /** @type {{url: string, focus(): Promise<unknown>}[]} */
  const pages = await worker.clients.matchAll({ type: 'window' });
  const there = pages.find((page) => new URL(page.url).pathname === pathname);
  await (there ? there.focus() : worker.clients.openWindow(href));
}
