// What each node does now: a table of the metrics that an operator looks at first. A balancer sends each request to another node, so
// a column appears for each node that has answered.

import { ask } from '../lib/api.js';
import { fill, h } from '../lib/dom.js';
import { parse, quantile, sum } from './metrics.js';

/** @import {Samples} from './metrics.js' */

const EVERY_MS = 5_000;
// A node that has not answered for so long leaves the table.
const GONE_MS = 60_000;

/** @typedef {{at: number, samples: Samples}} Reading */
/** @typedef {{now: Reading, before: Reading | undefined}} NodeReadings */

/**
 * The change of a counter in a second; null before the second reading.
 * @param {NodeReadings} node
 * @param {string} name
 * @param {Record<string, string>} [labels]
 */
function rate({ now, before }, name, labels) {
  if (!before || now.at <= before.at) return null;
  return (sum(now.samples, name, labels) - sum(before.samples, name, labels)) / ((now.at - before.at) / 1000);
}

const MIB = 1 << 20;
const count = (/** @type {number} */ value) => value.toLocaleString('en');
const short = (/** @type {number | null} */ value) => (value === null ? '…' : value.toLocaleString('en', { maximumFractionDigits: 2 }));
const mib = (/** @type {number} */ bytes) => `${(bytes / MIB).toLocaleString('en', { maximumFractionDigits: bytes < 10 * MIB ? 1 : 0 })} MiB`;
const milliseconds = (/** @type {number | null} */ s) => (s === null ? '–' : `≤ ${(s * 1000).toLocaleString('en', { maximumFractionDigits: 1 })} ms`);

/**
 * @param {string} name
 * @param {Record<string, string>} [labels]
 */
function total(name, labels) {
  return (/** @type {NodeReadings} */ node) => count(sum(node.now.samples, name, labels));
}

/** @param {number} share */
function written(share) {
  return (/** @type {NodeReadings} */ { now, before }) => milliseconds(quantile(now.samples, before?.samples, 'kibitz_store_write_seconds', share)
    ?? quantile(now.samples, undefined, 'kibitz_store_write_seconds', share));
}

/** @param {NodeReadings} node */
function age({ now }) {
  const minutes = Math.floor((now.at / 1000 - sum(now.samples, 'process_start_time_seconds')) / 60);
  if (minutes < 120) return `${Math.max(0, minutes)} minutes`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} hours` : `${count(Math.floor(minutes / 1440))} days`;
}

/** @type {[string, [string, (node: NodeReadings) => string][]][]} */
const GROUPS = [
  ['Server', [
    ['Takes requests', ({ now }) => (sum(now.samples, 'kibitz_ready') ? 'yes' : 'no')],
    ['Version', ({ now }) => now.samples.get('kibitz_build_info')?.[0]?.labels.version ?? ''],
    ['Running for', age],
    ['Cores used', (node) => short(rate(node, 'process_cpu_seconds_total'))],
    ['Memory', ({ now }) => mib(sum(now.samples, 'process_resident_memory_bytes'))],
    ['Connections', total('kibitz_connections')],
    ['Times it did not run', total('kibitz_freezes_total')],
  ]],
  ['Matches', [
    ['Being played', total('kibitz_live_matches', { stage: 'running' })],
    ['With open seats', total('kibitz_live_matches', { stage: 'open' })],
    ['Moves a second', (node) => short(rate(node, 'kibitz_moves_total'))],
    ['Created since the start', total('kibitz_matches_made_total')],
    ['Over since the start', total('kibitz_matches_ended_total')],
    ['Pauses without the database', total('kibitz_match_pauses_total')],
  ]],
  ['Engines', [
    ['Cores that think', (node) => short(rate(node, 'kibitz_pool_thinking_seconds_total'))],
    ['Searches running', total('kibitz_pool_running')],
    ['Searches waiting', total('kibitz_pool_queue')],
    ['Searches refused', total('kibitz_pool_refused_total')],
    ['Workers', total('kibitz_workers')],
    ['Free slots of workers', total('kibitz_worker_slots_free')],
    ['Engines that panicked', total('kibitz_engine_panics_total')],
  ]],
  ['Database', [
    ['Size', ({ now }) => mib(sum(now.samples, 'kibitz_database_size_bytes'))],
    ['A write is on disk, median', written(0.5)],
    ['A write is on disk, 99%', written(0.99)],
    ['Failed transactions', total('kibitz_store_failures_total')],
  ]],
  ['People and bots', [
    ['People online', total('kibitz_players_online', { kind: 'person' })],
    ['Bots online', total('kibitz_players_online', { kind: 'bot' })],
    ['Accounts of people', total('kibitz_players', { kind: 'person' })],
    ['Bots', total('kibitz_players', { kind: 'bot' })],
    ['Waiting to be paired', total('kibitz_players_waiting')],
    ['Open challenges', total('kibitz_challenges')],
    ['Tournaments running', total('kibitz_tournaments', { stage: 'running' })],
    ['Runs the ladder', ({ now }) => (sum(now.samples, 'kibitz_ladder_holder') ? 'yes' : 'no')],
    ['Open reports', total('kibitz_reports')],
  ]],
];

/**
 * Shows the load, and goes on until it is stopped.
 * @param {HTMLElement} place
 * @param {string} token
 * @param {(error: unknown) => void} failed
 * @returns {() => void} stops it
 */
export function showLoad(place, token, failed) {
  /** @type {Map<string, NodeReadings>} */
  const nodes = new Map();
  let timer = 0;
  let stopped = false;
  const read = async () => {
    try {
      if (!document.hidden) await add(nodes, token);
      if (!stopped) fill(place, table(nodes));
    } catch (error) {
      failed(error);
    }
    if (!stopped) timer = window.setTimeout(read, EVERY_MS);
  };
  read();
  return () => { stopped = true; clearTimeout(timer); };
}

/**
 * Adds a reading of the node that answers, and leaves out nodes that are gone.
 * @param {Map<string, NodeReadings>} nodes
 * @param {string} token
 */
async function add(nodes, token) {
  const answer = await ask('/metrics', { who: { token }, headers: { accept: 'text/plain' }, raw: true });
  const now = { at: Date.now(), samples: parse(await answer.text()) };
  const name = now.samples.get('kibitz_node')?.[0]?.labels.node ?? '';
  nodes.set(name, { now, before: nodes.get(name)?.now });
  for (const [other, { now: { at } }] of nodes) if (now.at - at > GONE_MS) nodes.delete(other);
}

/** @param {Map<string, NodeReadings>} nodes */
function table(nodes) {
  const shown = [...nodes].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const group = (/** @type {string} */ title, /** @type {[string, (node: NodeReadings) => string][]} */ rows) => h('section', { class: 'card' },
    h('h3', {}, title), h('table', { class: 'results' },
      h('thead', { hidden: shown.length < 2 }, h('tr', {}, h('th', { scope: 'col' }, 'Node'), shown.map(([name]) => h('th', { scope: 'col' }, name)))),
      h('tbody', {}, rows.map(([label, value]) => h('tr', {}, h('th', { scope: 'row' }, label), shown.map(([, node]) => h('td', {}, value(node))))))));
  return h('div', { class: 'cards' }, GROUPS.map(([title, rows]) => group(title, rows)));
}
