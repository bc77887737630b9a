import { systemClock } from '../../kernel/clock.js';
import { silentLogger } from '../../kernel/logger.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import {
  begin,
  end,
  type FundedAccount,
  openInstance,
  trustingKeyWatch,
  untilReturned,
  warmUp,
} from '../../test/lease-calls.js';
import { endingWith, LedgerFixture } from '../../test/ledger-fixture.js';
import { rememberCommits } from '../../test/lost-commits.js';
import { findLedgerViolations } from '../checks/check-ledger.js';
import type { Ledger } from '../ledger.js';
import { CallRetention } from '../receipts/call-retention.js';

const price = 100;

describeOnEachDatabase('A database that has lost its last commits', (openTestDatabase) => {
  // Its clock stands still, so that no lease is idle, however long the machine takes.
  const watching = { keyWatch: trustingKeyWatch, readMs: () => 0 };
  const fixture = LedgerFixture.forEach(openTestDatabase, undefined, watching);
  let account: FundedAccount;
  beforeEach(async () => {
    account = await fixture.createFundedAccount(100_000);
  });

  const findBroken = async () => (await findLedgerViolations(fixture.source.manager)).map(({ invariant }) => invariant);
  const posted = async () => (await fixture.findWallet(account.accountId)).posted;
  const countLost = () =>
    fixture.countRows('call_record', 'lease IS NOT NULL AND lease NOT IN (SELECT id FROM wallet_lease)');
  /** What a process hands on, and keeps on its disk while the database is away. */
  const settlementOf = (ledger: Ledger, callId: string, cost: number) => {
    const settlement = { callId, accountId: account.accountId, ending: endingWith(cost, 0) };
    return ledger.leases?.cover(settlement) ?? settlement;
  };
  const giveBack = async () => {
    await fixture.ledger.setWalletState({ accountId: account.accountId, state: 'frozen', reason: 'operator' });
    await untilReturned(fixture, account);
  };
  const beginMany = async (ledger: Ledger, count: number) => {
    const calls: string[] = [];
    while (calls.length < count) calls.push((await begin(ledger, account, price)).callId);
    return calls;
  };

  it('books each call of a lease that it does not know once, exactly, and has right books, whatever calls follow', async () => {
    const restore = await rememberCommits(fixture.source);
    await warmUp(fixture.ledger, account, price);
    const [first = '', ...others] = await beginMany(fixture.ledger, 3);
    await restore();
    expect(await end(fixture.ledger, account, first, 70)).toMatchObject({ status: 'settled', chargedMillicredits: 70 });
    for (const callId of others) await end(fixture.ledger, account, callId, 30);
    expect([await posted(), await countLost()]).toEqual([100_000 - 70 - 2 * 30, 3]);
    expect(await findBroken()).toEqual([]);
    await warmUp(fixture.ledger, account, price);
    await end(fixture.ledger, account, (await begin(fixture.ledger, account, price)).callId, 40);
    await giveBack();
    expect(await posted()).toBe(100_000 - 70 - 2 * 30 - 40);
    expect(await findBroken()).toEqual([]);
  });

  it('takes what an older process has kept on its disk, once, however often it comes', async () => {
    const restore = await rememberCommits(fixture.source);
    const older = await openInstance(fixture, 'older', { readMs: () => 0, isStarted: false });
    await warmUp(older, account, price);
    const kept = (await beginMany(older, 3)).map((callId) => settlementOf(older, callId, 60));
    await restore();
    for (let round = 0; round < 2; round += 1) for (const input of kept) await fixture.ledger.bookAgain(input);
    expect([await posted(), await countLost()]).toEqual([100_000 - 3 * 60, 3]);
    expect(await findBroken()).toEqual([]);
    await older.close();
  });

  it('never goes below zero, however much of the balance it has lost beneath calls that run', async () => {
    const restore = await rememberCommits(fixture.source);
    const other = await openInstance(fixture, 'other', { isStarted: false });
    await end(other, account, (await begin(other, account, 99_500)).callId, 99_300);
    const poor = await rememberCommits(fixture.source);
    await restore();
    await warmUp(fixture.ledger, account, 400);
    const calls = [];
    while (calls.length < 3) calls.push((await begin(fixture.ledger, account, 400)).callId);
    await poor();
    const results = [];
    for (const callId of calls) results.push(await end(fixture.ledger, account, callId, 300));
    const charged = results.map((result) => result.status === 'settled' && Number(result.chargedMillicredits));
    expect(charged).toEqual([300, 300, 100]);
    expect(await posted()).toBe(0);
    expect(await findBroken()).toEqual([]);
    await other.close();
  });

  it('goes on with what it knows of a lease that was used further, and ends it as it stands', async () => {
    await warmUp(fixture.ledger, account, price);
    await end(fixture.ledger, account, (await begin(fixture.ledger, account, price)).callId, 50);
    const restore = await rememberCommits(fixture.source);
    await end(fixture.ledger, account, (await begin(fixture.ledger, account, price)).callId, 80);
    const [running = ''] = await beginMany(fixture.ledger, 1);
    await restore();
    await end(fixture.ledger, account, running, 20);
    await giveBack();
    expect([await posted(), await countLost()]).toEqual([100_000 - 50 - 20, 0]);
    expect(await findBroken()).toEqual([]);
  });

  it('counts such a call in the limit of its key', async () => {
    await fixture.limitKey(account, { millicredits: 20_000, period: 'day' });
    const restore = await rememberCommits(fixture.source);
    const asRead = { keyRevision: 1, isKeyLimited: true, startedAtMs: Date.now() };
    await warmUp(fixture.ledger, account, price, asRead);
    const { callId } = await begin(fixture.ledger, account, price, asRead);
    await restore();
    await end(fixture.ledger, account, callId, 90);
    await end(fixture.ledger, account, (await begin(fixture.ledger, account, 15_000, asRead)).callId, 10);
    const [row] = await fixture.source.query('SELECT spent_millicredits AS spent FROM key_spend');
    expect([Number(row.spent), await countLost()]).toEqual([100, 1]);
    expect(await findBroken()).toEqual([]);
  });

  it('books nothing of a call whose own hold it does not know: it is set aside for an operator', async () => {
    const restore = await rememberCommits(fixture.source);
    const { callId } = await begin(fixture.ledger, account, price);
    await restore();
    expect(await end(fixture.ledger, account, callId, 50)).toEqual({ status: 'quarantined', reason: 'unknown_hold' });
    expect(await posted()).toBe(100_000);
    expect(await findBroken()).toEqual([]);
  });

  it('lets go of receipts of leases that it does not know when they are old, and still adds up', async () => {
    const restore = await rememberCommits(fixture.source);
    await warmUp(fixture.ledger, account, price);
    const calls = await beginMany(fixture.ledger, 3);
    await restore();
    for (const callId of calls) await end(fixture.ledger, account, callId, 60);
    const nowMs = Date.now() + 200 * 86_400_000;
    const retention = new CallRetention({
      ...{ unitOfWork: fixture.unitOfWork, clock: { ...systemClock, nowMs: () => nowMs } },
      ...{ logger: silentLogger, findDays: async () => 62, keep: null, isOneWriter: false },
      findTime: async () => ({ nowMs, provenMs: nowMs }),
      findNeeded: async () => new Set<string>(),
    });
    expect(await retention.sealDue()).toBe(3);
    expect(await findBroken()).toEqual([]);
    expect(await posted()).toBe(100_000 - 3 * 60);
  });
});
