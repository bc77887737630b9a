import type { DataSource, EntityManager } from 'typeorm';
import { createOwnClock } from '../database/time/database-clock.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { FakeClock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { silentLogger } from '../kernel/logger.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { eventually } from '../test/eventually.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { hashOf } from './hash-of.js';
import { IdempotentAnswers } from './idempotent-answers.js';
import type { LastAsker } from './last-asker.js';
import { packAnswer } from './packed-answer.js';

const times = { leaseMs: 60_000, graceMs: 30_000 };
const first = { accountId: 'acct_1', apiKeyId: 'key_1', body: '{}', retryCount: 0 };
const other = { ...first, body: '{"other":1}' };
/** The same request as its client sends it for the n-th time after the first. */
const again = (retryCount: number, request = first) => ({ ...request, retryCount });
/** A call that its first caller has left. */
const leftCall = (callId = createId('call')) => ({ callId, asker: { retryCount: 0, hasLeft: true } });
const timeouts = { signal: new AbortController().signal, hereMs: 60_000, elsewhereMs: 60_000 };
const minuteMs = 60_000;

/** Reads no row before it may. */
class SlowReads extends UnitOfWork {
  constructor(
    source: DataSource,
    private readonly untilMayRead: () => Promise<void>,
  ) {
    super(source);
  }

  override get reader(): EntityManager {
    const reader = super.reader;
    const findOneBy: EntityManager['findOneBy'] = async (...asked) => {
      await this.untilMayRead();
      return reader.findOneBy(...asked);
    };
    const find: EntityManager['find'] = async (...asked) => {
      await this.untilMayRead();
      return reader.find(...asked);
    };
    return Object.assign(Object.create(reader), { findOneBy, find });
  }
}

