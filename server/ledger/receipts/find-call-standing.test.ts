import { createId } from '../../kernel/ids.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { begin, end, openInstance, warmUp } from '../../test/lease-calls.js';
import { endingWith, holdOf, LedgerFixture } from '../../test/ledger-fixture.js';
import { decideCallStanding, findCallStanding } from './find-call-standing.js';

type Books = Parameters<typeof findCallStanding>[0];

describeOnEachDatabase('findCallStanding', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);

  const standingOf = (callId: string, { ledger }: { ledger: Books['ledger'] } = fixture) =>
    findCallStanding({ reader: fixture.source.manager, ledger }, callId);

  it('tells a call that holds, one that was charged, one that cost nothing, and one that nobody knows', async () => {
    const account = await fixture.createFundedAccount(5_000);
    const { accountId } = account;
    const hold = holdOf(account, 100);
    const running = hold.callId;
    await fixture.ledger.placeHold(hold);
    const charged = await fixture.call(account, endingWith(30, 40), { heldMillicredits: 100 });
    const free = await fixture.call(account, endingWith(0, 0), { heldMillicredits: 100 });
    expect(await standingOf(running)).toBe('running');
    expect(await standingOf(charged)).toBe('charged');
    expect(await standingOf(free)).toBe('free');
    expect(await standingOf(createId('call'))).toBe('free');
    await fixture.ledger.settleHold({ callId: running, accountId, ending: endingWith(0, 0) });
  });

  it('takes no call for free whose settlement waits on this disk, whatever the books say meanwhile', async () => {
    const account = await fixture.createFundedAccount(5_000);
    const callId = await fixture.call(account, endingWith(0, 0), { heldMillicredits: 100 });
    expect(await standingOf(callId)).toBe('free');
    const waits = async (id: string) => id === callId;
    expect(await standingOf(callId, { ledger: { isSettlementWaiting: waits } })).toBe('running');
  });

  it('takes no call for free whose settlement the ledger refused and the operator has to decide about', async () => {
    const { accountId } = await fixture.createFundedAccount(5_000);
    const callId = createId('call');
    const settled = await fixture.ledger.settleHold({ callId, accountId, ending: endingWith(30, 40) });
    expect(settled).toMatchObject({ status: 'quarantined' });
    expect(await standingOf(callId)).toBe('running');
  });
});

describeOnEachDatabase('decideCallStanding', (openTestDatabase) => {
  // Leases that are over at once let any open hold be expired at any moment.
  const fixture = LedgerFixture.forEach(openTestDatabase, { leaseMs: -60_000, graceMs: 0 });

  const decide = (callId: string, accountId: string) =>
    decideCallStanding({ reader: fixture.source.manager, ledger: fixture.ledger }, { callId, accountId });
  const hold = async (account: { accountId: string; keyId: string }, callId = createId('call')) => {
    const result = await fixture.ledger.placeHold(holdOf(account, 100, { callId }));
    return { callId, result };
  };

  it('makes free final of a call that a lease has let in elsewhere: its settlement, when it comes, charges nothing', async () => {
    const account = await fixture.createFundedAccount(1_000_000);
    const stopped = await openInstance(fixture, 'stopped');
    await warmUp(stopped, account, 100);
    const { callId, status } = await begin(stopped, account, 100);
    expect([status, await fixture.countRows('ledger_hold', `id = '${callId}'`)]).toEqual(['held', 0]);
    const { posted } = await fixture.findWallet(account.accountId);
    expect(await decide(callId, account.accountId)).toBe('free');
    expect(await end(stopped, account, callId, 70)).toMatchObject({ status: 'settled', chargedMillicredits: 0 });
    expect((await fixture.findWallet(account.accountId)).posted).toBe(posted);
    expect(await decide(callId, account.accountId)).toBe('free');
    await stopped.close();
  });

  it('makes free final of a call whose hold was never placed: it can be placed no more', async () => {
    const account = await fixture.createFundedAccount(1_000);
    const callId = createId('call');
    expect(await decide(callId, account.accountId)).toBe('free');
    expect((await hold(account, callId)).result).toMatchObject({ status: 'refused', reason: 'call_already_ended' });
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 1_000, pending: 0 });
  });

  it('makes free final of a call whose hold was ended without a charge: its late settlement charges nothing', async () => {
    const account = await fixture.createFundedAccount(1_000);
    const { callId } = await hold(account);
    expect(await decide(callId, account.accountId)).toBe('running');
    await fixture.ledger.expireHold({ callId, accountId: account.accountId });
    expect([await decide(callId, account.accountId), await decide(callId, account.accountId)]).toEqual([
      'free',
      'free',
    ]);
    const { accountId } = account;
    const late = await fixture.ledger.settleHold({ callId, accountId, ending: endingWith(30, 40) });
    expect(late).toMatchObject({ status: 'settled', chargedMillicredits: 0 });
    expect((await fixture.findWallet(accountId)).posted).toBe(1_000);
  });

  it('leaves a charged call alone, also one that was charged for what it had written, whose rest may be charged late', async () => {
    const { accountId, keyId } = await fixture.createFundedAccount(1_000);
    const { callId } = await hold({ accountId, keyId });
    await fixture.ledger.renewHold({ callId, accountId, promptTokens: 10, completionTokens: 5 });
    await fixture.ledger.expireHold({ callId, accountId });
    expect(await decide(callId, accountId)).toBe('charged');
    const late = await fixture.ledger.settleHold({ callId, accountId, ending: endingWith(30, 40) });
    expect(late).toMatchObject({ status: 'settled', chargedMillicredits: 70 });
    expect(await decide(callId, accountId)).toBe('charged');
  });

  it('takes no call for free where nothing can be written down, because nothing is available', async () => {
    const { accountId } = await fixture.createFundedAccount(0);
    expect(await decide(createId('call'), accountId)).toBe('running');
    const nobody = createId('account');
    expect(await decide(createId('call'), nobody)).toBe('free');
  });
});
