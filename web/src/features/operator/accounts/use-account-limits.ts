import { useMutation } from '@apollo/client/react';
import { graphql } from '../../../gql';
import type { OperatorAccountPageQuery } from '../../../gql/graphql';
import { groupThousands } from '../../../lib/format/format-credits';
import { changedFields } from '../../../lib/forms/changed-fields';
import type { Act } from '../act-dialog';
import { readAgain } from '../read-again';
import type { ShownAccount } from './account-page';

const SetAccountLimitsDocument = graphql(`
  mutation OperatorSetAccountLimits($input: OperatorAccountLimitsInput!) {
    operator {
      setAccountLimits(input: $input)
    }
  }
`);

type Limits = ShownAccount['limits'];

const labels = {
  requestsPerMinute: 'Requests per minute',
  tokensPerMinute: 'Tokens per minute',
  concurrentCalls: 'Calls at once',
  keysMax: 'Keys',
} as const;
const names = Object.keys(labels) as (keyof typeof labels)[];

/**
 * Sets the limits of an account; what is left empty is the server's again. The server takes all of them at once, so those that
 * the dialog did not change are read anew and sent as they are by now.
 */
export function useSetAccountLimits(
  accountId: string,
  limits: Limits | undefined,
  refetch: () => Promise<{ readonly data?: OperatorAccountPageQuery | undefined }>,
): Act {
  const [set] = useMutation(SetAccountLimitsDocument);
  return {
    label: 'Set limits',
    keptAs: `limits ${accountId}`,
    words: 'They apply on every server at once. Empty: the default of every account.',
    fields: [
      ...names.map((name) => ({
        name,
        label: labels[name],
        isOptional: true,
        isNumber: true,
        initial: String(limits?.[name] ?? ''),
      })),
      {
        name: 'models',
        label: 'Models, with commas between them',
        isOptional: true,
        initial: limits?.models?.join(', ') ?? '',
      },
    ],
    run: async ({ reason, values }) => {
      const read = (name: keyof typeof labels) => (values[name]?.trim() ? Number(values[name]) : null);
      const wanted = {
        requestsPerMinute: read('requestsPerMinute'),
        tokensPerMinute: read('tokensPerMinute'),
        concurrentCalls: read('concurrentCalls'),
        keysMax: read('keysMax'),
        models: readNames(values.models ?? ''),
      };
      const change = changedFields(toWanted(limits), wanted);
      const { data } = await refetch();
      const current = toWanted(data?.operator.account?.limits);
      await set({ variables: { input: { accountId, reason, ...current, ...change } } });
      return readAgain(refetch);
    },
  };
}

function toWanted(limits: Limits | undefined) {
  return {
    requestsPerMinute: limits?.requestsPerMinute ?? null,
    tokensPerMinute: limits?.tokensPerMinute ?? null,
    concurrentCalls: limits?.concurrentCalls ?? null,
    keysMax: limits?.keysMax ?? null,
    models: limits?.models ?? null,
  };
}

function readNames(text: string): string[] | null {
  const names = text.split(',').map((name) => name.trim());
  return names.every((name) => name === '') ? null : names.filter((name) => name !== '');
}

/** In a few words. */
export function describeLimits(limits: Limits): string {
  const own = names.flatMap((name) => {
    const limit = limits[name];
    return typeof limit === 'number' ? [`${groupThousands(limit)} ${labels[name].toLowerCase()}`] : [];
  });
  if (limits.models) own.push(`only ${limits.models.join(', ')}`);
  return own.length === 0 ? 'as every account' : own.join(', ');
}
