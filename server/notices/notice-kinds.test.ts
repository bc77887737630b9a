import { FakeClock } from '../kernel/clock.js';
import { silentLogger } from '../kernel/logger.js';
import { findRepositoryRoot, isTestCode, readSourceTree } from '../test/architecture/source-tree.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { LedgerFixture } from '../test/ledger-fixture.js';
import { noticeKinds } from './notice-kinds.js';
import { type NewNotice, Outbox } from './outbox.js';

const kept = Object.keys(noticeKinds).filter((kind) => noticeKinds[kind] === 'kept');
/** What only the operator is told, who has no bound of an hour. */
const ofOperator = [
  'deleted-account-paid',
  'differences',
  'foreign',
  'implausible-usage',
  'quarantined',
  'refund-failed',
  'unclaimed',
];
/** Its kind stands in what it is made of. */
const madeElsewhere = ['calls', 'endpoint', 'webhook-test', 'balance', 'budget', 'spike'];

describe('the kinds of notices', () => {
  it('list every subject that the code writes, so that none is bounded by chance', () => {
    const tree = readSourceTree(findRepositoryRoot(import.meta.dirname));
    const written = new Set<string>();
    for (const [path, text] of tree) {
      if (!path.startsWith('server/') || isTestCode(path)) continue;
      for (const [, kind] of text.matchAll(/subject(?:Key)?(?: =|:) `([a-z-]+):/g)) written.add(String(kind));
    }
    expect(written.size).toBeGreaterThan(20);
    const known = [...Object.keys(noticeKinds), ...ofOperator];
    expect([...written].filter((kind) => !known.includes(kind))).toEqual([]);
    expect(Object.keys(noticeKinds).filter((kind) => !written.has(kind) && !madeElsewhere.includes(kind))).toEqual([]);
  });
});

describe('what may be refused', () => {
  it('is alerts, tests and news of new devices, and nothing about the safety or the money of an account', () => {
    const refusable = Object.keys(noticeKinds).filter((kind) => noticeKinds[kind] !== 'kept');
    expect(refusable).toEqual([
      ...['balance', 'budget', 'endpoint', 'low', 'member-budget', 'spike'],
      ...['new-device', 'own-budget', 'webhook-test'],
    ]);
  });
});

describeOnEachDatabase('an account that has had all its alerts of an hour', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let outbox: Outbox;

  beforeEach(async () => {
    outbox = new Outbox(fixture.unitOfWork, new FakeClock(), null, silentLogger);
  });

  const put = (subjectKey: string) => {
    const mail = { subjectKey, accountId: 'acct_1', channel: 'email', recipient: 'ada@example.com' } as const;
    const notice: NewNotice = { ...mail, title: 'A word', body: 'A word.' };
    return fixture.unitOfWork.transact((transaction) => outbox.put(transaction, notice));
  };

  it('is told of its safety and its money all the same, and of a new device', async () => {
    for (let n = 0; n < 12; n += 1) await put(`low:mail:${n}`);
    expect(await put('budget:1')).toBe(false);
    for (const kind of [...kept, 'new-device', 'a-kind-that-nobody-listed']) {
      expect([kind, await put(`${kind}:1`)]).toEqual([kind, true]);
    }
  });

  it('loses no alert to what is told of its safety, and is told of ten new devices', async () => {
    for (const kind of kept) for (let n = 0; n < 3; n += 1) expect(await put(`${kind}:${n}`)).toBe(true);
    const devices: boolean[] = [];
    for (let n = 0; n < 12; n += 1) devices.push(await put(`new-device:${n}`));
    expect(devices.filter(Boolean)).toHaveLength(10);
    expect(await put('low:mail:1')).toBe(true);
  });
});
