import { Button, Group, Popover, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { isDay, nameDays, nameHours } from '../../lib/reports/calendar';
import { type RangeChoice, type RangePreset, rangePresets, spanOf } from '../../lib/reports/time-range';
import { IconCalendar } from '../icons';
import { DayRangeForm } from './day-range-form';
import classes from './range-picker.module.css';

interface RangePickerProps {
  /** null: no time is chosen. */
  choice: RangeChoice | null;
  onChoose: (choice: RangeChoice) => void;
}

/** Chooses a stretch of time: a preset with one press, or days of one's own, typed or from a calendar. */
export function RangePicker({ choice, onChoose }: RangePickerProps) {
  return (
    <Group gap="xs" maw="100%">
      <SegmentedControl
        aria-label="Time"
        className={classes.presets}
        classNames={{ label: classes.preset }}
        size="sm"
        value={choice?.preset ?? ''}
        data={rangePresets.map(({ id, label, words }) => ({ value: id, label: <span title={words}>{label}</span> }))}
        onChange={(preset) => onChoose({ preset: preset as RangePreset })}
      />
      <CustomRange choice={choice} onChoose={onChoose} />
    </Group>
  );
}

function CustomRange({ choice, onChoose }: RangePickerProps) {
  const isCustom = choice?.preset === 'custom';
  const [isOpen, setIsOpen] = useState(false);
  return (
    <Popover
      opened={isOpen}
      onChange={setIsOpen}
      position="bottom-end"
      // Seven days of a finger's width, and what is around them.
      width={344}
      trapFocus
      returnFocus
      shadow="md"
      radius="md"
    >
      <Popover.Target>
        <Button
          variant={isCustom ? 'light' : 'default'}
          size="sm"
          leftSection={<IconCalendar size={16} aria-hidden />}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isCustom ? nameRange(choice) : 'Custom'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown maw="calc(100vw - 16px)">
        <DayRangeForm
          choice={choice}
          onChoose={(chosen) => {
            setIsOpen(false);
            onChoose(chosen);
          }}
        />
      </Popover.Dropdown>
    </Popover>
  );
}

function nameRange(choice: RangeChoice & { preset: 'custom' }): string {
  if (isDay(choice.first)) return nameDays(choice.first, choice.last);
  const { fromMs, toMs } = spanOf(choice, 0);
  return nameHours(fromMs, toMs);
}
