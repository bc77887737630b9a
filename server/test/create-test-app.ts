import { rmSync } from 'node:fs';
import type { DataSource } from 'typeorm';
import { type App, createApp } from '../app.js';
import { loadConfig } from '../config/config.js';
import { createDataSource } from '../database/data-source.js';
import type { LookUpName } from '../kernel/addresses/look-up-name.js';
import { type Clock, systemClock } from '../kernel/clock.js';
import { createLogger } from '../kernel/logger.js';
import { findLedgerViolations } from '../ledger/checks/check-ledger.js';
import { databaseUrlOf, type OpenTestDatabase, type TestDatabase } from './each-database.js';
import { eventually } from './eventually.js';
import { FakeUpstream } from './fake-upstream.js';
import { postGraphql } from './post-graphql.js';
import { giveSchema } from './schema-template.js';
import { makeTestFolder } from './test-folder.js';

/** An account with a key, ready to call. */
export interface TestAccount {
  readonly accountId: string;
  readonly sessionToken: string;
  readonly secret: string;
}

type Settings = Readonly<Record<string, string>>;
type Surroundings = [clock?: Clock | undefined, lookUpName?: LookUpName];

/** The real application on a port of this machine; the provider behind `openai` is a fake, over real HTTP, and every name is at one public address. */
export class TestApp {
  /** How many run on each database. */
  static readonly #running = new Map<string, number>();
  #people = 0;

  database!: TestDatabase;
  upstream!: FakeUpstream;
  baseUrl!: string;
  spoolFolder!: string;
  /** Every line that was logged, as text. */
  logLines: readonly string[] = [];
  private app!: App;
  private inspector!: DataSource;

  private constructor() {}

