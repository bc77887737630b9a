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

const tokensOfOneCall = 3_000_000_001;
const callCount = 3;

describeOnEachDatabase('The usage report in GraphQL', (openTestDatabase) => {
  let fixture: LedgerFixture;
  beforeAll(async () => {
    fixture = await LedgerFixture.open(await openTestDatabase());
  });
  afterAll(() => fixture.close());

  it('counts tokens exactly far beyond what Int can hold', async () => {
    const account = await fixture.createFundedAccount(callCount * tokensOfOneCall);
    for (let n = 0; n < callCount; n += 1) {
      const callId = createId('call');
      const amount = toMillicredits(tokensOfOneCall);
      const facts = { ...factsAt(1), startedAtMs: Date.UTC(2026, 0, 1 + n) };
      const hold = { callId, ...account, facts, amountMillicredits: amount, acceptFromMillicredits: amount };
      expect((await fixture.ledger.placeHold(hold)).status).toBe('held');
      const ending = endingWith(tokensOfOneCall - 7, 7);
      await fixture.ledger.settleHold({ callId, accountId: account.accountId, ending });
    }
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
    const sums = { calls: 3, promptTokens: 8_999_999_982, completionTokens: 21, charged: 9_000_000.003 };
    expect(JSON.parse(JSON.stringify(data))).toEqual({
      usage: { total: sums, buckets: [{ sums }], groups: [{ sums, buckets: [sums] }] },
    });
  });
});
