import { createId } from '../../kernel/ids.js';
import { toMillicredits } from '../../kernel/millicredits.js';
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
import { endingWith, factsAt, LedgerFixture } from '../../test/ledger-fixture.js';
import type { Ledger } from '../ledger.js';
import { LedgerReader } from '../ledger-reader.js';

describeOnEachDatabase('A wallet in use', (openTestDatabase) => {
  let elapsedMs = 0;
  const readMs = () => performance.now() + elapsedMs;
  const reader = () => new LedgerReader(fixture.unitOfWork, fixture.ledger);
  const countHolds = (callId: string) => fixture.countRows('ledger_hold', `id = '${callId}'`);
  const freeze = (account: FundedAccount, ledger = fixture.ledger) =>
    ledger.setWalletState({ accountId: account.accountId, state: 'frozen', reason: 'operator' });

  const fixture = LedgerFixture.forAll(openTestDatabase, undefined, { keyWatch: trustingKeyWatch, readMs });
  afterEach(() => {
    elapsedMs = 0;
  });

  it('lets calls that follow each other in without a row, and books each in one', async () => {
    const account = await fixture.createFundedAccount(1_000_000);
    await warmUp(fixture.ledger, account, 100);
    const { callId, status } = await begin(fixture.ledger, account, 100);
    expect([status, await countHolds(callId)]).toEqual(['held', 0]);
    expect(await reader().findBalance(account.accountId)).toEqual({
      availableMillicredits: 999_900,
      heldMillicredits: 100,
    });
    expect(await end(fixture.ledger, account, callId, 30)).toMatchObject({
      ...{ status: 'settled', chargedMillicredits: 30, absorbedMillicredits: 0, isReplay: false },
      availableAfterMillicredits: 999_970,
    });
    expect(await fixture.countRows('call_record', `call_id = '${callId}' AND balance_after = 999970`)).toBe(1);
    expect(await fixture.countRows('ledger_transfer', `hold_id = '${callId}'`)).toBe(0);
    expect(await reader().findBalance(account.accountId)).toEqual({
      availableMillicredits: 999_970,
      heldMillicredits: 0,
    });
  });

  it('takes at most a quarter of what is available, and no wallet that is nearly empty is leased', async () => {
    const rich = await fixture.createFundedAccount(10_000);
    await warmUp(fixture.ledger, rich, 500);
    const [{ amount }] = await fixture.source.query(
      `SELECT amount FROM wallet_lease WHERE wallet = '${rich.accountId}'`,
    );
    expect(Number(amount)).toBeLessThanOrEqual(2_500);
    const poor = await fixture.createFundedAccount(1_599);
    for (let n = 0; n < 20; n += 1) await end(fixture.ledger, poor, (await begin(fixture.ledger, poor, 100)).callId, 0);
    expect(await fixture.countRows('wallet_lease', `wallet = '${poor.accountId}'`)).toBe(0);
  });

  it('answers a settlement that comes again with what it answered first, and books it once', async () => {
    const account = await fixture.createFundedAccount(1_000_000);
    await warmUp(fixture.ledger, account, 100);
    const { callId } = await begin(fixture.ledger, account, 100);
    const covered = fixture.ledger.leases?.cover({ callId, accountId: account.accountId, ending: endingWith(70, 0) });
    const answers = [await end(fixture.ledger, account, callId, 70), await fixture.ledger.bookAgain(covered as never)];
    expect(answers.map((answer) => [answer.status, 'isReplay' in answer && answer.isReplay])).toEqual([
      ['settled', false],
      ['settled', true],
    ]);
    expect((await reader().findBalance(account.accountId)).availableMillicredits).toBe(999_930);
  });

  it('pays what a call costs beyond its worst case out of the lease, then out of the balance, and never more', async () => {
    const account = await fixture.createFundedAccount(10_000);
    await warmUp(fixture.ledger, account, 100);
    const [more, all] = [await begin(fixture.ledger, account, 100), await begin(fixture.ledger, account, 100)];
    expect(await end(fixture.ledger, account, more.callId, 150)).toMatchObject({ chargedMillicredits: 150 });
    expect(await fixture.countRows('ledger_transfer', `hold_id = '${more.callId}'`)).toBe(0);
    const result = await end(fixture.ledger, account, all.callId, 50_000);
    expect(result).toMatchObject({ status: 'settled', availableAfterMillicredits: 0 });
    expect(result.status === 'settled' && result.chargedMillicredits).toBe(9_850);
    expect(result.status === 'settled' && result.absorbedMillicredits).toBe(40_150);
  });

  it('gives a call that runs for long a hold of its own, which ends as any other', async () => {
    const account = await fixture.createFundedAccount(1_000_000);
    await warmUp(fixture.ledger, account, 100);
    const { callId } = await begin(fixture.ledger, account, 100);
    const { accountId } = account;
    await fixture.ledger.renewHold({ callId, accountId, promptTokens: 10, completionTokens: 5 });
    expect(await fixture.countRows('ledger_hold', `id = '${callId}' AND progress_completion_tokens = 5`)).toBe(1);
    expect((await reader().findBalance(accountId)).heldMillicredits).toBe(100);
    expect(await end(fixture.ledger, account, callId, 40)).toMatchObject({ chargedMillicredits: 40 });
    expect(await fixture.countRows('call_record', `call_id = '${callId}' AND lease IS NULL`)).toBe(1);
    expect(await reader().findBalance(accountId)).toEqual({ availableMillicredits: 999_960, heldMillicredits: 0 });
  });

  it('lets no call in once a freeze is answered, settles what runs, and gives the rest back', async () => {
    const account = await fixture.createFundedAccount(1_000_000);
    await warmUp(fixture.ledger, account, 100);
    const { callId } = await begin(fixture.ledger, account, 100);
    await freeze(account);
    expect(await begin(fixture.ledger, account, 100)).toMatchObject({ status: 'refused', reason: 'wallet_not_open' });
    expect(await end(fixture.ledger, account, callId, 50)).toMatchObject({ chargedMillicredits: 50 });
    await untilReturned(fixture, account);
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 999_950, pending: 0 });
  });

  it('lets no call in once another process has answered a freeze, whether its owner hears of it or not', async () => {
    const account = await fixture.createFundedAccount(1_000_000);
    const operator = await openInstance(fixture, 'operator');
    await warmUp(fixture.ledger, account, 100);
    const freezing = freeze(account, operator);
    // It stands still, and wakes when the freeze is answered.
    await freezing;
    elapsedMs = 5_000;
    expect(await begin(fixture.ledger, account, 100)).toMatchObject({ status: 'refused', reason: 'wallet_not_open' });
    await operator.close();
  }, 30_000);

  it('is served by holds while it cannot be sure: after a standstill, for a limited key of unknown revision, an ended or a changed key', async () => {
    const account = await fixture.createFundedAccount(1_000_000);
    await warmUp(fixture.ledger, account, 100);
    const { accountId, keyId } = account;
    const call = { accountId, keyId, keyRevision: 0 };
    const amounts = { amountMillicredits: toMillicredits(100), acceptFromMillicredits: toMillicredits(100) };
    const facts = factsAt(1);
    for (const doubtful of [
      { accountId, keyId, isKeyLimited: true },
      { ...call, keyExpiresAtMs: 1 },
    ]) {
      const callId = createId('call');
      await fixture.ledger.placeHold({ ...doubtful, ...amounts, facts, callId });
      expect(await countHolds(callId)).toBe(1);
      await end(fixture.ledger, account, callId, 1);
    }
    elapsedMs = 61_000;
    const { callId } = await begin(fixture.ledger, account, 100);
    expect(await countHolds(callId)).toBe(1);
    await end(fixture.ledger, account, callId, 1);
  });

  it('counts a call whose key got a limit while it ran', async () => {
    const account = await fixture.createFundedAccount(1_000_000);
    await warmUp(fixture.ledger, account, 100);
    const { callId } = await begin(fixture.ledger, account, 100);
    await fixture.limitKey(account, { millicredits: 500, period: 'month' });
    const limited = createId('call');
    const amounts = { amountMillicredits: toMillicredits(100), acceptFromMillicredits: toMillicredits(100) };
    await fixture.ledger.placeHold({ callId: limited, ...account, ...amounts, isKeyLimited: true, facts: factsAt(1) });
    await end(fixture.ledger, account, callId, 60);
    const spent = `key_id = '${account.keyId}' AND spent_millicredits = 60 AND pending_millicredits = 100`;
    expect(await fixture.countRows('key_spend', spent)).toBe(1);
    await end(fixture.ledger, account, limited, 10);
  });

  it('pays a debt with what is leased first, and tells nobody that credits are missing which are merely leased', async () => {
    const account = await fixture.createFundedAccount(100_000);
    const { accountId } = account;
    await warmUp(fixture.ledger, account, 1_000);
    const refund = { transferId: `refund:${accountId}`, type: 'refund' as const, accountId };
    await fixture.ledger.reverseGrant({ ...refund, amountMillicredits: toMillicredits(100_000) });
    await untilReturned(fixture, account);
    expect(await fixture.countRows('ledger_account', `id = '${accountId}' AND debt = 0 AND debits_pending = 0`)).toBe(
      1,
    );
    const other = await fixture.createFundedAccount(17_000);
    await warmUp(fixture.ledger, other, 1_000);
    const running = await begin(fixture.ledger, other, 1_000);
    expect(await begin(fixture.ledger, other, 15_500)).toMatchObject({ status: 'refused', reason: 'reserved' });
    await end(fixture.ledger, other, running.callId, 0);
    expect(await begin(fixture.ledger, other, 17_000)).toMatchObject({ status: 'held' });
  });

  it('owes nothing for what calls have reserved of a lease, and what they used of it as soon as it is booked', async () => {
    const account = await fixture.createFundedAccount(100_000);
    const { accountId } = account;
    const findDebt = async () => (await reader().findStanding(accountId)).debtMillicredits;
    await warmUp(fixture.ledger, account, 1_000);
    const running = [await begin(fixture.ledger, account, 1_000), await begin(fixture.ledger, account, 1_000)];
    const refund = { transferId: `refund:${accountId}`, type: 'refund' as const, accountId };
    await fixture.ledger.reverseGrant({ ...refund, amountMillicredits: toMillicredits(99_500) });
    expect(await findDebt()).toBe(0);
    expect(await reader().findBalance(accountId)).toEqual({ availableMillicredits: 0, heldMillicredits: 500 });
    expect(await begin(fixture.ledger, account, 400)).toMatchObject({ status: 'refused', reason: 'reserved' });
    await end(fixture.ledger, account, String(running[0]?.callId), 800);
    // The lease has not ended: another call runs on it.
    expect(
      await fixture.countRows('wallet_lease', `wallet = '${accountId}' AND spent = 800 AND state <> 'ended'`),
    ).toBe(1);
    expect(await findDebt()).toBe(300);
    expect(await begin(fixture.ledger, account, 400)).toMatchObject({ status: 'refused', reason: 'insufficient' });
    await end(fixture.ledger, account, String(running[1]?.callId), 0);
    await untilReturned(fixture, account);
    expect(await findDebt()).toBe(300);
    expect(await fixture.countRows('ledger_account', `id = '${accountId}' AND debt = 300`)).toBe(1);
  });

  it('shows the calls of a lease as one line of the statement, which sums to their receipts', async () => {
    const beforeMs = Date.now();
    const account = await fixture.createFundedAccount(1_000_000);
    await warmUp(fixture.ledger, account, 100);
    for (const cost of [10, 20, 0]) {
      const { callId } = await begin(fixture.ledger, account, 100);
      await end(fixture.ledger, account, callId, cost);
    }
    fixture.ledger.leases?.drain(account.accountId);
    await untilReturned(fixture, account);
    const { items } = await reader().listStatement(account.accountId, { first: 5, beforeSeq: null });
    const [line] = items;
    expect(line).toMatchObject({
      type: 'usage',
      amountMillicredits: -30,
      callId: null,
      balanceAfterMillicredits: 999_970,
    });
    expect(line?.callCount).toBeGreaterThanOrEqual(4);
    const { leaseStartsMs } = await reader().findCalls(items);
    const fromMs = leaseStartsMs.get(line?.leaseId ?? '') ?? 0;
    expect(await fixture.countRows('call_record', `lease = '${line?.leaseId}'`)).toBe(line?.callCount);
    expect(fromMs).toBeGreaterThanOrEqual(beforeMs);
    expect(fromMs).toBeLessThanOrEqual(line?.atMs ?? 0);
  });

  it('is protected by the database itself against a lease that is spent beyond its amount', async () => {
    const account = await fixture.createFundedAccount(1_000_000);
    await warmUp(fixture.ledger, account, 100);
    const overspend = `UPDATE wallet_lease SET spent = amount + 1 WHERE wallet = '${account.accountId}'`;
    await expect(fixture.source.query(overspend)).rejects.toThrow();
  });
});

