import { useQuery } from '@apollo/client/react';
import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import { ErrorPanel } from '../../components/error-panel';
import { SectionCard } from '../../components/section-card';
import { RecordSkeleton } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import type { OperatorAttentionQuery } from '../../gql/graphql';
import { groupThousands } from '../../lib/format/format-credits';
import { formatShare } from '../../lib/reports/usage-series';
import classes from './operator.module.css';

const OperatorAttentionDocument = graphql(`
  query OperatorAttention {
    operator {
      catalogueStanding {
        fault
      }
      providers {
        id
        name
        isOn
        retryAt
      }
      watch {
        processes {
          id
          isSilent
          callsRunning
          lastMinute {
            calls
            failedCalls
            refusals
          }
        }
        outbox {
          givenUp
        }
        settlements {
          waiting
          quarantined
        }
        quarantinedEvents {
          id
        }
        audit {
          violations
        }
      }
    }
  }
`);

type Answered = OperatorAttentionQuery['operator'];

interface Trouble {
  readonly words: string;
  readonly to: string;
  readonly page: string;
}

/** What is wrong now, the worst first, with the page that mends it, and how much is going on; read again every ten seconds. */
export function AttentionCard() {
  const { data, error, refetch } = useQuery(OperatorAttentionDocument, { pollInterval: 10_000 });
  if (error && !data) return <ErrorPanel title="The state could not be loaded" error={error} onRetry={refetch} />;
  if (!data) return <RecordSkeleton rows={4} />;
  const troubles = listTroubles(data.operator);
  return (
    <SectionCard title={troubles.length === 0 ? 'Nothing needs attention' : 'Needs attention'}>
      {troubles.length > 0 && (
        <ul className={classes.troubles}>
          {troubles.map(({ words, to, page }) => (
            <li key={words}>
              {words}{' '}
              <Anchor component={Link} to={to} inherit underline="always">
                {page}
              </Anchor>
            </li>
          ))}
        </ul>
      )}
      <Traffic processes={data.operator.watch.processes} />
    </SectionCard>
  );
}

function listTroubles({ catalogueStanding, providers, watch }: Answered): Trouble[] {
  const { audit, outbox, processes, quarantinedEvents, settlements } = watch;
  const watching = { to: paths.operatorWatch(), page: 'Watching' };
  const money = { to: paths.operatorMoney(), page: 'Money' };
  const atProviders = { to: paths.operatorProviders(), page: 'Providers' };
  const counted = [
    [audit.violations ?? 0, 'broken invariant of the ledger', 'broken invariants of the ledger', watching],
    [settlements.quarantined, 'settlement was refused', 'settlements were refused', money],
    [quarantinedEvents.length, 'payment does not match a purchase', 'payments do not match a purchase', money],
    [settlements.waiting, 'settlement is waiting to be booked', 'settlements are waiting to be booked', watching],
    [processes.filter(({ isSilent }) => isSilent).length, 'process is silent', 'processes are silent', watching],
    [outbox.givenUp, 'notice could not be delivered', 'notices could not be delivered', watching],
  ] as const;
  const paused = providers.filter(({ retryAt }) => retryAt != null).map(({ name }) => name);
  return [
    ...counted.flatMap(([count, one, many, page]) =>
      count === 0 ? [] : [{ words: `${groupThousands(count)} ${count === 1 ? one : many}.`, ...page }],
    ),
    ...(paused.length === 0 ? [] : [{ words: `Paused after failures: ${paused.join(', ')}.`, ...atProviders }]),
    ...(providers.some(({ isOn }) => isOn) ? [] : [{ words: 'No provider answers any model.', ...atProviders }]),
    ...(catalogueStanding.fault == null
      ? []
      : [{ words: `The last change of providers or prices failed: ${catalogueStanding.fault}`, ...atProviders }]),
  ];
}

/** Over all processes that report. */
function Traffic({ processes }: { processes: Answered['watch']['processes'] }) {
  const live = processes.filter(({ isSilent }) => !isSilent);
  const sum = (figure: (process: (typeof live)[number]) => number) => live.reduce((all, one) => all + figure(one), 0);
  const calls = sum(({ lastMinute }) => lastMinute.calls);
  const failed = sum(({ lastMinute }) => lastMinute.failedCalls);
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        Traffic in the last minute
      </Text>
      <dl className={classes.figures}>
        <div>
          <dt>Calls</dt>
          <dd>{groupThousands(calls)}</dd>
        </div>
        <div>
          <dt>Failed</dt>
          <dd>{calls === 0 ? '–' : formatShare(failed, calls)}</dd>
        </div>
        <div>
          <dt>Refused</dt>
          <dd>{groupThousands(sum(({ lastMinute }) => lastMinute.refusals))}</dd>
        </div>
        <div>
          <dt>Running now</dt>
          <dd>{groupThousands(sum(({ callsRunning }) => callsRunning))}</dd>
        </div>
      </dl>
    </>
  );
}
