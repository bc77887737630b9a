import { useElementSize } from '@mantine/hooks';
import { type PointerEvent, useState } from 'react';
import { labelledBars, placeLabel, valueTicks } from '../../lib/reports/axis-ticks';
import classes from './stacked-bars.module.css';

export interface BarSeries {
  /** Its own in this chart; two may have one label. */
  readonly id: string;
  readonly label: string;
  /** A colour of CSS: of `chartColors`, so that a series looks the same everywhere. */
  readonly color: string;
  /** One whole number for each bar. */
  readonly values: readonly number[];
}

interface StackedBarsProps {
  /** What the chart shows, for those who do not see it; a table with the same figures must stand beside it. */
  readonly label: string;
  /** Each `id` is another one: names come again, as days do in another year. */
  readonly bars: readonly { readonly id: string; readonly name: string; readonly shortName: string }[];
  readonly series: readonly BarSeries[];
  readonly format: (value: number) => string;
  readonly formatShort: (value: number) => string;
  readonly height?: number;
}

const labelWidthPx = 84;
const usualWidthPx = 640;

/** Bars of several colours, with axes and a legend. For a screen reader it is one picture. */
export function StackedBars({ label, bars, series, format, formatShort, height = 260 }: StackedBarsProps) {
  const { ref, width } = useElementSize();
  const [pointedAt, setPointedAt] = useState<number | null>(null);
  const totals = bars.map((_, index) => series.reduce((total, { values }) => total + (values[index] ?? 0), 0));
  const ticks = valueTicks(Math.max(0, ...totals));
  const top = ticks.at(-1) ?? 1;
  const labelled = labelledBars(bars.length, Math.floor((width || usualWidthPx) / labelWidthPx));

  function point({ clientX, currentTarget }: PointerEvent) {
    const box = currentTarget.getBoundingClientRect();
    const index = Math.floor(((clientX - box.left) / box.width) * bars.length);
    setPointedAt(Math.min(Math.max(0, index), bars.length - 1));
  }

  return (
    <div className={classes.chart}>
      <div role="img" aria-label={label} className={classes.drawing} style={{ height }}>
        <div className={classes.values}>
          {ticks.map((tick) => (
            <span key={tick} style={{ bottom: `${(tick / top) * 100}%` }}>
              {formatShort(tick)}
            </span>
          ))}
        </div>
        <div ref={ref} className={classes.plot} onPointerMove={point} onPointerLeave={() => setPointedAt(null)}>
          {ticks.map((tick) => (
            <span key={tick} className={classes.line} style={{ bottom: `${(tick / top) * 100}%` }} />
          ))}
          {bars.map(({ id }, index) => (
            <span key={id} className={classes.bar} data-pointed={index === pointedAt || undefined}>
              {series.map(({ id: part, color, values }) => {
                const value = values[index] ?? 0;
                return (
                  value > 0 && <span key={part} style={{ height: `${(value / top) * 100}%`, background: color }} />
                );
              })}
            </span>
          ))}
          {pointedAt !== null && (
            <BarTooltip
              title={bars[pointedAt]?.name ?? ''}
              place={(pointedAt + 0.5) / bars.length}
              parts={series.map((part) => ({ ...part, value: part.values[pointedAt] ?? 0 }))}
              format={format}
            />
          )}
        </div>
        <div className={classes.times}>
          {labelled.map((index) => (
            <span key={index} style={placeLabel(index, bars.length, width || usualWidthPx)}>
              {bars[index]?.shortName}
            </span>
          ))}
        </div>
      </div>
      <ul className={classes.legend} aria-label="Legend">
        {series.map((part) => (
          <li key={part.id} className={classes.entry}>
            <Swatch color={part.color} />
            {part.label}
          </li>
        ))}
      </ul>
    </div>
  );
}

interface BarTooltipProps {
  readonly title: string;
  /** From 0, at the left, to 1. */
  readonly place: number;
  readonly parts: readonly (BarSeries & { readonly value: number })[];
  readonly format: (value: number) => string;
}

function BarTooltip({ title, place, parts, format }: BarTooltipProps) {
  const side = place < 0.5 ? { left: `${place * 100}%` } : { right: `${(1 - place) * 100}%` };
  return (
    <div className={classes.tooltip} style={side}>
      <p className={classes.tooltipTitle}>{title}</p>
      {parts
        .filter(({ value }) => value > 0)
        .map(({ id, label, color, value }) => (
          <div key={id} className={classes.tooltipRow}>
            <span className={classes.entry}>
              <Swatch color={color} />
              {label}
            </span>
            <span>{format(value)}</span>
          </div>
        ))}
      <div className={`${classes.tooltipRow} ${classes.tooltipTotal}`}>
        <span>Total</span>
        <span>{format(parts.reduce((total, { value }) => total + value, 0))}</span>
      </div>
    </div>
  );
}

/** The colour of a series, as the chart has it. */
export function Swatch({ color }: { color: string }) {
  return <span className={classes.swatch} style={{ background: color }} aria-hidden="true" />;
}
