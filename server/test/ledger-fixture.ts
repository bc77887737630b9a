import { rmSync } from 'node:fs';
import type { DataSource } from 'typeorm';
import { createDataSource, openDataSource } from '../database/data-source.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { entities, migrations } from '../entities.js';
import { systemClock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { silentLogger } from '../kernel/logger.js';
import { toMillicredits } from '../kernel/millicredits.js';
import type { SpendPeriod } from '../kernel/spend-period.js';
import { ApiKeyService } from '../keys/api-key-service.js';
import { OneProcessKeyChanges } from '../keys/changes/key-changes.js';
import { findLedgerViolations } from '../ledger/checks/check-ledger.js';
import type { LeaseTimes } from '../ledger/commits/decide-batch.js';
import type { KeyWatch } from '../ledger/key-spend/key-watch.js';
import { createRecallReader } from '../ledger/leases/lease-renewer.js';
import type { Ledger } from '../ledger/ledger.js';
import type { CallEnding, CallFacts, GrantInput, HoldInput } from '../ledger/ledger-types.js';
import { openLedger } from '../ledger/open-ledger.js';
import type { OpenTestDatabase, TestDatabase } from './each-database.js';
import { keyRules } from './key-rules.js';
import { giveSchema } from './schema-template.js';
import { makeTestFolder } from './test-folder.js';

interface Leases {
  readonly keyWatch: KeyWatch;
  readonly readMs?: () => number;
}

type Payer = Pick<HoldInput, 'accountId' | 'keyId'>;

/** What a test says of a call before it is sent; what it leaves out is of no matter to it. Its price is in millicredits per token (1). */
type KnownCall = Partial<CallFacts> & { readonly callId?: string; readonly price?: number };

/** A ledger on a fresh database, with the few rows around it that its rules look at. */
export class LedgerFixture {
  source!: DataSource;
  /** On `source`. */
  unitOfWork!: UnitOfWork;
  ledger!: Ledger;
  database!: TestDatabase;
  spoolFolder!: string;

  private constructor() {}

  /** @param leases With them a ledger that lets calls in by leases; keys are told by their revisions, `callOf` has one. */
  static async open(database: TestDatabase, times?: LeaseTimes, leases: Leases | null = null): Promise<LedgerFixture> {
    const fixture = new LedgerFixture();
    await fixture.#open(database, times, leases);
    return fixture;
  }

  /** One that is opened before each test of the suite around it, and closed behind it. */
  static forEach(openTestDatabase: OpenTestDatabase, times?: LeaseTimes, leases: Leases | null = null): LedgerFixture {
    const fixture = new LedgerFixture();
    beforeEach(async () => fixture.#open(await openTestDatabase(), times, leases));
    afterEach(() => fixture.close());
    return fixture;
  }

  /** One that all tests of the suite around it share. */
  static forAll(openTestDatabase: OpenTestDatabase, times?: LeaseTimes, leases: Leases | null = null): LedgerFixture {
    const fixture = new LedgerFixture();
    beforeAll(async () => fixture.#open(await openTestDatabase(), times, leases));
    afterAll(() => fixture.close());
    return fixture;
  }

  async #open(database: TestDatabase, times: LeaseTimes | undefined, leases: Leases | null): Promise<void> {
    await giveSchema(database);
    this.database = database;
    this.source = await openDataSource(createDataSource(database.address, { entities, migrations }));
    this.unitOfWork = new UnitOfWork(this.source);
    this.spoolFolder = makeTestFolder('spool');
    this.ledger = openLedger({
      address: database.address,
      spoolFolder: this.spoolFolder,
      logger: silentLogger,
      instance: 'test',
      ...(times ? { times } : {}),
      ...(leases && { leases: { ...leases, recalls: createRecallReader(this.unitOfWork) } }),
    });
    await this.ledger.start();
  }

  /** An account with an open wallet of this balance, and an active key. */
  async createFundedAccount(balanceMillicredits: number): Promise<{ accountId: string; keyId: string }> {
    const accountId = createId('account');
    await this.source.query(
      `INSERT INTO account (id, email, email_normalised, name, password_hash, key_revision, created_at_ms) VALUES ('${accountId}', 'a', '${accountId}', 'a', 'x', 0, 0)`,
    );
    const keyId = await this.createKey(accountId);
    await this.source.query(
      `INSERT INTO ledger_account (id, kind, state, credits_posted, debits_posted, debits_pending, debt, seq) VALUES ('${accountId}', 'wallet', 'open', 0, 0, 0, 0, 0)`,
    );
    if (balanceMillicredits > 0) {
      await this.ledger.grantCredits(grantOf(accountId, balanceMillicredits, `grant:test:${accountId}`));
    }
    return { accountId, keyId };
  }

  /** Another active key of an account. */
  async createKey(accountId: string): Promise<string> {
    const keyId = createId('key');
    await this.source.query(
      `INSERT INTO api_key (id, account_id, name, secret_hash, masked_secret, created_at_ms, scopes, revision) VALUES ('${keyId}', '${accountId}', 'k', '${keyId}', 'm', 0, 'chat usage:read', 0)`,
    );
    return keyId;
  }

  /**
   * A call from its hold, which must be placed, to its settlement.
   * @param heldMillicredits What is set aside for it.
   * @returns its id.
   */
  async call(
    payer: Payer,
    ending: CallEnding,
    { heldMillicredits = 1_000, ...known }: KnownCall & { heldMillicredits?: number } = {},
  ): Promise<string> {
    const hold = holdOf(payer, heldMillicredits, known);
    expect(await this.ledger.placeHold(hold)).toMatchObject({ status: 'held' });
    await this.ledger.settleHold({ callId: hold.callId, accountId: payer.accountId, ending });
    return hold.callId;
  }

  /** Sets or lifts the spend limit of a key as its owner would. */
  async limitKey(
    { accountId, keyId }: { accountId: string; keyId: string },
    limit: { readonly millicredits: number; readonly period: SpendPeriod } | null,
  ): Promise<void> {
    const keys = new ApiKeyService(this.unitOfWork, systemClock, keyRules(1), new OneProcessKeyChanges(systemClock));
    const settings = { spendLimitMillicredits: limit?.millicredits ?? null, spendPeriod: limit?.period ?? null };
    await keys.updateKey({ accountId, keyId }, settings);
  }

  async findWallet(accountId: string): Promise<{ posted: number; pending: number }> {
    const [row] = await this.source.query(
      `SELECT credits_posted - debits_posted AS posted, debits_pending AS pending FROM ledger_account WHERE id = '${accountId}'`,
    );
    return { posted: Number(row.posted), pending: Number(row.pending) };
  }

  async countRows(table: string, where = '1 = 1'): Promise<number> {
    const [row] = await this.source.query(`SELECT COUNT(*) AS n FROM ${table} WHERE ${where}`);
    return Number(row.n);
  }

  /** Proves the books before it closes: no database test ends with a ledger that does not add up. */
  async close(): Promise<void> {
    await this.ledger.close();
    const violations = await findLedgerViolations(this.source.manager);
    await this.#remove();
    expect(violations).toEqual([]);
  }

  /** As `close`, for a suite whose rows were never booked, so that its books do not add up. */
  async closeUnproven(): Promise<void> {
    await this.ledger.close();
    await this.#remove();
  }

  async #remove(): Promise<void> {
    await this.source.destroy();
    await this.database.drop();
    rmSync(this.spoolFolder, { recursive: true, force: true });
  }
}

/** Credits that an operator gives. @param transferId Left out, each is another one. */
export function grantOf(
  accountId: string,
  millicredits: number,
  transferId: string = `grant:${createId('call')}`,
): GrantInput {
  return { transferId, type: 'grant', accountId, amountMillicredits: toMillicredits(millicredits) };
}

/** What the ledger is asked for before a call: this much, and nothing less. */
export function holdOf(
  { accountId, keyId }: Payer,
  heldMillicredits: number,
  { callId = createId('call'), price = 1, ...known }: KnownCall = {},
): HoldInput {
  const amountMillicredits = toMillicredits(heldMillicredits);
  const facts = { ...factsAt(price), ...known };
  return { callId, accountId, keyId, facts, amountMillicredits, acceptFromMillicredits: amountMillicredits };
}

/** What is known of a call before it is sent, at this price per token. */
export function factsAt(price: number): CallFacts {
  return {
    model: price === 1 ? 'demo-small' : 'demo-large',
    provider: 'demo',
    tier: price === 1 ? 'lower' : 'higher',
    millicreditsPerToken: toMillicredits(price),
    isStreamed: false,
    startedAtMs: 1,
  };
}

/** A call that ended well after using these tokens. */
export function endingWith(promptTokens: number, completionTokens: number): CallEnding {
  return {
    outcome: 'completed',
    provider: 'demo',
    errorCode: null,
    finishReason: 'stop',
    usageSource: 'reported',
    promptTokens,
    completionTokens,
    firstByteMs: 1,
    totalMs: 2,
  };
}
