// A private server on a free port, with a temporary database. `node server.js COMMAND...` runs a command while the server
// runs, with its address in KIBITZ_URL and its process id in KIBITZ_PID.

import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAMS = process.env.KIBITZ_PROGRAMS ?? fileURLToPath(new URL('../../../target/debug', import.meta.url));

// The path of a built program.
export const program = (name) => join(PROGRAMS, name);

// Starts the program on the database in this folder; `{url, pid, end}`.
async function begin(folder, listen, settings) {
  // A test may limit the size of its files: then the disk seems to be full, and the program goes on.
  const shell = ['-c', 'trap "" XFSZ; exec "$0" "$@"', program('kibitz')];
  const child = spawn('sh', [...shell, 'serve', '--listen', listen, '--database', join(folder, 'kibitz.db')], {
    env: { ...process.env, KIBITZ_LOG_FORMAT: 'json', KIBITZ_LOG_LEVEL: 'info', KIBITZ_LADDER: 'false', KIBITZ_SIDE_WORK_MS: '600000', ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const gone = new Promise((done) => child.once('close', done));
  const end = () => {
    child.kill('SIGTERM');
    return gone;
  };
  const log = [];
  const address = await new Promise((done, fail) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      log.push(line);
      if (log.length > 200) log.shift();
      const address = /"address":"([^"]+)"/.exec(line);
      if (address) done(address[1]);
      if (/"level":"(ERROR|WARN)"/.test(line)) console.error(`server: ${line}`);
    });
    child.once('error', fail);
    gone.then(() => fail(new Error(`the server ended: ${log.join('\n')}`)));
  });
  return { url: `http://${address}`, pid: child.pid, end };
}

// Starts a server; `{url, pid, stop, restart, pause, resume}`. `pause` ends the program, `resume` starts it again on the
// same address and database. `settings`: further environment variables.
export async function serve(settings = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'kibitz-browser-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    let running = await begin(folder, '127.0.0.1:0', settings);
    const { url, pid } = running;
    const stop = async () => {
      await running.end();
      await remove();
    };
    const pause = () => running.end();
    const resume = async () => {
      running = await begin(folder, new URL(url).host, settings);
    };
    const restart = async () => {
      await pause();
      await resume();
    };
    return { url, pid, stop, restart, pause, resume };
  } catch (error) {
    await remove();
    throw error;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = await serve();
  const [command, ...args] = process.argv.slice(2);
  const env = { ...process.env, KIBITZ_URL: server.url, KIBITZ_PID: server.pid };
  const run = spawn(command, args, { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => run.kill(signal));
  const code = await new Promise((done) => run.once('close', (status) => done(status ?? 1)));
  await server.stop();
  process.exit(code);
}
