import { useMutation } from '@apollo/client/react';
import { graphql } from '../../../gql';
import type { Act, ActField } from '../act-dialog';
import { readAgain } from '../read-again';

const SetProviderDocument = graphql(`
  mutation OperatorSetProvider($input: OperatorProviderInput!) {
    operator {
      setProvider(input: $input) {
        id
      }
    }
  }
`);

const RemoveProviderDocument = graphql(`
  mutation OperatorRemoveProvider($id: ID!, $reason: String!) {
    operator {
      removeProvider(id: $id, reason: $reason)
    }
  }
`);

const AddKeyDocument = graphql(`
  mutation OperatorAddProviderKey($input: OperatorProviderKeyInput!) {
    operator {
      addProviderKey(input: $input)
    }
  }
`);

const WeighKeyDocument = graphql(`
  mutation OperatorWeighProviderKey($keyId: ID!, $weight: Int!, $reason: String!) {
    operator {
      weighProviderKey(keyId: $keyId, weight: $weight, reason: $reason)
    }
  }
`);

const RemoveKeyDocument = graphql(`
  mutation OperatorRemoveProviderKey($keyId: ID!, $reason: String!) {
    operator {
      removeProviderKey(keyId: $keyId, reason: $reason)
    }
  }
`);

const keyFields: readonly ActField[] = [
  { name: 'secret', label: 'Key', isSecret: true, description: 'Stored encrypted, and never shown again.' },
  {
    name: 'weight',
    label: 'Weight',
    description: 'Its share of the calls, relative to the other keys.',
    isNumber: true,
    initial: '1',
  },
];

/** What an owner can set of providers; after each, the page is read again. */
export function useProviderActs(onDone: () => Promise<unknown>) {
  const [set] = useMutation(SetProviderDocument);
  const [remove] = useMutation(RemoveProviderDocument);
  const done = () => readAgain(onDone);
  return {
    add: {
      label: 'Add a provider',
      words: 'Your own server, or a provider that Tollgate does not list. Models name it in their routes.',
      fields: [
        { name: 'id', label: 'Id', description: 'Lower-case letters, digits and hyphens; what routes begin with.' },
        { name: 'address', label: 'Address', description: 'Such as https://llm.example.com/v1' },
        { name: 'adapter', label: 'Adapter', initial: 'openai', description: 'openai, anthropic or gemini' },
      ],
      run: async ({ reason, values: { id = '', address = '', adapter = '' } }) => {
        await set({ variables: { input: { id, address, adapter, reason } } });
        return done();
      },
    } satisfies Act,
    switchTo: (id: string, name: string, isOn: boolean): Act => ({
      label: isOn ? 'Switch on' : 'Switch off',
      words: `${name} ${isOn ? 'gets calls again' : 'gets no more calls; running calls continue'}, on every server within seconds.`,
      isDangerous: !isOn,
      run: async ({ reason }) => {
        await set({ variables: { input: { id, isOn, reason } } });
        return done();
      },
    }),
    move: (id: string, rank: number | null): Act => ({
      label: 'Set its place',
      words: 'Of a model’s providers, the one with the lowest place is tried first.',
      fields: [
        {
          name: 'rank',
          isNumber: true,
          label: 'Place',
          initial: String(rank ?? 1),
          description: '1 to 1,000. 0: as in the price list.',
        },
      ],
      run: async ({ reason, values }) => {
        await set({ variables: { input: { id, rank: Number(values.rank), reason } } });
        return done();
      },
    }),
    remove: (id: string, name: string): Act => ({
      label: 'Take out',
      words: `Removes what was set here for ${name}, including its keys. Settings in the environment and tollgate.yaml stay.`,
      isDangerous: true,
      run: async ({ reason }) => {
        await remove({ variables: { id, reason } });
        return done();
      },
    }),
  };
}

/** What an owner can set of the keys of providers; after each, the page is read again. */
export function useProviderKeyActs(onDone: () => Promise<unknown>) {
  const [addKey] = useMutation(AddKeyDocument);
  const [weighKey] = useMutation(WeighKeyDocument);
  const [removeKey] = useMutation(RemoveKeyDocument);
  const done = () => readAgain(onDone);
  return {
    addKey: (providerId: string, replaces: string | null): Act => ({
      label: replaces === null ? 'Add a key' : 'Replace the key',
      words:
        'Keys set here are used before the one in the environment. A key that is refused or at its limit is paused for a while.',
      fields: keyFields,
      keptAs: `provider key ${providerId} ${replaces ?? ''}`,
      run: async ({ reason, values: { secret = '', weight } }) => {
        await addKey({ variables: { input: { providerId, secret, weight: Number(weight), replaces, reason } } });
        return done();
      },
    }),
    weighKey: (keyId: string, weight: number): Act => ({
      label: 'Set the weight',
      words: 'Its share of the calls, relative to the other keys.',
      fields: [{ name: 'weight', label: 'Weight', isNumber: true, initial: String(weight) }],
      run: async ({ reason, values }) => {
        await weighKey({ variables: { keyId, weight: Number(values.weight), reason } });
        return done();
      },
    }),
    removeKey: (keyId: string): Act => ({
      label: 'Remove the key',
      words: 'Permanent, on every server within seconds. Calls that are using it continue.',
      isDangerous: true,
      run: async ({ reason }) => {
        await removeKey({ variables: { keyId, reason } });
        return done();
      },
    }),
  };
}
