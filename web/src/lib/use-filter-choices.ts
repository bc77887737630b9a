import { useQuery } from '@apollo/client/react';
import { graphql } from '../gql';
import { usePresentHour } from './use-now';

const FilterChoicesDocument = graphql(`
  query FilterChoices($from: DateTime!, $to: DateTime!) {
    apiKeys {
      id
      name
    }
    models: usage(input: { from: $from, to: $to, bucket: MONTH, groupBy: MODEL }) {
      groups {
        key
      }
    }
    providers: usage(input: { from: $from, to: $to, bucket: MONTH, groupBy: PROVIDER }) {
      groups {
        key
      }
    }
  }
`);

const hourMs = 3_600_000;
const yearMs = 366 * 24 * hourMs;

/** Why choices are not there, and what asks for them once more. */
export interface MissingChoices {
  readonly words: string;
  readonly ask: () => void;
}

export interface FilterChoices {
  readonly models: readonly string[];
  readonly providers: readonly string[];
  readonly keys: readonly { readonly value: string; readonly label: string }[];
  /** null: they are there. */
  readonly missing: MissingChoices | null;
}

/** What filters offer: the models, providers and keys that were used within a year. Empty until it is there. */
export function useFilterChoices(): FilterChoices {
  const nowMs = usePresentHour() + hourMs;
  const {
    data: fresh,
    previousData,
    loading,
    refetch,
  } = useQuery(FilterChoicesDocument, {
    fetchPolicy: 'cache-first',
    variables: { from: new Date(nowMs - yearMs).toISOString(), to: new Date(nowMs).toISOString() },
  });
  const data = fresh ?? previousData;
  return {
    models: data?.models.groups.map(({ key }) => key) ?? [],
    providers: data?.providers.groups.map(({ key }) => key) ?? [],
    keys: data?.apiKeys.map(({ id, name }) => ({ value: id, label: name })) ?? [],
    missing: data
      ? null
      : {
          words: loading ? 'Loading …' : 'These could not be loaded. Open the list again.',
          ask: () => {
            if (!loading) refetch().catch(() => undefined);
          },
        },
  };
}
