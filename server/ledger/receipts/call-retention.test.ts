import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EntityManager, QueryRunner } from 'typeorm';
import { UnitOfWork } from '../../database/unit-of-work.js';
import { type Clock, systemClock } from '../../kernel/clock.js';
import { createId } from '../../kernel/ids.js';
import { createLogger, silentLogger } from '../../kernel/logger.js';
import { insertBulkCalls } from '../../test/bulk-calls.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { findBrokenInvariants } from '../../test/find-broken-invariants.js';
import { begin, end, trustingKeyWatch, warmUp } from '../../test/lease-calls.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { makeTestFolder } from '../../test/test-folder.js';
import { findLedgerViolations } from '../checks/check-ledger.js';
import type { CallRecordEntity } from '../tables/call-record.entity.js';
import { CallRetention } from './call-retention.js';
import { ProvenTime } from './proven-time.js';
import { openReceiptArchive } from './receipt-archive.js';

const dayMs = 86_400_000;
/** A clock on which all that was done by now is long past. */
const muchLater: Clock = { ...systemClock, nowMs: () => Date.now() + 200 * dayMs };

interface Account {
  readonly accountId: string;
  readonly keyId: string;
}

function openRetention(fixture: LedgerFixture, parts: Partial<ConstructorParameters<typeof CallRetention>[0]> = {}) {
  const { unitOfWork } = fixture;
  const { clock = muchLater } = parts;
  return new CallRetention({
    findTime: async () => ({ nowMs: clock.nowMs(), provenMs: clock.nowMs() }),
    ...{ unitOfWork, clock, logger: silentLogger, findDays: async () => 62, keep: null },
    isOneWriter: false,
    findNeeded: () => Promise.resolve(new Set<string>()),
    ...parts,
  });
}

/** Calls of every kind: out of a hold, free, beyond hold and balance, against leases that have ended and that are open. */
async function callInEveryWay(fixture: LedgerFixture): Promise<Account> {
  const { ledger } = fixture;
  const account = await fixture.createFundedAccount(100_000);
  const own = [await begin(ledger, account, 400), await begin(ledger, account, 100), await begin(ledger, account, 100)];
  await end(ledger, account, String(own[0]?.callId), 300);
  await end(ledger, account, String(own[1]?.callId), 0);
  await end(ledger, account, String(own[2]?.callId), 150);
  await warmUp(ledger, account, 100);
  while ((await fixture.countRows('wallet_lease', "state = 'ended' AND spent > 0")) === 0) {
    await end(ledger, account, (await begin(ledger, account, 100)).callId, 90);
  }
  await end(ledger, account, (await begin(ledger, account, 100)).callId, 700);
  const broke = await fixture.createFundedAccount(500);
  await end(ledger, broke, (await begin(ledger, broke, 400)).callId, 900);
  return account;
}

const sums = `SELECT account_id, SUM(calls) AS calls, SUM(prompt) AS prompt, SUM(charged) AS charged, SUM(absorbed) AS absorbed FROM (
  SELECT account_id, 1 AS calls, prompt_tokens AS prompt, charged_millicredits AS charged, absorbed_millicredits AS absorbed FROM call_record
  UNION ALL SELECT account_id, calls, prompt_tokens, charged_millicredits, absorbed_millicredits FROM sealed_month) s
  GROUP BY account_id ORDER BY account_id`;

