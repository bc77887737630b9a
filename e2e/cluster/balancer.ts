import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findRepositoryRoot } from '../../server/test/architecture/source-tree.js';
import { makeTestFolder } from '../../server/test/test-folder.js';
import { stretched } from '../../server/test/wait-factor.js';
import { findFreePort } from '../support/free-port.js';
import { RunningChild } from './run-child.js';

const configFile = join(findRepositoryRoot(import.meta.dirname), 'docs/haproxy.cfg');
const timeoutMs = stretched(30_000);

/** HAProxy in front of three instances, with the settings of `docs/haproxy.cfg`. */
export class Balancer {
  private constructor(
    private readonly haproxy: RunningChild,
    private readonly folder: string,
    readonly baseUrl: string,
  ) {}

  /** @param healthPath another one for a release that has no `/readyz` yet */
  static async start(program: string, ports: readonly number[], healthPath = '/readyz'): Promise<Balancer> {
    const folder = makeTestFolder('balancer');
    const port = await findFreePort();
    let config = replaceOnce(readFileSync(configFile, 'utf8'), 'bind :80\n', `bind 127.0.0.1:${port}\n`);
    config = replaceOnce(config, '/run/haproxy/admin.sock', join(folder, 'admin.sock'));
    config = replaceOnce(config, 'GET /readyz', `GET ${healthPath}`);
    for (const [index, own] of ports.entries())
      config = replaceOnce(config, `10.0.0.1${index + 1}:8080`, `127.0.0.1:${own}`);
    writeFileSync(join(folder, 'haproxy.cfg'), config);
    const haproxy = RunningChild.start(program, ['-db', '-f', join(folder, 'haproxy.cfg')]);
    const balancer = new Balancer(haproxy, folder, `http://127.0.0.1:${port}`);
    try {
      await balancer.#waitUntil(ports.length);
      return balancer;
    } catch (error) {
      await balancer.close();
      throw error;
    }
  }

  /** No new call goes to this instance (1, 2 or 3). Resolves when those that it has have ended. */
  async drain(instance: number): Promise<void> {
    await this.#order(`set server tollgate/tollgate-${instance} state drain`);
    const endsMs = performance.now() + timeoutMs;
    while ((await this.#readServers()).find(({ name }) => name === `tollgate-${instance}`)?.sessions !== 0) {
      if (performance.now() > endsMs) throw new Error(`Instance ${instance} still has calls.`);
      await sleep(50);
    }
  }

  /** Calls go to this instance again. Resolves when it counts as well. */
  async giveCalls(instance: number): Promise<void> {
    await this.#order(`set server tollgate/tollgate-${instance} state ready`);
    await this.waitUntilAllAreWell();
  }

  /** Resolves when every instance has answered its check well. */
  async waitUntilAllAreWell(): Promise<void> {
    await this.#waitUntil((await this.#readServers()).length);
  }

  async close(): Promise<void> {
    await this.haproxy.end('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #waitUntil(wellCount: number): Promise<void> {
    const endsMs = performance.now() + timeoutMs;
    for (;;) {
      const servers = await this.#readServers().catch(() => []);
      // "UP" alone: checked, and not "UP 1/2", which is on its way.
      if (servers.filter(({ isWell }) => isWell).length === wellCount) return;
      if (performance.now() > endsMs || !this.haproxy.isRunning) {
        throw new Error(
          `HAProxy has too few servers: ${JSON.stringify(servers)}\n${this.haproxy.lastLines.join('\n')}`,
        );
      }
      await sleep(50);
    }
  }

  async #readServers(): Promise<{ name: string; sessions: number; isWell: boolean }[]> {
    const [head = '', ...lines] = (await this.#order('show stat')).split('\n');
    const names = head.replace('# ', '').split(',');
    const rows = lines.map((line) => new Map(line.split(',').map((value, index) => [names[index], value])));
    return rows
      .filter((row) => row.get('pxname') === 'tollgate' && row.get('svname') !== 'BACKEND')
      .map((row) => ({
        name: row.get('svname') ?? '',
        sessions: Number(row.get('scur')),
        isWell: row.get('status') === 'UP' && row.get('check_status') === 'L7OK',
      }));
  }

  #order(words: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let answer = '';
      const socket = connect(join(this.folder, 'admin.sock'), () => socket.write(`${words}\n`));
      socket.setEncoding('utf8').on('data', (text) => {
        answer += text;
      });
      socket.once('end', () => resolve(answer)).once('error', reject);
    });
  }
}

function replaceOnce(text: string, from: string, to: string): string {
  if (text.split(from).length !== 2) throw new Error(`docs/haproxy.cfg should have "${from.trim()}" once.`);
  return text.replace(from, to);
}
