import { ActionIcon } from '@mantine/core';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import {
  addDays,
  addMonths,
  type Day,
  earlierOf,
  isSameMonth,
  laterOf,
  nameDay,
  nameMonth,
  nameWeekdays,
  startOfWeek,
  weekStartOf,
  weeksOf,
} from '../../lib/reports/calendar';
import { IconChevronLeft, IconChevronRight } from '../icons';
import classes from './month-grid.module.css';

interface MonthGridProps {
  /** Its month is shown; the keyboard begins with it. */
  focusDay: Day;
  onFocusDay: (day: Day) => void;
  firstDay: Day | null;
  lastDay: Day | null;
  /** No earlier day can be chosen. */
  minDay?: Day;
  /** No later day can be chosen. */
  maxDay?: Day;
  onPick: (day: Day) => void;
}

/** For a button: a dialog around it leaves the Escape key to it. */
export const keepsEscape = { 'data-mantine-stop-propagation': 'true' };
const daysByKey: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
const monthsByKey: Readonly<Record<string, number>> = { PageUp: -1, PageDown: 1 };

/**
 * A month to choose days from. One stop of the Tab key: arrows go by days, Home and End to the ends of the week, Page Up and Page
 * Down by months, Enter and Space choose.
 */
export function MonthGrid({ focusDay, onFocusDay, firstDay, lastDay, minDay, maxDay, onPick }: MonthGridProps) {
  const [weekStart] = useState(weekStartOf);
  const focused = useRef<HTMLButtonElement>(null);
  const movesFocus = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus follows the day that the keyboard went to
  useEffect(() => {
    if (movesFocus.current) focused.current?.focus();
    movesFocus.current = false;
  }, [focusDay]);

  function onKeyDown(event: KeyboardEvent) {
    const next = moveBy(event.key, focusDay, weekStart);
    if (next === null) return;
    event.preventDefault();
    movesFocus.current = true;
    onFocusDay(keepWithin(next, { minDay, maxDay }));
  }
  const stateOf = (day: Day) =>
    day === firstDay || day === lastDay
      ? 'end'
      : firstDay !== null && lastDay !== null && day > firstDay && day < lastDay
        ? 'between'
        : undefined;
  return (
    <div className={classes.month}>
      <MonthSteps focusDay={focusDay} onFocusDay={onFocusDay} minDay={minDay} maxDay={maxDay} />
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose cells are chosen from is a grid */}
      <table role="grid" aria-label={nameMonth(focusDay)} className={classes.grid} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            {nameWeekdays(weekStart).map(({ short, long }) => (
              <th key={long} scope="col" abbr={long}>
                {short}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeksOf(focusDay, weekStart).map((week) => (
            <tr key={week[0]}>
              {week.map((day) => (
                <td key={day} data-state={stateOf(day)}>
                  {isSameMonth(day, focusDay) && (
                    <button
                      type="button"
                      {...keepsEscape}
                      ref={day === focusDay ? focused : null}
                      tabIndex={day === focusDay ? 0 : -1}
                      aria-label={nameDay(day)}
                      aria-pressed={stateOf(day) !== undefined}
                      disabled={keepWithin(day, { minDay, maxDay }) !== day}
                      onClick={() => {
                        onFocusDay(day);
                        onPick(day);
                      }}
                    >
                      {Number(day.slice(8))}
                    </button>
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function moveBy(key: string, day: Day, weekStart: number): Day | null {
  if (key === 'Home') return startOfWeek(day, weekStart);
  if (key === 'End') return addDays(startOfWeek(day, weekStart), 6);
  const months = monthsByKey[key];
  if (months !== undefined) return addMonths(day, months);
  const days = daysByKey[key];
  return days === undefined ? null : addDays(day, days);
}

type DayBounds = { readonly [Name in 'minDay' | 'maxDay']: Day | undefined };

function keepWithin(day: Day, { minDay = day, maxDay = day }: DayBounds): Day {
  return laterOf(minDay, earlierOf(day, maxDay));
}

type MonthStepsProps = Pick<MonthGridProps, 'focusDay' | 'onFocusDay'> & DayBounds;

function MonthSteps({ focusDay, onFocusDay, ...bounds }: MonthStepsProps) {
  const goBy = (months: number) => onFocusDay(keepWithin(addMonths(focusDay, months), bounds));
  const isAtEnd = (bound: Day | undefined) => bound !== undefined && isSameMonth(focusDay, bound);
  return (
    <div className={classes.steps}>
      <ActionIcon
        variant="subtle"
        size="lg"
        {...keepsEscape}
        aria-label="Month before"
        disabled={isAtEnd(bounds.minDay)}
        onClick={() => goBy(-1)}
      >
        <IconChevronLeft size={18} aria-hidden />
      </ActionIcon>
      <span aria-live="polite">{nameMonth(focusDay)}</span>
      <ActionIcon
        variant="subtle"
        size="lg"
        {...keepsEscape}
        aria-label="Next month"
        disabled={isAtEnd(bounds.maxDay)}
        onClick={() => goBy(1)}
      >
        <IconChevronRight size={18} aria-hidden />
      </ActionIcon>
    </div>
  );
}
