/** @jest-environment jsdom */
import '../../test/far-time-zone';
import { screen } from '@testing-library/react';
import { formatDay } from '../../lib/format/format-time';
import { renderPage } from '../../test/render-page';
import { KeyBudgets } from './key-budgets';
import { RunwayCard } from './runway-card';

const nowMs = Date.UTC(2026, 10, 10, 12);
const sums = { calls: 7, failedCalls: 0, promptTokens: 7, completionTokens: 7, charged: 70 };
const apiKey = {
  ...{ __typename: 'ApiKey', id: 'key_1', name: 'Laptop', revokedAt: null, createdAt: '2026-01-01T00:00:00Z' },
  ...{ spendLimit: 100, spendPeriod: 'MONTH', spentInPeriod: 60, spendResetsAt: '2026-12-01T00:00:00Z' },
} as unknown as Parameters<typeof KeyBudgets>[0]['apiKeys'][number];

describe('how long budgets and the balance last', () => {
  it('is told in days of UTC, as the cards say, wherever the reader lives', () => {
    expect(formatDay('2026-11-14T12:00:00Z')).toMatch(/15/);
    renderPage(
      <>
        <KeyBudgets apiKeys={[apiKey]} groups={[{ key: 'key_1', sums }]} nowMs={nowMs} />
        <RunwayCard credits={40} daily={[...Array(29).fill(10), 5]} nowMs={nowMs} />
      </>,
    );
    // 40 credits at 10 a day; of today one half has passed.
    const words = screen.getByText(/Laptop stops on/);
    expect(words.textContent).toMatch(/stops on (Nov 14, 2026|14 Nov 2026), before/);
    expect(words.title).toMatch(/UTC$/);
    for (const until of screen.getAllByText(/lasts 4 days/)) expect(until.textContent).toMatch(/Nov 14|14 Nov/);
  });
});
