import { useElementSize } from '@mantine/hooks';
import { labelledBars, placeLabel, valueTicks } from '../../lib/reports/axis-ticks';
import { findLine, toPaths } from '../../lib/reports/line-path';
import { type LinkOfBar, usePointedBar } from '../../lib/reports/use-pointed-bar';
import classes from './line-chart.module.css';
import { BarLink, describeLink, Swatch } from './stacked-bars';
import frame from './stacked-bars.module.css';

export interface LineSeries {
  /** Its own in this chart; two may have one label. */
  readonly id: string;
  readonly label: string;
  /** A colour of CSS. */
  readonly color: string;
  /** One for each point in time, none below zero; null: nothing was measured, and the line has a gap. */
  readonly values: readonly (number | null)[];
  readonly isDashed?: boolean;
}

interface LineChartProps {
  /** What the chart shows, for those who do not see it; a table with the same figures must stand beside it. */
  readonly label: string;
  /** Each `id` is another one: names come again, as days do in another year. */
  readonly points: readonly { readonly id: string; readonly name: string; readonly shortName: string }[];
  readonly series: readonly LineSeries[];
  readonly format: (value: number) => string;
  readonly formatShort: (value: number) => string;
  readonly height?: number;
  /** Where a press on a point leads; the rows of the table lead there by keyboard. Left out: nowhere. */
  readonly linkOf?: LinkOfBar;
}

const labelWidthPx = 84;
const usualWidthPx = 640;

/** Lines over time, with axes and a legend. For a screen reader it is one picture. */
export function LineChart({ label, points, series, format, formatShort, height = 300, linkOf }: LineChartProps) {
  const { ref, width } = useElementSize();
  const ticks = valueTicks(Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0))));
  const top = ticks.at(-1) ?? 1;
  const labelled = labelledBars(points.length, Math.floor((width || usualWidthPx) / labelWidthPx));
  const { bar, part, events } = usePointedBar(points.length, (at, share) =>
    findLine(
      series.map(({ values }) => values[at] ?? null),
      share * top,
      top,
    ),
  );

  return (
    <div className={frame.chart}>
      <div role="img" aria-label={label} className={frame.drawing} style={{ height }}>
        <div className={frame.values}>
          {ticks.map((tick) => (
            <span key={tick} style={{ bottom: `${(tick / top) * 100}%` }}>
              {formatShort(tick)}
            </span>
          ))}
        </div>
        <div ref={ref} className={frame.plot} {...events}>
          {ticks.map((tick) => (
            <span key={tick} className={frame.line} style={{ bottom: `${(tick / top) * 100}%` }} />
          ))}
          <svg
            className={classes.lines}
            viewBox={`0 0 ${points.length} 100`}
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            {series.map((line) => (
              <Line key={line.id} line={line} top={top} />
            ))}
          </svg>
          {bar !== null && (
            <>
              <span className={classes.pointer} style={{ left: `${((bar + 0.5) / points.length) * 100}%` }} />
              {linkOf && <BarLink bar={bar} count={points.length} to={linkOf(bar, part)} />}
              <PointTooltip
                title={points[bar]?.name ?? ''}
                place={(bar + 0.5) / points.length}
                parts={series.map((one) => ({ ...one, value: one.values[bar] ?? null }))}
                format={format}
                hint={describeLink(linkOf, bar, part, series)}
              />
            </>
          )}
        </div>
        <div className={frame.times}>
          {labelled.map((index) => (
            <span key={index} style={placeLabel(index, points.length, width || usualWidthPx)}>
              {points[index]?.shortName}
            </span>
          ))}
        </div>
      </div>
      <ul className={frame.legend} aria-label="Legend">
        {series.map((part) => (
          <li key={part.id} className={frame.entry}>
            <Swatch color={part.color} />
            {part.label}
          </li>
        ))}
      </ul>
    </div>
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

interface PointTooltipProps {
  readonly title: string;
  /** From 0, at the left, to 1. */
  readonly place: number;
  readonly parts: readonly (LineSeries & { readonly value: number | null })[];
  readonly format: (value: number) => string;
  readonly hint: string | undefined;
}

function PointTooltip({ title, place, parts, format, hint }: PointTooltipProps) {
  const side = place < 0.5 ? { left: `${place * 100}%` } : { right: `${(1 - place) * 100}%` };
  return (
    <div className={frame.tooltip} style={side}>
      <p className={frame.tooltipTitle}>{title}</p>
      {parts.map(({ id, label, color, value }) => (
        <div key={id} className={frame.tooltipRow}>
          <span className={frame.entry}>
            <Swatch color={color} />
            {label}
          </span>
          <span>{value === null ? '–' : format(value)}</span>
        </div>
      ))}
      {hint && <p className={frame.tooltipHint}>{hint}</p>}
    </div>
  );
}
