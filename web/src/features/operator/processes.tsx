import { Text } from '@mantine/core';
import { RelativeTime } from '../../components/relative-time';
import { SectionCard } from '../../components/section-card';
import { RecordLines } from '../../components/tables/record-lines';
import { RecordTable } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import type { OperatorProcessFieldsFragment as Process } from '../../gql/graphql';
import { formatCredits, groupThousands } from '../../lib/format/format-credits';
import { formatShare } from '../../lib/reports/usage-series';

export const OperatorProcessFields = graphql(`
  fragment OperatorProcessFields on OperatorProcess {
    id
    version
    startedAt
    reportedAt
    isSilent
    callsRunning
    streamsOpen
    lastMinute {
      seconds
      calls
      failedCalls
      refusals
      tokens
      commits
      operations
    }
    queuedOperations
    leases {
      count
      leased
      reserved
    }
    jobs {
      name
      lastDoneAt
    }
  }
`);

/** What each server process does now, as it says of itself every five seconds. */
export function Processes({ processes }: { processes: readonly Process[] }) {
  return (
    <SectionCard
      title="Live traffic"
      description="Each process reports every five seconds. Calls, tokens and batches cover its last minute."
    >
      {processes.length === 0 ? (
        <Text size="sm">No process has reported yet.</Text>
      ) : (
        <RecordTable
          label="Processes"
          rows={processes}
          keyOf={({ id }) => id}
          columns={[
            { header: 'Process', card: 'title', cell: (process) => <Name process={process} /> },
            { header: 'Running', align: 'right', cell: showRunning },
            { header: 'Calls', align: 'right', cell: ({ lastMinute }) => groupThousands(lastMinute.calls) },
            {
              header: 'Failed',
              align: 'right',
              cell: ({ lastMinute: { calls, failedCalls } }) => (calls === 0 ? '–' : formatShare(failedCalls, calls)),
            },
            { header: 'Refused', align: 'right', cell: ({ lastMinute }) => groupThousands(lastMinute.refusals) },
            { header: 'Tokens', align: 'right', cell: ({ lastMinute }) => groupThousands(lastMinute.tokens) },
            {
              header: 'Ledger queue',
              align: 'right',
              cell: ({ queuedOperations }) => groupThousands(queuedOperations),
            },
            { header: 'Batch', align: 'right', cell: showBatch },
            { header: 'Leased credits', align: 'right', cell: showLeased },
          ]}
        />
      )}
    </SectionCard>
  );
}

function Name({ process: { id, version, startedAt, reportedAt, isSilent } }: { process: Process }) {
  return (
    <>
      <code>{id}</code>{' '}
      <Text size="sm" c="dimmed" span>
        {version},{' '}
        {isSilent ? (
          <>
            last heard <RelativeTime at={reportedAt} />
          </>
        ) : (
          <>
            started <RelativeTime at={startedAt} />
          </>
        )}
      </Text>{' '}
      {isSilent && <strong>Silent</strong>}
    </>
  );
}

function showRunning({ callsRunning, streamsOpen }: Process): string {
  return streamsOpen === 0 ? groupThousands(callsRunning) : `${callsRunning} (${streamsOpen} streams)`;
}

/** Operations that shared a commit, on average. */
function showBatch({ lastMinute: { commits, operations } }: Process): string {
  return commits === 0 ? '–' : (operations / commits).toFixed(1);
}

function showLeased({ leases: { count, leased, reserved } }: Process): string {
  return count === 0 ? '–' : `${formatCredits(leased)}, ${formatCredits(reserved)} reserved`;
}

const jobWords: Readonly<Record<string, string>> = {
  hold_sweep: 'Return credits reserved by ended calls',
  receipts: 'Remove receipts past their time',
  usage_sets: 'Sum up usage by hour',
  usage_totals: 'Sum up usage of all accounts',
  journal_hours: 'Sum up the journal by the hour',
  purchases: 'Ask the payment service about open purchases',
  top_ups: 'Automatic top-ups and balance alerts',
};

/** What processes do by themselves, and when it was last done by any of them. */
export function Jobs({ processes }: { processes: readonly Process[] }) {
  const running = processes.filter(({ isSilent }) => !isSilent);
  const lastDoneOf = new Map<string, string | null>();
  for (const { name, lastDoneAt = null } of running.flatMap(({ jobs }) => jobs)) {
    const known = lastDoneOf.get(name) ?? null;
    lastDoneOf.set(name, known === null || (lastDoneAt !== null && lastDoneAt > known) ? lastDoneAt : known);
  }
  return (
    <SectionCard
      title="Jobs"
      description="What servers do in the background. The label job_name at /metrics has the same names."
    >
      {lastDoneOf.size === 0 ? (
        <Text size="sm">None.</Text>
      ) : (
        <RecordTable
          label="Jobs"
          narrow={RecordLines}
          rows={[...lastDoneOf]}
          keyOf={([name]) => name}
          columns={[
            { header: 'Job', card: 'title', cell: ([name]) => jobWords[name] ?? name },
            { header: 'Name', cell: ([name]) => <code>{name}</code> },
            {
              header: 'Last done',
              card: 'figure',
              cell: ([, lastDoneAt]) =>
                lastDoneAt === null ? 'not since the start' : <RelativeTime at={lastDoneAt} />,
            },
          ]}
        />
      )}
    </SectionCard>
  );
}
