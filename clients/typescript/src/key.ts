// Idempotency keys.

/** A random key that is hard to guess. */
export async function randomKey(): Promise<string> {
  // Node 18 has this global only with a flag.
  const source = globalThis.crypto ?? (await import('node:crypto')).webcrypto;
  return Array.from(source.getRandomValues(new Uint8Array(20)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
