import { findLine, toPaths } from '../../lib/reports/line-path';
import { usePointedBar } from '../../lib/reports/use-pointed-bar';
import { ChartFrame, type ChartPlace, type ChartProps, type ChartSeries } from './chart-frame';
import classes from './line-chart.module.css';

export interface LineSeries extends ChartSeries {
  /** One for each point in time, none below zero; null: nothing was measured, and the line has a gap. */
  readonly values: readonly (number | null)[];
  readonly isDashed?: boolean;
}

interface LineChartProps extends ChartProps {
  readonly points: readonly ChartPlace[];
  readonly series: readonly LineSeries[];
}

/** Lines over time, with axes and a legend. For a screen reader it is one picture. */
export function LineChart({ points, series, format, height = 300, ...frame }: LineChartProps) {
  const top = Math.max(1, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const pointed = usePointedBar(points.length, (at, share) =>
    findLine(
      series.map(({ values }) => values[at] ?? null),
      share * top,
      top,
    ),
  );
  const tellOf = (point: number) => ({
    rows: series.map((one) => {
      const value = one.values[point] ?? null;
      return { ...one, figure: value === null ? '–' : format(value) };
    }),
  });

  return (
    <ChartFrame {...{ ...frame, height, places: points, series, top, pointed, tellOf }}>
      <svg className={classes.lines} viewBox={`0 0 ${points.length} 100`} preserveAspectRatio="none" aria-hidden="true">
        {series.map((line) => (
          <Line key={line.id} line={line} top={top} />
        ))}
      </svg>
      {pointed.bar !== null && (
        <span className={classes.pointer} style={{ left: `${((pointed.bar + 0.5) / points.length) * 100}%` }} />
      )}
    </ChartFrame>
  );
}

/** @param top The value at the upper edge of the chart. */
function Line({ line: { color, values, isDashed }, top }: { line: LineSeries; top: number }) {
  const { strokes, dots } = toPaths(values, top);
  return (
    <g stroke={color}>
      <path d={strokes} strokeDasharray={isDashed ? '5 4' : undefined} vectorEffect="non-scaling-stroke" />
      {dots !== '' && <path d={dots} className={classes.dots} vectorEffect="non-scaling-stroke" />}
    </g>
  );
}
