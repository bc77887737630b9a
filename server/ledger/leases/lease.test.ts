import { systemClock } from '../../kernel/clock.js';
import { silentLogger } from '../../kernel/logger.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { endingWith, holdOf, LedgerFixture } from '../../test/ledger-fixture.js';
import { HoldRenewer } from './hold-renewer.js';
import { HoldSweeper } from './hold-sweeper.js';

describeOnEachDatabase('Leases of holds', (openTestDatabase) => {
  let fixture: LedgerFixture;
  let sweeper: HoldSweeper;
  beforeAll(async () => {
    // A lease that is over as soon as it begins stands for a process that has died.
    fixture = await LedgerFixture.open(await openTestDatabase(), { leaseMs: -1_000, graceMs: 0 });
    sweeper = new HoldSweeper(fixture.ledger, fixture.unitOfWork, systemClock, silentLogger);
  });
  afterAll(async () => {
    await sweeper.close();
    await fixture.close();
  });

  async function beginCall(balance: number, amount: number, price = 1) {
    const account = await fixture.createFundedAccount(balance);
    const hold = holdOf(account, amount, { price });
    await fixture.ledger.placeHold(hold);
    return { ...account, callId: hold.callId };
  }
  const settle = ({ callId, accountId }: { callId: string; accountId: string }, prompt: number, completion: number) =>
    fixture.ledger.settleHold({ callId, accountId, ending: endingWith(prompt, completion) });

  it('gives the whole hold back when the process died before the provider answered', async () => {
    const call = await beginCall(1_000, 600);
    await sweeper.sweep();
    expect(await fixture.findWallet(call.accountId)).toEqual({ posted: 1_000, pending: 0 });
    expect(await fixture.countRows('call_record', `call_id = '${call.callId}' AND outcome = 'expired'`)).toBe(1);
  });

  it('is found by whoever shares the database, though the clock of its machine is hours behind', async () => {
    if (fixture.database.kind === 'sqlite') return;
    const call = await beginCall(1_000, 600);
    const behind = { ...systemClock, nowMs: () => systemClock.nowMs() - 7_200_000 };
    await new HoldSweeper(fixture.ledger, fixture.unitOfWork, behind, silentLogger).sweep();
    expect(await fixture.findWallet(call.accountId)).toEqual({ posted: 1_000, pending: 0 });
  });

  it('charges what was written down at the last sign of life, never more than the hold', async () => {
    const [modest, greedy] = [await beginCall(1_000, 600, 2), await beginCall(1_000, 600, 2)];
    await fixture.ledger.renewHold({ ...modest, promptTokens: 40, completionTokens: 10 });
    await fixture.ledger.renewHold({ ...greedy, promptTokens: 200, completionTokens: 5_000 });
    await sweeper.sweep();
    expect(await fixture.findWallet(modest.accountId)).toEqual({ posted: 900, pending: 0 });
    expect(await fixture.findWallet(greedy.accountId)).toEqual({ posted: 400, pending: 0 });
  });

  it('charges the difference once when the owner of an expired hold comes back with the true figure', async () => {
    const call = await beginCall(1_000, 600);
    await fixture.ledger.renewHold({ ...call, promptTokens: 10, completionTokens: 10 });
    await sweeper.sweep();
    expect(await settle(call, 100, 200)).toMatchObject({ chargedMillicredits: 300, isReplay: false });
    expect(await settle(call, 100, 200)).toMatchObject({ chargedMillicredits: 300, isReplay: true });
    expect(await fixture.findWallet(call.accountId)).toEqual({ posted: 700, pending: 0 });
  });

  it('does not charge again when less was used than was charged at expiry', async () => {
    const call = await beginCall(1_000, 600);
    await fixture.ledger.renewHold({ ...call, promptTokens: 100, completionTokens: 100 });
    await sweeper.sweep();
    expect(await settle(call, 10, 10)).toMatchObject({ chargedMillicredits: 200 });
    expect(await fixture.findWallet(call.accountId)).toEqual({ posted: 800, pending: 0 });
  });

  it('takes a late settlement no further than the balance goes', async () => {
    const call = await beginCall(1_000, 600);
    await sweeper.sweep();
    expect(await settle(call, 5_000, 0)).toMatchObject({ chargedMillicredits: 1_000, absorbedMillicredits: 4_000 });
    expect(await fixture.findWallet(call.accountId)).toEqual({ posted: 0, pending: 0 });
  });

  it('resolves a hold once when several sweepers and the owner race for it', async () => {
    const calls = await Promise.all(Array.from({ length: 30 }, () => beginCall(1_000, 600)));
    await Promise.all([
      sweeper.sweep(),
      sweeper.sweep(),
      ...calls.map((call) => settle(call, 50, 50)),
      sweeper.sweep(),
    ]);
    for (const call of calls) {
      expect(await fixture.findWallet(call.accountId)).toEqual({ posted: 900, pending: 0 });
      expect(await fixture.countRows('ledger_transfer', `resolves = '${call.callId}'`)).toBe(1);
    }
  });
});

describeOnEachDatabase('HoldRenewer', (openTestDatabase) => {
  it('keeps the holds of running calls out of the sweeper’s reach, and lets go of them when they end', async () => {
    const fixture = await LedgerFixture.open(await openTestDatabase());
    const sweeper = new HoldSweeper(fixture.ledger, fixture.unitOfWork, systemClock, silentLogger);
    const renewer = new HoldRenewer(fixture.ledger, silentLogger);
    const account = await fixture.createFundedAccount(1_000);
    const hold = holdOf(account, 600);
    const { callId } = hold;
    await fixture.ledger.placeHold(hold);
    const letLeaseRunOut = () =>
      fixture.source.query(`UPDATE ledger_hold SET lease_until_ms = 1 WHERE id = '${callId}'`);

    const stopRenewing = renewer.track(callId, account.accountId, () => ({ promptTokens: 7, completionTokens: 3 }));
    await letLeaseRunOut();
    await renewer.renewAll();
    expect(await sweeper.sweep()).toBe(0);

    stopRenewing();
    await letLeaseRunOut();
    await renewer.renewAll();
    expect(await sweeper.sweep()).toBe(1);
    expect(await fixture.findWallet(account.accountId)).toEqual({ posted: 990, pending: 0 });
    renewer.close();
    await fixture.close();
  });
});
