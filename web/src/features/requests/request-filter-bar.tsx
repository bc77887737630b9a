import { Button, Group, Select, TextInput } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { IconChevronDown, IconSearch, IconX } from '../../components/icons';
import { RangePicker } from '../../components/reports/range-picker';
import { SavedViews } from '../../components/tables/saved-views';
import { SelectFilter, TextFilter } from '../../components/tables/search-filters';
import { isEnter } from '../../lib/forms/is-enter';
import { readRange, writeRange } from '../../lib/reports/time-range';
import { outcomeWords } from '../../lib/requests/call-outcome';
import { useAccountItems } from '../../lib/use-account-items';
import { useFilterChoices } from '../../lib/use-filter-choices';
import { useSearchChoice } from '../../lib/use-search-choice';
import { useSearchChange } from '../../lib/use-search-value';
import { ColumnPicker } from './column-picker';
import { requestOrders } from './request-columns';
import { countChoices, filterNames, hasRange } from './request-filter';
import classes from './requests.module.css';

const statusChoices = [
  ...Object.entries(outcomeWords).map(([name, { label }]) => ({ value: name.toLowerCase(), label })),
  { value: 'refused', label: 'Refused' },
];
const orderWords = { newest: 'Newest first', cost: 'Most expensive first', duration: 'Slowest first' };
const orderChoices = requestOrders.map((value) => ({ value, label: orderWords[value] }));
const answerChoices = [
  { value: 'yes', label: 'Streamed' },
  { value: 'no', label: 'Not streamed' },
];

/** Chooses which requests are listed; every choice goes into the address. On a phone it is folded away, so that requests are in sight. */
export function RequestFilterBar() {
  const isPhone = useMediaQuery('(max-width: 36em)', false, { getInitialValueInEffect: false });
  const [isOpen, setIsOpen] = useState(false);
  const [search] = useSearchParams();
  if (!isPhone) {
    return (
      <div className={classes.filters}>
        <Choices />
      </div>
    );
  }
  const count = countChoices(search);
  return (
    <div className={classes.filters}>
      <Group gap="xs">
        <Button
          variant="default"
          aria-expanded={isOpen}
          rightSection={<IconChevronDown size={16} aria-hidden />}
          onClick={() => setIsOpen(!isOpen)}
        >
          {count === 0 ? 'Filters' : `Filters (${count})`}
        </Button>
        {!isOpen && <AllRequests />}
      </Group>
      {isOpen && <Choices />}
    </div>
  );
}

function Choices() {
  const [search] = useSearchParams();
  const change = useSearchChange();
  const { models, providers, keys, missing } = useFilterChoices();
  const account = useAccountItems('REQUEST_FILTER');
  const [order, setOrder] = useSearchChoice('sort', requestOrders);
  return (
    <div className={classes.choices}>
      <div className={classes.range}>
        <RangePicker
          choice={hasRange(search) ? readRange(search, '12m') : null}
          onChoose={(choice) => change((now) => writeRange(now, choice))}
        />
      </div>
      <IdSearch />
      <SelectFilter label="Model" name="model" choices={models} missing={missing} />
      <SelectFilter label="Provider" name="provider" choices={providers} missing={missing} />
      <SelectFilter label="Key" name="key" choices={keys} missing={missing} />
      <SelectFilter label="Status" name="status" choices={statusChoices} />
      <TextFilter label="Error code" name="error" />
      <TextFilter label="Tag" name="tag" />
      <TextFilter label="End user" name="user" />
      <SelectFilter label="Answer" name="streamed" choices={answerChoices} />
      <Select
        aria-label="Order"
        hiddenFrom="md"
        data={orderChoices}
        value={order}
        allowDeselect={false}
        onChange={(value) => value && setOrder(value)}
      />
      {/* In the places that the fields leave. */}
      <ColumnPicker />
      <SavedViews page="requests" label="Saved filters" account={account} without={['request']} />
      <AllRequests />
    </div>
  );
}

/** Takes every choice back, and the order; nothing while there is none. */
function AllRequests() {
  const [search] = useSearchParams();
  const change = useSearchChange();
  if (countChoices(search) === 0) return null;
  return (
    <Button
      variant="subtle"
      leftSection={<IconX size={16} aria-hidden />}
      onClick={() =>
        change(Object.fromEntries([...filterNames, 'range', 'from', 'to', 'sort'].map((name) => [name, null])))
      }
    >
      All requests
    </Button>
  );
}

const idPattern = /^call_[0-9A-HJKMNP-TV-Z]{26}$/;

/** Opens one request by the id that its answer had. */
function IdSearch() {
  const change = useSearchChange();
  const [text, setText] = useState('');
  const [isFaulty, setIsFaulty] = useState(false);
  function open() {
    const id = text.trim();
    if (id === '') return;
    setIsFaulty(!idPattern.test(id));
    if (!idPattern.test(id)) return;
    change({ request: id }, 'push');
    setText('');
  }
  return (
    <TextInput
      type="search"
      size="sm"
      aria-label="Request id"
      placeholder="call_… id"
      name="request-id"
      autoComplete="off"
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      error={isFaulty ? 'An id is call_ followed by 26 letters and digits.' : null}
      onChange={(event) => {
        setText(event.currentTarget.value);
        setIsFaulty(false);
      }}
      onKeyDown={(event) => {
        if (isEnter(event)) open();
      }}
    />
  );
}
