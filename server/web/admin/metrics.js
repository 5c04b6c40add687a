// Reads what the server measures, in the text format of `/metrics`. Pure.

/**
 * The samples of one answer: for each name those with their labels.
 * @typedef {Map<string, {labels: Record<string, string>, value: number}[]>} Samples
 */

/**
 * @param {string} text
 * @returns {Samples}
 */
export function parse(text) {
  /** @type {Samples} */
  const samples = new Map();
  for (const line of text.split('\n')) {
    const [, name, list = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) continue;
    const labels = Object.fromEntries([...list.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, content]) => [label, content]));
    const known = samples.get(name) ?? [];
    known.push({ labels, value: value === '+Inf' ? Infinity : Number(value) });
    samples.set(name, known);
  }
  return samples;
}

/**
 * The sum of the samples that have these labels; 0 if there is none.
 * @param {Samples} samples
 * @param {string} name
 * @param {Record<string, string>} [labels]
 */
export function sum(samples, name, labels = {}) {
  const fits = (samples.get(name) ?? []).filter((one) => Object.entries(labels).every(([label, value]) => one.labels[label] === value));
  return fits.reduce((total, { value }) => total + value, 0);
}

/**
 * A quantile of a histogram, as the upper limit of the bucket in which it lies; null: nothing was counted, or it is above all limits.
 * @param {Samples} now
 * @param {Samples | undefined} before counts only what came after these
 * @param {string} name
 * @param {number} share from 0 to 1
 */
export function quantile(now, before, name, share) {
  const bucket = `${name}_bucket`;
  const count = (/** @type {string} */ le) => sum(now, bucket, { le }) - (before ? sum(before, bucket, { le }) : 0);
  const limits = [...new Set((now.get(bucket) ?? []).map(({ labels }) => labels.le ?? ''))];
  const sorted = limits.toSorted((a, b) => limit(a) - limit(b));
  const total = sorted.length > 0 ? count(sorted.at(-1) ?? '') : 0;
  const found = total > 0 ? sorted.find((le) => count(le) >= share * total) : undefined;
  return found === undefined || limit(found) === Infinity ? null : limit(found);
}

/** @param {string} le */
function limit(le) {
  return le === '+Inf' ? Infinity : Number(le);
}
