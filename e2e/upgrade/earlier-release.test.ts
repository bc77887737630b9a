import { Agent } from 'node:http';
import type { DatabaseAddress } from '../../server/database/database-address.js';
import { millicreditsPerCredit } from '../../server/kernel/millicredits.js';
import { Secret } from '../../server/kernel/secret.js';
import { findLedgerViolations } from '../../server/ledger/checks/check-ledger.js';
import { openLedgerSnapshot } from '../../server/ledger/checks/ledger-snapshot.js';
import { adminUrlOf, describeOnEachDatabase, describeOnMysql } from '../../server/test/each-database.js';
import { startFakeProvider } from '../crash/crash-site.js';
import { askGraphql, type Customer, createCustomer } from '../crash/create-customer.js';
import { makeCall } from '../crash/make-call.js';
import {
  buildEarlierRelease,
  type EarlierRelease,
  earlierReleaseCommit,
  hasEarlierRelease,
} from '../support/earlier-release.js';
import { type Stack, startStack } from '../support/start-stack.js';

const dollars = 5;
/** In millicredits: a dollar is a thousand credits. */
const bought = dollars * 1_000 * millicreditsPerCredit;
const callTokens = 4;
const settings = { OPENAI_API_KEY: 'sk-operator', ALLOW_SIMULATED_MONEY_FOR_REAL_PROVIDERS: 'true' };

// Where the history of a clone does not go back that far, this says what was left out.
const commit = earlierReleaseCommit.slice(0, 7);
const isHere = hasEarlierRelease();
if (!isHere)
  console.warn(
    `Left out: the release ${commit} on the new tables. This clone lacks that commit: git fetch --unshallow`,
  );
const suiteOnEach = isHere ? describeOnEachDatabase : (title: string) => describe.skip(title, () => it('', () => {}));
const suiteOnMysql = isHere ? describeOnMysql : (title: string) => describe.skip(title, () => it('', () => {}));

/** A provider, the last release and the present one, on one database. */
class UpgradeSite {
  readonly #agent = new Agent();
  readonly #stacks: Stack[] = [];
  #release: EarlierRelease | null = null;
  #provider: Awaited<ReturnType<typeof startFakeProvider>> | null = null;

  async open(): Promise<void> {
    this.#release = buildEarlierRelease();
    this.#provider = await startFakeProvider();
  }

  async startPresent(address: DatabaseAddress): Promise<Stack> {
    return this.#keep(await startStack(address, this.#settings()));
  }

  async startEarlier(address: DatabaseAddress): Promise<Stack> {
    return this.#keep(await startStack(address, this.#settings(), this.#release?.mainScript));
  }

  /** Somebody signs up, makes a key, buys credits and makes a call of each kind. @returns what the calls cost. */
  async live({ baseUrl }: Stack, number: number): Promise<{ customer: Customer; millicredits: number }> {
    const customer = await createCustomer(baseUrl, number);
    await this.buy(baseUrl, customer);
    return { customer, millicredits: await this.call(baseUrl, customer) };
  }

  async buy(baseUrl: string, { sessionToken }: Customer): Promise<void> {
    const { startCheckout } = await askGraphql<{ startCheckout: { purchase: { id: string } } }>(
      baseUrl,
      'mutation ($dollars: Int!) { startCheckout(input: { dollars: $dollars }) { purchase { id } } }',
      { variables: { dollars }, sessionToken },
    );
    const page = `${baseUrl}/checkout/simulated/${startCheckout.purchase.id}/pay`;
    expect((await fetch(page, { method: 'POST', redirect: 'manual' })).status).toBe(303);
  }

