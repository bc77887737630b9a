import { useMutation } from '@apollo/client/react';
import { graphql } from '../../../gql';
import type { OperatorRiskMarkKind } from '../../../gql/graphql';
import type { Act } from '../act-dialog';
import { readAgain } from '../read-again';

const SetRiskMarkDocument = graphql(`
  mutation OperatorSetRiskMark($input: OperatorRiskMarkInput!) {
    operator {
      setRiskMark(input: $input) {
        id
      }
    }
  }
`);

const names: Readonly<Record<OperatorRiskMarkKind, string>> = {
  WATCHED: 'watched',
  GIFT_FARMING: 'gift farming',
  CARD_TESTING: 'card testing',
  SHARED_KEY: 'shared key',
  RESALE: 'resale',
  TRUSTED: 'trusted',
};
/** All of them. */
export const markKinds = Object.keys(names) as OperatorRiskMarkKind[];

/** Marks an account, for operators alone. */
export function useSetRiskMark(accountId: string, onDone: () => Promise<unknown>): Act {
  const [set] = useMutation(SetRiskMarkDocument);
  return {
    label: 'Mark',
    keptAs: `mark ${accountId}`,
    words: 'Only operators see it, and calls continue as before. The page “Abuse” leaves out a trusted account.',
    hasNoReason: true,
    fields: [
      {
        name: 'kind',
        label: 'As',
        initial: 'WATCHED',
        choices: markKinds.map((kind) => ({ value: kind, label: names[kind] })),
      },
      { name: 'note', label: 'Note', description: 'Why: 3 to 500 characters. It is also in the log.' },
      {
        name: 'until',
        label: 'Until',
        isTime: true,
        isOptional: true,
        description: 'In your own time zone. Empty: until somebody clears it.',
      },
    ],
    run: async ({ values }) => {
      const kind = markKinds.find((one) => one === values.kind) ?? 'WATCHED';
      const until = values.until ? new Date(values.until).toISOString() : null;
      await set({ variables: { input: { accountId, kind, note: values.note ?? '', until } } });
      return readAgain(onDone);
    },
  };
}

/** In words. */
export function nameMark(kind: OperatorRiskMarkKind): string {
  return names[kind];
}