describeOnEachDatabase('Receipts of old calls', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase, undefined, { keyWatch: trustingKeyWatch });
  let account: Account;
  beforeEach(async () => {
    account = await callInEveryWay(fixture);
  });

  const violations = () => findLedgerViolations(fixture.source.manager);
  const readSums = () =>
    fixture.source.query(sums).then((rows: object[]) => rows.map((row) => Object.values(row).map(String)));

  it('are summed up by account and month and removed, to the millicredit; balances, journal, holds and hours stay', async () => {
    const before = await readSums();
    const kept = await Promise.all(
      ['ledger_transfer', 'ledger_hold', 'usage_hour'].map((table) => fixture.countRows(table)),
    );
    const wallet = await fixture.findWallet(account.accountId);
    expect(await openRetention(fixture).sealDue()).toBeGreaterThan(5);
    // Those of the lease that is open may not be touched.
    expect(
      await fixture.countRows(
        'call_record',
        "lease IS NULL OR lease IN (SELECT id FROM wallet_lease WHERE state = 'ended')",
      ),
    ).toBe(0);
    expect(await fixture.countRows('sealed_month')).toBe(2);
    expect(await readSums()).toEqual(before);
    expect(await violations()).toEqual([]);
    expect(
      await Promise.all(['ledger_transfer', 'ledger_hold', 'usage_hour'].map((table) => fixture.countRows(table))),
    ).toEqual(kept);
    expect(await fixture.findWallet(account.accountId)).toEqual(wallet);
  });

  it('are removed a second time by nobody, also when several processes come at once', async () => {
    const before = await readSums();
    const { unitOfWork } = fixture;
    const counts = await Promise.all([1, 2, 3].map(() => openRetention(fixture, { unitOfWork }).sealDue()));
    expect(await openRetention(fixture).sealDue()).toBe(0);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(await sealedCount());
    expect(await readSums()).toEqual(before);
    expect(await violations()).toEqual([]);
  });

  it('cut off after each statement of a step are as they were, and the next run ends what was begun', async () => {
    const before = await readSums();
    const all = await fixture.countRows('call_record');
    let cuts = 0;
    for (let statements = 0; ; statements += 1) {
      const unitOfWork = new UnitOfWork(fixture.source);
      const transact = unitOfWork.transactForServer.bind(unitOfWork);
      unitOfWork.transactForServer = (work) => transact((transaction) => work(cutAfter(transaction, statements)));
      const isCut = await openRetention(fixture, { unitOfWork })
        .sealDue()
        .then(
          () => false,
          () => true,
        );
      if (!isCut) break;
      cuts += 1;
      expect(await fixture.countRows('call_record')).toBe(all);
      expect(await violations()).toEqual([]);
    }
    expect(cuts).toBeGreaterThanOrEqual(3);
    expect(await fixture.countRows('sealed_month')).toBe(2);
    expect(await readSums()).toEqual(before);
  });

  it('stay as long as whoever is to keep them cannot, and are kept before they are removed', async () => {
    const all = await fixture.countRows('call_record');
    const refuse = () => Promise.reject(new Error('The disk is full.'));
    await expect(openRetention(fixture, { keep: refuse }).sealDue()).rejects.toThrow('The disk is full.');
    expect(await fixture.countRows('call_record')).toBe(all);
    const folder = makeTestFolder('archive');
    const sealed = await openRetention(fixture, { keep: openReceiptArchive(join(folder, 'calls')) }).sealDue();
    const lines = readFileSync(join(folder, 'calls', 'calls-1970-01.jsonl'), 'utf8')
      .trimEnd()
      .split('\n');
    const receipts = lines.map((line): CallRecordEntity => JSON.parse(line));
    expect(new Set(receipts.map(({ callId }) => callId)).size).toBe(sealed);
    const [month] = await fixture.source.query('SELECT SUM(charged_millicredits) AS charged FROM sealed_month');
    expect(receipts.reduce((sum, { chargedMillicredits }) => sum + chargedMillicredits, 0)).toBe(Number(month.charged));
  });

  it('stay while somebody shows them to others, and while their wallet is frozen, as for a disputed payment', async () => {
    const [shown] = await fixture.source.query('SELECT call_id FROM call_record WHERE lease IS NULL ORDER BY call_id');
    const others = `call_id <> '${shown.call_id}'`;
    await fixture.source.query(`UPDATE ledger_account SET state = 'frozen' WHERE id = '${account.accountId}'`);
    const ofOthers = await fixture.countRows('call_record', `account_id <> '${account.accountId}'`);
    expect(await openRetention(fixture).sealDue()).toBe(ofOthers);
    await fixture.source.query(`UPDATE ledger_account SET state = 'open' WHERE id = '${account.accountId}'`);
    const findNeeded = () => Promise.resolve(new Set([String(shown.call_id)]));
    expect(await openRetention(fixture, { findNeeded }).sealDue()).toBeGreaterThan(0);
    expect(await fixture.countRows('call_record', `lease IS NULL AND ${others}`)).toBe(0);
    expect(await fixture.countRows('call_record', `call_id = '${shown.call_id}'`)).toBe(1);
    expect(await violations()).toEqual([]);
  });

  it('stay when a clock that has jumped says that they are old, and the operator is told', async () => {
    const lines: string[] = [];
    const logger = createLogger('info', { destination: { write: (line: string) => lines.push(line) } });
    // As a machine whose clock has jumped, and the database's with it.
    const query = (sql: string, values?: unknown[]) =>
      sql.includes('now_ms') ? [{ now_ms: muchLater.nowMs() }] : fixture.source.query(sql, values);
    const reader = { query, connection: fixture.source } as unknown as EntityManager;
    const time = new ProvenTime({ reader }, muchLater);
    const retention = openRetention(fixture, { logger, findTime: () => time.read() });
    const before = await fixture.countRows('call_record', '1 = 1');
    expect(await retention.sealDue()).toBe(0);
    expect([retention.job.lastDoneAtMs, lines.join('')]).toEqual([
      null,
      expect.stringContaining('receipts_wait_for_clock'),
    ]);
    expect(await fixture.countRows('call_record', '1 = 1')).toBe(before);
    await begin(fixture.ledger, account, 100);
    expect(await retention.sealDue()).toBe(0);
  });

  it('stay on a new server, of which no time has surely come, and nothing is said to be wrong', async () => {
    const before = await fixture.countRows('call_record', '1 = 1');
    const retention = openRetention(fixture, { findTime: async () => ({ nowMs: Date.now(), provenMs: 0 }) });
    expect(await retention.sealDue()).toBe(0);
    expect(await fixture.countRows('call_record', '1 = 1')).toBe(before);
  });

  it('of months that are not wholly past their time stay', async () => {
    const at = (text: string) => Date.parse(text);
    const span = { fromMs: at('2025-10-20T00:00:00Z'), toMs: at('2026-03-05T00:00:00Z') };
    const idle = await fixture.createFundedAccount(100_000);
    await insertBulkCalls(fixture.source, { ...idle, count: 300, hasJournal: true, ...span });
    const clock: Clock = { ...systemClock, nowMs: () => at('2026-03-05T00:00:00Z') };
    // 62 days before that are the second of January.
    await openRetention(fixture, { clock }).sealDue();
    expect(
      await fixture.countRows(
        'call_record',
        `call_id >= 'call_01K8' AND started_at_ms > 1 AND started_at_ms < ${at('2026-01-01T00:00:00Z')}`,
      ),
    ).toBe(0);
    const months = await fixture.source.query(
      'SELECT month_ms, month_end_ms, calls FROM sealed_month WHERE month_ms > 0 ORDER BY month_ms',
    );
    expect(months.map((row: { month_ms: number }) => new Date(Number(row.month_ms)).toISOString().slice(0, 7))).toEqual(
      ['2025-10', '2025-11', '2025-12'],
    );
    const sealed = months.reduce((sum: number, row: { calls: number }) => sum + Number(row.calls), 0);
    expect(await fixture.countRows('call_record', 'started_at_ms > 1')).toBe(300 - sealed);
    expect(await violations()).toEqual([]);
  });

  it('that come back from a spool when they may be sealed are booked by nobody but a person', async () => {
    const { ledger } = fixture;
    // As an id of January 2026 says, whatever the machine believes.
    const callId = `call_01KDW0000${createId('call').slice(-17)}`;
    await warmUp(ledger, account, 100);
    const result = await begin(ledger, account, 100, { callId });
    expect(result.status).toBe('held');
    const wallet = await fixture.findWallet(account.accountId);
    expect(await end(ledger, account, callId, 50)).toMatchObject({ status: 'quarantined', reason: 'unknown_hold' });
    expect((await fixture.findWallet(account.accountId)).posted).toBe(wallet.posted);
  });

  async function sealedCount(): Promise<number> {
    const [row] = await fixture.source.query('SELECT SUM(calls) AS calls FROM sealed_month');
    return Number(row.calls);
  }
});

