import { useLazyQuery, useMutation } from '@apollo/client/react';
import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { BusyButton } from '../../../components/buttons/busy-button';
import { FormFault } from '../../../components/form-fault';
import { KeptNote } from '../../../components/forms/kept-note';
import { SectionCard } from '../../../components/section-card';
import { RecordTable } from '../../../components/tables/record-table';
import { graphql } from '../../../gql';
import type { OperatorPreviewPricesQuery } from '../../../gql/graphql';
import { formatCredits } from '../../../lib/format/format-credits';
import { useKeptForm } from '../../../lib/forms/use-kept-form';
import { graphqlErrorSentence } from '../../../lib/graphql-error-message';
import type { Act } from '../act-dialog';
import { say } from '../act-words';
import { readAgain } from '../read-again';

const PreviewDocument = graphql(`
  query OperatorPreviewPrices($input: OperatorPricePreviewInput!) {
    operator {
      previewPrices(input: $input) {
        modelId
        kind
        before
        after
        areRoutesChanged
        areLimitsChanged
        costs {
          providerId
          inputBefore
          inputAfter
          outputBefore
          outputAfter
        }
      }
    }
  }
`);

const ApplyDocument = graphql(`
  mutation OperatorApplyPrices($input: OperatorPricesInput!) {
    operator {
      applyPrices(input: $input) {
        number
      }
    }
  }
`);

type Change = OperatorPreviewPricesQuery['operator']['previewPrices'][number];

interface PriceFormProps {
  /** What is in force. */
  document: string;
  /** Its number; null: none was set yet. */
  version: number | null;
  onAct: (act: Act) => void;
  onDone: () => Promise<unknown>;
}

/** New models and prices: looked at first, then set from now or from a time on. */
export function PriceForm({ document: inForce, version, onAct, onDone }: PriceFormProps) {
  const [shown] = useState({ document: inForce, from: '' });
  // What was typed over one version would take back what the next one changed.
  const kept = useKeptForm(`prices ${version ?? ''}`, shown);
  const [typed, setTyped] = useState(kept.start);
  const { document, from } = typed;
  const [changes, setChanges] = useState<readonly Change[] | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [preview, { loading }] = useLazyQuery(PreviewDocument, { fetchPolicy: 'network-only' });
  const [apply] = useMutation(ApplyDocument);
  // Written as UTC, whatever the browser's zone.
  const input = { document, ...(from === '' ? {} : { effectiveAt: `${from}Z` }) };
  const look = async () => {
    setFault(null);
    setChanges(null);
    const { data, error } = await preview({ variables: { input } });
    if (error) setFault(graphqlErrorSentence(error));
    else setChanges(data?.operator.previewPrices ?? []);
  };
  const act: Act = {
    label: 'Set these prices',
    words: `${from === '' ? 'From now on' : `From ${from.replace('T', ' ')} UTC on`}, replacing the version before.`,
    run: async ({ reason }) => {
      const { data } = await apply({ variables: { input: { ...input, reason } } });
      await readAgain(onDone);
      setChanges(null);
      kept.forget();
      return data ? say(`Version ${data.operator.applyPrices.number} is set.`) : null;
    },
  };
  const show = (now: typeof typed) => {
    setTyped(now);
    setChanges(null);
    kept.keep(now);
  };
  return (
    <SectionCard
      title="New prices"
      description="Tiers, models and costs as in tollgate.yaml. A known model needs no routes. Costs are what providers charge you."
    >
      <Stack gap="md">
        <FormFault fault={fault} />
        <KeptNote
          isShown={kept.isRestored}
          onDiscard={() => {
            show(shown);
            kept.forget();
          }}
        />
        <Textarea
          name="price-text"
          label="Text"
          autosize
          minRows={5}
          maxRows={20}
          placeholder={'tiers: { gold: 3 }\nmodels:\n  gpt-4o: { tier: gold }'}
          styles={{ input: { fontFamily: 'monospace' } }}
          value={document}
          onChange={({ currentTarget: { value } }) => show({ ...typed, document: value })}
        />
        <TextInput
          name="from"
          type="datetime-local"
          label="From, in UTC"
          description="Empty: from now on."
          value={from}
          onChange={({ currentTarget: { value } }) => show({ ...typed, from: value })}
        />
        <Group gap="xs">
          <BusyButton variant="default" isBusy={loading} disabled={document.trim() === ''} onClick={() => void look()}>
            See what changes
          </BusyButton>
          <Button disabled={changes === null} onClick={() => onAct(act)}>
            Set these prices
          </Button>
        </Group>
        {changes && <Changes changes={changes} />}
      </Stack>
    </SectionCard>
  );
}

function Changes({ changes }: { changes: readonly Change[] }) {
  if (changes.length === 0) return <Text size="sm">Nothing changes, for callers or in what models cost you.</Text>;
  return (
    <RecordTable
      label="What changes"
      rows={changes}
      keyOf={({ modelId }) => modelId}
      columns={[
        { header: 'Model', card: 'title', cell: ({ modelId }) => modelId },
        { header: 'What', cell: describe },
        { header: 'Credits before', cell: ({ before }) => (before == null ? '–' : formatCredits(before)) },
        { header: 'Credits after', cell: ({ after }) => (after == null ? '–' : formatCredits(after)) },
        {
          header: 'Your costs, for a million tokens in and out',
          cell: ({ costs }) => costs.map(describeCost).join('; ') || 'as before',
        },
      ]}
    />
  );
}

function describeCost({ providerId, ...cost }: Change['costs'][number]): string {
  const show = (input?: number | null, output?: number | null) =>
    input == null || output == null ? 'not set' : `$${input} and $${output}`;
  return `${providerId}: ${show(cost.inputBefore, cost.outputBefore)} → ${show(cost.inputAfter, cost.outputAfter)}`;
}

function describe({ kind, before, after, areRoutesChanged, areLimitsChanged, costs }: Change): string {
  if (kind !== 'CHANGED') return kind === 'ADDED' ? 'offered' : 'offered no more';
  const parts = [
    ...(before === after ? [] : ['price']),
    ...(areRoutesChanged ? ['routes'] : []),
    ...(areLimitsChanged ? ['limits'] : []),
    ...(costs.length > 0 ? ['costs'] : []),
  ];
  return parts.join(', ') || 'tier';
}
