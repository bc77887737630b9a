import { useQuery } from '@apollo/client/react';
import { Skeleton, Stack } from '@mantine/core';
import { paths } from '../../app/paths';
import { EmptyState } from '../../components/empty-state';
import { ErrorPanel } from '../../components/error-panel';
import { IconChartBar } from '../../components/icons';
import { LinkButton } from '../../components/link-button';
import { KeptAnswer } from '../../components/reports/kept-answer';
import { SectionCard } from '../../components/section-card';
import type { ExploreQuery } from '../../gql/graphql';
import { toExploreView } from '../../lib/reports/explore-view';
import { mayDo } from '../../lib/session/roles';
import { useRole } from '../../lib/session/use-role';
import { ExploreControls } from './explore-controls';
import { ExploreDocument } from './explore-document';
import { ExploreGroups } from './explore-figures';
import { ExploreResult } from './explore-result';
import { type ExploreChoices, useExploreChoices } from './use-explore-choices';

/** What the server orders groups by whose figures do not add up. */
const orderWords: Readonly<Record<string, string>> = { FAILURES: 'most failures', TIMES: 'most requests' };

/** Any figure, divided by up to two things, over any time. The address keeps every choice. */
export function ExplorePage() {
  const choices = useExploreChoices();
  const { data, error, refetch } = useQuery(ExploreDocument, {
    variables: { input: choices.input, isTimed: choices.metric.asked === 'TIMES' },
  });
  return (
    <Stack gap="lg">
      <section aria-label="What is shown">
        <ExploreControls choices={choices} />
      </section>
      {error && <ErrorPanel title="The report could not be loaded" error={error} onRetry={refetch} />}
      {!error && (
        <KeptAnswer outline={<Skeleton height={460} radius="lg" aria-hidden="true" />}>
          {data ? <Found data={data} choices={choices} /> : null}
        </KeptAnswer>
      )}
    </Stack>
  );
}

function Found({ data, choices }: { data: ExploreQuery; choices: ExploreChoices }) {
  const mayTry = mayDo(useRole(), 'build');
  const { explore, apiKeys } = data;
  if (explore.total.sums.calls === 0) {
    return (
      <SectionCard title="No requests in this time">
        <EmptyState
          icon={<IconChartBar size={24} />}
          title="No matching requests"
          action={mayTry && <LinkButton to={paths.playground()}>Try a model</LinkButton>}
        >
          Remove a filter, choose a longer time, or make a call.
        </EmptyState>
      </SectionCard>
    );
  }
  const view = toExploreView(explore, choices.metric, choices.dimensions, apiKeys);
  return (
    <>
      <ExploreResult
        view={view}
        choices={choices}
        arePartial={explore.areTimesPartial}
        coveredFrom={explore.coveredFrom ?? null}
      />
      {choices.dimensions.length > 0 && (
        <SectionCard
          title="Groups"
          description={`Over the whole period, ${orderWords[choices.metric.asked] ?? 'the largest'} first.`}
        >
          <ExploreGroups view={view} choices={choices} />
        </SectionCard>
      )}
    </>
  );
}
