import { useMutation } from '@apollo/client/react';
import { notifications } from '@mantine/notifications';
import { graphql } from '../../gql';
import { graphqlErrorMessage } from '../../lib/graphql-error-message';
import { useFreshSecrets } from '../../lib/session/fresh-secrets';

const CreateFirstKeyDocument = graphql(`
  mutation CreateFirstKey {
    createApiKey(input: { name: "My key" }) {
      apiKey {
        id
      }
      secret
    }
  }
`);

/** Makes the first key and puts it into the snippets; a failure is told by a toast. */
export function useFirstKey() {
  const { rememberSecret } = useFreshSecrets();
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
      await createKey();
    } catch (error) {
      notifications.show({ color: 'red', title: 'The key was not created', message: graphqlErrorMessage(error) });
    }
  }
  return { create, isCreating: loading };
}
