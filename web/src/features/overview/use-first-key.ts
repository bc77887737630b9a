import { useMutation } from '@apollo/client/react';
import { notifications } from '@mantine/notifications';
import { graphql } from '../../gql';
import { failureWords, useMadeOnce } from '../../lib/forms/lost-answers';
import { useFreshSecrets } from '../../lib/session/fresh-secrets';

const CreateFirstKeyDocument = graphql(`
  mutation CreateFirstKey($idempotencyKey: String!) {
    createApiKey(input: { name: "My key" }, idempotencyKey: $idempotencyKey) {
      apiKey {
        id
      }
      secret
    }
  }
`);

const whenFailed = {
  refused: 'The key was not created',
  whether: 'whether the key was created',
  remedy: 'Press the button again. You will see the secret, and no second key is created.',
};

export interface FirstKey {
  readonly create: () => Promise<void>;
  readonly isCreating: boolean;
}

/**
 * Makes the first key and puts it into the snippets; a failure is told by a toast. Asked for once for all buttons of a page: presses of
 * any of them after a lost answer make one key.
 */
export function useFirstKey(): FirstKey {
  const { rememberSecret } = useFreshSecrets();
  const makeOnce = useMadeOnce();
  const [createKey, { loading }] = useMutation(CreateFirstKeyDocument, {
    // Remembered before the refetch tells of the new key, so that the snippets never show the placeholder first.
    update: (_cache, { data }) => {
      if (data) rememberSecret(data.createApiKey.apiKey.id, data.createApiKey.secret);
    },
    refetchQueries: ['Overview'],
    awaitRefetchQueries: true,
  });

  async function create() {
    try {
      await makeOnce(null, (idempotencyKey) => createKey({ variables: { idempotencyKey } }));
    } catch (error) {
      // The page is not asked for anew: with the key in its list, the button that gets its secret would be gone.
      notifications.show({ color: 'red', ...failureWords(error, whenFailed) });
    }
  }
  return { create, isCreating: loading };
}
