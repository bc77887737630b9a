import { Button, Group, Popover, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { IconCalendar } from '@tabler/icons-react';
import { useState } from 'react';
import { type RangeChoice, type RangePreset, rangePresets, spanOf } from '../lib/time-range';
import classes from './range-picker.module.css';

interface RangePickerProps {
  /** null: no time is chosen. */
  choice: RangeChoice | null;
  onChoose: (choice: RangeChoice) => void;
}

/** Chooses a stretch of time: a preset with one press, or two days of one's own. */
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
  const [firstDay, setFirstDay] = useState('');
  const [lastDay, setLastDay] = useState('');
  const isPossible = firstDay !== '' && lastDay !== '' && firstDay <= lastDay;

  function toggle() {
    // It opens with the days that are shown now.
    const { fromMs, toMs } = spanOf(choice ?? { preset: '30d' }, Date.now());
    setFirstDay(isCustom ? choice.firstDay : toDay(fromMs));
    setLastDay(isCustom ? choice.lastDay : toDay(Math.min(toMs, Date.now() + 1) - 1));
    setIsOpen(!isOpen);
  }

  return (
    <Popover opened={isOpen} onChange={setIsOpen} position="bottom-end" trapFocus returnFocus shadow="md" radius="md">
      <Popover.Target>
        <Button
          variant={isCustom ? 'light' : 'default'}
          size="sm"
          leftSection={<IconCalendar size={16} aria-hidden />}
          onClick={toggle}
        >
          {isCustom ? `${choice.firstDay} – ${choice.lastDay}` : 'Custom'}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            if (!isPossible) return;
            setIsOpen(false);
            onChoose({ preset: 'custom', firstDay, lastDay });
          }}
        >
          <Stack gap="sm">
            <TextInput
              type="date"
              label="First day"
              value={firstDay}
              onChange={(event) => setFirstDay(event.currentTarget.value)}
              required
            />
            <TextInput
              type="date"
              label="Last day"
              description="Days begin at 00:00 UTC."
              value={lastDay}
              min={firstDay}
              onChange={(event) => setLastDay(event.currentTarget.value)}
              required
            />
            <Button type="submit" disabled={!isPossible}>
              Show these days
            </Button>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  );
}

function toDay(epochMs: number): string {
  return new Date(epochMs).toISOString().slice(0, 10);
}
