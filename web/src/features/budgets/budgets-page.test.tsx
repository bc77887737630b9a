/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { type Asked, renderPage } from '../../test/render-page';
import { BudgetsPage } from './budgets-page';

const dayMs = 86_400_000;
const calls = {
  calls: 1,
  failedCalls: 0,
  promptTokens: 1,
  completionTokens: 1,
  cachedTokens: null,
  reasoningTokens: null,
};
const apiKey = {
  ...{ __typename: 'ApiKey', id: 'key_1', name: 'Laptop', revokedAt: null, createdAt: '2026-01-01T00:00:00Z' },
  ...{ spendLimit: 100, spendPeriod: 'MONTH', spentInPeriod: 60, spendResetsAt: '2026-12-01T00:00:00Z' },
};
/** It spent 10 credits a day, and 300 on the morning of the 3rd. */
const spent = [
  { atMs: Date.UTC(2026, 10, 3, 4), credits: 300 },
  ...[4, 5, 6, 7, 8, 9, 10].map((day) => ({ atMs: Date.UTC(2026, 10, day, 4), credits: 10 })),
];

/** As the server does: the first and the last day are whole, unless the time is exact. */
function sumUsage({ from, to, exact = false }: { from: string; to: string; exact?: boolean }): number {
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  const firstMs = exact ? fromMs : fromMs - (fromMs % dayMs);
  const lastMs = exact ? toMs : Math.ceil(toMs / dayMs) * dayMs;
  const counted = spent.filter(({ atMs }) => atMs >= firstMs && atMs < lastMs);
  return counted.reduce((sum, { credits }) => sum + credits, 0);
}

function answerBudgets(variables: Asked['variables']) {
  const asked = (variables.input ?? variables) as Parameters<typeof sumUsage>[0];
  return {
    data: {
      viewer: { __typename: 'Account', id: 'acc_1', balance: { __typename: 'Balance', available: 0, held: 0 } },
      spending: { __typename: 'Spending', daily: [] },
      apiKeys: [apiKey],
      usage: {
        __typename: 'UsageReport',
        groups: [
          {
            __typename: 'UsageGroup',
            key: 'key_1',
            sums: { __typename: 'UsageSums', ...calls, charged: sumUsage(asked) },
          },
        ],
      },
    },
  };
}

describe('the page of budgets', () => {
  beforeEach(() =>
    jest.useFakeTimers({ doNotFake: ['setTimeout', 'queueMicrotask'], now: Date.UTC(2026, 10, 10, 12) }),
  );
  afterEach(() => jest.useRealTimers());

  it('goes by seven times 24 hours, and counts no call before them, at any hour of the day', async () => {
    renderPage(<BudgetsPage />, { Budgets: answerBudgets });
    // 40 credits are left, at 10 a day.
    const words = await screen.findByText(/Laptop stops on/);
    expect(words.textContent).toMatch(/stops on (Nov 14, 2026|14 Nov 2026), before/);
  });
});