  /** One that all tests of the suite around it share; it is closed behind them. Settings may be told by what starts before it. */
  static forAll(
    openTestDatabase: OpenTestDatabase,
    settings: Settings | (() => Settings) = {},
    ...around: Surroundings
  ): TestApp {
    const app = new TestApp();
    const told = () => (typeof settings === 'function' ? settings() : settings);
    beforeAll(async () => app.#start(await openTestDatabase(), told(), ...around), 60_000);
    afterAll(() => app.close());
    return app;
  }

  /** One that is started before each test of the suite around it, and closed behind it. */
  static forEach(openTestDatabase: OpenTestDatabase, settings: Settings = {}): TestApp {
    const app = new TestApp();
    beforeEach(async () => app.#start(await openTestDatabase(), settings));
    afterEach(() => app.close());
    return app;
  }

  /** An account that all tests of the suite around it share, as they share this application. */
  accountForAll(dollars?: number): TestAccount {
    const account = {} as TestAccount;
    beforeAll(async () => Object.assign(account, await this.createAccount(dollars)));
    return account;
  }

  /** Another account for each test of the suite around it. */
  accountForEach(dollars?: number): TestAccount {
    const account = {} as TestAccount;
    beforeEach(async () => Object.assign(account, await this.createAccount(dollars)));
    return account;
  }

  /** One more server on a database that somebody else drops. */
  static async startBeside(database: TestDatabase, settings: Settings = {}): Promise<TestApp> {
    return TestApp.start({ ...database, drop: async () => {} }, settings);
  }

  /** Two instances on one database, which goes with the second of them. */
  static async startTwo(database: TestDatabase, settings: Settings = {}): Promise<TestApp[]> {
    return [await TestApp.startBeside(database, settings), await TestApp.start(database, settings)];
  }

  static async start(database: TestDatabase, settings: Settings = {}, ...around: Surroundings): Promise<TestApp> {
    const app = new TestApp();
    await app.#start(database, settings, ...around);
    return app;
  }

  async #start(
    database: TestDatabase,
    settings: Settings,
    clock: Clock = systemClock,
    lookUpName: LookUpName = async () => ['203.0.113.80'],
  ): Promise<void> {
    await giveSchema(database);
    this.#people = 0;
    this.database = database;
    this.upstream = await FakeUpstream.start();
    this.spoolFolder = makeTestFolder('spool');
    const { address } = database;
    const environment = {
      HOST: '127.0.0.1',
      PORT: '0',
      PUBLIC_URL: 'http://tollgate.test',
      DATABASE_URL: databaseUrlOf(address),
      SPOOL_DIR: this.spoolFolder,
      OPENAI_API_KEY: 'sk-operator-canary-0123456789',
      OPENAI_BASE_URL: this.upstream.baseUrl,
      // It stops writing when it is left, and the tests do not wait for a grace that they do not ask for.
      OPENAI_STOPS_ON_ABORT: 'on',
      LEFT_CALL_GRACE_SECONDS: '0',
      REQUESTS_PER_MINUTE: '100000',
      CONCURRENT_CALLS: '100000',
      // Faults are made on purpose in most suites, and must not add up.
      BREAKER_FAILURES: '0',
      SIGNUPS_PER_HOUR: '100000',
      ...settings,
    };
    // A file of this machine's own is none of the test's business.
    const config = settings.TOLLGATE_CONFIG ? loadConfig(environment) : loadConfig(environment, () => null);
    const logLines: string[] = [];
    this.logLines = logLines;
    const logger = createLogger('info', { destination: { write: (line: string) => logLines.push(line) } });
    this.app = await createApp(config, logger, { clock, lookUpName });
    this.baseUrl = `http://127.0.0.1:${await this.app.listen()}`;
    TestApp.#running.set(environment.DATABASE_URL, (TestApp.#running.get(environment.DATABASE_URL) ?? 0) + 1);
    // It asks in SQL alone, and reading all entities takes as long as the rest of a start.
    this.inspector = await createDataSource(address, { entities: [], migrations: [] }).initialize();
  }

  /** What a client is given as base address. */
  get proxyUrl(): string {
    return `${this.baseUrl}/api/proxy.php`;
  }

  /** Asks GraphQL and answers `data`. @throws with the errors, if there are any. */
  async graphql<Data>(query: string, variables: object = {}, sessionToken?: string): Promise<Data> {
    const response = await postGraphql(
      this.baseUrl,
      { query, variables },
      sessionToken ? { authorization: `Bearer ${sessionToken}` } : {},
    );
    const answer = (await response.json()) as { data: Data; errors?: unknown };
    if (answer.errors) throw new Error(JSON.stringify(answer.errors));
    return answer.data;
  }

  /** Signs up, makes the key, and buys credits for this many whole dollars (0: none) by the simulated checkout. */
  async createAccount(dollars = 5): Promise<TestAccount> {
    this.#people += 1;
    const input = { email: `person-${this.#people}@example.com`, password: 'a long enough password', name: 'A Person' };
    const { signUp } = await this.graphql<{ signUp: { sessionToken: string; account: { id: string } } }>(
      'mutation ($input: SignUpInput!) { signUp(input: $input) { sessionToken account { id } } }',
      { input },
    );
    const { sessionToken } = signUp;
    const { createApiKey } = await this.graphql<{ createApiKey: { secret: string } }>(
      'mutation { createApiKey(input: { name: "test" }) { secret } }',
      {},
      sessionToken,
    );
    if (dollars > 0) await this.buyCredits(sessionToken, dollars);
    return { accountId: signUp.account.id, sessionToken, secret: createApiKey.secret };
  }

  async buyCredits(sessionToken: string, dollars: number): Promise<void> {
    const { startCheckout } = await this.graphql<{ startCheckout: { purchase: { id: string } } }>(
      'mutation ($dollars: Int!) { startCheckout(input: { dollars: $dollars }) { purchase { id } } }',
      { dollars },
      sessionToken,
    );
    await fetch(`${this.baseUrl}/checkout/simulated/${startCheckout.purchase.id}/pay`, {
      method: 'POST',
      redirect: 'manual',
    });
  }

  /** Leaves the account exactly this much, by a grant and a charge straight in the ledger's own words, of now: older hours may be summed. */
  async setBalance(accountId: string, millicredits: number): Promise<void> {
    await this.returnLeases(accountId);
    const { posted } = await this.findWallet(accountId);
    const isMore = millicredits > posted;
    const amount = Math.abs(millicredits - posted);
    if (amount === 0) return;
    const [wallet] = await this.query(`SELECT seq FROM ledger_account WHERE id = '${accountId}'`);
    const seq = Number(wallet?.seq) + 1;
    const counter = isMore ? 'credits_posted' : 'debits_posted';
    await this.query(
      `UPDATE ledger_account SET ${counter} = ${counter} + ${amount}, seq = ${seq} WHERE id = '${accountId}'`,
    );
    const [from, to] = isMore ? ['sys:grants', accountId] : [accountId, 'sys:usage'];
    await this.query(
      `INSERT INTO ledger_transfer (wallet, wallet_seq, id, type, debit_account, credit_account, amount, available_after, posted_after, at_ms) VALUES ('${accountId}', ${seq}, 'test:${accountId}:${seq}', '${isMore ? 'grant' : 'overage'}', '${from}', '${to}', ${amount}, ${millicredits}, ${millicredits}, ${Date.now()})`,
    );
  }

  /** Credits in minus credits used, and what running calls hold, by holds of their own or out of leases. */
  async findWallet(accountId: string): Promise<{ posted: number; pending: number }> {
    const rows = await this.query(
      `SELECT credits_posted - debits_posted AS posted, debits_pending AS pending, l.id, l.amount, l.spent
       FROM ledger_account a LEFT JOIN wallet_lease l ON l.wallet = a.id AND l.state <> 'ended' WHERE a.id = '${accountId}'`,
    );
    let posted = Number(rows[0]?.posted);
    let pending = Number(rows[0]?.pending);
    for (const { id, amount, spent } of rows) {
      if (id === null) continue;
      posted -= Number(spent);
      pending += (this.app.leases?.findReserved(accountId, String(id)) ?? 0) - Number(amount);
    }
    return { posted, pending };
  }

  /** Waits until nothing of the account is leased; its running calls must end first. */
  async returnLeases(accountId: string): Promise<void> {
    const open = `SELECT id FROM wallet_lease WHERE wallet = '${accountId}' AND state <> 'ended'`;
    await eventually(async () => {
      this.app.leases?.drain(accountId);
      return (await this.query(open)).length === 0;
    });
  }

  /** Waits until no call of the account holds anything; the test's own time limit ends the wait. */
  async waitUntilSettled(accountId: string): Promise<void> {
    await eventually(async () => (await this.findWallet(accountId)).pending === 0);
  }

  /** What an account is charged for some work, in millicredits, once all of it is settled. */
  async chargeOf({ accountId }: Pick<TestAccount, 'accountId'>, work: () => Promise<unknown>): Promise<number> {
    const before = await this.findWallet(accountId);
    await work();
    await this.waitUntilSettled(accountId);
    return before.posted - (await this.findWallet(accountId)).posted;
  }

  get isSqlite(): boolean {
    return this.database.address.kind === 'sqlite';
  }

  query(sql: string): Promise<Record<string, unknown>[]> {
    return this.inspector.query(sql);
  }

  /** Calls the proxy by hand. `body` may be text, to send what is no JSON. */
  call(
    secret: string | null,
    body: unknown,
    path = '/chat/completions',
    headers: Record<string, string> = {},
    signal: AbortSignal | null = null,
  ) {
    return fetch(`${this.proxyUrl}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(secret === null ? {} : { authorization: `Bearer ${secret}` }),
        ...headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      signal,
    });
  }

  /** A call of which nobody reads the answer. @returns what its caller leaves by. */
  callToLeave(secret: string, body: object, path?: string, headers?: Record<string, string>): AbortController {
    const leaving = new AbortController();
    this.call(secret, body, path, headers, leaving.signal).catch(() => {});
    return leaving;
  }

  /** Proves before it ends that the books add up and that nothing is held. */
  close(): Promise<void> {
    return this.closeKeeping(async () => {});
  }

  /** As `close`, with a look at the database between the server's end and its own. */
  async closeKeeping(look: () => Promise<void>): Promise<void> {
    await this.app.close(2_000);
    await look();
    const violations = await findLedgerViolations(this.inspector.manager);
    // What another server on this database has leased is none of this one's.
    const url = databaseUrlOf(this.database.address);
    const others = (TestApp.#running.get(url) ?? 1) - 1;
    TestApp.#running.set(url, others);
    const ofOthers = others > 0 ? " AND key_id <> 'lease'" : '';
    const held = await this.query(`SELECT id FROM ledger_hold WHERE state = 'open'${ofOthers}`);
    await this.inspector.destroy();
    await this.upstream.close();
    await this.database.drop();
    rmSync(this.spoolFolder, { recursive: true, force: true });
    expect({ violations, held }).toEqual({ violations: [], held: [] });
  }
}
