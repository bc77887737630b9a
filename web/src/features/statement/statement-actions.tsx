import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { serverPaths } from '../../app/paths';
import { LoadingButton } from '../../components/buttons/loading-button';
import { IconDownload, IconPrinter } from '../../components/icons';
import type { StatementFilter } from '../../gql/graphql';
import { printPart } from '../../lib/print-part';
import { toExportQuery } from './statement-filter-bar';

interface StatementActionsProps {
  filter: StatementFilter;
  /** Whether the first lines are there: without them an empty sheet would look like all of it. */
  isLoaded: boolean;
  /** Loads as many lines as are printed at once. @returns whether those are all. */
  loadToPrint: () => Promise<boolean>;
}

/** The statement as a file, and on paper. */
export function StatementActions({ filter, isLoaded, loadToPrint }: StatementActionsProps) {
  const [state, setState] = useState<'idle' | 'loading' | 'cut' | 'failed'>('idle');
  async function print() {
    setState('loading');
    try {
      const isWhole = await loadToPrint();
      setState(isWhole ? 'idle' : 'cut');
      // Once the lines have been drawn.
      requestAnimationFrame(() => setTimeout(printPart));
    } catch {
      setState('failed');
    }
  }
  return (
    <Group gap="xs" justify="flex-end">
      <LoadingButton
        variant="default"
        loading={state === 'loading'}
        disabled={!isLoaded}
        leftSection={<IconPrinter size={15} aria-hidden />}
        onClick={() => void print()}
      >
        Print
      </LoadingButton>
      <Button
        component="a"
        href={serverPaths.statementCsv(toExportQuery(filter))}
        download
        variant="default"
        leftSection={<IconDownload size={15} aria-hidden />}
      >
        CSV
      </Button>
      {state === 'cut' && (
        <Text size="sm" role="status">
          Only the newest 1,000 lines are printed. Choose a shorter time, or download the CSV, which has all of them.
        </Text>
      )}
      {state === 'failed' && (
        <Text size="sm" c="red" role="alert">
          Not all lines could be loaded, so nothing was printed. Try again.
        </Text>
      )}
    </Group>
  );
}
