import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import classes from './stacked-bars.module.css';

// The chart library weighs more than all the rest of a page.
const StackedBarsChart = lazy(() => import('./stacked-bars-chart'));

export interface BarSeries {
  readonly label: string;
  /** One whole number for each bar. */
  readonly values: readonly number[];
}

export interface StackedBarsProps {
  /** What the chart shows, for those who do not see it; a table with the same figures must stand beside it. */
  readonly label: string;
  readonly bars: readonly { readonly name: string; readonly shortName: string }[];
  readonly series: readonly BarSeries[];
  readonly format: (value: number) => string;
  readonly formatShort: (value: number) => string;
  readonly height?: number;
}

/** Bars of several colours, with their legend. Its code is fetched when it is first shown, and its room is kept for it. */
export function StackedBars(props: StackedBarsProps) {
  const { height = 260, series } = props;
  return (
    <div className={classes.chart}>
      <Suspense fallback={<Skeleton height={height} radius="md" />}>
        <StackedBarsChart {...props} height={height} />
      </Suspense>
      <ul className={classes.legend} aria-label="Legend">
        {series.map(({ label }, index) => (
          <li key={label} className={classes.entry}>
            <Swatch index={index} />
            {label}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The colour of a series, as the chart has it. */
export function Swatch({ index }: { index: number }) {
  return <span className={classes.swatch} style={{ background: seriesColor(index) }} aria-hidden="true" />;
}

/** The colour of the n-th series; the seventh is the grey of "the rest". */
export function seriesColor(index: number): string {
  return `var(--series-${Math.min(index, 6) + 1})`;
}
