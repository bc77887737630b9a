import { useMutation, useQuery } from '@apollo/client/react';
import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { BusyButton } from '../../components/buttons/busy-button';
import { ErrorPanel } from '../../components/error-panel';
import { FormFault } from '../../components/form-fault';
import { PageHeader } from '../../components/page-header';
import { RelativeTime } from '../../components/relative-time';
import { SectionCard } from '../../components/section-card';
import { RecordSkeleton, RecordTable } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import type { OperatorWatchQuery } from '../../gql/graphql';
import { failureSentences } from '../../lib/forms/lost-answers';
import { AnnouncementCard } from './announcement-card';
import { CallTimes } from './call-times';
import { PaymentFaultTable } from './money/payment-fault-table';
import classes from './operator.module.css';
import type { May } from './operator-console';
import { Jobs, Processes } from './processes';

const OperatorWatchDocument = graphql(`
  query OperatorWatch {
    operator {
      watch {
        processes {
          ...OperatorProcessFields
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
      <PageHeader title="Watching" description="How this installation is doing. All figures are at /metrics as well." />
      {error && !data && <ErrorPanel title="The figures could not be loaded" error={error} onRetry={refetch} />}
      {!data && !error && <RecordSkeleton rows={8} />}
      {data && (
        <Stack gap="lg">
          <Figures watch={data.operator.watch} />
          <AnnouncementCard may={may} />
          <Processes processes={data.operator.watch.processes} />
          <CallTimes />
          <GivenUp watch={data.operator.watch} mayResend={may('resendNotice')} onResent={refetch} />
          <Quarantined watch={data.operator.watch} />
          <Jobs processes={data.operator.watch.processes} />
        </Stack>
      )}
    </>
  );
}

function Figures({ watch: { audit, outbox, settlements } }: { watch: Watch }) {
  const broken = audit.violations ?? null;
  return (
    <SectionCard title="Figures" description="Audit and settlements are from the process that answered.">
      <dl className={classes.figures}>
        <div>
          <dt>Ledger</dt>
          <dd>{broken === null ? 'not checked yet' : broken === 0 ? 'adds up' : `${broken} invariants are broken`}</dd>
        </div>
        <div>
          <dt>Last check</dt>
          <dd>{audit.verifiedAt ? <RelativeTime at={audit.verifiedAt} /> : '–'}</dd>
        </div>
        <div>
          <dt>Settlements waiting</dt>
          <dd>{settlements.waiting}</dd>
        </div>
        <div>
          <dt>Settlements refused</dt>
          <dd>{settlements.quarantined}</dd>
        </div>
        <div>
          <dt>Notices waiting</dt>
          <dd>{outbox.waiting}</dd>
        </div>
        <div>
          <dt>Notices not delivered</dt>
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
      setFault(failureSentences(error, { whether: 'whether it was sent again' }));
    }
  };
  return (
    <SectionCard title="Notices not delivered">
      <FormFault fault={fault} />
      {givenUpNotices.length === 0 ? (
        <Text size="sm">None.</Text>
      ) : (
        <RecordTable
          label="Notices not delivered"
          rows={givenUpNotices}
          keyOf={({ id }) => id}
          columns={[
            { header: 'Notice', card: 'title', cell: ({ title }) => title },
            { header: 'By', cell: ({ channel }) => channel },
            { header: 'Written', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
            {
              header: 'Actions',
              cell: ({ id }) =>
                mayResend ? (
                  <BusyButton size="xs" variant="default" isBusy={loading} onClick={() => void again(id)}>
                    Send again
                  </BusyButton>
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
    <SectionCard title="Payments that do not match" description="Find each at the payment service by its id.">
      <PaymentFaultTable events={quarantinedEvents} />
    </SectionCard>
  );
}
