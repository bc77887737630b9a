import { useQuery } from '@apollo/client/react';
import { SimpleGrid, Skeleton, Stack } from '@mantine/core';
import { useEffect, useState } from 'react';
import { pageHeadings } from '../../app/page-headings';
import { ErrorPanel } from '../../components/error-panel';
import { InPieces } from '../../components/in-pieces';
import { PageHeader } from '../../components/page-header';
import { graphql } from '../../gql';
import type { OverviewQuery } from '../../gql/graphql';
import { wholeBalance } from '../../lib/format/whole-balance';
import { chooseSnippetModel } from '../../lib/quickstart-snippets';
import { runwayDays } from '../../lib/reports/spending';
import { mayDo } from '../../lib/session/roles';
import { useNow } from '../../lib/use-now';
import { BalancePanel } from './balance-panel';
import { KeySpending } from './key-spending';
import { LowBalanceBanner } from './low-balance-banner';
import { QuickstartCard } from './quickstart-card';
import { RecentCalls } from './recent-calls';
import { SetupChecklist, type SetupSteps } from './setup-checklist';
import { SpendingCards } from './spending-cards';
import { UnverifiedEmailBanner } from './unverified-email-banner';
import { useFirstKey } from './use-first-key';
import { useLiveBalance } from './use-live-balance';
import { useSpending } from './use-spending';

const OverviewDocument = graphql(`
  query Overview {
    person {
      id
      email
      emailVerifiedAt
    }
    viewer {
      id
      isMailSent
      role
      debt
      isFrozen
      frozenFor
      balance {
        available
        held
      }
    }
    apiKeys {
      id
      name
      revokedAt
    }
    purchases(first: 20) {
      edges {
        cursor
        node {
          id
          status
        }
      }
    }
    calls(first: 5) {
      edges {
        cursor
        node {
          id
          startedAt
          outcome
          model
          promptTokens
          completionTokens
          charged
        }
      }
    }
    models {
      id
      tier
      creditsPerThousandTokens
      isDemo
    }
  }
`);

const pollWhileSettingUpMs = 5_000;
const pollOnceSetUpMs = 30_000;

/** Balance, the way to the first call, and the latest calls; renews itself. */
export function OverviewPage() {
  const { data, error, refetch, startPolling } = useQuery(OverviewDocument, {
    pollInterval: pollWhileSettingUpMs,
    skipPollAttempt: () => document.hidden,
  });
  const isSetUp = data !== undefined && isComplete(setupSteps(data));
  useEffect(() => startPolling(isSetUp ? pollOnceSetUpMs : pollWhileSettingUpMs), [isSetUp, startPolling]);

  // Without a viewer the session is over, and the gate around this page is already leading to sign-in.
  if (data?.viewer) {
    return (
      <InPieces outline={<OverviewSkeleton />}>
        <LoadedOverview data={data} viewer={data.viewer} error={error} onRetry={refetch} />
      </InPieces>
    );
  }
  if (error) {
    return (
      <>
        <PageHeader {...pageHeadings.overview} />
        <ErrorPanel title="The overview could not be loaded" error={error} onRetry={refetch} />
      </>
    );
  }
  return <OverviewSkeleton />;
}

interface LoadedOverviewProps {
  data: OverviewQuery;
  viewer: NonNullable<OverviewQuery['viewer']>;
  error: unknown;
  onRetry: () => unknown;
}

function LoadedOverview({ data, viewer, error, onRetry }: LoadedOverviewProps) {
  const steps = setupSteps(data);
  const { person } = data;
  const canBuild = mayDo(viewer.role, 'build');
  // A list that is completed while one looks stays to show its three green marks; later visits do without it.
  const [isGuiding] = useState(!isComplete(steps) && mayDo(viewer.role, 'manage'));
  const firstKey = useFirstKey();
  useLiveBalance(viewer.id);
  const { spending, error: spendingError, refetch: retrySpending } = useSpending();
  const nowMs = useNow(60_000).getTime();
  const days = spending ? runwayDays(wholeBalance(viewer.balance), spending.daily, nowMs) : null;
  const recentCalls = <RecentCalls calls={data.calls.edges.map((edge) => edge.node)} />;
  return (
    <>
      <PageHeader {...pageHeadings.overview} />
      <Stack gap="lg">
        {viewer.isMailSent && person?.emailVerifiedAt === null && <UnverifiedEmailBanner email={person.email} />}
        {!isGuiding && !viewer.isFrozen && <LowBalanceBanner balance={viewer.balance} days={days} />}
        {error !== undefined && (
          <ErrorPanel title="The figures below may be out of date" error={error} onRetry={onRetry} />
        )}
        <SimpleGrid cols={{ base: 1, md: isGuiding ? 2 : 1 }} spacing="lg">
          <BalancePanel balance={viewer.balance} frozenFor={viewer.frozenFor} models={data.models} days={days} />
          {isGuiding && (
            <SetupChecklist
              steps={steps}
              firstKey={firstKey}
              model={chooseSnippetModel(data.models) ?? 'gpt-4o-mini'}
            />
          )}
        </SimpleGrid>
        {!isGuiding && <SpendingCards spending={spending} error={spendingError} onRetry={retrySpending} />}
        {!isGuiding && <KeySpending />}
        {!isGuiding && recentCalls}
        {canBuild && (
          <QuickstartCard activeKeyId={findActiveKey(data)?.id ?? null} firstKey={firstKey} models={data.models} />
        )}
        {isGuiding && recentCalls}
      </Stack>
    </>
  );
}

function findActiveKey(data: OverviewQuery) {
  return data.apiKeys.find((key) => !key.revokedAt) ?? null;
}

function setupSteps(data: OverviewQuery): SetupSteps {
  const hasCredits = data.viewer != null && wholeBalance(data.viewer.balance) > 0;
  return {
    hasKey: findActiveKey(data) !== null,
    hasCredits: hasCredits || data.purchases.edges.some((edge) => edge.node.status === 'PAID'),
    hasCalled: data.calls.edges.length > 0,
  };
}

function isComplete(steps: SetupSteps): boolean {
  return steps.hasKey && steps.hasCredits && steps.hasCalled;
}

function OverviewSkeleton() {
  return (
    <>
      <PageHeader {...pageHeadings.overview} />
      <Stack gap="lg" aria-hidden="true">
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
          <Skeleton height={230} radius="lg" />
          <Skeleton height={230} radius="lg" />
        </SimpleGrid>
        <Skeleton height={300} radius="lg" />
      </Stack>
    </>
  );
}
