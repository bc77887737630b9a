import { findPartOfStack, usePointedBar } from '../../lib/reports/use-pointed-bar';
import { ChartFrame, type ChartPlace, type ChartProps, type ChartSeries } from './chart-frame';
import classes from './stacked-bars.module.css';

export interface BarSeries extends ChartSeries {
  /** One whole number for each bar. */
  readonly values: readonly number[];
}

interface StackedBarsProps extends ChartProps {
  readonly bars: readonly ChartPlace[];
  readonly series: readonly BarSeries[];
}

/** Bars of several colours, with axes and a legend. For a screen reader it is one picture. */
export function StackedBars({ bars, series, format, height = 260, ...frame }: StackedBarsProps) {
  const totals = bars.map((_, index) => series.reduce((total, { values }) => total + (values[index] ?? 0), 0));
  const top = Math.max(1, ...totals);
  const pointed = usePointedBar(bars.length, (at, share) =>
    findPartOfStack(
      series.map(({ values }) => values[at] ?? 0),
      share * top,
    ),
  );
  const tellOf = (bar: number) => {
    const rows = series.map((one) => ({ ...one, value: one.values[bar] ?? 0 })).filter(({ value }) => value > 0);
    return {
      rows: rows.map((row) => ({ ...row, figure: format(row.value) })),
      total: format(totals[bar] ?? 0),
    };
  };

  return (
    <ChartFrame {...{ ...frame, height, places: bars, series, top, pointed, tellOf }}>
      {bars.map(({ id }, index) => (
        <span key={id} className={classes.bar} data-pointed={index === pointed.bar || undefined}>
          {series.map(({ id: ofSeries, color, values }) => {
            const value = values[index] ?? 0;
            return (
              value > 0 && <span key={ofSeries} style={{ height: `${(value / top) * 100}%`, background: color }} />
            );
          })}
        </span>
      ))}
    </ChartFrame>
  );
}
