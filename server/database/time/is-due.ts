import { And, type FindOperator, LessThanOrEqual, MoreThan, Or } from 'typeorm';
import { clocksApartMs } from './has-come.js';

/**
 * Which rows' moments have come, for a column that says when a row is due. Wall clocks are set: a moment that lies further ahead than
 * any wait of its kind was written by a clock that was ahead and is right again, so it has come, too. Else the row would be silent until then.
 * @param longestMs The longest wait that is written into the column.
 */
export function isDue(nowMs: number, longestMs: number): FindOperator<number> {
  return Or(LessThanOrEqual(nowMs), MoreThan(nowMs + longestMs + clocksApartMs));
}

/**
 * Which rights still stand, for a column that says when one ends: those whose end has not come, and lies no further ahead than a right of its
 * kind is long. What was given by a clock that was ahead would outlive all others once that is set right; it stands no more.
 * @param longestMs The longest that a right of this kind stands.
 */
export function isStanding(nowMs: number, longestMs: number): FindOperator<number> {
  return And(MoreThan(nowMs), LessThanOrEqual(nowMs + longestMs + clocksApartMs));
}

/** Which rows are `ageMs` old, for a column that says when something began. What began in the future is old: its clock was ahead. */
export function isOlder(nowMs: number, ageMs: number): FindOperator<number> {
  return isDue(nowMs - ageMs, ageMs);
}
