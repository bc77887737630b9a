import { ActionIcon, TextInput } from '@mantine/core';
import { type KeyboardEvent, useRef, useState } from 'react';
import { type Day, dayFormWords, isDay, laterOf } from '../../lib/reports/calendar';
import { IconCalendar } from '../icons';
import classes from './day-picker.module.css';
import { keepsEscape, MonthGrid } from './month-grid';

interface DayPickerProps {
  label: string;
  /** Filled in when it is first shown. */
  day: Day;
  /** No earlier day can be chosen. */
  minDay: Day;
  /** null: what stands in the field is no day that can be chosen. */
  onChange: (day: Day | null) => void;
}

/**
 * One day in UTC, to be typed as `2026-11-03` or chosen from a month, which opens below the field, within the page. Escape closes the
 * month, and not the dialog around it.
 */
export function DayPicker({ label, day, minDay, onChange }: DayPickerProps) {
  const [text, setText] = useState(day);
  const [focusDay, setFocusDay] = useState(() => laterOf(day, minDay));
  const [isOpen, setIsOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const fault = findDayFault(text, minDay);

  function close() {
    setIsOpen(false);
    opener.current?.focus();
  }
  const closeByEscape = ({ key }: KeyboardEvent) => {
    if (key === 'Escape' && isOpen) close();
  };
  function change(next: string) {
    setText(next);
    const isChosen = findDayFault(next, minDay) === null;
    if (isChosen) setFocusDay(next);
    onChange(isChosen ? next : null);
  }
  return (
    <>
      <TextInput
        size="sm"
        aria-label={label}
        name="day"
        placeholder="2026-11-03"
        autoComplete="off"
        maxLength={10}
        value={text}
        error={fault}
        onChange={({ currentTarget: { value } }) => change(value.trim())}
        rightSectionWidth={46}
        rightSectionPointerEvents="all"
        rightSection={
          <ActionIcon
            ref={opener}
            variant="subtle"
            aria-label="Calendar"
            aria-expanded={isOpen}
            {...(isOpen && keepsEscape)}
            onKeyDown={closeByEscape}
            onClick={() => setIsOpen(!isOpen)}
          >
            <IconCalendar size={18} aria-hidden />
          </ActionIcon>
        }
      />
      {isOpen && (
        // biome-ignore lint/a11y/noStaticElementInteractions: the keys of what stands in it
        <div className={classes.month} onKeyDown={closeByEscape}>
          <MonthGrid
            focusDay={focusDay}
            onFocusDay={setFocusDay}
            firstDay={fault === null ? text : null}
            lastDay={null}
            minDay={minDay}
            onPick={(picked) => {
              change(picked);
              close();
            }}
          />
        </div>
      )}
    </>
  );
}

function findDayFault(text: string, minDay: Day): string | null {
  if (!isDay(text)) return dayFormWords;
  return text < minDay ? 'This day has passed.' : null;
}
