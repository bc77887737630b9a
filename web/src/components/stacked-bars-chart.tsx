import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { type StackedBarsProps, Swatch, seriesColor } from './stacked-bars';
import classes from './stacked-bars.module.css';

type Bar = Record<string, string | number>;

/** The drawing of `StackedBars`. For a screen reader it is one picture; the table beside it has the figures. */
export default function StackedBarsChart({ label, bars, series, format, formatShort, height = 260 }: StackedBarsProps) {
  // Numbered, since the library reads a dot in a name as a path.
  const data: Bar[] = bars.map(({ name, shortName }, index) => ({
    name,
    shortName,
    ...Object.fromEntries(series.map(({ values }, number) => [`series${number}`, values[index] ?? 0])),
  }));
  return (
    <div role="img" aria-label={label}>
      <BarChart
        h={height}
        type="stacked"
        data={data}
        dataKey="shortName"
        series={series.map((_, number) => ({ name: `series${number}`, color: seriesColor(number) }))}
        valueFormatter={format}
        tickLine="none"
        strokeDasharray="3 4"
        withLegend={false}
        maxBarWidth={44}
        barChartProps={{ accessibilityLayer: false, margin: { top: 8, right: 4, bottom: 0, left: 0 } }}
        barProps={{ isAnimationActive: false }}
        xAxisProps={{ interval: 'preserveStartEnd', minTickGap: 28 }}
        yAxisProps={{ tickFormatter: formatShort, width: 46, allowDecimals: false }}
        tooltipProps={{
          isAnimationActive: false,
          content: ({ active, payload }) =>
            active && payload?.[0] ? (
              <BarTooltip bar={payload[0].payload as Bar} series={series} format={format} />
            ) : null,
        }}
      />
    </div>
  );
}

interface BarTooltipProps extends Pick<StackedBarsProps, 'series' | 'format'> {
  readonly bar: Bar;
}

function BarTooltip({ bar, series, format }: BarTooltipProps) {
  const parts = series
    .map(({ label }, index) => ({ label, index, value: Number(bar[`series${index}`]) }))
    .filter(({ value }) => value > 0);
  return (
    <div className={classes.tooltip}>
      <p className={classes.tooltipTitle}>{bar.name}</p>
      {parts.map(({ label, index, value }) => (
        <div key={label} className={classes.tooltipRow}>
          <span className={classes.entry}>
            <Swatch index={index} />
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
