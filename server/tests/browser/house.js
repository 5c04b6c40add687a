// A server of our own on a free port, with a database that is thrown away. `node house.js COMMAND...` runs a command
// while it stands, with its address in KIBITZ_URL and its number in KIBITZ_PID.

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = process.env.KIBITZ_PROGRAM
  ?? fileURLToPath(new URL('../../../target/debug/kibitz', import.meta.url));

// Starts a server; `{url, stop}`. `settings`: more environment.
export async function serve(settings = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'kibitz-browser-'));
  const child = spawn(PROGRAM, ['serve', '--listen', '127.0.0.1:0', '--database', join(folder, 'kibitz.db')], {
    env: { ...process.env, KIBITZ_LOG_FORMAT: 'json', KIBITZ_LOG_LEVEL: 'info', ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const gone = new Promise((done) => child.once('close', done));
  const stop = async () => {
    child.kill('SIGTERM');
    await gone;
    await rm(folder, { recursive: true, force: true });
  };
  const log = [];
  const address = new Promise((done, fail) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      log.push(line);
      if (log.length > 200) log.shift();
      const told = /"address":"([^"]+)"/.exec(line);
      if (told) done(told[1]);
      if (/"level":"(ERROR|WARN)"/.test(line)) console.error(`server: ${line}`);
    });
    child.once('error', fail);
    gone.then(() => fail(new Error(`the server ended: ${log.join('\n')}`)));
  });
  try {
    return { url: `http://${await address}`, stop, pid: child.pid };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const house = await serve();
  const [command, ...args] = process.argv.slice(2);
  const env = { ...process.env, KIBITZ_URL: house.url, KIBITZ_PID: house.pid };
  const run = spawn(command, args, { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => run.kill(signal));
  const code = await new Promise((done) => run.once('close', (status) => done(status ?? 1)));
  await house.stop();
  process.exit(code);
}
