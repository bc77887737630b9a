import { Anchor, Button, Table } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { paths } from '../../app/paths';
import { SectionCard } from '../../components/section-card';
import { formatCredits, groupThousands } from '../../lib/format/format-credits';
import { listAbilities } from '../../lib/model-abilities';
import { describeFigures } from '../../lib/reports/measure-words';
import type { ServiceFigures } from '../../lib/reports/use-measures';
import { formatDollarsPerMillion } from '../../lib/requests/call-price';
import classes from './model-list.module.css';
import type { Model } from './models-document';

interface ModelComparisonProps {
  models: readonly Model[];
  findFigures: (provider: string, model: string) => ServiceFigures | null | undefined;
  onClose: () => void;
}

/** Up to three models side by side; the address names them. */
export function ModelComparison({ models, findFigures, onClose }: ModelComparisonProps) {
  const rows: readonly { readonly name: string; readonly cell: (model: Model) => ReactNode }[] = [
    { name: '$ / 1M tokens', cell: (model) => formatDollarsPerMillion(model.creditsPerThousandTokens) },
    { name: 'Credits / 1,000 tokens', cell: (model) => formatCredits(model.creditsPerThousandTokens) },
    { name: 'Tier', cell: ({ tier }) => tier },
    { name: 'Context', cell: ({ contextTokens }) => groupThousands(contextTokens) },
    {
      name: 'Max output',
      cell: ({ endpoint, maxOutputTokens }) => (endpoint === 'CHAT' ? groupThousands(maxOutputTokens) : 'vectors'),
    },
    { name: 'Abilities', cell: ({ capabilities }) => listAbilities(capabilities) || 'text' },
    {
      name: 'Measured, 30 days',
      cell: ({ id, routes }) => (
        <ul className={classes.measures}>
          {[...new Set(routes.map(({ provider }) => provider))].map((provider) => (
            <li key={provider}>
              {provider}: {describeFigures(findFigures(provider, id))}
            </li>
          ))}
        </ul>
      ),
    },
  ];
  return (
    <SectionCard
      title="Comparison"
      description={models.length < 3 ? 'Choose up to three models in the list below.' : undefined}
      action={
        <Button variant="default" size="xs" onClick={onClose}>
          Close the comparison
        </Button>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways must be reached by the keyboard */}
      <section className={classes.comparison} aria-label="Table: comparison" tabIndex={0}>
        <Table aria-label="Comparison">
          <Table.Thead>
            <Table.Tr>
              <Table.Td />
              {models.map(({ id }) => (
                <Table.Th key={id} scope="col">
                  <Anchor component={Link} to={paths.model(id)} inherit className="lone-link">
                    {id}
                  </Anchor>
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ name, cell }) => (
              <Table.Tr key={name}>
                <Table.Th scope="row">{name}</Table.Th>
                {models.map((model) => (
                  <Table.Td key={model.id}>{cell(model)}</Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </section>
    </SectionCard>
  );
}
