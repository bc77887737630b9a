/** What of a line is drawn, as paths of SVG, one unit wide for each value and 100 high. */
export interface LinePaths {
  /** Through all that was measured. */
  readonly strokes: string;
  /** What stands alone between two gaps: strokes without a length, each of which a round cap makes a dot. */
  readonly dots: string;
}

/** @param top The value at the upper edge; above zero. */
export function toPaths(values: readonly (number | null)[], top: number): LinePaths {
  let strokes = '';
  let dots = '';
  values.forEach((value, index) => {
    if (value === null) return;
    const place = `${index + 0.5} ${Math.round((1 - value / top) * 10_000) / 100}`;
    const isBegun = typeof values[index - 1] === 'number';
    const goesOn = typeof values[index + 1] === 'number';
    if (isBegun || goesOn) strokes += `${isBegun ? 'L' : 'M'}${place}`;
    else dots += `M${place}h0`;
  });
  return { strokes, dots };
}

/** A line is meant by whoever points so near to it, as a share of the height of the chart. */
const reach = 0.06;

/** Which of some lines is at a height; -1: none is near. @param top What the chart ends with. */
export function findLine(values: readonly (number | null)[], height: number, top: number): number {
  const distances = values.map((value) => (value === null ? Number.POSITIVE_INFINITY : Math.abs(value - height)));
  const least = Math.min(...distances);
  return least <= top * reach ? distances.indexOf(least) : -1;
}
