/** @jest-environment jsdom */
import { render, screen } from '@testing-library/react';
import { LineChart } from './line-chart';
import { StackedBars } from './stacked-bars';

const figures = { label: 'Tokens', format: String, formatShort: String };
// The same day of three years.
const times = ['2024', '2025', '2026'].map((year) => ({ id: year, name: '3 Nov UTC', shortName: '3 Nov' }));
const series = ['key_1', 'key_2', 'key_3'].map((id, at) => ({
  ...{ id, label: at < 2 ? 'Production' : 'Laptop', color: `rgb(${at}, 0, 0)`, values: [1, 2, 3] },
}));
const charts = [
  ['bars', (shown: typeof series) => <StackedBars {...figures} bars={times} series={shown} />],
  ['lines', (shown: typeof series) => <LineChart {...figures} points={times} series={shown} />],
] as const;

const legend = () => screen.getAllByRole('listitem').map(({ textContent }) => textContent);

describe.each(charts)('a chart of %s', (_, chart) => {
  it('draws two series of one name each once, and none of them when they are gone', () => {
    const { container, rerender } = render(chart(series));
    expect(legend()).toEqual(['Production', 'Production', 'Laptop']);
    for (const shown of [series.toReversed(), series.slice(1), series.slice(2), series, series.slice(2)]) {
      rerender(chart(shown));
      expect(legend()).toEqual(shown.map(({ label }) => label));
    }
    expect(container.innerHTML).not.toContain('rgb(0, 0, 0)');
    expect(container.innerHTML).not.toContain('rgb(1, 0, 0)');
  });
});
