import { showNumber, showTable, spreadOf } from './figures.js';

/** One line of the aims: what was wanted, what came out. */
export interface Verdict {
  readonly figure: string;
  readonly goal: string;
  /** What was measured, for people. */
  readonly measured: string;
  /** The figure that was judged; null where nothing was measured. */
  readonly value: number | null;
  readonly outcome: 'met' | 'missed' | 'not measured' | 'to compare';
}

export interface Aim {
  readonly figure: string;
  readonly atMost?: number;
  readonly atLeast?: number;
  readonly unit: string;
}

/** Judged by the soak, and told again beside the other aims. */
export const flatMemory: Aim = { figure: 'memory after warm-up, per minute', atMost: 1, unit: 'MiB' };

/** Judges the median of these values, of which there is one for each round. Without any, nothing was measured. */
export function judge({ figure, atMost, atLeast, unit }: Aim, values: readonly number[], remark = ''): Verdict {
  const suffix = unit === '' ? '' : ` ${unit}`;
  const goal = atMost === undefined ? `≥ ${atLeast}${suffix}` : `≤ ${atMost}${suffix}`;
  if (values.length === 0) return { figure, goal, measured: remark, value: null, outcome: 'not measured' };
  const { median, min, max } = spreadOf(values);
  const isMet = median <= (atMost ?? Number.POSITIVE_INFINITY) && median >= (atLeast ?? Number.NEGATIVE_INFINITY);
  const range = values.length === 1 ? '' : ` (${showNumber(min)}-${showNumber(max)})`;
  const measured = `${showNumber(median)}${suffix}${range}${remark === '' ? '' : `; ${remark}`}`;
  return { figure, goal, measured, value: median, outcome: isMet ? 'met' : 'missed' };
}

export function showVerdicts(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ figure, goal, measured, outcome }) => [figure, goal, measured, outcome]);
  return showTable(['figure', 'goal', 'measured', ''], rows);
}
