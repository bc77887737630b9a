import { useMutation, useQuery } from '@apollo/client/react';
import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { ErrorPanel } from '../../../components/error-panel';
import { PageHeader } from '../../../components/page-header';
import { RelativeTime } from '../../../components/relative-time';
import { SectionCard } from '../../../components/section-card';
import { FoldedTable } from '../../../components/tables/folded-table';
import { RecordLines } from '../../../components/tables/record-lines';
import { RecordSkeleton, RecordTable } from '../../../components/tables/record-table';
import { graphql } from '../../../gql';
import type { OperatorPricesQuery } from '../../../gql/graphql';
import { formatCredits } from '../../../lib/format/format-credits';
import { type Act, ActDialog } from '../act-dialog';
import type { May } from '../operator-console';
import { readAgain } from '../read-again';
import { PriceForm } from './price-form';
import { PriceGroups } from './price-groups';

const OperatorPricesDocument = graphql(`
  query OperatorPrices {
    operator {
      prices {
        document
        versions {
          number
          effectiveAt
          createdBy
          withdrawnAt
          isInForce
        }
        models {
          id
          tier
          creditsPerThousandTokens
          setIn
        }
      }
    }
  }
`);

const WithdrawDocument = graphql(`
  mutation OperatorWithdrawPrices($number: Int!, $reason: String!) {
    operator {
      withdrawPrices(number: $number, reason: $reason)
    }
  }
`);

type Prices = OperatorPricesQuery['operator']['prices'];
type Version = Prices['versions'][number];

const setInWords = { BUILT_IN: 'built in', ENVIRONMENT: 'environment', FILE: 'tollgate.yaml', DATABASE: 'set here' };

/** Models and prices: what is in force and where it is set, and what is to be. */
export function PricesPage({ may }: { may: May }) {
  const { data, error, refetch } = useQuery(OperatorPricesDocument);
  const [withdraw] = useMutation(WithdrawDocument);
  const [act, setAct] = useState<Act | null>(null);
  const toWithdraw = (number: number): Act => ({
    label: 'Withdraw',
    words: `Version ${number} will not take effect.`,
    run: async ({ reason }) => {
      await withdraw({ variables: { number, reason } });
      return readAgain(refetch);
    },
  });
  const prices = data?.operator.prices;
  const inForce = prices?.versions.find(({ isInForce }) => isInForce)?.number ?? null;
  return (
    <>
      <PageHeader
        title="Prices"
        description="Prices set here override tollgate.yaml, on every server within seconds. Running calls keep their price."
      />
      {error && !data && <ErrorPanel title="Prices could not be loaded" error={error} onRetry={refetch} />}
      {!data && !error && <RecordSkeleton rows={8} />}
      {prices && (
        <Stack gap="lg">
          {may('applyPrices') && (
            <PriceForm key={inForce} document={prices.document} version={inForce} onAct={setAct} onDone={refetch} />
          )}
          <Versions
            versions={prices.versions}
            onWithdraw={may('withdrawPrices') ? (number) => setAct(toWithdraw(number)) : null}
          />
          <PriceGroups may={may} onAct={setAct} />
          <Models models={prices.models} />
        </Stack>
      )}
      {act && <ActDialog act={act} onClose={() => setAct(null)} />}
    </>
  );
}

interface VersionsProps {
  versions: readonly Version[];
  /** null: this operator may not. */
  onWithdraw: ((number: number) => void) | null;
}

function Versions({ versions, onWithdraw }: VersionsProps) {
  return (
    <SectionCard title="Versions">
      {versions.length === 0 ? (
        <Text size="sm">None: prices come from tollgate.yaml and the built-in list.</Text>
      ) : (
        <RecordTable
          label="Versions"
          rows={versions}
          keyOf={({ number }) => String(number)}
          columns={[
            { header: 'Version', card: 'title', cell: ({ number }) => number },
            { header: 'From', cell: ({ effectiveAt }) => <RelativeTime at={effectiveAt} /> },
            { header: 'State', cell: stateOf },
            { header: 'By', cell: ({ createdBy }) => createdBy },
            {
              header: 'Actions',
              cell: (version) =>
                onWithdraw !== null && stateOf(version) === 'waits' ? (
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={`Withdraw version ${version.number}`}
                    onClick={() => onWithdraw(version.number)}
                  >
                    Withdraw
                  </Button>
                ) : null,
            },
          ]}
        />
      )}
    </SectionCard>
  );
}

function stateOf({ effectiveAt, isInForce, withdrawnAt }: Version): string {
  if (withdrawnAt) return 'withdrawn';
  if (isInForce) return 'in force';
  return Date.parse(effectiveAt) > Date.now() ? 'waits' : 'replaced';
}

function Models({ models }: { models: Prices['models'] }) {
  return (
    <SectionCard title="Models" description="What callers can use now, at the list price.">
      <FoldedTable
        label="Models"
        narrow={RecordLines}
        what="models"
        rowsShown={20}
        rows={models}
        keyOf={({ id }) => id}
        columns={[
          { header: 'Model', card: 'title', cell: ({ id }) => id },
          {
            header: 'Credits for 1,000 tokens',
            align: 'right',
            card: 'figure',
            cell: (model) => formatCredits(model.creditsPerThousandTokens),
          },
          { header: 'Tier', cell: ({ tier }) => tier },
          { header: 'Set in', cell: ({ setIn }) => setInWords[setIn] },
        ]}
      />
    </SectionCard>
  );
}
