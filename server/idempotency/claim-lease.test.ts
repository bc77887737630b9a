import { mock } from 'node:test';
import { createDatabaseClock, createOwnClock } from '../database/time/database-clock.js';
import type { UnitOfWork } from '../database/unit-of-work.js';
import { FakeClock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { silentLogger } from '../kernel/logger.js';
import { ProvenTime } from '../ledger/receipts/proven-time.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { IdempotentAnswers } from './idempotent-answers.js';
import { findMadeChange, noteMadeChange } from './idempotent-changes.js';

const times = { leaseMs: 60_000, graceMs: 30_000 };
const unhurried = () => ({ signal: new AbortController().signal, hereMs: 60_000, elsewhereMs: 60_000 });
const hurried = { signal: new AbortController().signal, hereMs: 0, elsewhereMs: 0 };

describeOnEachDatabase('the claim of an Idempotency-Key', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let clock: FakeClock;
  let unitOfWork: UnitOfWork;
  let standings: Map<string, 'running' | 'charged' | 'free'>;
  let dying: IdempotentAnswers;
  let living: IdempotentAnswers;

  beforeEach(async () => {
    clock = new FakeClock();
    unitOfWork = fixture.unitOfWork;
    standings = new Map();
    dying = open();
    living = open();
  });

  const open = (databaseClock = createOwnClock(clock), findBelievedMs = async () => clock.nowMs()) => {
    const findCallStanding = async (callId: string) => standings.get(callId) ?? 'free';
    const decideCallStanding = ({ callId }: { readonly callId: string }) => findCallStanding(callId);
    const standing = { findCallStanding, decideCallStanding };
    const monotonicMs = () => clock.elapsedMs();
    return new IdempotentAnswers({
      unitOfWork,
      databaseClock,
      logger: silentLogger,
      times,
      monotonicMs,
      findBelievedMs,
      ...standing,
    });
  };
  const ask = (key = 'k', body = '{}') => ({ accountId: 'acct_1', key, body, callId: createId('call') });

  it('is free when its process has died and the lease has ended, and not a moment before', async () => {
    expect(await dying.claim(ask(), hurried)).toBeNull();
    clock.advanceMs(times.leaseMs + times.graceMs);
    await expect(living.claim(ask(), hurried)).rejects.toMatchObject({ code: 'idempotency_key_in_use' });
    clock.advanceMs(1);
    expect(await living.claim(ask(), hurried)).toBeNull();
  });

  it('that the database both denies and keeps is not asked for without a pause, and for no longer than anything is waited for', async () => {
    expect(await dying.claim(ask(), hurried)).toBeNull();
    let reads = 0;
    const { reader } = unitOfWork;
    const findNothing = mock.method(reader, 'findOneBy', async () => {
      reads += 1;
      if (reads > 100) throw new Error('asked again and again');
      return null;
    });
    try {
      const refused = living.claim(ask(), { ...hurried, elsewhereMs: 500 });
      await expect(refused).rejects.toMatchObject({ code: 'idempotency_key_in_use' });
      const left = new AbortController();
      const leaving = living.claim(ask(), { ...unhurried(), signal: left.signal });
      left.abort(new Error('The caller has left.'));
      await expect(leaving).rejects.toThrow('The caller has left.');
    } finally {
      findNothing.mock.restore();
    }
    expect(reads).toBeLessThan(10);
  });

  it('stands for 24 hours that this process has counted, also swept, when the clock is set forward by more', async () => {
    const hourMs = 60 * 60_000;
    const answers = open();
    const first = ask();
    expect(await answers.claim(first, hurried)).toBeNull();
    await answers.keep(first, null);
    expect(await answers.claim(ask(), hurried)).toMatchObject({ callId: first.callId });
    for (const jumpMs of [25 * hourMs, 300 * 24 * hourMs]) {
      clock.setWallMs(clock.nowMs() + jumpMs);
      await answers.sweep();
      expect(await answers.claim(ask(), hurried)).toMatchObject({ callId: first.callId });
      clock.advanceMs(11 * hourMs);
    }
    expect(await answers.claim(ask(), hurried)).toMatchObject({ callId: first.callId });
    clock.advanceMs(3 * hourMs);
    expect(await answers.claim(ask(), hurried)).toBeNull();
  });

  /** A process as it is at its start, which has watched no clock. */
  const startAnew = async () => {
    const time = new ProvenTime(unitOfWork, clock, async () => clock.nowMs());
    await time.read();
    return open(createOwnClock(clock), async () => (await time.read()).believedMs);
  };

  it.each([25, 300 * 24])(
    'stands, as the note of a change does, for a process that begins while the clock is ahead by %d hours',
    async (hours) => {
      // As the ledger's rows.
      clock.setWallMs(Date.now());
      await fixture.createFundedAccount(1_000);
      const first = ask();
      await living.claim(first, hurried);
      await living.keep(first, null);
      const change = { accountId: 'acct_1', key: 'k', input: '{}' };
      const made = { subjectId: 'key_1', note: null };
      await unitOfWork.transact((transaction) =>
        noteMadeChange(transaction, { ...change, nowMs: clock.nowMs() }, made),
      );
      clock.setWallMs(clock.nowMs() + hours * 60 * 60_000);
      for (let hour = 0; hour < 22; hour += 1) {
        const answers = await startAnew();
        await answers.sweep();
        expect(await answers.claim(ask(), hurried)).toMatchObject({ callId: first.callId });
        const again = { ...change, nowMs: clock.nowMs() };
        expect(await findMadeChange(unitOfWork.reader, again)).toMatchObject(made);
        clock.advanceMs(60 * 60_000);
      }
    },
  );

  it('of a change is noted by the clock that notes are removed by, however far that of its machine is behind', async () => {
    const change = { accountId: 'acct_1', key: 'k', input: '{}', nowMs: Date.now() - 3 * 24 * 60 * 60_000 };
    await unitOfWork.transact((transaction) => noteMadeChange(transaction, change, { subjectId: 'key_1', note: null }));
    const databaseClock = createDatabaseClock(fixture.source.manager, { nowMs: () => change.nowMs });
    await open(databaseClock, () => databaseClock.readMs()).sweep();
    expect(await findMadeChange(unitOfWork.reader, change)).toMatchObject({ subjectId: 'key_1' });
  });

  it('stands as long as its process renews the lease', async () => {
    await dying.claim(ask(), hurried);
    for (let minute = 0; minute < 30; minute += 1) {
      clock.advanceMs(60_000);
      await dying.renewLeases();
    }
    await expect(living.claim(ask(), hurried)).rejects.toMatchObject({ code: 'idempotency_key_in_use' });
  });

  it('is not given away when that clock is set forward beneath a call that runs, until its process has had a lease’s time to renew', async () => {
    await dying.claim(ask(), hurried);
    await living.renewLeases();
    clock.setWallMs(clock.nowMs() + 3_600_000);
    await expect(living.claim(ask(), hurried)).rejects.toMatchObject({ code: 'idempotency_key_in_use' });
    await dying.renewLeases();
    clock.advanceMs(times.leaseMs);
    await expect(living.claim(ask(), hurried)).rejects.toMatchObject({ code: 'idempotency_key_in_use' });
    clock.advanceMs(times.graceMs + 1);
    expect(await living.claim(ask(), hurried)).toBeNull();
  });

  it('is not given away by a process whose own leases are shorter', async () => {
    await dying.claim(ask(), hurried);
    await fixture.source.query('UPDATE idempotent_answer SET lease_until_ms = lease_until_ms + 1800000');
    await living.renewLeases();
    clock.advanceMs(times.leaseMs + times.graceMs + 1);
    await expect(living.claim(ask(), hurried)).rejects.toMatchObject({ code: 'idempotency_key_in_use' });
  });

  it('is free when its process has died while that clock was ahead, which is right again', async () => {
    clock.setWallMs(clock.nowMs() + 2 * 3_600_000);
    await dying.claim(ask(), hurried);
    await living.renewLeases();
    clock.setWallMs(clock.nowMs() - 2 * 3_600_000);
    await expect(living.claim(ask(), hurried)).rejects.toMatchObject({ code: 'idempotency_key_in_use' });
    clock.advanceMs(times.leaseMs);
    expect(await living.claim(ask(), hurried)).toBeNull();
  });

  it('is judged by one clock, however far those of the instances are apart', async () => {
    // A SQLite file has one machine, and so one clock.
    const isAlone = fixture.database.address.kind === 'sqlite';
    const ahead = new FakeClock();
    if (!isAlone) ahead.advanceMs(26 * 60 * 60_000);
    const [here, there] = [clock, ahead].map((own) => open(createDatabaseClock(fixture.source.manager, own)));
    const [first, finished] = [ask(), ask('finished')];
    await here?.claim(first, hurried);
    await here?.claim(finished, hurried);
    await here?.keep(finished, 'of here');
    await expect(there?.claim(ask(), hurried)).rejects.toMatchObject({ code: 'idempotency_key_in_use' });
    expect(await there?.claim(ask('finished'), hurried)).toEqual({ callId: finished.callId, answer: 'of here' });
    await here?.renewLeases();
    await fixture.source.query(
      `UPDATE idempotent_answer SET lease_until_ms = lease_until_ms - ${150_000} WHERE is_finished = false`,
    );
    expect(await there?.claim(ask(), hurried)).toBeNull();
  });

  it('renews hundreds at once, and no claim that has ended', async () => {
    const asked = Array.from({ length: 250 }, (_, number) => ask(`k${number}`));
    for (const request of asked) await dying.claim(request, hurried);
    for (const request of asked.slice(0, 50)) await dying.releaseClaim(request);
    clock.advanceMs(60_000);
    await dying.renewLeases();
    expect(await fixture.countRows('idempotent_answer', `lease_until_ms = ${clock.nowMs() + times.leaseMs}`)).toBe(200);
  });

  it('of a dead process whose call still holds credits is not given away, whatever the lease says', async () => {
    const first = ask();
    await dying.claim(first, hurried);
    standings.set(first.callId, 'running');
    clock.advanceMs(24 * 60 * 60_000);
    await expect(living.claim(ask(), hurried)).rejects.toMatchObject({ code: 'idempotency_key_in_use' });
  });

  it('of a dead process whose call was charged is answered with that call, so that nobody is charged twice', async () => {
    const first = ask();
    await dying.claim(first, hurried);
    standings.set(first.callId, 'charged');
    clock.advanceMs(times.leaseMs + times.graceMs + 1);
    expect(await living.claim(ask(), hurried)).toEqual({ callId: first.callId, answer: null });
    expect(await living.claim(ask(), hurried)).toEqual({ callId: first.callId, answer: null });
  });

  it('of a call whose process stands still is given away only where the books say that it is free for good', async () => {
    const first = ask();
    await dying.claim(first, hurried);
    clock.advanceMs(times.leaseMs + times.graceMs + 1);
    const decided: unknown[] = [];
    const asking = new IdempotentAnswers({
      ...{ unitOfWork, databaseClock: createOwnClock(clock), logger: silentLogger, times },
      findBelievedMs: async () => clock.nowMs(),
      findCallStanding: async () => 'free',
      decideCallStanding: async (call) => {
        decided.push(call);
        return 'running';
      },
    });
    await expect(asking.claim(ask(), hurried)).rejects.toMatchObject({ code: 'idempotency_key_in_use' });
    expect(decided).toEqual([{ callId: first.callId, accountId: 'acct_1' }]);
    expect(await living.claim(ask(), hurried)).toBeNull();
  });

  it('is answered in its own process however long the answer is, and elsewhere as billed', async () => {
    const first = ask();
    await dying.claim(first, hurried);
    const joined = dying.claim(ask(), unhurried());
    const long = 'x'.repeat(2_000_000);
    await dying.keep(first, long);
    expect(await joined).toEqual({ callId: first.callId, answer: long });
    expect(await living.claim(ask(), hurried)).toEqual({ callId: first.callId, answer: null });
  });

  it('goes to one of many that come when it is free', async () => {
    await dying.claim(ask(), hurried);
    clock.advanceMs(times.leaseMs + times.graceMs + 1);
    const crowd = await Promise.allSettled(Array.from({ length: 20 }, () => open().claim(ask(), hurried)));
    expect(crowd.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await fixture.countRows('idempotent_answer')).toBe(1);
  });

  it('that was taken over is left alone by the process that was taken for dead', async () => {
    const [late, successor] = [ask(), ask()];
    await dying.claim(late, hurried);
    clock.advanceMs(times.leaseMs + times.graceMs + 1);
    await living.claim(successor, hurried);
    await dying.keep(late, 'late');
    await dying.releaseClaim(late);
    await living.keep(successor, 'in time');
    expect(await open().claim(ask(), hurried)).toEqual({ callId: successor.callId, answer: 'in time' });
  });

  it('that runs on another server is waited for, and its answer given', async () => {
    const first = ask();
    await dying.claim(first, hurried);
    const joined = living.claim(ask(), unhurried());
    await dying.keep(first, 'the answer');
    expect(await joined).toEqual({ callId: first.callId, answer: 'the answer' });
  });

  it('that fails at no cost goes to one of those who wait, and the others wait for that one', async () => {
    const first = ask();
    await dying.claim(first, hurried);
    const waiting = [ask(), ask(), ask()];
    const joined = waiting.map((request) => dying.claim(request, unhurried()));
    await dying.releaseClaim(first);
    const [claimed, index] = await Promise.race(joined.map(async (one, at) => [await one, at] as const));
    expect(claimed).toBeNull();
    await dying.keep(waiting[index] as (typeof waiting)[0], 'second try');
    const others = await Promise.all(joined);
    expect(others.filter((answer) => answer?.answer === 'second try')).toHaveLength(2);
  });

  it('is not waited for by a caller who leaves', async () => {
    await dying.claim(ask(), hurried);
    const leaving = new AbortController();
    const joined = living.claim(ask(), { ...unhurried(), signal: leaving.signal });
    leaving.abort(new Error('left'));
    await expect(joined).rejects.toThrow('left');
  });

  it('stands while the books do not know what became of its call', async () => {
    const first = ask();
    await dying.claim(first, hurried);
    standings.set(first.callId, 'running');
    await dying.releaseClaim(first);
    await expect(living.claim(ask(), hurried)).rejects.toMatchObject({ code: 'idempotency_key_in_use' });
    standings.set(first.callId, 'charged');
    clock.advanceMs(times.leaseMs + times.graceMs + 1);
    expect(await living.claim(ask(), hurried)).toEqual({ callId: first.callId, answer: null });
  });
});
