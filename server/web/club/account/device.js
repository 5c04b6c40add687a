// The visitor's browser and device: their name, and the passkeys of the device in the form of the API.

/** @import {Translate} from '../../types.ts' */

import { required } from '../../lib/dom.js';

/**
 * The reason why no passkey can be used on this page; empty: there is none.
 * @param {Translate} t
 */
export function passkeyHindrance(t) {
  const { host, origin } = required('div.account').dataset;
  const { protocol, port, hostname } = location;
  if (origin && origin !== location.origin) return t('account.passkey.elsewhere', { address: origin });
  if (!origin && hostname !== host) {
    const isThisMachine = /^127\.|^\[::1\]$/.test(hostname);
    return isThisMachine ? t('account.passkey.elsewhere', { address: `${protocol}//${host}${port && `:${port}`}` }) : t('account.passkey.off');
  }
  return window.isSecureContext && 'PublicKeyCredential' in window ? '' : t('account.passkey.unknown');
}

/**
 * A new passkey of the device.
 * @param {any} options as the server gives them
 */
export async function madePasskey(options) {
  const made = await navigator.credentials.create({ publicKey: {
    ...options,
    challenge: bytes(options.challenge),
    user: { ...options.user, id: bytes(options.user.id) },
    excludeCredentials: (options.excludeCredentials ?? []).map((/** @type {{id: string}} */ known) => ({ ...known, id: bytes(known.id) })),
  } });
  return answer(made, ['attestationObject']);
}

/**
 * The answer of a passkey that the visitor chooses.
 * @param {any} options as the server gives them
 * @param {CredentialRequestOptions} [how]
 */
export async function shownPasskey(options, how = {}) {
  const shown = await navigator.credentials.get({
    ...how, publicKey: { ...options, challenge: bytes(options.challenge), allowCredentials: [] },
  });
  return answer(shown, ['authenticatorData', 'signature', 'userHandle']);
}

/**
 * Why a device gives no passkey, in words. Errors of another kind are thrown.
 * @param {unknown} error
 * @param {Translate} t
 */
export function deviceTrouble(error, t) {
  if (!(error instanceof DOMException)) throw error;
  const known = error.name === 'InvalidStateError' ? 'there' : error.name === 'NotAllowedError' ? 'nothing' : 'failed';
  return t(`account.passkey.${known}`);
}

/**
 * The browser and its system, as people call them.
 * @param {Translate} t
 */
export function browserName(t) {
  const { userAgent } = navigator;
  const named = (/** @type {string[]} */ marks) => marks.find((mark) => userAgent.includes(mark.split('=')[0]))?.split('=').at(-1);
  // Browsers name others, too, so their order counts.
  const browser = named(['Edg=Edge', 'OPR=Opera', 'Firefox', 'Chrome', 'Safari']);
  const system = named(['Android', 'iPhone', 'iPad', 'Windows', 'CrOS=ChromeOS', 'Mac OS=macOS', 'Linux']);
  return [browser, system].filter(Boolean).join(', ') || t('account.sign_in.browser');
}

/**
 * An answer of a device in the form of the API.
 * @param {Credential | null} credential
 * @param {string[]} parts of the response
 */
function answer(credential, parts) {
  const { id, rawId, type, response } = /** @type {PublicKeyCredential} */ (credential);
  /** @type {Record<string, ArrayBuffer | null>} */
  const given = /** @type {any} */ (response);
  const shown = ['clientDataJSON', ...parts].map((part) => [part, given[part] ? base64(given[part]) : null]);
  return { id, rawId: base64(rawId), type, response: Object.fromEntries(shown), clientExtensionResults: {} };
}

/** @param {string} text in URL-safe base 64 */
const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0));

/** @param {ArrayBuffer} buffer */
const base64 = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)))
  .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
