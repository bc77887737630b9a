import { useQuery } from '@apollo/client/react';
import { Button, Group, Select } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { RangePicker } from '../../components/range-picker';
import { graphql } from '../../gql';
import { outcomeWords } from '../../lib/call-outcome';
import { readRange, writeRange } from '../../lib/time-range';
import { type FilterName, filterNames, hasRange } from './call-filter';
import classes from './calls.module.css';

const CallFilterChoicesDocument = graphql(`
  query CallFilterChoices($from: DateTime!, $to: DateTime!) {
    apiKeys {
      id
      name
    }
    models: usage(input: { from: $from, to: $to, bucket: MONTH, groupBy: MODEL }) {
      groups {
        key
      }
    }
    providers: usage(input: { from: $from, to: $to, bucket: MONTH, groupBy: PROVIDER }) {
      groups {
        key
      }
    }
  }
`);

const yearMs = 366 * 86_400_000;

/** Chooses which calls are listed; every choice goes into the address. What is offered is what was used within a year. */
export function CallFilterBar() {
  const [search, setSearch] = useSearchParams();
  const [nowMs] = useState(() => Math.ceil(Date.now() / 3_600_000) * 3_600_000);
  const { data } = useQuery(CallFilterChoicesDocument, {
    variables: { from: new Date(nowMs - yearMs).toISOString(), to: new Date(nowMs).toISOString() },
  });
  const isFiltered = hasRange(search) || filterNames.some((name) => search.has(name));

  function change(write: (next: URLSearchParams) => void) {
    const next = new URLSearchParams(search);
    write(next);
    setSearch(next, { replace: true });
  }
  const choose = (name: FilterName) => (value: string | null) =>
    change((next) => {
      if (value === null) next.delete(name);
      else next.set(name, value);
    });
  const offer = (groups: readonly { key: string }[] | undefined, name: FilterName) => {
    const chosen = search.get(name);
    const keys = groups?.map(({ key }) => key) ?? [];
    return chosen !== null && !keys.includes(chosen) ? [...keys, chosen] : keys;
  };
  const keyNames = new Map(data?.apiKeys.map(({ id, name }) => [id, name]));

  return (
    <div className={classes.filters}>
      <div className={classes.choices}>
        <Choice label="Model" name="model" data={offer(data?.models.groups, 'model')} onChoose={choose} />
        <Choice label="Provider" name="provider" data={offer(data?.providers.groups, 'provider')} onChoose={choose} />
        <Choice
          label="Key"
          name="key"
          data={[...keyNames].map(([value, label]) => ({ value, label }))}
          onChoose={choose}
        />
        <Choice
          label="Outcome"
          name="outcome"
          data={Object.entries(outcomeWords).map(([value, { label }]) => ({ value: value.toLowerCase(), label }))}
          onChoose={choose}
        />
        <Choice
          label="Answer"
          name="streamed"
          data={[
            { value: 'yes', label: 'Streamed' },
            { value: 'no', label: 'In one piece' },
          ]}
          onChoose={choose}
        />
      </div>
      <Group gap="xs">
        <RangePicker
          choice={hasRange(search) ? readRange(search, '12m') : null}
          onChoose={(choice) => setSearch(writeRange(search, choice), { replace: true })}
        />
        {isFiltered && (
          <Button
            variant="subtle"
            leftSection={<IconX size={16} aria-hidden />}
            onClick={() =>
              change((next) => {
                for (const name of [...filterNames, 'range', 'from', 'to']) next.delete(name);
              })
            }
          >
            All calls
          </Button>
        )}
      </Group>
    </div>
  );
}

interface ChoiceProps {
  label: string;
  name: FilterName;
  data: readonly (string | { value: string; label: string })[];
  onChoose: (name: FilterName) => (value: string | null) => void;
}

function Choice({ label, name, data, onChoose }: ChoiceProps) {
  const [search] = useSearchParams();
  return (
    <Select
      aria-label={label}
      placeholder={label}
      data={[...data]}
      value={search.get(name)}
      onChange={onChoose(name)}
      clearable
      clearButtonProps={{ 'aria-label': `Any ${label.toLowerCase()}`, 'aria-hidden': false, tabIndex: 0, size: '24' }}
      searchable={data.length > 8}
      nothingFoundMessage="None of that name"
      comboboxProps={{ width: 'max-content', position: 'bottom-start' }}
    />
  );
}
