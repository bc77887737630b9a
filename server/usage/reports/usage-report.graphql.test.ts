import { graphql } from 'graphql';
import { buildGraphqlSchema } from '../../graphql/graphql-schema.js';
import type { GraphqlContext } from '../../schema/graphql-context.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { endingWith, LedgerFixture } from '../../test/ledger-fixture.js';
import { UsageReportResolver } from './usage-report.graphql.js';
import { UsageReporter } from './usage-report.js';

const tokensOfOneCall = 9_999_999;
const callCount = 301;

describeOnEachDatabase('The usage report in GraphQL', (openTestDatabase) => {
  const fixture = LedgerFixture.forAll(openTestDatabase);

  async function use(account: { accountId: string; keyId: string }): Promise<void> {
    const known = { heldMillicredits: tokensOfOneCall, startedAtMs: Date.UTC(2026, 0, 15) };
    await fixture.call(account, endingWith(tokensOfOneCall - 7, 7), known);
  }

  async function ask(accountId: string, source: string) {
    const resolver = new UsageReportResolver(new UsageReporter(fixture.unitOfWork));
    const schema = buildGraphqlSchema([UsageReportResolver], new Map([[UsageReportResolver, resolver]]));
    const viewer = { accountId, sessionId: 'session', key: null };
    const contextValue = { viewer, isSessionOver: false } as unknown as GraphqlContext;
    const { data, errors } = await graphql({ schema, contextValue, source });
    return { data: JSON.parse(JSON.stringify(data ?? null)), errors };
  }
  it.each(['0000-01-01', '0099-12-31', '1969-12-31'])('refuses a time that begins at %s, in words', async (day) => {
    const span = `from: "${day}T00:00:00Z", to: "1970-01-02T00:00:00Z"`;
    for (const bucket of ['HOUR', 'DAY', 'MONTH']) {
      const { errors } = await ask('acct_none', `{ usage(input: { ${span}, bucket: ${bucket} }) { total { calls } } }`);
      expect(errors?.map(({ message }) => message)).toEqual([expect.stringContaining('Send a time from 1970 on.')]);
    }
  });

  const january = 'from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z", bucket: MONTH';

  it('divides by one dimension, by several or by none, and is narrowed', async () => {
    const account = await fixture.createFundedAccount(tokensOfOneCall);
    await use(account);
    const { keyId } = account;
    const askGroups = async (input: string) => {
      const source = `{ usage(input: { ${january} ${input} }) { total { calls } groups { key model provider apiKeyId } } }`;
      const { data, errors } = await ask(account.accountId, source);
      expect(errors).toBeUndefined();
      return data.usage;
    };
    const nothing = { model: null, provider: null, apiKeyId: null };
    const total = { calls: 1 };
    expect(await askGroups('')).toEqual({ total, groups: [{ key: '', ...nothing }] });
    expect(await askGroups('groupBy: MODEL')).toEqual({
      total,
      groups: [{ ...nothing, key: 'demo-small', model: 'demo-small' }],
    });
    expect(await askGroups('groupBy: [API_KEY, MODEL]')).toEqual({
      total,
      groups: [{ ...nothing, key: `${keyId} / demo-small`, model: 'demo-small', apiKeyId: keyId }],
    });
    const fitting = `{ apiKeyIds: ["${keyId}"], models: ["demo-small"], providers: "demo" }`;
    expect(await askGroups(`filter: ${fitting}`)).toMatchObject({ total });
    for (const filter of ['apiKeyIds: ["playground"]', 'models: ["demo-large"]', 'providers: ["elsewhere"]']) {
      expect(await askGroups(`filter: { ${filter} }`)).toEqual({ total: { calls: 0 }, groups: [] });
    }
  });

  it('counts whole buckets for who asks as before, and only the hours asked for where the time is exact', async () => {
    const account = await fixture.createFundedAccount(tokensOfOneCall);
    await use(account);
    const asCounted = async (day: string, exact: string) => {
      const span = `from: "2026-01-${day}T00:00:00Z", to: "2026-01-31T00:00:00Z", bucket: MONTH`;
      const { data } = await ask(
        account.accountId,
        `{ usage(input: { ${span} ${exact} }) { total { calls } buckets { start } } }`,
      );
      return [data.usage.total.calls, data.usage.buckets[0].start.slice(0, 10)];
    };
    expect(await asCounted('16', '')).toEqual([1, '2026-01-01']);
    expect(await asCounted('16', 'exact: true')).toEqual([0, '2026-01-16']);
    expect(await asCounted('15', 'exact: true')).toEqual([1, '2026-01-15']);
  });

  it.each([
    'groupBy: [MODEL, MODEL]',
    'groupBy: [NONE, MODEL]',
    'filter: { models: [] }',
    `filter: { models: ["${'x'.repeat(192)}"] }`,
    `filter: { models: [${'"x", '.repeat(101)}] }`,
  ])('refuses %s', async (input) => {
    const { accountId } = await fixture.createFundedAccount(0);
    const { errors } = await ask(accountId, `{ usage(input: { ${january} ${input} }) { total { calls } } }`);
    expect(errors).toHaveLength(1);
  });

  it('counts tokens exactly far beyond what Int can hold', async () => {
    const account = await fixture.createFundedAccount(callCount * tokensOfOneCall);
    await Promise.all(Array.from({ length: callCount }, () => use(account)));
    const source = `{ usage(input: { from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z", bucket: MONTH, groupBy: MODEL }) {
        total { ...Sums } buckets { sums { ...Sums } } groups { sums { ...Sums } buckets { ...Sums } }
      } }
      fragment Sums on UsageSums { calls promptTokens completionTokens charged }`;
    const { data, errors } = await ask(account.accountId, source);
    expect(errors).toBeUndefined();
    const sums = { calls: 301, promptTokens: 3_009_997_592, completionTokens: 2_107, charged: 3_009_999.699 };
    expect(data).toEqual({
      usage: { total: sums, buckets: [{ sums }], groups: [{ sums, buckets: [sums] }] },
    });
  });
});