/** The same transaction, whose connection breaks after so many statements. */
function cutAfter(transaction: EntityManager, statements: number): EntityManager {
  let left = statements;
  const cut =
    <Args extends unknown[], Result>(run: (...args: Args) => Promise<Result>) =>
    (...args: Args) => {
      left -= 1;
      return left < 0 ? Promise.reject(new Error('The connection broke.')) : run(...args);
    };
  return new Proxy(transaction, {
    get: (target, name) => {
      if (name === 'query') return cut(target.query.bind(target));
      if (name === 'delete') return cut(target.delete.bind(target));
      return Reflect.get(target, name);
    },
  });
}

describe('Old receipts of a SQLite file', () => {
  it('are removed without filling its log, which whoever commits next would have to write back', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-'));
    const file = join(folder, 'tollgate.db');
    const drop = async () => rmSync(folder, { recursive: true });
    const fixture = await LedgerFixture.open({ kind: 'sqlite', address: { kind: 'sqlite', file }, drop });
    const owner = await fixture.createFundedAccount(10_000_000);
    const toMs = Date.now();
    await insertBulkCalls(fixture.source, { ...owner, count: 2_500, fromMs: toMs - dayMs, toMs, hasJournal: true });
    await fixture.source.query('PRAGMA wal_checkpoint(TRUNCATE)');
    expect(await openRetention(fixture, { isOneWriter: true }).sealDue()).toBe(2_500);
    const [{ page_size: pageBytes }] = await fixture.source.query('PRAGMA page_size');
    // SQLite itself writes it back at a thousand pages.
    expect(statSync(`${file}-wal`).size / pageBytes).toBeLessThan(900);
    await fixture.close();
  });
});

