import type { DataSource, EntityManager } from 'typeorm';
import { createOwnClock } from '../database/database-clock.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { FakeClock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import { silentLogger } from '../kernel/logger.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { IdempotentAnswers } from './idempotent-answers.js';

const times = { leaseMs: 60_000, graceMs: 30_000 };
const request = { accountId: 'acct_1', apiKeyId: 'key_1', body: '{}' };
const patience = { signal: new AbortController().signal, hereMs: 60_000, elsewhereMs: 60_000 };
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
    return Object.assign(Object.create(reader), { findOneBy });
  }
}

describeOnEachDatabase('the retry of a plain call', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let clock: FakeClock;
  let standings: Map<string, 'running' | 'charged' | 'free'>;

  let mayRead: Promise<void>;

  beforeEach(async () => {
    mayRead = Promise.resolve();
    fixture = await LedgerFixture.open(await openTestDatabase());
    clock = new FakeClock();
    standings = new Map();
  });
  afterEach(() => fixture.close());

  const openBoth = () => {
    const findCallStanding = async (callId: string) => standings.get(callId) ?? 'free';
    return new IdempotentAnswers({
      ...{ unitOfWork: new SlowReads(fixture.source, () => mayRead), databaseClock: createOwnClock(clock) },
      ...{ logger: silentLogger, times, findCallStanding },
      decideCallStanding: ({ callId }) => findCallStanding(callId),
    });
  };
  const open = () => openBoth().retries;

  const long = 'x'.repeat(2_000_000);
  it.each([
    ['text', long],
    ['bytes', [Buffer.from('a'), Buffer.alloc(5 * 1024 * 1024)]],
    ['what writes it', () => ['a', 'b']],
  ])(
    'that waits in the process of its call has an answer too long to be kept, as %s; a later one, and one elsewhere, is told that it was billed',
    async (_, answer) => {
      const [here, elsewhere] = [open(), open()];
      const callId = createId('call');
      await here.offer(request, callId);
      const waiting = [here.find(request, patience), here.find(request, patience)];
      const away = elsewhere.find(request, patience);
      await here.keep(request, callId, answer);
      for (const one of await Promise.all(waiting)) expect(one).toEqual({ callId, answer });
      expect(await away).toEqual({ callId, answer: null });
      expect(await here.find(request, patience)).toEqual({ callId, answer: null });
      clock.advanceMs(15 * minuteMs);
      expect(await here.find(request, patience)).toEqual({ callId, answer: null });
      clock.advanceMs(1);
      expect(await here.find(request, patience)).toBeNull();
    },
  );

  it('and one with an Idempotency-Key have an answer too long to be kept also when its call ends while they ask the database', async () => {
    const answers = openBoth();
    const keyed = { ...request, key: 'k', callId: createId('call') };
    const callId = createId('call');
    expect(await answers.claim(keyed, patience)).toBeNull();
    await answers.retries.offer(request, callId);
    let read = () => {};
    mayRead = new Promise((resolve) => {
      read = resolve;
    });
    const waiting = [
      answers.retries.find(request, patience),
      answers.claim({ ...keyed, callId: createId('call') }, patience),
    ];
    await answers.retries.keep(request, callId, long);
    await answers.keep(keyed, long);
    read();
    const had = (await Promise.all(waiting)).map((one) => [one?.callId, one?.answer === long]);
    expect(had).toEqual([
      [callId, true],
      [keyed.callId, true],
    ]);
  });

  it('is told that its call was billed when that failed at a cost, and is free to make another when it cost nothing', async () => {
    const answers = open();
    const [charged, free] = [createId('call'), createId('call')];
    standings.set(charged, 'charged');
    await answers.offer(request, charged);
    await answers.withdraw(request, charged);
    expect(await answers.find(request, patience)).toEqual({ callId: charged, answer: null });
    const other = { ...request, body: '{"other":1}' };
    await answers.offer(other, free);
    await answers.withdraw(other, free);
    expect(await answers.find(other, patience)).toBeNull();
  });

  it('of a call whose process gives no sign of life makes another only once the books say that it is free for good', async () => {
    const callId = createId('call');
    standings.set(callId, 'running');
    await open().offer(request, callId);
    clock.advanceMs(times.leaseMs + times.graceMs + 1);
    const hurried = { ...patience, elsewhereMs: 0 };
    await expect(open().find(request, hurried)).rejects.toMatchObject({ code: 'idempotency_key_in_use' });
    standings.set(callId, 'charged');
    expect(await open().find(request, hurried)).toEqual({ callId, answer: null });
    const other = { ...request, body: '{"other":1}' };
    await open().offer(other, createId('call'));
    clock.advanceMs(times.leaseMs + times.graceMs + 1);
    expect(await open().find(other, hurried)).toBeNull();
  });
});
