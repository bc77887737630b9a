import { useQuery } from '@apollo/client/react';
import { Anchor, Skeleton } from '@mantine/core';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import { ErrorPanel } from '../../components/error-panel';
import { SectionCard } from '../../components/section-card';
import { graphql } from '../../gql';
import { groupThousands } from '../../lib/format/format-credits';
import { nameOfKey } from '../../lib/name-of-key';
import { formatMillicredits, formatShare, measure, sum, type UsageSums } from '../../lib/reports/usage-series';
import classes from './key-spending.module.css';
import { useLastDays } from './last-days';

const KeySpendingDocument = graphql(`
  query KeySpending($from: DateTime!, $to: DateTime!) {
    apiKeys {
      id
      name
    }
    usage(input: { from: $from, to: $to, bucket: DAY, groupBy: API_KEY }) {
      groups {
        key
        sums {
          ...UsageSumsFields
        }
      }
    }
  }
`);

const daysShown = 30;
const keysShown = 5;

interface Row {
  readonly id: string;
  readonly name: string;
  readonly calls: number;
  readonly millicredits: number;
}

/** What each key has spent in the last 30 days, the dearest first; renews itself. Nothing while none was used. */
export function KeySpending() {
  const { data, error, refetch } = useQuery(KeySpendingDocument, useLastDays(daysShown));
  if (!data) {
    return error ? (
      <ErrorPanel title="The spending of your keys could not be loaded" error={error} onRetry={refetch} />
    ) : (
      <Skeleton height={200} radius="lg" />
    );
  }
  const rows = toRows(data.usage.groups, (key) => nameOfKey(key, data.apiKeys));
  if (rows.length === 0) return null;
  const total = sum(rows.map(({ millicredits }) => millicredits));
  return (
    <SectionCard
      title="Spending by key"
      description="Credits and calls of the last 30 days."
      action={
        <Anchor component={Link} to={paths.usageByKey()} size="sm" fw={550} className="unbroken lone-link">
          Usage by key
        </Anchor>
      }
    >
      <ol className={classes.rows} aria-label="Spending by key">
        {rows.map((row) => (
          <Line key={row.id} row={row} total={total} />
        ))}
      </ol>
    </SectionCard>
  );
}

function Line({ row: { name, calls, millicredits }, total }: { row: Row; total: number }) {
  const permille = total > 0 ? Number((BigInt(millicredits) * 1_000n) / BigInt(total)) : 0;
  return (
    <li className={classes.row}>
      <span className={classes.name}>{name}</span>
      <span className={classes.track} aria-hidden="true">
        <span className={classes.bar} style={{ width: `${permille / 10}%` }} />
      </span>
      <span className={classes.calls}>
        {groupThousands(calls)} {calls === 1 ? 'call' : 'calls'}
      </span>
      <span className={classes.credits}>{formatMillicredits(millicredits)}</span>
      <span className={classes.share}>{formatShare(millicredits, total)}</span>
    </li>
  );
}

/** The keys that were used, beyond the fifth as one line. */
function toRows(groups: readonly { key: string; sums: UsageSums }[], nameOf: (key: string) => string): readonly Row[] {
  const rows = groups
    .filter(({ sums }) => sums.calls > 0)
    .map(({ key, sums }) => ({
      id: key,
      name: nameOf(key),
      calls: sums.calls,
      millicredits: measure(sums, 'credits'),
    }));
  if (rows.length <= keysShown + 1) return rows;
  const rest = rows.slice(keysShown);
  return [
    ...rows.slice(0, keysShown),
    {
      id: 'rest',
      name: `${rest.length} more`,
      calls: sum(rest.map(({ calls }) => calls)),
      millicredits: sum(rest.map(({ millicredits }) => millicredits)),
    },
  ];
}
