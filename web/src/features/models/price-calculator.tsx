import { useQuery } from '@apollo/client/react';
import { NumberInput, Select, SimpleGrid } from '@mantine/core';
import { useState } from 'react';
import { SectionCard } from '../../components/section-card';
import { graphql } from '../../gql';
import { formatMillicreditsAsDollars, formatPrice, priceOfCalls } from '../../lib/call-price';
import { formatCredits, toMillicredits } from '../../lib/format-credits';
import classes from './model-list.module.css';

const TiersDocument = graphql(`
  query Tiers {
    models {
      id
      tier
      creditsPerThousandTokens
    }
  }
`);

const tokensMax = 10_000_000;
const callsMax = 1_000_000_000;

/** What calls of some size cost: one of them, and a month of them. */
export function PriceCalculator() {
  const { data } = useQuery(TiersDocument);
  const [promptTokens, setPromptTokens] = useState(1_500);
  const [completionTokens, setCompletionTokens] = useState(500);
  const [callsPerDay, setCallsPerDay] = useState(1_000);
  const [chosenTier, setTier] = useState<string | null>(null);
  const prices = new Map(data?.models.map(({ tier, creditsPerThousandTokens }) => [tier, creditsPerThousandTokens]));
  const tier = chosenTier ?? [...prices.keys()][0] ?? null;
  // Credits for 1,000 tokens are millicredits for one.
  const millicreditsPerToken = toMillicredits(prices.get(tier ?? '') ?? 0) / 1_000n;
  const plan = { promptTokens, completionTokens, millicreditsPerToken };
  const monthly = priceOfCalls({ ...plan, calls: callsPerDay * 30 });
  const single = priceOfCalls({ ...plan, calls: 1 });

  return (
    <SectionCard
      title="What would it cost?"
      description="Prompt and answer cost the same; there is nothing beside them."
    >
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="md">
        <Select
          size="md"
          label="Tier"
          data={[...prices].map(([value, price]) => ({ value, label: `${value}, ${formatCredits(price)} per 1,000` }))}
          value={tier}
          onChange={setTier}
          allowDeselect={false}
        />
        <Count label="Prompt tokens" value={promptTokens} onChange={setPromptTokens} max={tokensMax} />
        <Count label="Answer tokens" value={completionTokens} onChange={setCompletionTokens} max={tokensMax} />
        <Count label="Calls per day" value={callsPerDay} onChange={setCallsPerDay} max={callsMax} />
      </SimpleGrid>
      <dl className={classes.sum} aria-live="polite">
        <div>
          <dt>One call</dt>
          <dd>{formatPrice(single)} credits</dd>
        </div>
        <div>
          <dt>One call in dollars</dt>
          <dd>{formatMillicreditsAsDollars(single)}</dd>
        </div>
        <div>
          <dt>30 days</dt>
          <dd>{formatPrice(monthly)} credits</dd>
        </div>
        <div>
          <dt>30 days in dollars</dt>
          <dd>{formatMillicreditsAsDollars(monthly)}</dd>
        </div>
      </dl>
    </SectionCard>
  );
}

interface CountProps {
  label: string;
  value: number;
  onChange: (value: number) => void;
  max: number;
}

function Count({ label, value, onChange, max }: CountProps) {
  return (
    <NumberInput
      label={label}
      value={value}
      min={0}
      max={max}
      clampBehavior="strict"
      allowDecimal={false}
      thousandSeparator=","
      onChange={(next) => onChange(typeof next === 'number' ? next : 0)}
    />
  );
}
