import { readFileSync } from 'node:fs';
import { Redis, type RedisOptions } from 'ioredis';
import { eventually } from './eventually.js';
import { findFreePort, RedisProcess } from './redis-process.js';
import type { IssuedCertificate, TestAuthority } from './test-authority.js';

const slotCount = 16_384;

/** What a server is told to speak TLS alone. */
export function tlsWords({ ca }: TestAuthority, { cert, key }: IssuedCertificate, authClients: 'yes' | 'no'): string[] {
  const files = ['--tls-ca-cert-file', ca, '--tls-cert-file', cert, '--tls-key-file', key];
  return ['--port', '0', '--tls-port', 'PORT', ...files, '--tls-auth-clients', authClients];
}

/** How the servers of a fleet speak with each other and with everybody. */
export interface FleetTls {
  readonly authority: TestAuthority;
  readonly certificate: IssuedCertificate;
}

function listenWords(tls: FleetTls | null): string[] {
  if (tls === null) return ['--port', 'PORT'];
  return [...tlsWords(tls.authority, tls.certificate, 'no'), '--tls-replication', 'yes'];
}

function clientOptions(port: number, { password, tls }: FleetAccess): RedisOptions {
  const options = { host: '127.0.0.1', port, password };
  return tls === null ? options : { ...options, tls: { ca: readFileSync(tls.authority.ca) } };
}

interface FleetAccess {
  readonly password: string;
  readonly tls: FleetTls | null;
}

/** A master, its replica and three Sentinels who agree about them. */
export class SentinelFleet {
  private constructor(
    readonly master: RedisProcess,
    readonly replica: RedisProcess,
    readonly sentinels: readonly RedisProcess[],
  ) {}

  static async start(password: string, sentinelPassword: string, tls: FleetTls | null = null): Promise<SentinelFleet> {
    const login = ['--requirepass', password, '--masterauth', password];
    const master = await RedisProcess.start([...listenWords(tls), ...login]);
    const replicaOf = ['--replicaof', `127.0.0.1 ${master.port}`, '--repl-diskless-sync-delay', '0'];
    const replica = await RedisProcess.start([...listenWords(tls), ...login, ...replicaOf]);
    const settings = [
      ...listenWords(tls)
        .join(' ')
        .split(/ ?--/)
        .filter((line) => line !== ''),
      ...[`sentinel monitor mymaster 127.0.0.1 ${master.port} 2`, `sentinel auth-pass mymaster ${password}`],
      ...['sentinel down-after-milliseconds mymaster 2000', 'sentinel failover-timeout mymaster 10000'],
      ...[`requirepass ${sentinelPassword}`, `sentinel sentinel-pass ${sentinelPassword}`],
    ];
    const sentinels = await Promise.all([1, 2, 3].map(() => RedisProcess.startSentinel(settings)));
    const fleet = new SentinelFleet(master, replica, sentinels);
    for (const { port } of sentinels) {
      await waitFor(port, { password: sentinelPassword, tls }, async (sentinel) => {
        const facts = ((await sentinel.call('SENTINEL', 'MASTER', 'mymaster')) as string[]).join(' ');
        return /num-slaves 1 num-other-sentinels 2/.test(facts);
      });
    }
    return fleet;
  }

  get hosts(): string {
    return this.sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
  }

  async remove(): Promise<void> {
    await Promise.all([this.master, this.replica, ...this.sentinels].map((server) => server.remove()));
  }
}

/** A Cluster of three masters. */
export class ClusterFleet {
  private constructor(readonly masters: readonly RedisProcess[]) {}

  static async start(password: string, tls: FleetTls | null = null): Promise<ClusterFleet> {
    const masters: RedisProcess[] = [];
    for (let index = 0; index < 3; index += 1) {
      const busPort = String(await findFreePort());
      const own = [
        '--cluster-enabled',
        'yes',
        ...(tls === null ? [] : ['--tls-cluster', 'yes']),
        '--cluster-port',
        busPort,
        '--cluster-config-file',
        'nodes.conf',
      ];
      masters.push(await RedisProcess.start([...listenWords(tls), '--requirepass', password, ...own]));
    }
    await joinMasters(masters, { password, tls });
    return new ClusterFleet(masters);
  }

  get hosts(): string {
    return this.masters.map(({ port }) => `127.0.0.1:${port}`).join(',');
  }

  async remove(): Promise<void> {
    await Promise.all(this.masters.map((master) => master.remove()));
  }
}

async function joinMasters(masters: readonly RedisProcess[], access: FleetAccess): Promise<void> {
  const clients = masters.map(({ port }) => new Redis(clientOptions(port, access)));
  const share = Math.ceil(slotCount / masters.length);
  const [first] = clients as [Redis];
  for (const [index, client] of clients.entries()) {
    await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
    const end = Math.min((index + 1) * share, slotCount) - 1;
    await client.call('CLUSTER', 'ADDSLOTSRANGE', index * share, end);
  }
  for (const { port } of masters.slice(1)) {
    const busPort = await readBusPort(port, access);
    await first.call('CLUSTER', 'MEET', '127.0.0.1', port, busPort);
  }
  for (const client of clients) client.disconnect();
  for (const { port } of masters) {
    await waitFor(port, access, async (node) => {
      const info = String(await node.call('CLUSTER', 'INFO'));
      return /cluster_state:ok/.test(info) && /cluster_known_nodes:3/.test(info);
    });
  }
}

async function readBusPort(port: number, access: FleetAccess): Promise<string> {
  const client = new Redis(clientOptions(port, access));
  const [, busPort = ''] = (await client.call('CONFIG', 'GET', 'cluster-port')) as string[];
  client.disconnect();
  return busPort;
}

/** Asks until the answer is yes; the test's own time limit ends the wait. */
async function waitFor(port: number, access: FleetAccess, isSo: (client: Redis) => Promise<boolean>): Promise<void> {
  const client = new Redis(clientOptions(port, access));
  await eventually(() => isSo(client), 50);
  client.disconnect();
}
