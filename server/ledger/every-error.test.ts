import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '../kernel/logger.js';
import { Secret } from '../kernel/secret.js';
import { type DriverError, listDriverErrors } from '../test/driver-errors.js';
import { eventually } from '../test/eventually.js';
import { FakeMysql, type FaultPlace } from '../test/fake-mysql.js';
import { endingWith } from '../test/ledger-fixture.js';
import { sample, sampleInWords } from '../test/sample.js';
import type { BatchFailure } from './commits/ledger-store.js';
import { MysqlLedgerStore } from './commits/mysql-ledger-store.js';
import { Ledger } from './ledger.js';
import type { SettleInput } from './ledger-types.js';
import { SettlementQuarantine } from './settlements/settlement-quarantine.js';
import { SettlementSpool } from './settlements/settlement-spool.js';

const url = new Secret('mysql://u:p@127.0.0.1:1/none');
const times = { leaseMs: 60_000, graceMs: 30_000 };
const accounts = 300;
const errors = listDriverErrors();
/** After these a connection goes on: locks, deadlocks and constraints. */
const aboutRows = new Set([1020, 1205, 1213, 3572, 3819, 4025].map((errno) => `server ${errno}`));
/** Of a batch of settlements at each place. */
const statements = { read: 3, write: 5, commit_not_done: 1, commit_done: 1 };

const settlementOf = (account: number, n: number): SettleInput => ({
  callId: `call_${account}_${n}`,
  accountId: `acct_${account}`,
  ending: endingWith(10, 5),
});

const places = ['read', 'write', 'commit_not_done', 'commit_done'] as const;

/** A ledger on a server that fails as planned, and what it kept on its disk. */
class FailingLedger {
  readonly folder = mkdtempSync(join(tmpdir(), 'tollgate-spool-'));
  readonly server = new FakeMysql();

  openStore(): MysqlLedgerStore {
    return new MysqlLedgerStore(url, times, { connect: this.server.connect });
  }

  open(): Ledger {
    const spool = new SettlementSpool(this.folder, 'one', silentLogger);
    const stores = [this.openStore(), this.openStore()];
    return new Ledger({ stores, asideStore: this.openStore(), spool, logger: silentLogger, instance: 'one' });
  }

