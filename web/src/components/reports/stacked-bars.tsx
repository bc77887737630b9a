import { useElementSize } from '@mantine/hooks';
import { Link } from 'react-router';
import { nameInSentence } from '../../lib/format/name-in-sentence';
import { labelledBars, placeLabel, valueTicks } from '../../lib/reports/axis-ticks';
import { findPartOfStack, type LinkOfBar, usePointedBar } from '../../lib/reports/use-pointed-bar';
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
  /** Where a press on a bar leads; the rows of the table lead there by keyboard. Left out: nowhere. */
  readonly linkOf?: LinkOfBar;
}

const labelWidthPx = 84;
const usualWidthPx = 640;

/** Bars of several colours, with axes and a legend. For a screen reader it is one picture. */
export function StackedBars({ label, bars, series, format, formatShort, height = 260, linkOf }: StackedBarsProps) {
  const { ref, width } = useElementSize();
  const totals = bars.map((_, index) => series.reduce((total, { values }) => total + (values[index] ?? 0), 0));
  const ticks = valueTicks(Math.max(0, ...totals));
  const top = ticks.at(-1) ?? 1;
  const labelled = labelledBars(bars.length, Math.floor((width || usualWidthPx) / labelWidthPx));

  const { bar, part, events } = usePointedBar(bars.length, (at, share) =>
    findPartOfStack(
      series.map(({ values }) => values[at] ?? 0),
      share * top,
    ),
  );

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
        <div ref={ref} className={classes.plot} {...events}>
          {ticks.map((tick) => (
            <span key={tick} className={classes.line} style={{ bottom: `${(tick / top) * 100}%` }} />
          ))}
          {bars.map(({ id }, index) => (
            <span key={id} className={classes.bar} data-pointed={index === bar || undefined}>
              {series.map(({ id: ofSeries, color, values }) => {
                const value = values[index] ?? 0;
                return (
                  value > 0 && <span key={ofSeries} style={{ height: `${(value / top) * 100}%`, background: color }} />
                );
              })}
            </span>
          ))}
          {bar !== null && (
            <>
              {linkOf && <BarLink bar={bar} count={bars.length} to={linkOf(bar, part)} />}
              <BarTooltip
                title={bars[bar]?.name ?? ''}
                place={(bar + 0.5) / bars.length}
                parts={series.map((one) => ({ ...one, value: one.values[bar] ?? 0 }))}
                format={format}
                hint={describeLink(linkOf, bar, part, series)}
              />
            </>
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

interface BarLinkProps {
  readonly bar: number;
  readonly count: number;
  readonly to: string;
}

/** Lies on the bar that is pointed at, a link as any other to a mouse. */
export function BarLink({ bar, count, to }: BarLinkProps) {
  const place = { left: `${(bar / count) * 100}%`, width: `${100 / count}%` };
  return <Link to={to} className={classes.link} style={place} tabIndex={-1} aria-hidden="true" />;
}

/** What a press leads to; of a series that cannot be told apart in an address, it is the whole bar. */
export function describeLink(
  linkOf: LinkOfBar | undefined,
  bar: number,
  part: number,
  series: readonly { readonly label: string }[],
): string | undefined {
  if (!linkOf) return undefined;
  const isWhole = linkOf(bar, part) === linkOf(bar, -1);
  return isWhole ? 'Press for all its requests' : `Press for requests of ${nameInSentence(series[part]?.label ?? '')}`;
}

interface BarTooltipProps {
  readonly title: string;
  /** From 0, at the left, to 1. */
  readonly place: number;
  readonly parts: readonly (BarSeries & { readonly value: number })[];
  readonly format: (value: number) => string;
  readonly hint: string | undefined;
}

function BarTooltip({ title, place, parts, format, hint }: BarTooltipProps) {
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
      {hint && <p className={classes.tooltipHint}>{hint}</p>}
    </div>
  );
}

/** The colour of a series, as the chart has it. */
export function Swatch({ color }: { color: string }) {
  return <span className={classes.swatch} style={{ background: color }} aria-hidden="true" />;
}
