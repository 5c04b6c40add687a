// The examples of docs/typescript.md have right types and run, and the page names everything that is public.

import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { Client } from '../src/index.js';
import { TestServer } from './server.js';

const folder = fileURLToPath(new URL('../..', import.meta.url));
const page = await readFile(join(folder, '../../docs/typescript.md'), 'utf8');

test('the page names all that is public', async () => {
  const index = await readFile(join(folder, 'src/index.ts'), 'utf8');
  const names = [...index.matchAll(/\{([^}]*)\}/g)].flatMap(([, list]) => (list ?? '').split(','))
    .map((name) => name.replace('type', '').trim()).filter(Boolean);
  assert(names.length > 15);
  const named = new Set(page.match(/\w+/g));
  assert.deepEqual(names.filter((name) => !named.has(name)), []);
});

test('the examples run', async () => {
  const server = await TestServer.begin();
  const guest = new Client(server.url);
  const owner = guest.withToken((await guest.call('post', '/v1/players', { body: { name: 'owner' } })).token);
  const bot = await owner.call('post', '/v1/me/bots', { body: { name: 'robo' } });
  const code = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block).join('\n')
    .replaceAll('http://127.0.0.1:8080', server.url)
    // Node before 22 has no WebSocket.
    .replace('signal: stop.signal,', 'signal: stop.signal, WebSocket: ws as unknown as SocketConstructor,');
  // A package of its own, which has this one installed; inside of it, for the tools of the tests.
  const work = await mkdtemp(join(folder, 'build/examples-'));
  await writeFile(join(work, 'package.json'), '{"name": "examples", "type": "module"}');
  await mkdir(join(work, 'node_modules'));
  await symlink(folder, join(work, 'node_modules/kibitz-client'));
  const source = `import ws from 'ws';\nimport type { SocketConstructor } from 'kibitz-client';\n${code}`;
  await writeFile(join(work, 'examples.ts'), source);
  const options = ['--strict', '--target', 'es2022', '--module', 'nodenext', '--types', 'node', '--outDir', work];
  await promisify(execFile)(join(folder, 'node_modules/.bin/tsc'), [...options, join(work, 'examples.ts')], { cwd: folder })
    .catch((error: { stdout: string }) => assert.fail(error.stdout));
  const program = spawn(process.execPath, [join(work, 'examples.js')], { env: { ...process.env, KIBITZ_TOKEN: bot.token } });
  let output = '';
  for (const stream of [program.stdout, program.stderr]) stream.on('data', (part: Buffer) => { output += part.toString(); });
  const ended = once(program, 'exit');
  // The last example keeps the bot online until a signal comes.
  const online = async (): Promise<boolean> => (await guest.call('get', '/v1/bots', {})).bots.length > 0;
  while (program.exitCode === null && !await online()) await new Promise((resolve) => setTimeout(resolve, 50));
  program.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null], output);
  assert.match(output, /no_such_match/);
  assert.match(output, /ranks/);
  await rm(work, { recursive: true });
  await server.end();
});
