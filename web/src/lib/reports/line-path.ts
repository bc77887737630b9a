/**
 * A path of SVG through all that was measured, one unit wide for each value and 100 high; what stands alone between two gaps is a short stroke, so that it is seen.
 * @param top The value at the upper edge; above zero.
 */
export function toPath(values: readonly (number | null)[], top: number): string {
  let path = '';
  values.forEach((value, index) => {
    if (value === null) return;
    const y = Math.round((1 - value / top) * 10_000) / 100;
    const isBegun = typeof values[index - 1] === 'number';
    const goesOn = typeof values[index + 1] === 'number';
    if (isBegun || goesOn) path += `${isBegun ? 'L' : 'M'}${index + 0.5} ${y}`;
    else path += `M${index + 0.4} ${y}L${index + 0.6} ${y}`;
  });
  return path;
}

/** A line is meant by whoever points so near to it, as a share of the height of the chart. */
const reach = 0.06;

/** Which of some lines is at a height; -1: none is near. @param top What the chart ends with. */
export function findLine(values: readonly (number | null)[], height: number, top: number): number {
  const distances = values.map((value) => (value === null ? Number.POSITIVE_INFINITY : Math.abs(value - height)));
  const least = Math.min(...distances);
  return least <= top * reach ? distances.indexOf(least) : -1;
}