describeOnEachDatabase('the retry of a plain call', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let clock: FakeClock;
  let standings: Map<string, 'running' | 'charged' | 'free'>;

  let mayRead: Promise<void>;
  let unitOfWork: UnitOfWork;

  beforeEach(() => {
    mayRead = Promise.resolve();
    // Of all instances, since on SQLite there is one at a time.
    unitOfWork = new SlowReads(fixture.source, () => mayRead);
    clock = new FakeClock();
    standings = new Map();
  });

  const openBoth = () => {
    const findCallStanding = async (callId: string) => standings.get(callId) ?? 'free';
    return new IdempotentAnswers({
      ...{ unitOfWork, databaseClock: createOwnClock(clock), findBelievedMs: async () => clock.nowMs() },
      ...{ logger: silentLogger, times, findCallStanding, monotonicMs: () => clock.elapsedMs() },
      decideCallStanding: ({ callId }) => findCallStanding(callId),
    });
  };
  const open = () => openBoth().retries;
  const isAskedBy = async (asker: string, callCount = 1) =>
    (await fixture.countRows('idempotent_answer', `body_hash = '${asker}'`)) === callCount;

  const long = 'x'.repeat(2_000_000);
  it.each([
    ['text', long],
    ['bytes', [Buffer.from('a'), Buffer.alloc(5 * 1024 * 1024)]],
    ['what writes it', () => ['a', 'b']],
  ])(
    'that waits in the process of its call has an answer too long to be kept, as %s; a later one, and one elsewhere, is told that it was billed',
    async (_, answer) => {
      const [here, elsewhere] = [open(), open()];
      const call = leftCall();
      const { callId } = call;
      await here.offer(first, call);
      const waiting = [];
      for (const [count, answers] of [here, here, elsewhere].entries()) {
        waiting.push(answers.find(again(count + 1), timeouts));
        await eventually(() => isAskedBy(`${count + 1} there`));
      }
      const away = waiting.pop();
      await here.keep(first, call, answer);
      for (const one of await Promise.all(waiting)) expect(one).toEqual({ callId, answer });
      expect(await away).toEqual({ callId, answer: null });
      expect(await here.find(again(4), timeouts)).toEqual({ callId, answer: null });
      clock.advanceMs(15 * minuteMs);
      expect(await here.find(again(5), timeouts)).toEqual({ callId, answer: null });
      clock.advanceMs(1);
      expect(await here.find(again(6), timeouts)).toBeNull();
    },
  );

  it('finds its call for 15 minutes that this process has counted, also when the clock is set forward by more', async () => {
    const answers = open();
    const call = leftCall();
    const { callId } = call;
    await answers.offer(first, call);
    await answers.keep(first, call, 'a');
    expect(await answers.find(again(1), timeouts)).toEqual({ callId, answer: 'a' });
    clock.setWallMs(clock.nowMs() + 24 * 60 * minuteMs);
    expect(await answers.find(again(2), timeouts)).toEqual({ callId, answer: 'a' });
    clock.advanceMs(15 * minuteMs + 1);
    expect(await answers.find(again(3), timeouts)).toBeNull();
  });

  it('and one with an Idempotency-Key have an answer too long to be kept also when its call ends while they ask the database', async () => {
    const answers = openBoth();
    const keyed = { ...first, key: 'k', callId: createId('call') };
    const call = leftCall();
    expect(await answers.claim(keyed, timeouts)).toBeNull();
    await answers.retries.offer(first, call);
    let read = () => {};
    mayRead = new Promise((resolve) => {
      read = resolve;
    });
    const waiting = [
      answers.retries.find(again(1), timeouts),
      answers.claim({ ...keyed, callId: createId('call') }, timeouts),
    ];
    await answers.retries.keep(first, call, long);
    await answers.keep(keyed, long);
    read();
    const had = (await Promise.all(waiting)).map((one) => [one?.callId, one?.answer === long]);
    expect(had).toEqual([
      [call.callId, true],
      [keyed.callId, true],
    ]);
  });

  it('is told that its call was billed when that failed at a cost, and is free to make another when it cost nothing', async () => {
    const answers = open();
    const [charged, free] = [leftCall(), leftCall()];
    standings.set(charged.callId, 'charged');
    await answers.offer(first, charged);
    await answers.withdraw(first, charged.callId);
    expect(await answers.find(again(1), timeouts)).toEqual({ callId: charged.callId, answer: null });
    await answers.offer(other, free);
    await answers.withdraw(other, free.callId);
    expect(await answers.find(again(1, other), timeouts)).toBeNull();
  });

  it('of a call whose process gives no sign of life makes another only once the books say that it is free for good', async () => {
    const call = leftCall();
    standings.set(call.callId, 'running');
    await open().offer(first, call);
    clock.advanceMs(times.leaseMs + times.graceMs + 1);
    const hurried = { ...timeouts, elsewhereMs: 0 };
    await expect(open().find(again(1), hurried)).rejects.toMatchObject({ code: 'idempotency_key_in_use' });
    standings.set(call.callId, 'charged');
    expect(await open().find(again(2), hurried)).toEqual({ callId: call.callId, answer: null });
    await open().offer(other, leftCall());
    clock.advanceMs(times.leaseMs + times.graceMs + 1);
    expect(await open().find(again(1, other), hurried)).toBeNull();
  });

  it('of one of several equal calls takes one that no retry of its count has, on whichever server; of more there is none', async () => {
    const [here, there] = [open(), open()];
    const calls = Array.from({ length: 5 }, () => leftCall());
    for (const call of calls) await here.offer(first, call);
    for (const call of calls) await here.keep(first, call, call.callId);
    const crowd = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? here : there).find(again(1), timeouts));
    const had = (await Promise.all(crowd)).filter((one) => one !== null);
    expect(had.map(({ answer }) => answer).sort()).toEqual(calls.map(({ callId }) => callId).sort());
  });

  it('has the answer that its own first retry had, and leaves those to others that no retry has had', async () => {
    const answers = open();
    const calls = [leftCall(), leftCall()] as const;
    for (const call of calls) await answers.offer(first, call);
    for (const call of calls) await answers.keep(first, call, call.callId);
    const had = await answers.find(again(1), timeouts);
    await answers.leave(again(1), String(had?.callId));
    expect(await answers.find(again(2), timeouts)).toEqual(had);
    const others = await answers.find(again(1), timeouts);
    expect(new Set([had?.callId, others?.callId])).toEqual(new Set(calls.map(({ callId }) => callId)));
    expect(await answers.find(again(1), timeouts)).toBeNull();
  });

  it('who leaves while it waits, on another server too, lets its next one have the same call before all others', async () => {
    const [here, there] = [open(), open()];
    const [one, two] = [leftCall(), leftCall()];
    await here.offer(first, one);
    const leaving = new AbortController();
    const lost = there.find(again(1), { ...timeouts, signal: leaving.signal });
    await eventually(() => isAskedBy('1 there'));
    leaving.abort(new Error('left'));
    await expect(lost).rejects.toThrow('left');
    await here.offer(first, two);
    const waiting = here.find(again(2), timeouts);
    await eventually(() => isAskedBy('2 there'));
    await here.keep(first, two, 'of two');
    await here.keep(first, one, 'of one');
    expect(await waiting).toEqual({ callId: one.callId, answer: 'of one' });
  });

  it('joins each another one of equal calls whose callers still seem to be there, as behind a proxy, and the same again on its next try', async () => {
    const answers = open();
    const joinable = Array.from({ length: 3 }, () => {
      const callId = createId('call');
      const offer = (asker: LastAsker) => answers.offer(first, { callId, asker });
      return { callId, retryCount: 0, offer };
    });
    for (const call of joinable) answers.enter(first, call);
    const waiting = [];
    for (const count of [1, 2]) {
      for (const _ of joinable) waiting.push(answers.find(again(count), timeouts));
      await eventually(() => isAskedBy(`${count} there`, joinable.length));
    }
    for (const { callId } of joinable) await answers.keep(first, leftCall(callId), callId);
    const had = (await Promise.all(waiting)).map((one) => one?.callId);
    const all = joinable.map(({ callId }) => callId);
    expect([had.slice(0, 3).sort(), had.slice(3).sort()]).toEqual([all, all]);
  });

  it('looks at the 256 newest of equal calls, and is a call of its own beyond them', async () => {
    const answers = open();
    const [oldest, ...others] = Array.from({ length: 257 }, () => createId('call'));
    const start = hashOf(`retry\n${first.apiKeyId}\n${first.body}`).slice(0, 33);
    const rowOf = (callId: unknown, asker: string) =>
      `('${first.accountId}', '${start}${callId}', '${asker}', '${callId}', true, ${clock.nowMs()})`;
    const insert =
      'INSERT INTO idempotent_answer (account_id, key_hash, body_hash, call_id, is_finished, created_at_ms) VALUES';
    await fixture.source.query(`${insert} ${rowOf(oldest, '0 left')}`);
    expect(await answers.find(again(1), timeouts)).toEqual({ callId: oldest, answer: null });
    await fixture.source.query("UPDATE idempotent_answer SET body_hash = '0 left'");
    await fixture.source.query(`${insert} ${others.map((callId) => rowOf(callId, '1 there')).join(', ')}`);
    expect(await answers.find(again(1), timeouts)).toBeNull();
  });

  it('has what the release before has kept', async () => {
    const callId = createId('call');
    const keyHash = hashOf(`retry\n${first.apiKeyId}\n${first.body}`);
    await fixture.source.query(
      `INSERT INTO idempotent_answer (account_id, key_hash, body_hash, call_id, is_finished, answer, created_at_ms) VALUES ('${first.accountId}', '${keyHash}', '${hashOf(first.body)}', '${callId}', true, '${packAnswer('kept')}', ${clock.nowMs()})`,
    );
    expect(await open().find(again(1), timeouts)).toEqual({ callId, answer: 'kept' });
    expect(await open().find(again(1), timeouts)).toBeNull();
  });

  it('waits for what runs in its process while the database is away: each of equal ones for another', async () => {
    const answers = open();
    const calls = [leftCall(), leftCall()] as const;
    for (const call of calls) await answers.offer(first, call);
    mayRead = Promise.reject(new Error('away'));
    mayRead.catch(() => {});
    const waiting = [answers.find(again(1), timeouts), answers.find(again(1), timeouts)];
    for (const call of calls) await answers.keep(first, call, call.callId);
    const had = (await Promise.all(waiting)).map((one) => one?.answer);
    expect(had.sort()).toEqual(calls.map(({ callId }) => callId).sort());
    expect(await answers.find(again(1), timeouts)).toBeNull();
  });
});
