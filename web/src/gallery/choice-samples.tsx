import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { ColorSchemeToggle } from '../components/color-scheme-toggle';
import { ConfirmModal } from '../components/forms/confirm-modal';
import { NumberField } from '../components/number-field';
import { PublicPages } from '../components/public-pages';
import { DayPicker } from '../components/reports/day-picker';
import { DayRangeForm } from '../components/reports/day-range-form';
import { MonthGrid } from '../components/reports/month-grid';
import { RangePicker } from '../components/reports/range-picker';
import { ShownOnce, ShownOnceModal } from '../components/shown-once-modal';
import { FilteredList } from '../components/tables/filtered-list';
import { LoadMoreButton } from '../components/tables/load-more-button';
import { SavedItems } from '../components/tables/saved-items';
import { SavedViews } from '../components/tables/saved-views';
import { SelectFilter, TextFilter } from '../components/tables/search-filters';
import { addDays, type Day, toDay } from '../lib/reports/calendar';
import type { RangeChoice } from '../lib/reports/time-range';
import type { Sample } from './sample';

const today = toDay(Date.now());
const more = { hasMore: true, isLoading: false, error: null, loadMore: async () => undefined };

const manyNames = Array.from({ length: 12 }, (_, at) => `Key ${at + 1}`);
const nothing = () => undefined;
const accountItems = {
  owner: 'gallery',
  items: [{ name: 'Of the team', content: '{}' }],
  isLoading: false,
  fault: null,
  withheld: null,
  refusal: null,
  load: nothing,
  save: async () => true,
  remove: async () => true,
  onOpen: nothing,
  onDelete: nothing,
  onSave: async () => true,
};
const nothingSaved = {
  label: 'Saved reports',
  nameLabel: 'Name of this report',
  emptyText: 'None yet.',
  onOpen: nothing,
  onDelete: nothing,
  onSave: () => null,
  account: accountItems,
};

/** What one chooses with. */
export const choiceSamples: readonly Sample[] = [
  {
    file: 'filtered-list',
    shown: (
      <FilteredList rows={manyNames} textOf={(name) => name} what={{ one: 'name', many: 'names' }} placeholder="Name">
        {(found) => <Text>{found.join(', ')}</Text>}
      </FilteredList>
    ),
  },
  { file: 'range-picker', shown: <ChosenRange /> },
  { file: 'day-range-form', shown: <DayRangeForm choice={null} onChoose={() => undefined} /> },
  { file: 'day-picker', shown: <DayPicker label="Last day" day={today} minDay={today} onChange={() => undefined} /> },
  { file: 'number-field', shown: <ChosenNumber /> },
  { file: 'confirm-modal', shown: <AskedDeletion /> },
  { file: 'shown-once-modal', shown: <ShownCode /> },
  { file: 'month-grid', shown: <ChosenDays /> },
  {
    file: 'search-filters',
    shown: (
      <Group>
        <SelectFilter label="Model" name="model" choices={['demo-small', 'demo-large']} />
        <TextFilter label="Tag" name="tag" />
      </Group>
    ),
  },
  {
    file: 'saved-items',
    shown: <SavedItems {...nothingSaved} names={['Weekly report']} />,
  },
  { file: 'saved-views', shown: <SavedViews page="gallery" label="Saved views" account={accountItems} /> },
  { file: 'load-more-button', shown: <LoadMoreButton more={more} what="calls" /> },
  { file: 'public-pages', shown: <PublicPages /> },
  { file: 'color-scheme-toggle', shown: <ColorSchemeToggle /> },
];

function ChosenRange() {
  const [choice, setChoice] = useState<RangeChoice>({ preset: '30d' });
  return <RangePicker choice={choice} onChoose={setChoice} />;
}

function ChosenNumber() {
  const [credits, setCredits] = useState<number | null>(500);
  const field = { label: 'Budget', suffix: ' credits', min: 0, decimals: 3 };
  const emptyFault = 'Enter the budget, or choose “No budget”.';
  return (
    <Group>
      <NumberField {...field} name="budget" value={credits} onChange={setCredits} onFault={nothing} />
      <NumberField
        {...field}
        name="no-budget"
        value={null}
        onChange={nothing}
        onFault={nothing}
        emptyFault={emptyFault}
      />
    </Group>
  );
}

function ChosenDays() {
  const [focusDay, setFocusDay] = useState<Day>(today);
  return (
    <MonthGrid
      focusDay={focusDay}
      onFocusDay={setFocusDay}
      firstDay={addDays(focusDay, -3)}
      lastDay={focusDay}
      maxDay={today}
      onPick={setFocusDay}
    />
  );
}

function AskedDeletion() {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setIsAsking(true)}>
        Delete
      </Button>
      {isAsking && (
        <ConfirmModal
          title="Delete this report?"
          words="It is deleted for all members of this account. This cannot be undone."
          button="Delete report"
          onConfirm={nothing}
          onClose={() => setIsAsking(false)}
        />
      )}
    </>
  );
}

function ShownCode() {
  const [isOpen, setIsOpen] = useState(false);
  const close = () => setIsOpen(false);
  return (
    <>
      <Button variant="default" onClick={() => setIsOpen(true)}>
        Show a code
      </Button>
      <ShownOnceModal opened={isOpen} onClose={close} title="Your code">
        <ShownOnce onSaved={close}>7QX4-M2PA</ShownOnce>
      </ShownOnceModal>
    </>
  );
}