  removeFolder(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

const untilBooked = async (ledger: Ledger) => {
  await eventually(() => ledger.keptSettlementCount === 0, 20);
};

/** Settles until each of these errors has struck at this place, and all that was kept is booked. */
async function strikeWithEach(failing: FailingLedger, place: (typeof places)[number], some: readonly DriverError[]) {
  const { server, folder } = failing;
  const waiting = [...some];
  let isRollbackBroken = false;
  let strikes = 0;
  server.plan = (at) => {
    // Every other connection does not even answer the ROLLBACK.
    if (at === 'rollback') {
      isRollbackBroken = !isRollbackBroken;
      return isRollbackBroken ? new Error('gone') : undefined;
    }
    strikes += at === place ? 1 : 0;
    // Five attempts fail, one goes through all its statements.
    return at === place && strikes % (5 + statements[place]) < 5 ? waiting.pop()?.error : undefined;
  };
  const ledger = failing.open();
  const asked: SettleInput[] = [];
  let refusedCount = 0;
  for (let round = 0; waiting.length > 0; round += 1) {
    const inputs = Array.from({ length: accounts }, (_, account) => settlementOf(account, round));
    asked.push(...inputs);
    const results = await Promise.all(inputs.map((input) => ledger.settleHold(input)));
    refusedCount += results.filter(({ status }) => status === 'refused').length;
    // What is kept is tried on; a crowd that calls on and on would only fill the disk.
    await eventually(() => waiting.length === 0 || ledger.keptSettlementCount <= 2 * accounts, 20);
  }
  await untilBooked(ledger);
  const quarantined = new Set((await new SettlementQuarantine(folder).list()).map(({ input }) => input.callId));
  const lost = asked.filter(({ callId }) => !server.commits.has(callId) && !quarantined.has(callId));
  const twice = [...server.commits].filter(([, commits]) => commits > 1);
  const { missingCount } = await ledger.findSettlementStanding();
  await ledger.close();
  return { refusedCount, lost, twice, missingCount, openConnections: server.openConnections };
}

describe('Ledger and every error of every driver', () => {
  let failing: FailingLedger;
  let server: FakeMysql;
  beforeEach(() => {
    failing = new FailingLedger();
    ({ server } = failing);
  });
  afterEach(() => failing.removeFolder());

  it('knows more than six thousand of them', () => {
    expect(errors.length).toBeGreaterThan(6_000);
  });

  it(`loses no settlement and books none twice wherever each of them strikes (${sampleInWords})`, async () => {
    const allWell = { refusedCount: 0, lost: [], twice: [], missingCount: 0, openConnections: 0 };
    // An account's pause doubles with each failure, so a ledger gets some of them; the places take their turn at once.
    const shares = Array.from({ length: 8 }, (_, share) => errors.filter((_error, n) => n % 8 === share));
    for (const share of sample(shares, shares.length)) {
      const outcomes = await Promise.all(
        places.map(async (place) => {
          const ledger = new FailingLedger();
          const outcome = await strikeWithEach(ledger, place, share);
          ledger.removeFolder();
          return [place, outcome] as const;
        }),
      );
      expect(outcomes).toEqual(places.map((place) => [place, allWell]));
    }
  }, 120_000);

  it.each(['connect', 'session'] as const)(
    'takes each of them at %s for nobody’s fault, and leaves no connection open',
    async (place) => {
      const store = failing.openStore();
      const operation = { kind: 'settle', input: settlementOf(1, 1) } as const;
      for (const { name, error } of errors) {
        server.plan = (at) => (at === place ? error : undefined);
        const failure = (await store.commitBatch([operation]).catch((cause: unknown) => cause)) as BatchFailure;
        if (failure.stage !== 'not_begun') throw new Error(`${name} at ${place} is taken for ${failure.stage}`);
      }
      expect(server.openConnections).toBe(0);
      server.plan = () => undefined;
      expect(await store.commitBatch([operation])).toMatchObject({ status: 'committed' });
    },
  );

  it.each([
    ['read', 'undone'],
    ['write', 'in_doubt'],
    ['commit_not_done', 'in_doubt'],
    ['commit_done', 'in_doubt'],
  ] as const)(
    'uses no connection again of which it is not proved that it is clean, after each of them at %s',
    async (place, stage) => {
      const operation = { kind: 'settle', input: settlementOf(1, 1) } as const;
      for (const { name, error } of errors) {
        const store = failing.openStore();
        let rollbacks = 0;
        server.plan = (at: FaultPlace) => {
          if (at === 'rollback') rollbacks += 1;
          return at === place ? error : undefined;
        };
        const failure = (await store.commitBatch([operation]).catch((cause: unknown) => cause)) as BatchFailure;
        const isClean = rollbacks === 1;
        if (failure.stage !== stage || server.openConnections !== (isClean ? 1 : 0)) {
          throw new Error(`${name} at ${place}: ${failure.stage}, ${rollbacks} rollbacks`);
        }
        if (isClean !== aboutRows.has(name)) throw new Error(`${name}: ${rollbacks}`);
        await store.close();
      }
    },
  );

  it('books what was kept while nobody could connect, for each kind of reason', async () => {
    for (const code of ['ECONNREFUSED', 'ER_ACCESS_DENIED_ERROR', 'ER_ACCOUNT_HAS_BEEN_LOCKED', undefined]) {
      const ledger = failing.open();
      server.plan = (at) => (at === 'connect' ? Object.assign(new Error('no'), { code, errno: 2003 }) : undefined);
      const input = settlementOf(7, errors.length + (code?.length ?? 0));
      expect(await ledger.settleHold(input)).toEqual({ status: 'kept' });
      server.plan = () => undefined;
      await untilBooked(ledger);
      expect(server.commits.get(input.callId)).toBe(1);
      await ledger.close();
    }
  }, 30_000);

  it('ends a settlement only for a constraint that refuses it alone, and keeps it for the operator', async () => {
    const ledger = failing.open();
    server.plan = (at) =>
      at === 'write' ? Object.assign(new Error('CHECK'), { errno: 4025, sqlState: '23000', code: 'ER_X' }) : undefined;
    const input = settlementOf(3, 1);
    expect(await ledger.settleHold(input)).toEqual({ status: 'quarantined', reason: 'constraint' });
    expect((await ledger.findSettlementStanding()).quarantinedCount).toBe(1);
    server.plan = () => undefined;
    expect(await ledger.bookAgain(input)).toMatchObject({ status: 'settled' });
    await ledger.close();
  });
});
