import { useMutation, useQuery } from '@apollo/client/react';
import { Alert, Anchor, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import { BusyButton } from '../../components/buttons/busy-button';
import { ErrorPanel } from '../../components/error-panel';
import { FormFault } from '../../components/form-fault';
import { PageHeader } from '../../components/page-header';
import { SectionCard } from '../../components/section-card';
import { RecordSkeleton, RecordTable } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import type { OperatorSetupQuery } from '../../gql/graphql';
import { graphqlErrorSentence } from '../../lib/graphql-error-message';
import { SignUpCard } from './accounts/sign-up-card';
import type { May } from './operator-console';
import { RetentionCard } from './retention-card';

const OperatorSetupDocument = graphql(`
  query OperatorSetup {
    operator {
      setup {
        publicUrl
        isProduction
        findings {
          check
          standing
          text
          remedy
        }
      }
    }
  }
`);

const SendTestMailDocument = graphql(`
  mutation OperatorSendTestMail {
    operator {
      sendTestMail {
        isSent
        fault
      }
    }
  }
`);

const SendTestEventDocument = graphql(`
  mutation OperatorSendTestEvent {
    operator {
      sendTestEvent {
        isReceived
        fault
      }
    }
  }
`);

type Setup = OperatorSetupQuery['operator']['setup'];

/** The steps in their order: what the server calls a check, what people call it, and where it is set. */
const steps: readonly { check: string; title: string; page?: { to: string; label: string } }[] = [
  { check: 'exposure', title: 'Public address and exposure', page: { to: paths.operatorAbuse(), label: 'Abuse' } },
  { check: 'models', title: 'Providers', page: { to: paths.operatorProviders(), label: 'Keys and test calls' } },
  { check: 'stripe', title: 'Payments', page: { to: paths.operatorMoney(), label: 'Money' } },
  { check: 'mail', title: 'Mail' },
  { check: 'redis', title: 'Redis' },
  { check: 'disk', title: 'Disk' },
];
const standings = { OK: 'done', WARNING: 'not safe for the public', FAILED: 'not working', OFF: 'not set' } as const;

/** What is set, what is missing before strangers can come, and where it is set. */
export function SetupPage({ may }: { may: May }) {
  const { data, error, loading, refetch } = useQuery(OperatorSetupDocument, { notifyOnNetworkStatusChange: true });
  const setup = data?.operator.setup;
  return (
    <>
      <PageHeader
        title="Setup"
        description="What this server depends on, and what is missing before it can be public."
      />
      {error && !data && <ErrorPanel title="The setup could not be loaded" error={error} onRetry={refetch} />}
      {!setup && !error && <RecordSkeleton rows={6} />}
      {setup && (
        <Stack gap="lg">
          <Steps setup={setup} />
          <SignUpCard may={may} />
          <RetentionCard may={may} />
          <Group>
            <BusyButton
              size="xs"
              variant="default"
              isBusy={loading}
              onClick={() => void refetch().catch(() => undefined)}
            >
              Look again
            </BusyButton>
            {may('sendTestMail') && <TestMail />}
            {may('sendTestEvent') && <TestEvent />}
          </Group>
          <Text size="sm">
            Environment settings need a restart. To check the database and waiting settlements, run{' '}
            <code>tollgate doctor</code>.
          </Text>
        </Stack>
      )}
    </>
  );
}

function Steps({ setup: { publicUrl, isProduction, findings } }: { setup: Setup }) {
  const rows = steps.flatMap((step) =>
    findings
      .filter(({ check }) => check === step.check)
      .map((finding, at, all) => ({ ...finding, ...step, title: numbered(step.title, at, all.length) })),
  );
  return (
    <SectionCard
      title="Steps"
      description={`Its public address is ${publicUrl}${isProduction ? '' : '; NODE_ENV is not production'}.`}
    >
      <RecordTable
        label="Steps"
        rows={rows}
        keyOf={({ title }) => title}
        columns={[
          { header: 'Step', card: 'title', cell: ({ title }) => title },
          { header: 'State', cell: ({ standing }) => <span className="unbroken">{standings[standing]}</span> },
          { header: 'Found', cell: ({ text }) => text },
          { header: 'To do', cell: ({ remedy }) => remedy || null },
          {
            header: 'Where',
            cell: ({ page }) =>
              page !== undefined && (
                <Anchor component={Link} to={page.to} inherit underline="always" className="lone-link">
                  {page.label}
                </Anchor>
              ),
          },
        ]}
      />
    </SectionCard>
  );
}

/** Two disks, or two things that strangers could make use of, are told apart. */
function numbered(title: string, at: number, count: number): string {
  return count === 1 ? title : `${title} (${at + 1} of ${count})`;
}

interface Trial {
  readonly isGood: boolean;
  readonly fault: string | null;
}

function TestMail() {
  const [send] = useMutation(SendTestMailDocument);
  const attempt = async (): Promise<Trial> => {
    const trial = (await send()).data?.operator.sendTestMail;
    return { isGood: trial?.isSent === true, fault: trial?.fault ?? null };
  };
  return (
    <TrialButton label="Send me a test mail" done="The mail server accepted it. Check your inbox." attempt={attempt} />
  );
}

function TestEvent() {
  const [send] = useMutation(SendTestEventDocument);
  const attempt = async (): Promise<Trial> => {
    const trial = (await send()).data?.operator.sendTestEvent;
    return { isGood: trial?.isReceived === true, fault: trial?.fault ?? null };
  };
  return (
    <TrialButton label="Have Stripe send a test event" done="Stripe sent one, and it arrived." attempt={attempt} />
  );
}

/** A button that tries something, and what came of it. */
function TrialButton({ label, done, attempt }: { label: string; done: string; attempt: () => Promise<Trial> }) {
  const [isBusy, setIsBusy] = useState(false);
  const [trial, setTrial] = useState<Trial | null>(null);
  const tryIt = async () => {
    setTrial(null);
    setIsBusy(true);
    setTrial(await attempt().catch((error: unknown) => ({ isGood: false, fault: graphqlErrorSentence(error) })));
    setIsBusy(false);
  };
  return (
    <>
      <BusyButton size="xs" variant="default" isBusy={isBusy} onClick={() => void tryIt()}>
        {label}
      </BusyButton>
      {trial?.isGood && (
        <Alert color="pine" role="status">
          {done}
        </Alert>
      )}
      <FormFault fault={trial && !trial.isGood ? trial.fault : null} />
    </>
  );
}
