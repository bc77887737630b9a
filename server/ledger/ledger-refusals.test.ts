import { setTimeout as sleep } from 'node:timers/promises';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { readMysqlUrl } from '../database/database-address.js';
import { silentLogger } from '../kernel/logger.js';
import { Secret } from '../kernel/secret.js';
import { adminUrlOf, describeOnOwnMysql } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { endingWith, holdOf, LedgerFixture } from '../test/ledger-fixture.js';
import type { Ledger } from './ledger.js';
import { openLedger } from './open-ledger.js';

type Account = Awaited<ReturnType<LedgerFixture['createFundedAccount']>>;

/** Longer than the time limits of a hold and a settlement. */
const refusedMs = 3_000;
/** As long as somebody's forgotten transaction; a usual run has no time for that. */
const longLockMs = 30_000;
const itInWholeRun = process.env.TOLLGATE_TEST_SCOPE === 'all' ? it : it.skip;
const calls = 30;

/** A server that answers and refuses, each in its own way; what ends that again. */
describeOnOwnMysql('Ledger and a database that refuses', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let ledger: Ledger;
  const placeHold = async (hold: ReturnType<typeof holdOf>) => ledger.placeHold(hold);
  let user: string;
  beforeAll(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
    if (fixture.database.address.kind !== 'mysql') throw new Error('This is for MySQL.');
    const { host, port, database } = readMysqlUrl(fixture.database.address.url);
    user = `'app_${database}'@'127.0.0.1'`;
    await ask(`CREATE USER ${user} IDENTIFIED BY 'app'`);
    await ask(`GRANT SELECT, INSERT, UPDATE ON ${database}.* TO ${user}`);
    const address = {
      kind: 'mysql',
      url: new Secret(`mysql://app_${database}:app@${host}:${port}/${database}`),
    } as const;
    ledger = openLedger({ address, spoolFolder: `${fixture.spoolFolder}/app`, logger: silentLogger, instance: 'app' });
    await ledger.start();
  });
  afterAll(async () => {
    await ledger.close();
    await ask(`DROP USER ${user}`);
    await fixture.close();
  });

  /** As the server's own administrator. @returns the rows of the last statement. */
  async function ask(...statements: string[]): Promise<readonly RowDataPacket[]> {
    const beside = await createConnection(adminUrlOf(fixture.database).href);
    let rows: readonly RowDataPacket[] = [];
    for (const sql of statements) [rows] = await beside.query<RowDataPacket[]>(sql);
    await beside.end();
    return rows;
  }

  /** Ends the connections that the ledger has, so that it has to come anew. */
  async function cutConnections(): Promise<void> {
    const name = user.split("'")[1];
    const rows = await ask(`SELECT id AS id FROM information_schema.processlist WHERE user = '${name}'`);
    for (const { id } of rows) await ask(`KILL ${id}`).catch(() => {});
  }

  /** For administrators as well; MariaDB does not know it. */
  function superReadOnly(): [string, () => Promise<unknown>, () => Promise<unknown>][] {
    if (process.env.TEST_MYSQL_PRODUCT !== 'MySQL') return [];
    return [['is super-read-only', () => ask('SET GLOBAL super_read_only = 1'), () => ask('SET GLOBAL read_only = 0')]];
  }

  const nothing = async () => {};
  /** A hold needs nothing of what is missing then, or finds the one connection that is left. */
  const mayHold = ['has lost a table', 'cuts its connections', 'grants it one connection'];
  it.each([
    ['is read-only', () => ask('SET GLOBAL read_only = 1'), () => ask('SET GLOBAL read_only = 0')],
    ...superReadOnly(),
    [
      'has another password for it',
      async () => {
        await ask(`ALTER USER ${user} IDENTIFIED BY 'other'`);
        await cutConnections();
      },
      () => ask(`ALTER USER ${user} IDENTIFIED BY 'app'`),
    ],
    [
      'has locked its user',
      async () => {
        await ask(`ALTER USER ${user} ACCOUNT LOCK`);
        await cutConnections();
      },
      () => ask(`ALTER USER ${user} ACCOUNT UNLOCK`),
    ],
    [
      'grants it one connection',
      async () => {
        await ask(`ALTER USER ${user} WITH MAX_CONNECTIONS_PER_HOUR 1`);
        await cutConnections();
      },
      () => ask(`ALTER USER ${user} WITH MAX_CONNECTIONS_PER_HOUR 0`, 'FLUSH USER_RESOURCES'),
    ],
    [
      'lets it write to no table',
      async () => {
        await ask(`REVOKE INSERT, UPDATE ON ${nameOf()}.* FROM ${user}`);
        await cutConnections();
      },
      () => ask(`GRANT INSERT, UPDATE ON ${nameOf()}.* TO ${user}`),
    ],
    [
      'has lost a table',
      () => ask(`RENAME TABLE ${nameOf()}.usage_hour TO ${nameOf()}.gone`),
      () => ask(`RENAME TABLE ${nameOf()}.gone TO ${nameOf()}.usage_hour`),
    ],
    ['cuts its connections', cutConnections, nothing],
  ])(
    'turns calls away with a wait and books every settlement once while the server %s',
    async (what, refuse, relent) => {
      const account = await fixture.createFundedAccount(100_000);
      const running = Array.from({ length: calls }, () => holdOf(account, 100));
      await Promise.all(running.map((hold) => ledger.placeHold(hold)));
      await refuse();
      const turnedAway = placeHold(holdOf(account, 100)).catch((error: unknown) => error);
      const isOver = sleep(refusedMs);
      const results = await Promise.all(
        running.map(({ callId, accountId }) => ledger.settleHold({ callId, accountId, ending: endingWith(5, 5) })),
      );
      const refusal = await turnedAway;
      await isOver;
      await relent();
      expect(results.filter(({ status }) => status !== 'kept' && status !== 'settled')).toEqual([]);
      const isHeld = (refusal as { status?: string }).status === 'held';
      if (!isHeld || !mayHold.includes(what)) {
        expect(refusal).toMatchObject({ code: 'service_unavailable', retryAfterMs: 2_000 });
      }
      await eventually(() => ledger.keptSettlementCount === 0, 50);
      expect(await fixture.countRows('call_record', `account_id = '${account.accountId}'`)).toBe(calls);
      await eventually(async () => (await fixture.findWallet(account.accountId)).pending <= (isHeld ? 100 : 0), 50);
      expect((await fixture.findWallet(account.accountId)).posted).toBe(100_000 - 10 * calls);
      expect((await ledger.findSettlementStanding()).quarantinedCount).toBe(0);
    },
    60_000,
  );

  /** Locks one wallet with settlements of its own under way, and has others call on and on meanwhile. */
  async function callBesideLock(lockedMs: number) {
    const locked = await fixture.createFundedAccount(100_000);
    const others = await Promise.all(Array.from({ length: 40 }, () => fixture.createFundedAccount(100_000)));
    const running = Array.from({ length: calls }, () => holdOf(locked, 100));
    await Promise.all(running.map((hold) => ledger.placeHold(hold)));
    if (fixture.database.address.kind !== 'mysql') throw new Error('This is for MySQL.');
    const beside = await createConnection(fixture.database.address.url.reveal());
    await beside.query('START TRANSACTION');
    await beside.query('SELECT * FROM ledger_account WHERE id = ? FOR UPDATE', [locked.accountId]);
    const outcomes = new Map<string, number>();
    const ended = new Map(others.map(({ accountId }) => [accountId, 0]));
    const lockedUntil = performance.now() + lockedMs;
    const callOnAndOn = async (account: Account) => {
      while (performance.now() < lockedUntil) {
        const hold = holdOf(account, 100);
        const end = { callId: hold.callId, accountId: hold.accountId, ending: endingWith(5, 5) };
        const placed = await placeHold(hold).catch((error: unknown) => ({ status: String(error) }));
        const { status } = placed.status === 'held' ? await ledger.settleHold(end) : placed;
        outcomes.set(status, (outcomes.get(status) ?? 0) + 1);
        if (placed.status === 'held') ended.set(account.accountId, (ended.get(account.accountId) ?? 0) + 1);
        // Forty call on and on: often enough to meet the lock, and seldom enough to leave a processor to other suites.
        await sleep(100);
      }
    };
    const own = Promise.all(running.map((hold) => ledger.settleHold({ ...hold, ending: endingWith(5, 5) })));
    const turnedAway = placeHold(holdOf(locked, 100)).catch((error: unknown) => error);
    await Promise.all(others.map(callOnAndOn));
    const ofLocked = new Set((await own).map(({ status }) => status));
    const refusal = await turnedAway;
    await beside.query('ROLLBACK');
    await beside.end();
    expect(ofLocked).toEqual(new Set(['kept']));
    expect(refusal).toMatchObject({ code: 'service_unavailable' });
    await eventually(() => ledger.keptSettlementCount === 0, 50);
    expect(await fixture.findWallet(locked.accountId)).toEqual({ posted: 100_000 - 10 * calls, pending: 0 });
    expect(await fixture.countRows('call_record', `account_id = '${locked.accountId}'`)).toBe(calls);
    for (const [accountId, count] of ended) {
      expect(await fixture.findWallet(accountId)).toEqual({ posted: 100_000 - 10 * count, pending: 0 });
    }
    const served = (outcomes.get('settled') ?? 0) + (outcomes.get('kept') ?? 0);
    const all = [...outcomes.values()].reduce((sum, count) => sum + count, 0);
    return { refused: all - served, outcomes: [...outcomes], served };
  }

  it('serves everybody else within their time limits while one wallet and its settlements wait for a lock', async () => {
    const { refused, served, outcomes } = await callBesideLock(refusedMs);
    // A machine that stands still for a moment refuses those who came within it; behind the lock all of them would be.
    expect([refused <= served / 20, outcomes]).toEqual([true, outcomes]);
    expect(served).toBeGreaterThan(40);
  }, 60_000);

  itInWholeRun(
    'refuses nobody else while one wallet is locked for 30 seconds, and books its settlements once',
    async () => {
      const { refused, served, outcomes } = await callBesideLock(longLockMs);
      expect([refused <= served / 20, outcomes]).toEqual([true, outcomes]);
      expect(served).toBeGreaterThan(400);
    },
    120_000,
  );

  function nameOf(): string {
    if (fixture.database.address.kind !== 'mysql') throw new Error('This is for MySQL.');
    return readMysqlUrl(fixture.database.address.url).database;
  }
});
