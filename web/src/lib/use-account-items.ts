import { useLazyQuery, useMutation, useQuery } from '@apollo/client/react';
import { notifications } from '@mantine/notifications';
import { useState } from 'react';
import { graphql } from '../gql';
import type { SavedItemKind, SavedItemsQuery } from '../gql/graphql';
import { failureSentences, pressAgain } from './forms/lost-answers';
import { graphqlErrorMessage } from './graphql-error-message';
import { customerView } from './session/customer-view';
import { ownerOf } from './session/session-owner';
import { useRefusal } from './session/use-role';

const SavedItemsDocument = graphql(`
  query SavedItems($kind: SavedItemKind!) {
    savedItems(kind: $kind) {
      name
      content
    }
  }
`);

const ListOwnerDocument = graphql(`
  query ListOwner {
    viewer {
      id
    }
    person {
      id
    }
  }
`);

const SaveItemDocument = graphql(`
  mutation SaveItem($input: SavedItemInput!) {
    saveItem(input: $input) {
      name
      content
    }
  }
`);

const DeleteSavedItemDocument = graphql(`
  mutation DeleteSavedItem($kind: SavedItemKind!, $name: String!) {
    deleteSavedItem(kind: $kind, name: $name) {
      name
      content
    }
  }
`);

/** What the account keeps of a kind for its members, and whose lists this browser shows beside it. */
export interface AccountItems {
  /** A person in an account: what this browser keeps for them is shown to nobody else who signs in here. null: not known yet. */
  readonly owner: string | null;
  readonly items: SavedItemsQuery['savedItems'];
  readonly isLoading: boolean;
  /** What the last thing that was done failed by; null: nothing. */
  readonly fault: string | null;
  /** Why what the account keeps is not shown; null: it is, once it was asked for. */
  readonly withheld: string | null;
  /** Why whoever is signed in may change nothing of it; null: they may. */
  readonly refusal: string | null;
  /** Asks for what there is now. */
  readonly load: () => void;
  /** @returns whether it is kept. */
  readonly save: (name: string, content: object) => Promise<boolean>;
  readonly remove: (name: string) => Promise<boolean>;
}

// Members write it for each other, so the server gives it to no operator.
const withheld = customerView === null ? null : 'What members saved is not shown in the customer view.';

const whenUnclear = {
  save: { whether: 'whether it was saved', remedy: pressAgain },
  remove: { whether: 'whether it was deleted' },
};

/** The session gate's answer has it. */
function useListOwner(): string | null {
  const { data } = useQuery(ListOwnerDocument, { fetchPolicy: 'cache-first' });
  return data?.viewer ? ownerOf(data.person?.id ?? '', data.viewer.id) : null;
}

/** Of what the account keeps nothing is asked for before `load`. */
export function useAccountItems(kind: SavedItemKind): AccountItems {
  const [fault, setFault] = useState<string | null>(null);
  const [load, { data, loading, error, updateQuery }] = useLazyQuery(SavedItemsDocument, {
    fetchPolicy: 'network-only',
  });
  const [saveItem] = useMutation(SaveItemDocument);
  const [deleteItem] = useMutation(DeleteSavedItemDocument);
  const refusalOfRole = useRefusal('build', 'To save something for the account');
  const refusal = withheld ?? refusalOfRole;

  async function change(
    of: keyof typeof whenUnclear,
    work: () => Promise<SavedItemsQuery['savedItems'] | undefined>,
  ): Promise<boolean> {
    setFault(null);
    try {
      const savedItems = await work();
      if (savedItems) updateQuery(() => ({ savedItems }));
      return true;
    } catch (failure) {
      setFault(failureSentences(failure, whenUnclear[of]));
      return false;
    }
  }
  return {
    owner: useListOwner(),
    items: data?.savedItems ?? [],
    isLoading: loading && !data,
    fault: fault ?? (error ? graphqlErrorMessage(error) : null),
    withheld,
    refusal,
    load: () => {
      if (withheld === null) void load({ variables: { kind } });
    },
    save: (name, content) =>
      change('save', async () => {
        const input = { kind, name, content: JSON.stringify(content) };
        return (await saveItem({ variables: { input } })).data?.saveItem;
      }),
    remove: async (name) => {
      const isGone = await change('remove', async () => {
        return (await deleteItem({ variables: { kind, name } })).data?.deleteSavedItem;
      });
      if (isGone) notifications.show({ title: 'Deleted', message: `${name} was deleted from the account.` });
      return isGone;
    },
  };
}
