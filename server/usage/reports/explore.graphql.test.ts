import { graphql } from 'graphql';
import { buildGraphqlSchema } from '../../graphql/graphql-schema.js';
import type { GraphqlContext } from '../../schema/graphql-context.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { endingWith, LedgerFixture } from '../../test/ledger-fixture.js';
import { ExploreResolver } from './explore.graphql.js';
import { Explorer } from './explore.js';

const sums = 'calls failedCalls promptTokens completionTokens cachedTokens reasoningTokens charged';
const times =
  'sampledCalls p50Ms p95Ms p99Ms firstByteP50Ms firstByteP95Ms tokensPerSecond cachedPercent cacheHitPercent reasoningPercent';
const buckets = `buckets { sums { ${sums} } times { ${times} } } series { ${sums} ${times} }`;

type Cell = Readonly<Record<'sums' | 'times', Readonly<Record<string, number | null>> | null>>;
interface Part {
  readonly buckets: readonly Cell[];
  readonly series: Readonly<Record<string, readonly (number | null)[] | null>>;
}

describeOnEachDatabase('Explore in GraphQL', (openTestDatabase) => {
  const fixture = LedgerFixture.forAll(openTestDatabase);

  async function ask(accountId: string, metric: string): Promise<readonly Part[]> {
    const resolver = new ExploreResolver(new Explorer(fixture.unitOfWork));
    const schema = buildGraphqlSchema([ExploreResolver], new Map([[ExploreResolver, resolver]]));
    const viewer = { accountId, sessionId: 'session', key: null };
    const contextValue = { viewer, isSessionOver: false } as unknown as GraphqlContext;
    const span = 'from: "2026-01-14T00:00:00Z", to: "2026-01-17T00:00:00Z", bucket: DAY';
    const source = `{ explore(input: { ${span}, metric: ${metric}, groupBy: MODEL, previous: true }) {
      ${buckets} groups { ${buckets} } previous { ${buckets} } } }`;
    const { data, errors } = await graphql({ schema, contextValue, source });
    expect(errors).toBeUndefined();
    const { explore } = JSON.parse(JSON.stringify(data));
    return [explore, ...explore.groups, explore.previous];
  }

  it.each(['COST', 'TIMES'])(
    'tells each figure of all buckets as a list, the same as their cells: %s',
    async (metric) => {
      const account = await fixture.createFundedAccount(10_000);
      for (const [tokens, day] of [
        [12, 15],
        [30, 16],
        [9, 16],
        [11, 12],
      ] as const) {
        const known = { heldMillicredits: tokens, startedAtMs: Date.UTC(2026, 0, day) };
        await fixture.call(account, endingWith(tokens - 7, 7), known);
      }
      const parts = await ask(account.accountId, metric);
      expect(parts.map(({ series }) => series.calls)).toEqual([
        [0, 1, 2],
        [0, 1, 2],
        [0, 1, 0],
      ]);
      for (const { buckets: cells, series } of parts) {
        for (const figure of sums.split(' ')) expect(series[figure]).toEqual(cells.map((cell) => cell.sums?.[figure]));
        const lists = metric === 'TIMES' ? (figure: string) => cells.map((cell) => cell.times?.[figure]) : () => null;
        for (const figure of times.split(' ')) expect(series[figure]).toEqual(lists(figure));
      }
    },
  );
});
