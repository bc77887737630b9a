/** @jest-environment jsdom */
import { screen } from '@testing-library/react';
import { readRange, spanOf } from '../../lib/reports/time-range';
import { renderPage } from '../../test/render-page';
import { SpendingCards } from './spending-cards';

const dayMs = 86_400_000;
const fromMs = Date.UTC(2026, 8, 5);
/** A credit on each of 60 days, half of it by others than demo-small. */
const spending = {
  ...{ calls: 60, failedCalls: 0, chargedFailures: 0, fromMs, daily: Array.from({ length: 60 }, () => 1_000) },
  comparedUntil: '2026-11-03T15:00:00.000Z',
  changes: [
    { spent: 500, before: 0 },
    { spent: 6_500, before: 5_000 },
    { spent: 29_500, before: 59_000 },
  ],
  models: ['demo-small', null].map((model) => ({ model, daily: Array.from({ length: 30 }, () => 500) })),
};

describe('the bars of the overview', () => {
  it.each([
    ['a model', 0, 'demo-small'],
    ['all other models', 700, null],
  ])('lead, from %s, to the requests of exactly that day in UTC', async (_, height, model) => {
    const { user } = renderPage(<SpendingCards spending={spending} error={undefined} onRetry={() => undefined} />);
    const plot = screen.getByRole('img').querySelector('.plot') as HTMLElement;
    plot.getBoundingClientRect = () =>
      ({ left: 0, top: 0, width: 300, height: 1_000, right: 300, bottom: 1_000 }) as DOMRect;
    for (const bar of [0, 13, 29]) {
      await user.pointer({ target: plot, coords: { clientX: bar * 10 + 5, clientY: 999 - height } });
      const { searchParams } = new URL(plot.querySelector('a')?.href ?? '');
      const startMs = fromMs + (30 + bar) * dayMs;
      expect(spanOf(readRange(searchParams, '30d'), 0)).toEqual({ fromMs: startMs, toMs: startMs + dayMs });
      expect(searchParams.get('model')).toBe(model);
    }
  });
});

describe('what was spent', () => {
  it('stands in credits and in dollars, beside what times of the same length had cost, and says up to when they go', () => {
    renderPage(<SpendingCards spending={spending} error={undefined} onRetry={() => undefined} />);
    const tiles = screen.getAllByRole('definition').map(({ textContent }) => textContent);
    expect(tiles.slice(0, 3)).toEqual([
      '1.000 under $0.01no earlier period',
      '7.000 $0.01+30 % on the 7 days before',
      '30.000 $0.03−50 % on the 30 days before',
    ]);
    screen.getByText(/Changes compare periods of the same length, each up to 15:00 UTC\.$/);
  });
});

describe('the calls that failed', () => {
  it.each([
    [{ failedCalls: 3, chargedFailures: 1 }, '3.3 % failed free; 1.7 % interrupted, charged in part'],
    [{ failedCalls: 3, chargedFailures: null }, '5.0 % failed or interrupted'],
  ])('are one press away from how many they are: %j', (failures, words) => {
    const some = { ...spending, ...failures };
    renderPage(<SpendingCards spending={some} error={undefined} onRetry={() => undefined} />);
    expect(screen.getAllByRole('definition')[3]?.textContent).toBe(`60${words}`);
    const hrefOf = (name: string) => screen.getByRole('link', { name }).getAttribute('href');
    expect(hrefOf('failed')).toBe('/requests?status=failed&range=30d');
    expect(hrefOf('interrupted')).toBe('/requests?status=interrupted&range=30d');
  });
});
