import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { type Day, describeDayStart, earlierOf, isDay, monthBefore, nameDays, toDay } from '../../lib/reports/calendar';
import { findDaysFault, type RangeChoice, spanOf } from '../../lib/reports/time-range';
import { usePresentHour } from '../../lib/use-now';
import { MonthGrid } from './month-grid';
import classes from './range-picker.module.css';

interface DayRangeFormProps {
  /** Whose days it opens with; null: the last 30. */
  choice: RangeChoice | null;
  onChoose: (choice: RangeChoice) => void;
}

/** The first and the last day of a range, to be typed as `2026-11-03` or chosen from a month, the first one first; or the month that is over. */
export function DayRangeForm({ choice, onChoose }: DayRangeFormProps) {
  const today = toDay(usePresentHour());
  const [days, setDays] = useState(() => daysOf(choice));
  const [focusDay, setFocusDay] = useState(() => earlierOf(days.last, today));
  const [isLastNext, setIsLastNext] = useState(false);
  const fault = findDaysFault(days.first, days.last, today);
  const lastMonth = monthBefore(today);

  function type(end: 'first' | 'last', text: string) {
    setDays({ ...days, [end]: text });
    if (isDay(text) && text <= today) setFocusDay(text);
  }
  function pick(day: Day) {
    const { first } = days;
    // The first press begins a new range, the second ends it, whichever is the earlier day.
    if (!isLastNext) setDays({ first: day, last: day });
    else setDays(day < first ? { first: day, last: first } : { first, last: day });
    setIsLastNext(!isLastNext);
  }
  const faultOf = (end: 'first' | 'last') => (fault?.end === end ? fault.words : null);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (fault === null) onChoose({ preset: 'custom', ...days });
      }}
    >
      <Stack gap="sm">
        <div className={classes.ends}>
          <DayInput
            label="First day"
            name="first-day"
            text={days.first}
            fault={faultOf('first')}
            onType={(text) => type('first', text)}
          />
          <DayInput
            label="Last day"
            name="last-day"
            text={days.last}
            fault={faultOf('last')}
            onType={(text) => type('last', text)}
          />
        </div>
        <MonthGrid
          focusDay={focusDay}
          onFocusDay={setFocusDay}
          firstDay={isDay(days.first) ? days.first : null}
          lastDay={isDay(days.last) ? days.last : null}
          maxDay={today}
          onPick={pick}
        />
        <Text size="xs" c="dimmed" role="status">
          {isLastNext && 'Now choose the last day. '}
          Days begin at {describeDayStart(isDay(days.first) ? days.first : today)}, as billing counts them.
        </Text>
        <Group gap="xs" wrap="nowrap">
          <Button
            variant="default"
            px="sm"
            title={nameDays(lastMonth.first, lastMonth.last)}
            onClick={() => onChoose({ preset: 'custom', ...lastMonth })}
          >
            Last month
          </Button>
          <Button type="submit" flex={1} px="sm" disabled={fault !== null}>
            Show these days
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function daysOf(choice: RangeChoice | null): { readonly first: string; readonly last: string } {
  // Hours are those of a bar that was pressed; from here on it is days again.
  if (choice?.preset === 'custom') return { first: choice.first.slice(0, 10), last: choice.last.slice(0, 10) };
  const nowMs = Date.now();
  const { fromMs, toMs } = spanOf(choice ?? { preset: '30d' }, nowMs);
  return { first: toDay(fromMs), last: toDay(Math.min(toMs - 1, nowMs)) };
}

interface DayInputProps {
  label: string;
  name: string;
  text: string;
  fault: string | null;
  onType: (text: string) => void;
}

function DayInput({ label, name, text, fault, onType }: DayInputProps) {
  return (
    <TextInput
      label={label}
      name={name}
      placeholder="2026-11-03"
      autoComplete="off"
      maxLength={10}
      value={text}
      error={fault}
      onChange={(event) => onType(event.currentTarget.value.trim())}
    />
  );
}
