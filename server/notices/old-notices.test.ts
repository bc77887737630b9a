import type { UnitOfWork } from '../database/unit-of-work.js';
import { FakeClock } from '../kernel/clock.js';
import { silentLogger } from '../kernel/logger.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { NoticeEntity, type NoticeState } from './notice.entity.js';
import { noticesKeptMs, OldNotices } from './old-notices.js';
import { Outbox } from './outbox.js';

const dayMs = 24 * 60 * 60_000;

describeOnEachDatabase('What was told long ago', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let clock: FakeClock;
  let unitOfWork: UnitOfWork;
  let oldNotices: OldNotices;

  beforeEach(async () => {
    clock = new FakeClock();
    unitOfWork = fixture.unitOfWork;
    const findBelievedMs = async () => clock.nowMs();
    oldNotices = new OldNotices({ unitOfWork, clock, logger: silentLogger, findBelievedMs });
  });

  async function tell(subjectKey: string, state: NoticeState): Promise<void> {
    const outbox = new Outbox(unitOfWork, clock, null, silentLogger);
    const notice = { subjectKey, accountId: null, channel: 'email', recipient: 'ada@example.com' } as const;
    await unitOfWork.transact(async (transaction) => {
      await outbox.put(transaction, { ...notice, title: 'A word', body: '' });
      await transaction.update(NoticeEntity, { subjectKey }, { state });
    });
  }

  const listLeft = async () =>
    (await unitOfWork.reader.find(NoticeEntity, { order: { subjectKey: 'ASC' } })).map(({ subjectKey }) => subjectKey);

  it('is removed after 90 days, and what waits or was given up is not', async () => {
    for (const state of ['sent', 'logged', 'dropped', 'waiting', 'queued', 'given_up'] as const)
      await tell(state, state);
    clock.advanceMs(noticesKeptMs - dayMs);
    await tell('new', 'sent');
    expect(await oldNotices.remove()).toBe(0);
    clock.advanceMs(dayMs + 1);
    expect(await oldNotices.remove()).toBe(3);
    expect(await listLeft()).toEqual(['given_up', 'new', 'queued', 'waiting']);
  });

  it('stays when somebody had it sent again lately', async () => {
    await tell('again', 'sent');
    clock.advanceMs(noticesKeptMs + dayMs);
    await unitOfWork.reader.update(NoticeEntity, { subjectKey: 'again' }, { dueAtMs: clock.nowMs() });
    expect(await oldNotices.remove()).toBe(0);
  });

  it('is removed to the last one, however many there are, and not one more once that is to stop', async () => {
    for (let made = 0; made < 450; made += 1) await tell(`mail-${made}`, 'sent');
    clock.advanceMs(noticesKeptMs + dayMs);
    expect(await oldNotices.remove(AbortSignal.abort())).toBe(0);
    expect(await oldNotices.remove()).toBe(450);
    expect(await listLeft()).toEqual([]);
  }, 60_000);
});
