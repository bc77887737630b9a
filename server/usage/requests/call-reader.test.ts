import { createId } from '../../kernel/ids.js';
import { toMillicredits } from '../../kernel/millicredits.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { endingWith, factsAt, LedgerFixture } from '../../test/ledger-fixture.js';
import { CallReader } from './call-reader.js';

describeOnEachDatabase('CallReader', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let calls: CallReader;

  beforeEach(async () => {
    calls = new CallReader(fixture.unitOfWork);
  });

  const makeCall = async ({ accountId, keyId }: { accountId: string; keyId: string }) => {
    const callId = createId('call');
    const amountMillicredits = toMillicredits(10);
    const hold = {
      callId,
      accountId,
      keyId,
      facts: factsAt(1),
      amountMillicredits,
      acceptFromMillicredits: amountMillicredits,
    };
    await fixture.ledger.placeHold(hold);
    await fixture.ledger.settleHold({ callId, accountId, ending: endingWith(3, 4) });
    return callId;
  };

  it("lists the account's calls page by page, newest first, while new ones arrive", async () => {
    const account = await fixture.createFundedAccount(1_000);
    const stranger = await fixture.createFundedAccount(1_000);
    const ids: string[] = [];
    for (let i = 0; i < 3; i += 1) ids.unshift(await makeCall(account));
    await makeCall(stranger);
    const first = await calls.listCalls(account.accountId, { first: 2, beforeId: null });
    expect(first).toMatchObject({ items: [{ callId: ids[0] }, { callId: ids[1] }], hasNextPage: true });
    await makeCall(account);
    const second = await calls.listCalls(account.accountId, { first: 2, beforeId: ids[1] ?? null });
    expect(second).toMatchObject({ items: [{ callId: ids[2], chargedMillicredits: 7 }], hasNextPage: false });
  });

  it('finds an own call, and answers a foreign, a missing and a nonsensical id with null', async () => {
    const account = await fixture.createFundedAccount(1_000);
    const stranger = await fixture.createFundedAccount(1_000);
    const callId = await makeCall(account);
    expect(await calls.findCall(account.accountId, callId)).toMatchObject({ promptTokens: 3, completionTokens: 4 });
    for (const id of [await makeCall(stranger), createId('call'), 'x']) {
      expect(await calls.findCall(account.accountId, id)).toBeNull();
    }
  });
});
