import { Button, Group, SegmentedControl, Select, Switch } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { IconX } from '../../components/icons';
import { RangePicker } from '../../components/reports/range-picker';
import { SelectFilter, TextFilter } from '../../components/tables/search-filters';
import { exploreMetrics } from '../../lib/reports/explore-metrics';
import { exploreDimensions } from '../../lib/reports/explore-view';
import { type Bucket, withoutBucket, writeRange } from '../../lib/reports/time-range';
import { outcomeWords } from '../../lib/requests/call-outcome';
import { usageFilterNames } from '../../lib/requests/request-filter';
import { useFilterChoices } from '../../lib/use-filter-choices';
import { useSearchChange } from '../../lib/use-search-value';
import classes from './explore.module.css';
import type { ExploreChoices } from './use-explore-choices';

const bucketWords: Record<Bucket, string> = { HOUR: 'Hour', DAY: 'Day', MONTH: 'Month' };
const byNothing = 'nothing';
const metricChoices = exploreMetrics.map(({ id, label }) => ({ value: id, label }));
const dimensionChoices = exploreDimensions.map(({ id, label }) => ({ value: id, label: `By ${label.toLowerCase()}` }));
const statusChoices = Object.entries(outcomeWords).map(([name, { label }]) => ({ value: name.toLowerCase(), label }));

/** Everything that can be chosen; the address keeps it. */
export function ExploreControls({ choices }: { choices: ExploreChoices }) {
  const change = useSearchChange();
  const { metric, range, buckets, bucket, shape, unit, isCompared } = choices;
  return (
    <>
      <Questions choices={choices} onChange={change} />
      <Group gap="sm" mt="sm">
        <RangePicker choice={range} onChoose={(choice) => change((now) => withoutBucket(writeRange(now, choice)))} />
        {buckets.length > 1 && (
          <SegmentedControl
            aria-label="Interval"
            data={buckets.map((value) => ({ value, label: bucketWords[value] }))}
            value={bucket}
            onChange={(value) => change({ per: value.toLowerCase() })}
          />
        )}
        <SegmentedControl
          aria-label="Shape"
          data={[
            { value: 'bars', label: 'Bars', disabled: !metric.isSum },
            { value: 'line', label: 'Line' },
            { value: 'table', label: 'Table' },
          ]}
          value={shape}
          onChange={(value) => change({ as: value === 'bars' ? null : value })}
        />
        {metric.id === 'cost' && (
          <SegmentedControl
            aria-label="Unit"
            data={[
              { value: 'credits', label: 'Credits' },
              { value: 'dollars', label: 'Dollars' },
            ]}
            value={unit}
            onChange={(value) => change({ in: value === 'credits' ? null : value })}
          />
        )}
        <Switch
          label="Period before"
          checked={isCompared}
          onChange={(event) => change({ before: event.currentTarget.checked ? 'yes' : null })}
        />
      </Group>
      <ExploreFilters />
    </>
  );
}

interface QuestionsProps {
  choices: ExploreChoices;
  onChange: (values: Readonly<Record<string, string | null>>) => void;
}

/** Which figure, and what it is divided by. */
function Questions({ choices: { metric, dimensions }, onChange }: QuestionsProps) {
  const [first = byNothing, second = byNothing] = dimensions;
  return (
    <div className={classes.questions}>
      <Select
        label="Show"
        data={metricChoices}
        value={metric.id}
        allowDeselect={false}
        onChange={(value) => onChange({ metric: value })}
      />
      <Select
        label="Group"
        data={[{ value: byNothing, label: 'No groups' }, ...dimensionChoices]}
        value={first}
        allowDeselect={false}
        onChange={(value) => onChange({ by: value })}
      />
      <Select
        label="Second group"
        data={[{ value: byNothing, label: 'None' }, ...dimensionChoices.filter(({ value }) => value !== first)]}
        value={second}
        allowDeselect={false}
        disabled={first === byNothing}
        onChange={(value) => onChange({ also: value === byNothing ? null : value })}
      />
    </div>
  );
}

function ExploreFilters() {
  const [search] = useSearchParams();
  const change = useSearchChange();
  const { models, providers, keys, missing } = useFilterChoices();
  const isFiltered = usageFilterNames.some((name) => search.has(name));
  const clear = () => change(Object.fromEntries(usageFilterNames.map((name) => [name, null])));
  return (
    <fieldset className={classes.filters}>
      <legend>Only</legend>
      <SelectFilter label="Model" name="model" choices={models} missing={missing} />
      <SelectFilter label="Provider" name="provider" choices={providers} missing={missing} />
      <SelectFilter label="Key" name="key" choices={keys} missing={missing} />
      <TextFilter label="Tag" name="tag" />
      <TextFilter label="End user" name="user" />
      <SelectFilter label="Status" name="status" choices={statusChoices} />
      {isFiltered && (
        <Button variant="subtle" leftSection={<IconX size={16} aria-hidden />} onClick={clear}>
          No filter
        </Button>
      )}
    </fieldset>
  );
}
