import type { EntityManager } from 'typeorm';
import type { UnitOfWork } from '../../database/unit-of-work.js';
import { systemClock } from '../../kernel/clock.js';
import { silentLogger } from '../../kernel/logger.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { begin, end, openInstance, warmUp } from '../../test/lease-calls.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import { HoldSweeper } from './hold-sweeper.js';

/** What is leased is overdue as soon as it begins, and yet its process lets calls in. */
const times = { leaseMs: 60_000, graceMs: -120_000 };
/** The clock that says whether it may be, at which all of it is. */
const laterMs = 120_000;

describeOnEachDatabase('What a dead process has leased', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase, times);
  let sweeper: HoldSweeper;
  let openSweeper: (isAlone: boolean) => HoldSweeper;
  let isAway = false;
  let isReadOnly = false;
  let nowMs = 0;
  let setByMs = 0;

  beforeEach(async () => {
    isAway = false;
    isReadOnly = false;
    nowMs = 0;
    setByMs = 0;
    const beganMs = systemClock.nowMs();
    const find = (async (...parts: Parameters<EntityManager['find']>) => {
      if (isAway) throw new Error('away');
      return fixture.source.manager.find(...parts);
    }) as EntityManager['find'];
    const rules = { seenMsMin: 10_000, seenForCallsMsMin: 20_000, gapMsMax: 5_000, readMs: () => nowMs };
    const later = { ...systemClock, nowMs: () => beganMs + laterMs + nowMs + setByMs };
    const query = async () => [{ now_ms: later.nowMs() }];
    const reader = { find, query, connection: fixture.source } as unknown as EntityManager;
    const writer = fixture.unitOfWork;
    const unitOfWork = {
      reader,
      transactForServer: async (work: Parameters<UnitOfWork['transact']>[0]) => {
        if (isReadOnly) throw new Error('read-only');
        return writer.transact(work);
      },
    } as unknown as ConstructorParameters<typeof HoldSweeper>[1];
    openSweeper = (isAlone) => new HoldSweeper(fixture.ledger, unitOfWork, later, silentLogger, { ...rules, isAlone });
    sweeper = openSweeper(false);
  });

  /** A lease of a process that says nothing more, with a call booked against it. */
  async function leaveLease() {
    const dead = await openInstance(fixture, 'dead', { times, isStarted: false });
    const account = await fixture.createFundedAccount(1_000_000);
    await warmUp(dead, account, 100);
    await end(dead, account, (await begin(dead, account, 100)).callId, 40);
    return { account, dead };
  }
  const sweepUntil = async (endMs: number) => {
    let ended = 0;
    for (; nowMs < endMs; nowMs += 2_000) ended += await sweeper.sweep();
    return ended;
  };

  it('comes back once another one has seen the database for the whole time of a lease, and not before', async () => {
    const { account, dead } = await leaveLease();
    expect(await sweepUntil(10_000)).toBe(0);
    expect(await sweeper.sweep()).toBe(1);
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 999_960, pending: 0 });
    await dead.close();
  });

  it.each([
    [
      'an outage of the database',
      async () => {
        isAway = true;
        await expect(sweeper.sweep()).rejects.toThrow('away');
        isAway = false;
      },
    ],
    [
      'a time in which the database took no writes',
      async () => {
        isReadOnly = true;
        await expect(sweeper.sweep()).rejects.toThrow('read-only');
        isReadOnly = false;
      },
    ],
    [
      'a standstill of its own',
      async () => {
        nowMs += 6_000;
      },
    ],
    [
      'the clock of the database was set forward',
      async () => {
        setByMs += 3_600_000;
      },
    ],
    [
      'the clock of the database was set back',
      async () => {
        setByMs -= 60_000;
      },
    ],
  ])('is not judged by what was seen before %s', async (_, interrupt) => {
    const { dead } = await leaveLease();
    expect(await sweepUntil(8_000)).toBe(0);
    await interrupt();
    const backMs = nowMs;
    expect(await sweepUntil(backMs + 10_000)).toBe(0);
    expect(await sweeper.sweep()).toBe(1);
    await dead.close();
  });

  it('for one call comes back once another one has seen the database take writes for the whole time of its lease', async () => {
    const account = await fixture.createFundedAccount(1_000);
    await begin(fixture.ledger, account, 1_000);
    expect(await sweepUntil(10_000)).toBe(0);
    isReadOnly = true;
    await expect(sweeper.sweep()).rejects.toThrow('read-only');
    isReadOnly = false;
    expect(await sweepUntil(30_000)).toBe(0);
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 1_000, pending: 1_000 });
    expect(await sweeper.sweep()).toBe(1);
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 1_000, pending: 0 });
  });

  it('of a call stays with a process whose leases are longer than those of the one that looks', async () => {
    const account = await fixture.createFundedAccount(1_000);
    await begin(fixture.ledger, account, 1_000);
    await fixture.source.query('UPDATE ledger_hold SET lease_until_ms = lease_until_ms + 1800000');
    expect(await sweepUntil(40_000)).toBe(0);
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 1_000, pending: 1_000 });
  });

  it('comes back at once where no other process serves the database, unless this one was away', async () => {
    const first = await leaveLease();
    expect(await openSweeper(true).sweep()).toBe(1);
    await first.dead.close();
    const second = await leaveLease();
    sweeper = openSweeper(true);
    nowMs += 6_000;
    expect(await sweeper.sweep()).toBe(0);
    await second.dead.close();
  });

  it('comes back once the clock of the database, which was ahead while it was leased, is set right', async () => {
    const { account, dead } = await leaveLease();
    await begin(fixture.ledger, account, 1_000);
    await fixture.source.query('UPDATE ledger_hold SET lease_until_ms = lease_until_ms + 86400000');
    expect(await sweepUntil(10_000)).toBe(0);
    expect(await sweepUntil(20_000)).toBe(1);
    expect(await sweepUntil(22_000)).toBe(1);
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 999_960, pending: 0 });
    await dead.close();
  });

  it('is leased for a shorter time than a call holds its credits', async () => {
    const { account, dead } = await leaveLease();
    const { callId } = await begin(fixture.ledger, account, 100);
    const [{ margin }] = await fixture.source.query(
      `SELECT h.lease_until_ms - l.lease_until_ms AS margin FROM ledger_hold h JOIN ledger_hold l ON l.wallet = h.wallet AND l.key_id = 'lease' WHERE h.id = '${callId}'`,
    );
    expect(Number(margin)).toBeGreaterThanOrEqual(50_000);
    await end(fixture.ledger, account, callId, 0);
    await dead.close();
  });
});

