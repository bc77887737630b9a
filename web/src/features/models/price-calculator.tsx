import { useQuery } from '@apollo/client/react';
import { Select, SimpleGrid } from '@mantine/core';
import { useState } from 'react';
import { ErrorPanel } from '../../components/error-panel';
import { NumberField } from '../../components/number-field';
import { SectionCard } from '../../components/section-card';
import { toMillicredits } from '../../lib/format/format-credits';
import { formatDollarsPerMillion, formatExactDollars, formatPrice, priceOfCalls } from '../../lib/requests/call-price';
import { type NoteFault, useFieldFaults } from '../../lib/use-field-faults';
import classes from './model-list.module.css';
import { ModelsDocument } from './models-document';

const tokensMax = 10_000_000;
const callsMax = 1_000_000_000;

/** What requests of some size to a model cost, one of them and a month of them, exactly as they are billed. */
export function PriceCalculator() {
  const { data, error, refetch } = useQuery(ModelsDocument);
  const [promptTokens, setPromptTokens] = useState(1_500);
  const [answerTokens, setAnswerTokens] = useState(500);
  const [requests, setRequests] = useState(30_000);
  const [chosen, setChosen] = useState<string | null>(null);
  const faults = useFieldFaults();
  const models = data?.models ?? [];
  const model = models.find(({ id }) => id === chosen) ?? models[0];
  const hasAnswer = model?.endpoint !== 'EMBEDDINGS';
  const millicreditsPerThousandTokens = toMillicredits(model?.creditsPerThousandTokens ?? 0);
  const plan = { promptTokens, completionTokens: hasAnswer ? answerTokens : 0, millicreditsPerThousandTokens };
  const monthly = priceOfCalls({ ...plan, calls: requests });
  const single = priceOfCalls({ ...plan, calls: 1 });
  // Of what stands in the fields, or of nothing: without a model there is no price, and none is not free.
  const sum = (words: string) => (faults.first === null && model ? words : '–');

  return (
    <SectionCard
      title="What would it cost?"
      description="Prompt and answer tokens cost the same, and there are no other fees."
    >
      {error && <ErrorPanel title="The models could not be loaded" error={error} onRetry={refetch} />}
      <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="md">
        <Select
          size="md"
          label="Model"
          data={models.map(({ id, creditsPerThousandTokens: price }) => ({
            value: id,
            label: `${id}, ${formatDollarsPerMillion(price)} / 1M`,
          }))}
          value={model?.id ?? null}
          onChange={setChosen}
          allowDeselect={false}
          searchable
        />
        <Count
          label="Prompt tokens"
          value={promptTokens}
          onChange={setPromptTokens}
          onFault={faults.note}
          max={tokensMax}
        />
        <Count
          label="Answer tokens"
          value={hasAnswer ? answerTokens : 0}
          onChange={setAnswerTokens}
          onFault={faults.note}
          max={tokensMax}
          isDisabled={!hasAnswer}
        />
        <Count
          label="Requests per month"
          value={requests}
          onChange={setRequests}
          onFault={faults.note}
          max={callsMax}
        />
      </SimpleGrid>
      <dl className={classes.sum} aria-live="polite">
        <div>
          <dt>One request</dt>
          <dd>{sum(`${formatPrice(single)} credits`)}</dd>
        </div>
        <div>
          <dt>One request in dollars</dt>
          <dd>{sum(formatExactDollars(single))}</dd>
        </div>
        <div>
          <dt>A month</dt>
          <dd>{sum(`${formatPrice(monthly)} credits`)}</dd>
        </div>
        <div>
          <dt>A month in dollars</dt>
          <dd>{sum(formatExactDollars(monthly))}</dd>
        </div>
      </dl>
    </SectionCard>
  );
}

interface CountProps {
  label: string;
  value: number;
  onChange: (value: number) => void;
  onFault: NoteFault;
  max: number;
  isDisabled?: boolean;
}

function Count({ label, value, onChange, onFault, max, isDisabled = false }: CountProps) {
  return (
    <NumberField
      name={label.toLowerCase().replaceAll(' ', '-')}
      label={label}
      value={value}
      min={0}
      max={max}
      disabled={isDisabled}
      emptyFault={`Enter the ${label.toLowerCase()}.`}
      onChange={(next) => next !== null && onChange(next)}
      onFault={onFault}
    />
  );
}
