import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { DatabaseAddress } from '../../server/database/database-address.js';
import { makeTestFolder } from '../../server/test/test-folder.js';
import { type Stack, startStack } from '../support/start-stack.js';
import { type Customer, createCustomer } from './create-customer.js';
import { makeCall, type SeenCall, type WantedCall } from './make-call.js';

const fakeUpstreamScript = fileURLToPath(new URL('../../server/test/fake-upstream-process.js', import.meta.url));

/** What each customer starts with, and never gets more. */
export const creditsEach = 1_000_000;

/** A fake provider in a process of its own. */
export async function startFakeProvider(): Promise<{ readonly upstream: ChildProcess; readonly baseUrl: string }> {
  const upstream = spawn(process.execPath, [fakeUpstreamScript], { stdio: ['ignore', 'pipe', 'inherit'] });
  process.once('exit', () => upstream.kill());
  const [line] = (await once(createInterface({ input: upstream.stdout }), 'line')) as [string];
  const { baseUrl } = JSON.parse(line) as { baseUrl: string };
  return { upstream, baseUrl };
}

/**
 * The real server and a fake provider, each in a process of its own, on a database and a spool that outlive the server.
 * Remembers everything that its callers saw.
 */
export class CrashSite {
  readonly customers: Customer[] = [];
  readonly seen: { readonly accountId: string; readonly call: SeenCall }[] = [];
  readonly #agent = new Agent({ keepAlive: true });
  readonly #folder = makeTestFolder('crash');
  #stack: Stack | null = null;

  private constructor(
    private readonly serverDatabase: DatabaseAddress,
    private readonly upstream: ChildProcess,
    private readonly settings: Readonly<Record<string, string>>,
  ) {}

  /** @param serverDatabase as the server sees it; through a proxy, perhaps. */
  static async open(
    serverDatabase: DatabaseAddress,
    { customers, settings = {} }: { customers: number; settings?: Readonly<Record<string, string>> },
  ): Promise<CrashSite> {
    const { upstream, baseUrl } = await startFakeProvider();
    const site = new CrashSite(serverDatabase, upstream, { OPENAI_BASE_URL: baseUrl, ...settings });
    await site.start();
    for (let count = 0; count < customers; count += 1)
      site.customers.push(await createCustomer(site.stack.baseUrl, count));
    return site;
  }

  /** Where the server keeps settlements, unless the settings say otherwise. */
  get spoolFolder(): string {
    return join(this.#folder, 'spool');
  }

  get stack(): Stack {
    if (this.#stack === null) throw new Error('The server does not run.');
    return this.#stack;
  }

  async start(): Promise<void> {
    this.#stack = await startStack(this.serverDatabase, {
      OPENAI_API_KEY: 'sk-operator',
      REQUESTS_PER_MINUTE: '1000000',
      SIGNUP_CREDITS: String(creditsEach),
      SIGNUP_GIFTS_PER_NETWORK: '1000000',
      SIGNUP_GIFTS_PER_HOUR: '1000000',
      SPOOL_DIR: this.spoolFolder,
      ...this.settings,
    });
  }

  async kill(): Promise<void> {
    await this.stack.kill();
    this.#stack = null;
  }

  /** Makes a call for this customer and remembers what was seen of it. */
  async call({ accountId, apiKey }: Customer, wanted: WantedCall, agent = this.#agent): Promise<SeenCall> {
    const call = await makeCall({ baseUrl: this.stack.baseUrl, apiKey, agent }, wanted);
    this.seen.push({ accountId, call });
    return call;
  }

  /** How many calls the provider was asked for so far: each of them has its credits reserved, by a hold or under a lease. */
  async countAsked(): Promise<number> {
    const response = await fetch(new URL('/requests', this.settings.OPENAI_BASE_URL));
    return ((await response.json()) as readonly unknown[]).length;
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    try {
      await this.#stack?.stop();
    } finally {
      // A provider that lived on would keep the process of the tests alive.
      this.upstream.kill();
      rmSync(this.#folder, { recursive: true, force: true });
    }
  }
}
