import type { ApolloClient } from '@apollo/client';
import { useApolloClient, useQuery } from '@apollo/client/react';
import { useEffect, useRef, useState } from 'react';
import { graphql } from '../../gql';
import type { PersonalItemInput } from '../../gql/graphql';
import { failureSentences } from '../../lib/forms/lost-answers';
import { graphqlErrorCode, graphqlErrorMessage } from '../../lib/graphql-error-message';
import type { Conversations } from '../../lib/playground/conversations';
import { mergeConversations, readConversation, writeConversation } from '../../lib/playground/kept-conversations';
import type { Turn } from '../../lib/playground/turn';
import { customerView } from '../../lib/session/customer-view';
import { useDraft } from '../../lib/use-draft';
import { AccountCopy, settingsName } from './account-copy';
import { type PlaygroundSettings, readSettings } from './playground-settings';

const KeptPlaygroundDocument = graphql(`
  query KeptPlayground {
    settings: personalItems(kind: PLAYGROUND_SETTINGS) {
      content
    }
    conversations: personalItems(kind: CONVERSATION) {
      name
      content
    }
  }
`);

const SavePersonalItemDocument = graphql(`
  mutation SavePersonalItem($input: PersonalItemInput!) {
    savePersonalItem(input: $input) {
      name
    }
  }
`);

const DeleteConversationDocument = graphql(`
  mutation DeleteConversation($name: String!) {
    deletePersonalItem(kind: CONVERSATION, name: $name) {
      name
    }
  }
`);

const DeletePersonalItemsDocument = graphql(`
  mutation DeletePersonalItems {
    deletePersonalItems
  }
`);

/** Whoever goes on typing is not asked about each letter. */
const saveAfterMs = 600;

/** What of the playground the account keeps for whoever is signed in. */
export interface KeptPlayground {
  /** Whether it keeps anything; null: not known. */
  readonly isOn: boolean | null;
  /** Whether that was answered, be it by a fault: nothing that the account keeps comes any more. */
  readonly isSettled: boolean;
  readonly isChanging: boolean;
  /** What the last thing that was read, kept or deleted failed by; null: nothing. */
  readonly fault: string | null;
  /** Whether the open conversation has become too long for the account. */
  readonly isTooLong: boolean;
  /** Begins to keep settings and conversations, or deletes what is kept. What this tab has stays. */
  readonly turn: (isOn: boolean) => Promise<void>;
}

interface PlaygroundOfTab {
  readonly settings: PlaygroundSettings;
  readonly setSettings: (settings: PlaygroundSettings) => void;
  readonly conversations: Conversations<Turn>;
  readonly setConversations: (conversations: Conversations<Turn>) => void;
  /** While an answer arrives nothing is kept. */
  readonly isBusy: boolean;
}

/**
 * Has the account keep conversations and settings for whoever wants that, so that another browser has them, too. What it keeps is
 * read once, when the page opens; what changes afterwards is sent there a moment later.
 */
export function useKeptPlayground(tab: PlaygroundOfTab): KeptPlayground {
  const { settings, setSettings, conversations, setConversations, isBusy } = tab;
  const client = useApolloClient();
  const [isOn, setOn] = useState<boolean | null>(customerView === null ? null : false);
  const [isChanging, setChanging] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const [known, setKnown] = useDraft<readonly string[]>('playground.kept', []);
  const [copy] = useState(() => openCopy(client, setKnown, (failure) => setFault(failure ? notKept(failure) : null)));
  const { data, error } = useQuery(KeptPlaygroundDocument, { fetchPolicy: 'no-cache', skip: customerView !== null });
  const isRead = useRef(false);

  useEffect(() => {
    if (!data || isRead.current) return;
    isRead.current = true;
    const [ofSettings] = data.settings;
    setOn(ofSettings !== undefined);
    if (ofSettings === undefined) return;
    const theirs = data.conversations.flatMap((item) => readConversation(item) ?? []);
    const merged = mergeConversations(conversations, theirs, known);
    const theirSettings = readSettings(ofSettings.content);
    copy.hold(merged.kept, JSON.stringify(theirSettings));
    setSettings(theirSettings);
    setConversations(merged.conversations);
  }, [data, copy, known, conversations, setConversations, setSettings]);

  useEffect(() => {
    if (!isOn || isBusy) return;
    const timer = setTimeout(() => copy.follow(settings, conversations), saveAfterMs);
    return () => clearTimeout(timer);
  }, [isOn, isBusy, copy, settings, conversations]);

  async function turn(wanted: boolean) {
    setChanging(true);
    setOn(wanted);
    try {
      // Whatever is on its way there would else come after the end.
      await copy.whenDone();
      const content = JSON.stringify(settings);
      if (wanted) await save(client, { kind: 'PLAYGROUND_SETTINGS', name: settingsName, content });
      else await client.mutate({ mutation: DeletePersonalItemsDocument });
      copy.hold([], wanted ? content : null);
      setFault(null);
    } catch (failure) {
      setOn(!wanted);
      const whether = wanted ? 'whether your account keeps them' : 'whether your account has deleted them';
      setFault(failureSentences(failure, { whether }));
    }
    setChanging(false);
  }
  const open = conversations.all.find(({ id }) => id === conversations.currentId);
  return {
    isOn,
    isChanging,
    turn,
    isSettled: isOn !== null || error !== undefined,
    fault: fault ?? (error ? notRead(error) : null),
    isTooLong: isOn === true && !isBusy && open !== undefined && writeConversation(open) === null,
  };
}

function notRead(error: unknown): string {
  return `Your saved conversations could not be loaded. Nothing is saved until you reload this page. ${graphqlErrorMessage(error)}`;
}

function notKept(failure: unknown): string {
  return `Your latest changes are not saved in your account yet. They are sent again with your next change. ${graphqlErrorMessage(failure)}`;
}

function openCopy(
  client: ApolloClient,
  onKept: (ids: readonly string[]) => void,
  onOutcome: (error: unknown) => void,
): AccountCopy {
  return new AccountCopy({
    onKept,
    onOutcome,
    save: (kind, name, content) => save(client, { kind, name, content }),
    forget: (name) =>
      client.mutate({ mutation: DeleteConversationDocument, variables: { name } }).catch((failure: unknown) => {
        if (graphqlErrorCode(failure) !== 'NOT_FOUND') throw failure;
      }),
  });
}

function save(client: ApolloClient, input: PersonalItemInput): Promise<unknown> {
  return client.mutate({ mutation: SavePersonalItemDocument, variables: { input } });
}
