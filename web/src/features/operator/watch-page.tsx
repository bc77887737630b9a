import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorPanel } from '../../components/error-panel';
import { FormFault } from '../../components/form-fault';
import { PageHeader } from '../../components/page-header';
import { RecordSkeleton, RecordTable } from '../../components/record-table';
import { RelativeTime } from '../../components/relative-time';
import { SectionCard } from '../../components/section-card';
import { graphql } from '../../gql';
import type { OperatorWatchQuery } from '../../gql/graphql';
import { graphqlErrorSentence } from '../../lib/graphql-error-message';
import { AnnouncementCard } from './announcement-card';
import { CallTimes } from './call-times';
import classes from './operator.module.css';
import type { May } from './operator-console';
import { PaymentFaultTable } from './payment-fault-table';

const OperatorWatchDocument = graphql(`
  query OperatorWatch {
    operator {
      watch {
        instances {
          id
          seenAt
        }
        outbox {
          waiting
          givenUp
        }
        givenUpNotices(first: 50) {
          id
          title
          channel
          attempts
          createdAt
        }
        settlements {
          waiting
          oldestAt
          quarantined
        }
        quarantinedEvents {
          id
          type
          reason
          purchaseId
          receivedAt
        }
        audit {
          verifiedAt
          allVerifiedAt
          violations
        }
      }
    }
  }
`);

const ResendDocument = graphql(`
  mutation OperatorResendNotice($id: ID!) {
    operator {
      resendNotice(id: $id)
    }
  }
`);

type Watch = OperatorWatchQuery['operator']['watch'];

/** How the installation stands, read again every ten seconds. */
export function WatchPage({ may }: { may: May }) {
  const { data, error, refetch } = useQuery(OperatorWatchDocument, { pollInterval: 10_000 });
  return (
    <>
      <PageHeader title="Watching" description="What somebody has to look at. All figures are at /metrics as well." />
      {error && !data && <ErrorPanel title="Nothing could be read" error={error} onRetry={refetch} />}
      {!data && !error && <RecordSkeleton rows={8} />}
      {data && (
        <Stack gap="lg">
          <Figures watch={data.operator.watch} />
          <AnnouncementCard may={may} />
          <CallTimes />
          <GivenUp watch={data.operator.watch} mayResend={may('resendNotice')} onResent={refetch} />
          <Quarantined watch={data.operator.watch} />
          <Instances watch={data.operator.watch} />
        </Stack>
      )}
    </>
  );
}

function Figures({ watch: { audit, outbox, settlements } }: { watch: Watch }) {
  const broken = audit.violations ?? null;
  return (
    <SectionCard title="Figures" description="Audit and settlements are of the process that answered.">
      <dl className={classes.figures}>
        <div>
          <dt>Ledger</dt>
          <dd>
            {broken === null ? 'not looked at yet' : broken === 0 ? 'adds up' : `${broken} invariants are broken`}
          </dd>
        </div>
        <div>
          <dt>Last look</dt>
          <dd>{audit.verifiedAt ? <RelativeTime at={audit.verifiedAt} /> : '–'}</dd>
        </div>
        <div>
          <dt>Settlements that wait</dt>
          <dd>{settlements.waiting}</dd>
        </div>
        <div>
          <dt>Settlements refused</dt>
          <dd>{settlements.quarantined}</dd>
        </div>
        <div>
          <dt>Notices that wait</dt>
          <dd>{outbox.waiting}</dd>
        </div>
        <div>
          <dt>Notices given up</dt>
          <dd>{outbox.givenUp}</dd>
        </div>
      </dl>
    </SectionCard>
  );
}

interface GivenUpProps {
  watch: Watch;
  mayResend: boolean;
  onResent: () => Promise<unknown>;
}

function GivenUp({ watch: { givenUpNotices }, mayResend, onResent }: GivenUpProps) {
  const [resend, { loading }] = useMutation(ResendDocument);
  const [fault, setFault] = useState<string | null>(null);
  const again = async (id: string) => {
    setFault(null);
    try {
      await resend({ variables: { id } });
      await onResent();
    } catch (error) {
      setFault(graphqlErrorSentence(error));
    }
  };
  return (
    <SectionCard title="Notices that were given up">
      <FormFault fault={fault} />
      {givenUpNotices.length === 0 ? (
        <Text size="sm">None.</Text>
      ) : (
        <RecordTable
          label="Notices that were given up"
          rows={givenUpNotices}
          keyOf={({ id }) => id}
          columns={[
            { header: 'Notice', card: 'title', cell: ({ title }) => title },
            { header: 'By', cell: ({ channel }) => channel },
            { header: 'Written', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
            {
              header: 'Change',
              cell: ({ id }) =>
                mayResend ? (
                  <Button size="xs" variant="default" disabled={loading} onClick={() => void again(id)}>
                    Send again
                  </Button>
                ) : null,
            },
          ]}
        />
      )}
    </SectionCard>
  );
}

function Quarantined({ watch: { quarantinedEvents } }: { watch: Watch }) {
  return (
    <SectionCard title="Payments that do not fit" description="Look each up at the payment service by its id.">
      <PaymentFaultTable events={quarantinedEvents} />
    </SectionCard>
  );
}

function Instances({ watch: { instances } }: { watch: Watch }) {
  return (
    <SectionCard title="Instances">
      {instances.length === 0 ? (
        <Text size="sm">One process, on SQLite.</Text>
      ) : (
        <RecordTable
          label="Instances"
          rows={instances}
          keyOf={({ id }) => id}
          columns={[
            { header: 'Instance', card: 'title', cell: ({ id }) => <code>{id}</code> },
            { header: 'Last sign of life', cell: ({ seenAt }) => <RelativeTime at={seenAt} /> },
          ]}
        />
      )}
    </SectionCard>
  );
}