describeOnEachDatabase('Of 500 calls at once on credits for one', (openTestDatabase) => {
  it.each([1, 2, 4])(
    'one is let in, whatever was leased before, on instances: %s',
    async (count) => {
      const fixture = await LedgerFixture.open(await openTestDatabase());
      const instances = await Promise.all(
        Array.from({ length: count }, (_, n) => openInstance(fixture, `instance ${n}`)),
      );
      const account = await fixture.createFundedAccount(100_000);
      const { accountId } = account;
      // Each has a lease, and believes in it, when all but the credits for one are taken back.
      for (const ledger of instances) await warmUp(ledger, account, 100);
      await fixture.ledger.reverseGrant({
        ...{ transferId: `refund:${accountId}`, type: 'refund', accountId },
        amountMillicredits: toMillicredits(99_900),
      });
      await untilReturned(fixture, account, instances);
      const asked = await Promise.all(
        Array.from({ length: 500 }, (_, n) => begin(instances[n % count] as Ledger, account, 100)),
      );
      expect(asked.filter(({ status }) => status === 'held')).toHaveLength(1);
      expect(new Set(asked.map((result) => result.status === 'refused' && result.reason))).toEqual(
        new Set([false, 'reserved']),
      );
      for (const ledger of instances) await ledger.close();
      await fixture.close();
    },
    60_000,
  );
});