  /** A plain and a streamed call. @returns what they cost together. */
  async call(baseUrl: string, { apiKey }: Customer): Promise<number> {
    let millicredits = 0;
    for (const isStreamed of [false, true]) {
      const wanted = {
        model: 'gpt-4o-mini',
        isStreamed,
        tokens: callTokens,
        delayMs: 0,
        leaveAfterBytes: null,
      } as const;
      const seen = await makeCall({ baseUrl, apiKey, agent: this.#agent }, wanted);
      expect(seen).toMatchObject({ outcome: 'whole', wasPriceTold: true });
      millicredits += seen.chargedMillicredits;
    }
    return millicredits;
  }

  async stopServers(): Promise<void> {
    for (const stack of this.#stacks.splice(0)) await stack.stop();
  }

  async close(): Promise<void> {
    this.#agent.destroy();
    for (const stack of this.#stacks.splice(0)) await stack.kill();
    this.#provider?.upstream.kill();
    this.#release?.remove();
  }

  #keep(stack: Stack): Stack {
    this.#stacks.push(stack);
    return stack;
  }

  #settings(): Readonly<Record<string, string>> {
    return { ...settings, OPENAI_BASE_URL: this.#provider?.baseUrl ?? '' };
  }
}

/** What the account has, in millicredits, and how many calls and purchases its owner sees. */
async function readAccount({ baseUrl }: Stack, { sessionToken }: Customer) {
  const query =
    '{ viewer { balance { available held } } calls(first: 50) { edges { node { id } } } purchases(first: 50) { edges { node { id } } } }';
  const { viewer, calls, purchases } = await askGraphql<AccountSeen>(baseUrl, query, { sessionToken });
  return {
    millicredits: Math.round(Number(viewer.balance.available) * millicreditsPerCredit),
    held: Number(viewer.balance.held),
    calls: calls.edges.length,
    purchases: purchases.edges.length,
  };
}

interface AccountSeen {
  readonly viewer: { readonly balance: { readonly available: number; readonly held: number } };
  readonly calls: { readonly edges: readonly object[] };
  readonly purchases: { readonly edges: readonly object[] };
}

async function findViolations(address: DatabaseAddress): Promise<readonly unknown[]> {
  const snapshot = await openLedgerSnapshot(address);
  return findLedgerViolations(snapshot).finally(() => snapshot.close());
}

suiteOnEach(`the last release (${commit}) on the tables of this one`, (openTestDatabase) => {
  const site = new UpgradeSite();
  beforeAll(() => site.open(), 120_000);
  afterAll(() => site.close());

  it('serves sign-up, key, purchase and calls, to new customers and to those of this release, which then goes on with all', async () => {
    const { address } = await openTestDatabase();
    const before = await site.live(await site.startPresent(address), 1);
    await site.stopServers();

    const earlier = await site.startEarlier(address);
    const meanwhile = await site.live(earlier, 2);
    const more = await site.call(earlier.baseUrl, before.customer);
    await site.stopServers();

    const present = await site.startPresent(address);
    const after = await site.call(present.baseUrl, meanwhile.customer);
    await site.buy(present.baseUrl, meanwhile.customer);
    expect(await readAccount(present, before.customer)).toEqual({
      ...{ millicredits: bought - before.millicredits - more, held: 0, calls: 4, purchases: 1 },
    });
    expect(await readAccount(present, meanwhile.customer)).toEqual({
      ...{ millicredits: 2 * bought - meanwhile.millicredits - after, held: 0, calls: 4, purchases: 2 },
    });
    await site.stopServers();
    expect(await findViolations(address)).toEqual([]);
  }, 120_000);
});

suiteOnMysql(`the last release (${commit}) beside this one`, (openTestDatabase) => {
  const site = new UpgradeSite();
  beforeAll(() => site.open(), 120_000);
  afterAll(() => site.close());

  it('goes on while this one changes the tables, and each serves the customers of the other', async () => {
    const database = await openTestDatabase();
    const { address } = database;
    // That release could make its triggers only as an administrator, where MySQL keeps a binary log.
    const earlier = await site.startEarlier({ kind: 'mysql', url: new Secret(adminUrlOf(database).href) });
    const old = await site.live(earlier, 1);
    const present = await site.startPresent(address);
    const young = await site.live(present, 2);
    const spent = [
      await site.call(earlier.baseUrl, young.customer),
      await site.call(present.baseUrl, old.customer),
      await site.call(earlier.baseUrl, old.customer),
    ] as const;
    expect(await readAccount(present, old.customer)).toMatchObject({
      ...{ millicredits: bought - old.millicredits - spent[1] - spent[2], calls: 6, purchases: 1 },
    });
    expect(await readAccount(earlier, young.customer)).toMatchObject({
      ...{ millicredits: bought - young.millicredits - spent[0], calls: 4, purchases: 1 },
    });
    await site.stopServers();
    expect(await findViolations(address)).toEqual([]);
  }, 120_000);
});
