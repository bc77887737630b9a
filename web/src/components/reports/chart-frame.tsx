import { useElementSize } from '@mantine/hooks';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { nameInSentence } from '../../lib/format/name-in-sentence';
import { labelledBars, placeLabel, valueTicks } from '../../lib/reports/axis-ticks';
import type { LinkOfBar, PointedBar } from '../../lib/reports/use-pointed-bar';
import classes from './chart-frame.module.css';

/** How a series is told in a legend. */
export interface ChartSeries {
  /** Its own in this chart; two may have one label. */
  readonly id: string;
  readonly label: string;
  /** A colour of CSS: of `chartColors`, so that a series looks the same everywhere. */
  readonly color: string;
}

/** A bar, or a point in time. */
export interface ChartPlace {
  /** Each is another one: names come again, as days do in another year. */
  readonly id: string;
  readonly name: string;
  /** For the axis; empty: it has no label there. */
  readonly shortName: string;
}

/** What charts of both kinds are given. */
export interface ChartProps {
  /** What the chart shows, for those who do not see it; a table with the same figures must stand beside it. */
  readonly label: string;
  readonly format: (value: number) => string;
  readonly formatShort: (value: number) => string;
  readonly height?: number;
  /** Where a press on a place leads; the rows of the table lead there by keyboard. Left out: nowhere. */
  readonly linkOf?: LinkOfBar;
}

interface ChartFrameProps extends Pick<ChartProps, 'label' | 'formatShort' | 'linkOf'> {
  readonly height: number;
  readonly places: readonly ChartPlace[];
  readonly series: readonly ChartSeries[];
  /** The value at the upper edge: the largest one, so that no height is left empty. */
  readonly top: number;
  readonly pointed: PointedBar;
  /** What the place that is pointed at has of each series. */
  readonly tellOf: (place: number) => Pick<TooltipProps, 'rows' | 'total'>;
  /** Bars or lines, over the whole plot. */
  readonly children: ReactNode;
}

const labelWidthPx = 84;
const usualWidthPx = 640;

/** Axes, legend, and what is told of the place that is pointed at. For a screen reader it is one picture. */
export function ChartFrame({
  label,
  height,
  places,
  series,
  top,
  formatShort,
  pointed: { bar, part, events },
  linkOf,
  tellOf,
  children,
}: ChartFrameProps) {
  const { ref, width } = useElementSize();
  const ticks = valueTicks(top);
  const named = places.flatMap(({ shortName }, index) => (shortName === '' ? [] : [index]));
  const labelled = labelledBars(named.length, Math.floor((width || usualWidthPx) / labelWidthPx));

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
          {children}
          {bar !== null && (
            <>
              {linkOf && <PlaceLink place={bar} count={places.length} to={linkOf(bar, part)} />}
              <Tooltip
                title={places[bar]?.name ?? ''}
                at={(bar + 0.5) / places.length}
                hint={describeLink(linkOf, bar, part, series)}
                {...tellOf(bar)}
              />
            </>
          )}
        </div>
        <div className={classes.times}>
          {labelled
            .map((at) => named[at] as number)
            .map((index) => (
              <span key={index} style={placeLabel(index, places.length, width || usualWidthPx)}>
                {places[index]?.shortName}
              </span>
            ))}
        </div>
      </div>
      <ul className={classes.legend} aria-label="Legend">
        {series.map(({ id, label: name, color }) => (
          <li key={id} className={classes.entry}>
            <Swatch color={color} />
            {name}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Lies on the place that is pointed at, a link as any other to a mouse. */
function PlaceLink({ place, count, to }: { readonly place: number; readonly count: number; readonly to: string }) {
  const where = { left: `${(place / count) * 100}%`, width: `${100 / count}%` };
  return <Link to={to} className={classes.link} style={where} tabIndex={-1} aria-hidden="true" />;
}

/** What a press leads to; of a series that cannot be told apart in an address, it is the whole place. */
function describeLink(
  linkOf: LinkOfBar | undefined,
  place: number,
  part: number,
  series: readonly ChartSeries[],
): string | undefined {
  if (!linkOf) return undefined;
  const isWhole = linkOf(place, part) === linkOf(place, -1);
  return isWhole
    ? 'Click to see its requests'
    : `Click to see requests of ${nameInSentence(series[part]?.label ?? '')}`;
}

interface TooltipProps {
  readonly title: string;
  /** From 0, at the left, to 1. */
  readonly at: number;
  readonly rows: readonly (ChartSeries & { readonly figure: string })[];
  /** Left out: its figures do not add up. */
  readonly total?: string;
  readonly hint: string | undefined;
}

function Tooltip({ title, at, rows, total, hint }: TooltipProps) {
  const side = at < 0.5 ? { left: `${at * 100}%` } : { right: `${(1 - at) * 100}%` };
  return (
    <div className={classes.tooltip} style={side}>
      <p className={classes.tooltipTitle}>{title}</p>
      {rows.map(({ id, label, color, figure }) => (
        <div key={id} className={classes.tooltipRow}>
          <span className={classes.entry}>
            <Swatch color={color} />
            {label}
          </span>
          <span>{figure}</span>
        </div>
      ))}
      {total !== undefined && (
        <div className={`${classes.tooltipRow} ${classes.tooltipTotal}`}>
          <span>Total</span>
          <span>{total}</span>
        </div>
      )}
      {hint && <p className={classes.tooltipHint}>{hint}</p>}
    </div>
  );
}

/** The colour of a series, as the chart has it. */
export function Swatch({ color }: { color: string }) {
  return <span className={classes.swatch} style={{ background: color }} aria-hidden="true" />;
}
