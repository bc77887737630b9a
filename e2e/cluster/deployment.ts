import type { ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseAddress } from '../../server/database/database-address.js';
import type { Secret } from '../../server/kernel/secret.js';
import { PrivateRedis } from '../../server/test/private-redis.js';
import { makeTestFolder } from '../../server/test/test-folder.js';
import { creditsEach, startFakeProvider } from '../crash/crash-site.js';
import { type Customer, createCustomer } from '../crash/create-customer.js';
import { findFreePorts } from '../support/free-port.js';
import { type Stack, startStack } from '../support/start-stack.js';
import { Balancer } from './balancer.js';

const instanceCount = 3;
const customerCount = 30;
/** Of pino. */
const warnLevel = 40;

/** As an operator has it, but for limits that would end the load; leases and their grace as they come. */
const settings = {
  NODE_ENV: 'production',
  TRUST_PROXY: '1',
  LOG_LEVEL: 'info',
  OPENAI_API_KEY: 'sk-operator',
  REQUESTS_PER_MINUTE: '1000000',
  CONCURRENT_CALLS: '1000',
  SIGNUP_CREDITS: String(creditsEach),
  SIGNUP_GIFTS_PER_NETWORK: '1000000',
  SIGNUP_GIFTS_PER_HOUR: '1000000',
  SIGNUPS_PER_HOUR: '1000000',
  DRAIN_DELAY_SECONDS: '15',
};

/** One place for a server, with its port and its disk, whichever release runs there. */
interface Instance {
  readonly number: number;
  readonly port: number;
  readonly spoolFolder: string;
  stack: Stack | null;
}

/** Three servers behind a balancer, with one database, one Redis and one provider. */
export class Deployment {
  readonly customers: Customer[] = [];

  private constructor(
    private readonly haproxy: string,
    private readonly upstream: ChildProcess,
    private readonly providerUrl: string,
    readonly redis: PrivateRedis,
    private readonly folder: string,
    readonly instances: readonly Instance[],
    private healthPath: string,
    private balancerInUse: Balancer | null,
  ) {}

  /** Nothing runs yet but the provider and Redis. */
  static async prepare(haproxy: string): Promise<Deployment> {
    const folder = makeTestFolder('deployment');
    const ports = await findFreePorts(instanceCount);
    const instances = ports.map((port, index) => ({
      number: index + 1,
      port,
      spoolFolder: join(folder, `spool-${index + 1}`),
      stack: null,
    }));
    const { upstream, baseUrl } = await startFakeProvider();
    const redis = await PrivateRedis.start();
    return new Deployment(haproxy, upstream, baseUrl, redis, folder, instances, '/readyz', null);
  }

  get balancer(): Balancer {
    if (this.balancerInUse === null) throw new Error('The balancer does not run.');
    return this.balancerInUse;
  }

  /** A balancer that asks this path, instead of the one before. */
  async replaceBalancer(healthPath: string): Promise<void> {
    await this.balancerInUse?.close();
    this.healthPath = healthPath;
    this.balancerInUse = await Balancer.start(
      this.haproxy,
      this.instances.map(({ port }) => port),
      this.healthPath,
    );
  }

  /** @param mainScript of another release */
  async startInstance(instance: Instance, url: Secret, mainScript?: string): Promise<void> {
    const database: DatabaseAddress = { kind: 'mysql', url };
    const own = {
      PORT: String(instance.port),
      SPOOL_DIR: instance.spoolFolder,
      OPENAI_BASE_URL: this.providerUrl,
      REDIS_URL: this.redis.url.reveal(),
    };
    instance.stack = await startStack(database, { ...settings, ...own }, mainScript);
  }

  /** As an operator would, by SIGTERM; resolves when it has drained and ended with 0. */
  async stopInstance(instance: Instance): Promise<void> {
    await instance.stack?.stop();
    instance.stack = null;
  }

  async killInstance(instance: Instance): Promise<void> {
    await instance.stack?.kill();
    instance.stack = null;
  }

  async signUpCustomers(): Promise<void> {
    while (this.customers.length < customerCount)
      this.customers.push(await createCustomer(this.balancer.baseUrl, this.customers.length));
  }

  /** How many settlements wait on the disks of all instances. @throws when one does not answer. */
  async countKeptSettlements(): Promise<number> {
    let kept = 0;
    for (const { port } of this.instances) {
      const health = (await (await fetch(`http://127.0.0.1:${port}/healthz`)).json()) as {
        settlements: { kept: number; quarantined: number };
      };
      kept += health.settlements.kept + health.settlements.quarantined;
    }
    return kept;
  }

  /** How often each instance that runs has warned of what; empty when none has. */
  countWarnings(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { number, stack } of this.instances) {
      for (const { event, level } of stack?.log ?? []) {
        const name = `${number}: ${event}`;
        if (Number(level) >= warnLevel) counts[name] = (counts[name] ?? 0) + 1;
      }
    }
    return counts;
  }

  async close(): Promise<void> {
    await this.balancerInUse?.close();
    for (const instance of this.instances) await this.killInstance(instance);
    await this.redis.kill();
    this.upstream.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
