import { createId } from '../kernel/ids.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { insertBulkCalls } from '../test/bulk-calls.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { endingWith, grantOf, holdOf, LedgerFixture } from '../test/ledger-fixture.js';
import type { StatementEntryType, StatementFilter } from './journal/statement-filter.js';
import { LedgerReader, type StatementEntry } from './ledger-reader.js';

describeOnEachDatabase('LedgerReader', (openTestDatabase) => {
  const fixture = LedgerFixture.forEach(openTestDatabase);
  let reader: LedgerReader;
  let account: { accountId: string; keyId: string };

  beforeEach(async () => {
    reader = new LedgerReader(fixture.unitOfWork);
    account = await fixture.createFundedAccount(1_000);
  });

  const placeHold = async (holdMillicredits: number) => {
    const hold = holdOf(account, holdMillicredits);
    await fixture.ledger.placeHold(hold);
    return hold.callId;
  };
  const settle = (callId: string, tokens: number) =>
    fixture.ledger.settleHold({ callId, accountId: account.accountId, ending: endingWith(tokens, 0) });
  const listAll = async () => (await reader.listStatement(account.accountId, { first: 100, beforeSeq: null })).items;

  it('tells apart what may be spent and what is held', async () => {
    await placeHold(300);
    expect(await reader.findBalance(account.accountId)).toEqual({
      availableMillicredits: 700,
      heldMillicredits: 300,
    });
    expect(await reader.findBalance(createId('account'))).toEqual({ availableMillicredits: 0, heldMillicredits: 0 });
  });

  it('tells as owed what was used beyond the balance, and never what is only reserved', async () => {
    const { accountId } = account;
    const look = async () => {
      const [balance, { debtMillicredits: debt }] = [
        await reader.findBalance(accountId),
        await reader.findStanding(accountId),
      ];
      return [balance.availableMillicredits, balance.heldMillicredits, debt];
    };
    const [used, free] = [await placeHold(600), await placeHold(300)];
    const amountMillicredits = toMillicredits(900);
    await fixture.ledger.reverseGrant({ transferId: 'refund:r', type: 'refund', accountId, amountMillicredits });
    // More is reserved than there is: all that is left is told as reserved.
    expect(await look()).toEqual([0, 100, 0]);
    await settle(used, 90);
    expect(await look()).toEqual([0, 10, 0]);
    await settle(free, 300);
    expect(await look()).toEqual([-290, 0, 290]);
    expect(await reader.findStanding(createId('account'))).toEqual({
      debtMillicredits: 0,
      isFrozen: false,
      frozenFor: [],
    });
  });

  it('states only what moved credits, each line adding up with the one below it, though calls ran side by side', async () => {
    const [free, long, short] = [await placeHold(100), await placeHold(200), await placeHold(50)];
    await settle(short, 40);
    await settle(free, 0);
    await fixture.ledger.grantCredits(grantOf(account.accountId, 500, 'grant:gift'));
    await settle(long, 230);

    const lines = await listAll();
    expect(lines.map(({ type, amountMillicredits, callId }) => [type, amountMillicredits, callId])).toEqual([
      ['usage', -30, long],
      ['usage', -200, long],
      ['grant', 500, null],
      ['usage', -40, short],
      ['grant', 1_000, null],
    ]);
    expect(lines.map(({ balanceAfterMillicredits }) => balanceAfterMillicredits)).toEqual([
      1_230, 1_260, 1_460, 960, 1_000,
    ]);
    expect(new Set(lines.map(({ id }) => id)).size).toBe(5);
  });

  it('tells the model of each call of a page, and nothing of a call that has no receipt', async () => {
    const calls = [await placeHold(10), await placeHold(10)];
    for (const callId of calls) await settle(callId, 1);
    const withoutReceipt = { callId: createId('call'), leaseId: null };
    const { models, leaseStartsMs } = await reader.findCalls([...(await listAll()), withoutReceipt]);
    expect([...models].sort()).toEqual(calls.map((callId) => [callId, 'demo-small']).sort());
    expect(leaseStartsMs.size).toBe(0);
  });

  it("pages without a gap or a repeat while new lines arrive, and shows nobody else's", async () => {
    await fixture.createFundedAccount(9);
    for (const tokens of [1, 2, 3]) await settle(await placeHold(10), tokens);
    const seen: StatementEntry[] = [];
    let page = await reader.listStatement(account.accountId, { first: 2, beforeSeq: null });
    seen.push(...page.items);
    await settle(await placeHold(10), 5);
    while (page.hasNextPage) {
      page = await reader.listStatement(account.accountId, { first: 2, beforeSeq: seen.at(-1)?.walletSeq ?? null });
      seen.push(...page.items);
    }
    expect(seen.map(({ amountMillicredits }) => amountMillicredits)).toEqual([-3, -2, -1, 1_000]);
  });

  it('narrows the statement by type and time, page by page, and finds the same lines as one who reads all of it', async () => {
    const { accountId } = account;
    const amountMillicredits = toMillicredits(50);
    await fixture.ledger.grantCredits({
      transferId: 'refund:p:failed',
      type: 'adjustment',
      accountId,
      amountMillicredits,
    });
    await fixture.ledger.grantCredits({
      transferId: 'adjustment:a',
      type: 'adjustment',
      accountId,
      amountMillicredits,
    });
    for (const tokens of [1, 2, 3]) await settle(await placeHold(10), tokens);
    await fixture.ledger.reverseGrant({ transferId: 'refund:r', type: 'refund', accountId, amountMillicredits });
    const all = await listAll();
    const readAll = async (filter: StatementFilter) => {
      const seen: StatementEntry[] = [];
      for (let beforeSeq: number | null = null, isMore = true; isMore; ) {
        const page = await reader.listStatement(accountId, { first: 2, beforeSeq, filter });
        seen.push(...page.items);
        beforeSeq = page.items.at(-1)?.walletSeq ?? null;
        isMore = page.hasNextPage;
      }
      return seen;
    };
    const lists: StatementEntryType[][] = [
      ['usage'],
      ['adjustment'],
      ['refund_returned'],
      ['refund', 'refund_returned', 'adjustment'],
      ['grant', 'usage'],
    ];
    for (const types of lists) {
      expect(await readAll({ types })).toEqual(all.filter(({ type }) => types.includes(type)));
    }
    const atMs = all[0]?.atMs ?? 0;
    expect(await readAll({ fromMs: atMs })).toEqual(all.filter((line) => line.atMs >= atMs));
    expect(await readAll({ toMs: atMs })).toEqual(all.filter((line) => line.atMs < atMs));
    expect(await readAll({ fromMs: atMs - 60_000, toMs: atMs + 1 })).toEqual(all);
    expect(await readAll({ fromMs: atMs + 100_000_000 })).toEqual([]);
    expect(await readAll({ toMs: atMs - 100_000_000 })).toEqual([]);
  });

  it('has all lines of a time though a clock was days ahead for a while, of a statement that is too long to be read through', async () => {
    const { accountId } = account;
    const dayMs = 86_400_000;
    const beginMs = Date.UTC(2026, 0, 1);
    const gift = { transferId: 'grant:much', type: 'grant', accountId } as const;
    await fixture.ledger.grantCredits({ ...gift, amountMillicredits: toMillicredits(1_000_000) });
    // Two lines of the journal each, of which one is on the statement.
    const insertDays = (fromDay: number, toDay: number, count: number) =>
      insertBulkCalls(fixture.source, {
        ...{ ...account, count, hasJournal: true },
        ...{ fromMs: beginMs + fromDay * dayMs, toMs: beginMs + toDay * dayMs },
      });
    await insertDays(0, 10, 1_200);
    await insertDays(50, 50.5, 600);
    await insertDays(10.5, 30, 1_200);
    const listDays = async (fromDay: number, toDay: number) => {
      const filter = { fromMs: beginMs + fromDay * dayMs, toMs: beginMs + toDay * dayMs };
      return (await reader.listStatement(accountId, { first: 2_000, beforeSeq: null, filter })).items;
    };
    // Every fiftieth call is free.
    expect(await listDays(0, 10)).toHaveLength(1_176);
    expect(await listDays(10.5, 30)).toHaveLength(1_176);
    expect(await listDays(50, 51)).toHaveLength(588);
    expect(await listDays(31, 48)).toEqual([]);
  });
});