const month = 'a sealed month and what is left of its receipts are what its hours of use say';
const journal = 'what receipts and sealed months charged an account is what its journal and its leases took';
const count = 'as many charged calls have no receipt as were sealed with a hold of their own';
const lease = 'what is spent of a lease is what its receipts were charged out of it';

const corruptions: readonly [string, string, string][] = [
  [
    'a millicredit taken off a month',
    journal,
    'UPDATE sealed_month SET charged_millicredits = charged_millicredits - 1',
  ],
  [
    'a millicredit taken off a month and its hours',
    journal,
    'UPDATE sealed_month SET charged_millicredits = charged_millicredits - 1; UPDATE usage_hour SET charged_millicredits = charged_millicredits - 1 WHERE charged_millicredits > 0',
  ],
  [
    'a millicredit that the operator absorbed forgotten',
    journal,
    'UPDATE sealed_month SET absorbed_millicredits = absorbed_millicredits - 1 WHERE absorbed_millicredits > 0',
  ],
  ['tokens taken off a month', month, 'UPDATE sealed_month SET prompt_tokens = prompt_tokens - 1'],
  ['a call taken off a month', month, 'UPDATE sealed_month SET calls = calls + 1'],
  [
    'a month moved to another year',
    month,
    'UPDATE sealed_month SET month_ms = month_ms + 31536000000, month_end_ms = month_end_ms + 31536000000',
  ],
  ['a month vanished', 'each charged call has a receipt, unless it is of a sealed month', 'DELETE FROM sealed_month'],
  [
    'another receipt of a sealed month vanished',
    count,
    "DELETE FROM ledger_hold WHERE state = 'settled' AND key_id <> 'lease'",
  ],
  ['the count of holds changed', count, 'UPDATE sealed_month SET held_calls = held_calls - 1 WHERE held_calls > 0'],
  ['what was sealed of a lease forgotten', lease, 'UPDATE wallet_lease SET sealed_spent = NULL, sealed_calls = NULL'],
];

describeOnEachDatabase('The invariants of sealed months', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let connection: QueryRunner;
  beforeAll(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase(), undefined, { keyWatch: trustingKeyWatch });
    await callInEveryWay(fixture);
    await openRetention(fixture).sealDue();
    connection = fixture.source.createQueryRunner();
  });
  afterAll(async () => {
    await connection?.release();
    await fixture.close();
  });

  it.each(corruptions)('find %s', async (_, sentence, statements) => {
    expect(await findBrokenInvariants(connection, statements.split('; '))).toContain(sentence);
  });
});