describeOnEachDatabase('What a process has reserved that ended before this one began', (openTestDatabase) => {
  it('comes back at once where no other process serves the database, however far ahead the clock was, and nothing of its own', async () => {
    const hour = { leaseMs: 3_600_000, graceMs: 0 };
    const fixture = await LedgerFixture.open(await openTestDatabase(), hour);
    const dead = await openInstance(fixture, 'dead', { times: hour, isStarted: false });
    const [left, own] = [await fixture.createFundedAccount(1_000_000), await fixture.createFundedAccount(1_000_000)];
    await warmUp(dead, left, 100);
    await end(dead, left, (await begin(dead, left, 100)).callId, 40);
    await begin(dead, left, 900_000);
    // Nothing of it is overdue for an hour.
    await fixture.source.query(`UPDATE ledger_hold SET lease_until_ms = lease_until_ms + 3600000`);
    const running = await begin(fixture.ledger, own, 100);
    const rules = {
      ...{ seenMsMin: 1, seenForCallsMsMin: hour.leaseMs, gapMsMax: Number.POSITIVE_INFINITY },
      ...{ readMs: () => 0, instance: 'test' },
    };
    const openSweeper = (isAlone: boolean) =>
      new HoldSweeper(fixture.ledger, fixture.unitOfWork, systemClock, silentLogger, { ...rules, isAlone });
    expect(await openSweeper(false).sweep()).toBe(0);
    const sweeper = openSweeper(true);
    expect(await sweeper.sweep()).toBeGreaterThanOrEqual(2);
    expect(await sweeper.sweep()).toBe(0);
    expect(await fixture.findWallet(left.accountId)).toEqual({ posted: 999_960, pending: 0 });
    expect(await end(fixture.ledger, own, running.callId, 60)).toMatchObject({ chargedMillicredits: 60 });
    expect(await fixture.countRows('ledger_transfer', `id = '${running.callId}:late'`)).toBe(0);
    await dead.close();
    await fixture.close();
  });

  it('is told from what others have reserved since', async () => {
    const fixture = await LedgerFixture.open(await openTestDatabase(), { leaseMs: 3_600_000, graceMs: 0 });
    const rules = {
      ...{ seenMsMin: 0, seenForCallsMsMin: 0, gapMsMax: Number.POSITIVE_INFINITY, isAlone: true },
      ...{ readMs: () => 0, instance: 'first' },
    };
    const sweeper = new HoldSweeper(fixture.ledger, fixture.unitOfWork, systemClock, silentLogger, rules);
    sweeper.start(60_000);
    const account = await fixture.createFundedAccount(1_000);
    await begin(fixture.ledger, account, 1_000);
    expect(await sweeper.sweep()).toBe(0);
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 1_000, pending: 1_000 });
    await sweeper.close();
    await fixture.close();
  });
});