describeOnEachDatabase('A lease whose process is taken for dead', (openTestDatabase) => {
  it('is ended by another one at what was booked; what its calls settle afterwards is charged late, once, and ends its use', async () => {
    const fixture = await LedgerFixture.open(await openTestDatabase(), { leaseMs: 400, graceMs: 0 });
    const times = { leaseMs: 400, graceMs: 0 };
    // Its clock stands still, so it goes on believing in its lease, and never renews it.
    const frozen = await openInstance(fixture, 'frozen', { times, readMs: () => 0 });
    const account = await fixture.createFundedAccount(1_000_000);
    const { accountId } = account;
    await warmUp(frozen, account, 100);
    const [booked, late] = [await begin(frozen, account, 100), await begin(frozen, account, 100)];
    await end(frozen, account, booked.callId, 40);
    const [{ id }] = await fixture.source.query(
      `SELECT id FROM wallet_lease WHERE wallet = '${accountId}' AND state = 'open'`,
    );
    let ended = await fixture.ledger.expireHold({ callId: id, accountId });
    while (
      ended.status === 'settled' &&
      ended.isReplay &&
      (await fixture.countRows('ledger_hold', `id = '${id}' AND state = 'open'`)) > 0
    ) {
      ended = await fixture.ledger.expireHold({ callId: id, accountId });
    }
    expect(await fixture.findWallet(accountId)).toEqual({ posted: 999_960, pending: 0 });
    expect(await end(frozen, account, late.callId, 50)).toMatchObject({ status: 'settled', chargedMillicredits: 50 });
    expect(await fixture.countRows('ledger_transfer', `id = '${late.callId}:late' AND amount = 50`)).toBe(1);
    expect(await fixture.findWallet(accountId)).toEqual({ posted: 999_910, pending: 0 });
    // The answer has told it that the lease is gone: the next call is one of the ledger's.
    expect(frozen.leases?.standing.leaseCount).toBe(0);
    const next = await begin(frozen, account, 100);
    expect(await fixture.countRows('ledger_hold', `id = '${next.callId}' AND state = 'open'`)).toBe(1);
    await end(frozen, account, next.callId, 0);
    await frozen.close();
    await fixture.close();
  });
});
