/** @jest-environment jsdom */
import { screen, waitFor } from '@testing-library/react';
import type { ReactNode } from 'react';
import { KeyBudgets } from '../../features/budgets/key-budgets';
import { DocsPage } from '../../features/docs/docs-page';
import { ExplorePage } from '../../features/explore/explore-page';
import { ModelList } from '../../features/models/model-list';
import { BalancePanel } from '../../features/overview/balance-panel';
import { LowBalanceBanner } from '../../features/overview/low-balance-banner';
import { RequestList } from '../../features/requests/request-list';
import { UsagePage } from '../../features/usage/usage-page';
import type { MemberRole } from '../../gql/graphql';
import { renderPage } from '../../test/render-page';

const capabilities = { __typename: 'ModelCapabilities', vision: false, tools: false, jsonSchema: false };
const models = [
  {
    ...{ __typename: 'Model', id: 'demo-small', tier: 'lower', endpoint: 'CHAT', creditsPerThousandTokens: 1 },
    ...{ contextTokens: 8_000, maxOutputTokens: 4_000, isDemo: true, capabilities, routes: [] },
  },
];
const sums = {
  ...{ __typename: 'UsageSums', calls: 0, failedCalls: 0, promptTokens: 0, completionTokens: 0, charged: 0 },
};
const usage = { __typename: 'UsageReport', total: sums, buckets: [], groups: [] };
const explore = {
  ...{ __typename: 'ExploreReport', total: { __typename: 'ExploreFigures', sums, times: null } },
  ...{ before: null, buckets: [], groups: [], coveredFrom: null, areTimesPartial: false },
};
const noRequests = {
  __typename: 'RequestConnection',
  edges: [],
  pageInfo: { __typename: 'PageInfo', endCursor: null, hasNextPage: false },
};
const balance = { available: 5, held: 0 };

/** A page, what is there for every role, and what it leads to for some. */
type Offer = readonly [page: string, shown: ReactNode, forAll: RegExp, role: 'link', name: RegExp];

const balancePanel = <BalancePanel balance={balance} frozenFor={[]} models={[]} days={9} />;
const lowBalance = <LowBalanceBanner balance={balance} days={1} />;
const budgets = <KeyBudgets apiKeys={[]} groups={[]} nowMs={0} />;

const toPay: readonly Offer[] = [
  ['the balance', balancePanel, /worth \$/, 'link', /^Buy credits/],
  ['the warning of a low balance', lowBalance, /credits are left/, 'link', /^Buy credits/],
];
const toBuild: readonly Offer[] = [
  ['the budgets', budgets, /^No key has a budget/, 'link', /^Change budgets/],
  ['the models', <ModelList key="models" />, /^8,000/, 'link', /^Try demo-small/],
  ['an empty usage', <UsagePage key="usage" />, /^Nothing was used/, 'link', /^Try a model/],
  ['an empty Explore', <ExplorePage key="explore" />, /^No matching requests/, 'link', /^Try a model/],
  ['empty requests', <RequestList key="requests" />, /^No requests yet/, 'link', /^Open the quickstart/],
  ['the docs', <DocsPage key="docs" />, /^Two things change/, 'link', /^keys page/],
];

async function show([, shown, forAll, kind, name]: Offer, role: MemberRole) {
  document.body.replaceChildren();
  const viewer = { __typename: 'Account', id: 'acc_1', role };
  const data = { viewer, models, usage, explore, apiKeys: [], requests: noRequests, serviceStatus: null };
  const names = ['Role', 'Models', 'Docs', 'DocsKeys', 'Usage', 'Explore', 'Requests'];
  const answers = Object.fromEntries(names.map((operation) => [operation, () => ({ data })]));
  renderPage(shown, answers);
  await screen.findByText(forAll);
  return () => screen.queryAllByRole(kind, { name }).length;
}

async function expectOfferedTo(role: MemberRole, notTo: MemberRole, offer: Offer) {
  const countForOne = await show(offer, role);
  await waitFor(() => expect(countForOne()).toBe(1));
  const countForOther = await show(offer, notTo);
  await waitFor(() => expect(countForOther()).toBe(0));
}

describe('What a page leads to', () => {
  it.each(toPay)('is offered by %s to whoever may buy, and to nobody else', (...offer) =>
    expectOfferedTo('BILLING', 'DEVELOPER', offer),
  );

  it.each(toBuild)('is offered by %s to whoever may make keys and calls, and to nobody else', (...offer) =>
    expectOfferedTo('DEVELOPER', 'VIEWER', offer),
  );
});
