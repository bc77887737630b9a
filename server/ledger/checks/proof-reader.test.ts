import { systemClock } from '../../kernel/clock.js';
import { createId } from '../../kernel/ids.js';
import { toMillicredits } from '../../kernel/millicredits.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { begin, end, type FundedAccount, trustingKeyWatch, warmUp } from '../../test/lease-calls.js';
import { LedgerFixture } from '../../test/ledger-fixture.js';
import type { GrantType, ReversalType } from '../ledger-types.js';
import { invariants } from './check-ledger.js';
import { ProofReader } from './proof-reader.js';

const audit = { verifiedAtMs: 7, allVerifiedAtMs: 3, violations: 0, failingSinceMs: null };

describeOnEachDatabase('ProofReader', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase, undefined, { keyWatch: trustingKeyWatch });
  let reader: ProofReader;
  let account: FundedAccount;

  beforeEach(async () => {
    const { unitOfWork } = fixture;
    reader = new ProofReader({ unitOfWork, ledger: fixture.ledger, auditor: { audit }, clock: systemClock });
    account = await fixture.createFundedAccount(1_000_000);
    // Somebody else's books are no part of it.
    await fixture.createFundedAccount(77);
  });

  const grant = (transferId: string, type: GrantType, amount: number) =>
    fixture.ledger.grantCredits({
      ...{ transferId, type, accountId: account.accountId },
      amountMillicredits: toMillicredits(amount),
    });
  const takeBack = (transferId: string, type: ReversalType, amount: number) =>
    fixture.ledger.reverseGrant({
      ...{ transferId, type, accountId: account.accountId },
      amountMillicredits: toMillicredits(amount),
    });

  it('adds up to the millicredit with every kind of credits in, calls that run, and calls that a lease has not booked yet', async () => {
    await fixture.source.query(
      `INSERT INTO purchase (id, account_id, gateway, amount_cents, currency, credits_millicredits, status, created_at_ms) VALUES ('p', '${account.accountId}', 'test', 50, 'usd', 500001, 'paid', 0)`,
    );
    await grant('purchase:p', 'purchase', 500_001);
    await takeBack('refund:p', 'refund', 10_000);
    await grant('refund:p:failed', 'adjustment', 4_000);
    await takeBack('dispute:p', 'dispute', 20_000);
    await grant('dispute:p:won', 'dispute_reversal', 20_000);
    await takeBack('adjustment:a', 'adjustment', 300);
    await warmUp(fixture.ledger, account, 2_000);
    const before = await reader.prove(account.accountId);
    expect(before.differenceMillicredits).toBe(0);

    const [ended, free, running] = [
      await begin(fixture.ledger, account, 900),
      await begin(fixture.ledger, account, 900),
      await begin(fixture.ledger, account, 1_234),
    ];
    await end(fixture.ledger, account, ended.callId, 333);
    await end(fixture.ledger, account, free.callId, 0);
    const proof = await reader.prove(account.accountId);
    expect(proof.credits).toEqual({
      bought: 500_001,
      given: 1_000_000,
      returned: 24_000,
      corrections: -300,
      takenBack: 30_000,
    });
    expect(proof.inMillicredits).toBe(1_493_701);
    expect(proof.usedMillicredits - before.usedMillicredits).toBe(333);
    expect(proof.calls - before.calls).toBe(2);
    expect(proof.reservedMillicredits).toBe(1_234);
    expect(proof.leftMillicredits).toBe(1_493_701 - proof.usedMillicredits - 1_234);
    expect(proof.differenceMillicredits).toBe(0);
    await end(fixture.ledger, account, running.callId, 1);
    expect((await reader.prove(account.accountId)).reservedMillicredits).toBe(0);
  });

  it('shows a difference once the sums of the receipts say otherwise than the wallet', async () => {
    const { callId } = await begin(fixture.ledger, account, 900);
    await end(fixture.ledger, account, callId, 40);
    const change = (by: number) =>
      fixture.source.query(
        `UPDATE usage_hour SET charged_millicredits = charged_millicredits + ${by} WHERE account_id = '${account.accountId}'`,
      );
    await change(5);
    expect((await reader.prove(account.accountId)).differenceMillicredits).toBe(-5);
    await change(-5);
    expect((await reader.prove(account.accountId)).differenceMillicredits).toBe(0);
  });

  it('adds up, with nothing less than nothing left, while calls have reserved more than a refund has left', async () => {
    const running = await begin(fixture.ledger, account, 900);
    await takeBack('refund:r', 'refund', 999_500);
    const { leftMillicredits: left, reservedMillicredits: reserved, ...proof } = await reader.prove(account.accountId);
    expect({ left, reserved, difference: proof.differenceMillicredits }).toEqual({
      left: 0,
      reserved: 500,
      difference: 0,
    });
    await end(fixture.ledger, account, running.callId, 0);
  });

  it('tells debt as less than nothing left, and of an account without a wallet that there is nothing', async () => {
    await takeBack('refund:q', 'refund', 1_000_500);
    const { leftMillicredits, differenceMillicredits, audit: told } = await reader.prove(account.accountId);
    expect({ leftMillicredits, differenceMillicredits }).toEqual({ leftMillicredits: -500, differenceMillicredits: 0 });
    expect(told).toMatchObject(audit);
    expect(told.checks).toEqual(expect.arrayContaining(Object.keys(invariants)));
    const none = await reader.prove(createId('account'));
    expect([none.inMillicredits, none.leftMillicredits, none.differenceMillicredits]).toEqual([0, 0, 0]);
  });
});
