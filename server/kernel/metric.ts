/** One figure for an operator's monitoring. */
export interface Metric {
  /** Ends in its unit, and in `_total` when it only grows. */
  readonly name: string;
  readonly help: string;
  readonly kind: 'gauge' | 'counter';
  readonly value: number;
  /** What says it for several processes of one machine; left out: their sum. */
  readonly ofSeveral?: 'max' | 'min';
}
