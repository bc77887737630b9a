/** Steps between the labels of a time axis that a reader takes in at a glance. */
const timeSteps = [1, 2, 3, 4, 6, 7, 12, 14, 24, 28, 48, 56, 84, 112, 168];

/**
 * Which of `count` bars have a label: evenly spaced, as many as fit. Counted back from the last one, which is the newest.
 *
 * @param labelsMax How many labels there is room for; at least 1.
 */
export function labelledBars(count: number, labelsMax: number): readonly number[] {
  const least = Math.ceil(count / Math.max(1, labelsMax));
  const step = timeSteps.find((one) => one >= least) ?? least;
  const labelled: number[] = [];
  for (let index = count - 1; index >= 0; index -= step) labelled.unshift(index);
  return labelled;
}

/** Half of the widest label of a time axis. */
const halfLabelPx = 28;

/** Where the label of a bar stands on an axis of `widthPx`: centred below its bar, but at the edge where it would leave the chart. */
export function placeLabel(index: number, count: number, widthPx: number): Readonly<Record<string, string | number>> {
  const place = (index + 0.5) / count;
  if (place * widthPx < halfLabelPx) return { left: 0, translate: 'none' };
  if ((1 - place) * widthPx < halfLabelPx) return { right: 0, translate: 'none' };
  return { left: `${place * 100}%` };
}

const stepsOfTen = [1, 2, 2.5, 5, 10];

/** Round values from 0 up to `max` at most, evenly spaced, four steps at most; whole numbers. The largest value is the upper edge of a chart. */
export function valueTicks(max: number): readonly number[] {
  const least = Math.max(1, max / 4);
  const power = 10 ** Math.floor(Math.log10(least));
  const steps = stepsOfTen.map((step) => step * power).filter((step) => Number.isInteger(step) && step >= least);
  const step = steps[0] ?? 10 * power;
  return Array.from({ length: Math.floor(max / step) + 1 }, (_, index) => index * step);
}
