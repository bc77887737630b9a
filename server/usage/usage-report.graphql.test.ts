import { graphql } from 'graphql';
import { UnitOfWork } from '../database/unit-of-work.js';
import type { GraphqlContext } from '../graphql/graphql-context.js';
import { buildGraphqlSchema } from '../graphql/graphql-schema.js';
import { createId } from '../kernel/ids.js';
import { toMillicredits } from '../kernel/millicredits.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { endingWith, factsAt, LedgerFixture } from '../test/ledger-fixture.js';
import { UsageReportResolver } from './usage-report.graphql.js';
import { UsageReporter } from './usage-report.js';

const tokensOfOneCall = 9_999_999;
const callCount = 301;

describeOnEachDatabase('The usage report in GraphQL', (openTestDatabase) => {
  let fixture: LedgerFixture;
  beforeAll(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
  });
  afterAll(() => fixture.close());

  async function use(account: { accountId: string; keyId: string }): Promise<void> {
    const callId = createId('call');
    const amount = toMillicredits(tokensOfOneCall);
    const facts = { ...factsAt(1), startedAtMs: Date.UTC(2026, 0, 15) };
    const hold = { callId, ...account, facts, amountMillicredits: amount, acceptFromMillicredits: amount };
    expect((await fixture.ledger.placeHold(hold)).status).toBe('held');
    const ending = endingWith(tokensOfOneCall - 7, 7);
    await fixture.ledger.settleHold({ callId, accountId: account.accountId, ending });
  }

  it('counts tokens exactly far beyond what Int can hold', async () => {
    const account = await fixture.createFundedAccount(callCount * tokensOfOneCall);
    await Promise.all(Array.from({ length: callCount }, () => use(account)));
    const resolver = new UsageReportResolver(new UsageReporter(new UnitOfWork(fixture.source)));
    const schema = buildGraphqlSchema([UsageReportResolver], new Map([[UsageReportResolver, resolver]]));
    const viewer = { accountId: account.accountId, sessionId: 'session', key: null };
    const { data, errors } = await graphql({
      schema,
      contextValue: { viewer } as unknown as GraphqlContext,
      source: `{ usage(input: { from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z", bucket: MONTH, groupBy: MODEL }) {
        total { ...Sums } buckets { sums { ...Sums } } groups { sums { ...Sums } buckets { ...Sums } }
      } }
      fragment Sums on UsageSums { calls promptTokens completionTokens charged }`,
    });
    expect(errors).toBeUndefined();
    const sums = { calls: 301, promptTokens: 3_009_997_592, completionTokens: 2_107, charged: 3_009_999.699 };
    expect(JSON.parse(JSON.stringify(data))).toEqual({
      usage: { total: sums, buckets: [{ sums }], groups: [{ sums, buckets: [sums] }] },
    });
  });
});
