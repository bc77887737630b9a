import { createId } from '../../kernel/ids.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { endingWith, LedgerFixture } from '../../test/ledger-fixture.js';
import { CallReader } from './call-reader.js';

describeOnEachDatabase('CallReader', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let calls: CallReader;

  beforeEach(async () => {
    calls = new CallReader(fixture.unitOfWork);
  });

  const makeCall = (account: { accountId: string; keyId: string }) =>
    fixture.call(account, endingWith(3, 4), { heldMillicredits: 10 });

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
