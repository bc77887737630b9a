import { useQuery } from '@apollo/client/react';
import { Anchor, Stack } from '@mantine/core';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import { ErrorPanel } from '../../components/error-panel';
import { SectionCard } from '../../components/section-card';
import { RecordSkeleton, RecordTable } from '../../components/tables/record-table';
import { graphql } from '../../gql';
import { formatCredits, groupThousands } from '../../lib/format/format-credits';
import { formatDollarsPerMillion } from '../../lib/requests/call-price';
import { affordableTokens } from '../../lib/requests/token-cost';
import classes from './model-list.module.css';

const TierPricesDocument = graphql(`
  query TierPrices {
    models {
      id
      tier
      creditsPerThousandTokens
    }
    creditPacks {
      id
      dollars
      credits
    }
  }
`);

/** What each tier costs, and what is promised of every price. */
export function TierPrices() {
  const { data, error, refetch } = useQuery(TierPricesDocument);
  const prices = new Map(data?.models.map(({ tier, creditsPerThousandTokens }) => [tier, creditsPerThousandTokens]));
  const tiers = [...prices]
    .map(([tier, price]) => ({ tier, price, count: data?.models.filter((model) => model.tier === tier).length ?? 0 }))
    .sort((one, other) => one.price - other.price);
  return (
    <SectionCard title="Tiers" description="Every model belongs to one tier.">
      {error && <ErrorPanel title="The prices could not be loaded" error={error} onRetry={refetch} />}
      {!data && !error && <RecordSkeleton rows={2} />}
      {data && (
        <Stack gap="md">
          <RecordTable
            label="Tiers"
            rows={tiers}
            keyOf={({ tier }) => tier}
            columns={[
              { header: 'Tier', card: 'title', cell: ({ tier }) => tier },
              { header: '$ / 1M tokens', align: 'right', cell: ({ price }) => formatDollarsPerMillion(price) },
              { header: 'Credits / 1,000 tokens', align: 'right', cell: ({ price }) => formatCredits(price) },
              {
                header: 'Tokens per dollar',
                align: 'right',
                cell: ({ price }) => groupThousands(affordableTokens(1_000, price)),
              },
              { header: 'Models', align: 'right', cell: ({ count }) => groupThousands(count) },
            ]}
          />
          <ul className={classes.promises}>
            <li>A call that produced nothing is free, and nobody is charged twice for one answer.</li>
            <li>Usage never takes your balance below zero, so there is no bill afterwards.</li>
            {data.creditPacks.length > 0 && (
              <li>
                Packs of {data.creditPacks.map(({ dollars }) => `$${dollars}`).join(', ')}, or any amount from $5 to
                $1,000.
              </li>
            )}
          </ul>
          <Anchor component={Link} to={paths.models()} size="sm" className="lone-link">
            The price of each model
          </Anchor>
        </Stack>
      )}
    </SectionCard>
  );
}
