// Real servers for the tests, which can be killed and started again on the same database, and a proxy that cuts connections.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const programs = process.env['KIBITZ_PROGRAMS'] ?? fileURLToPath(new URL('../../../../target/debug', import.meta.url));

async function freePort(): Promise<number> {
  const listener = net.createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as net.AddressInfo;
  listener.close();
  await once(listener, 'close');
  return port;
}

/** `kibitz serve` with a database of its own, on one port for its whole life. */
export class TestServer {
  private process: ChildProcess | undefined;

  private constructor(private readonly folder: string, readonly port: number) {}

  static async begin(): Promise<TestServer> {
    const server = new TestServer(await mkdtemp(join(tmpdir(), 'kibitz-')), await freePort());
    await server.start();
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts it and waits until it serves. */
  async start(): Promise<void> {
    const args = ['serve', '--listen', `127.0.0.1:${this.port}`, '--database', join(this.folder, 'kibitz.db')];
    const limits = { KIBITZ_CREATIONS_PER_MINUTE: '600000', KIBITZ_CREATIONS_BURST: '600000' };
    const env = { ...process.env, ...limits, KIBITZ_LADDER: 'false' };
    const started = spawn(join(programs, 'kibitz'), args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    this.process = started;
    let log = '';
    await new Promise<void>((serving, failed) => {
      started.stderr.on('data', (part: Buffer) => {
        log += part.toString();
        if (log.includes('serving address')) serving();
      });
      started.on('error', failed);
      started.on('exit', () => failed(new Error(`the server has ended: ${log}`)));
    });
  }

  /** Kills it as a crash does. */
  async kill(): Promise<void> {
    const ended = this.process;
    if (ended === undefined) return;
    this.process = undefined;
    ended.kill('SIGKILL');
    await once(ended, 'exit');
  }

  async end(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true });
  }
}

/** A TCP proxy before a server, which can cut all connections. */
export class Proxy {
  private readonly pairs = new Set<net.Socket>();
  /** The number of the server's bytes after which each connection is cut. */
  cutAfter = Infinity;
  /** Whether to cut a connection instead of passing on an answer, given the request. */
  swallow: (request: string) => boolean = () => false;
  cuts = 0;

  private constructor(private readonly listener: net.Server) {}

  static async before(port: number): Promise<Proxy> {
    const listener = net.createServer();
    const proxy = new Proxy(listener);
    listener.on('connection', (client) => proxy.connect(client, port));
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.listener.address() as net.AddressInfo).port}`;
  }

  private connect(client: net.Socket, port: number): void {
    const server = net.connect(port, '127.0.0.1');
    let request = '';
    let passed = 0;
    const close = (): void => {
      client.destroy();
      server.destroy();
    };
    for (const end of [client, server]) {
      this.pairs.add(end);
      end.on('error', close);
      end.on('close', () => {
        this.pairs.delete(end);
        close();
      });
    }
    client.on('data', (part) => {
      request += part.toString('latin1');
      server.write(part);
    });
    server.on('data', (part) => {
      passed += part.length;
      if (passed > this.cutAfter || this.swallow(request)) {
        this.cuts += 1;
        close();
        return;
      }
      request = '';
      client.write(part);
    });
  }

  /** Cuts all connections. */
  cut(): void {
    for (const end of this.pairs) end.destroy();
  }

  close(): void {
    this.listener.close();
    this.cut();
  }
}
