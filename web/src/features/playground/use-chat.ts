import { useApolloClient } from '@apollo/client/react';
import { useState, useSyncExternalStore } from 'react';
import { beginAnother, type Conversations, currentTurns, withTurns } from '../../lib/playground/conversations';
import type { Turn } from '../../lib/playground/turn';
import { forgetViewer } from '../../lib/session/forget-viewer';
import { useDraft } from '../../lib/use-draft';
import type { PlaygroundSettings } from './playground-settings';
import { RunningChat } from './running-chat';

export interface Question {
  readonly content: string;
  readonly images: readonly string[];
}

export interface Chat {
  readonly turns: readonly Turn[];
  /** The answers that are arriving, one for each model that was asked; none when nobody is being asked. */
  readonly arriving: readonly Turn[];
  ask(settings: PlaygroundSettings, question: Question): Promise<void>;
  /** Stops all of them. */
  stop(): void;
  /** Takes the open conversation away. */
  clear(): void;
  readonly conversations: Conversations<Turn>;
  /** Puts others in their place, while nobody is being asked. */
  replace(conversations: Conversations<Turn>): void;
  /** Begins another one beside those that are kept. */
  begin(): void;
  /** Goes on with an earlier one. */
  open(id: string): void;
}

// Of the tab rather than of the page: it goes on while another page is shown.
const running = new RunningChat();

/** Conversations with models, kept for this tab; `use-kept-playground.ts` has the account keep them as well. */
export function useChat(): Chat {
  const client = useApolloClient();
  const [none] = useState<Conversations<Turn>>(() => beginAnother({ all: [] }));
  const [kept, setKept] = useDraft('playground.conversations', none);
  const arriving = useSyncExternalStore(running.subscribe, running.arriving);
  const turns = currentTurns(kept);

  async function ask(settings: PlaygroundSettings, { content, images }: Question) {
    const id = kept.currentId;
    const asked: readonly Turn[] = [...turns, { role: 'user', content, ...(images.length > 0 && { images }) }];
    // By what is kept at that moment: other pages, and another visit to this one, may have come between question and answer.
    const setTurns = (next: readonly Turn[]) => setKept((now) => withTurns(now, next, id));
    setTurns(asked);
    try {
      await running.ask({ settings, asked, onAnswers: (answers) => setTurns([...asked, ...answers]) });
    } catch (error) {
      // The question goes back to where it was written; after signing in it is still there.
      setTurns(turns);
      forgetViewer(client.cache);
      throw error;
    }
    void client.refetchQueries({ include: ['Playground'] });
  }

  return {
    turns,
    arriving,
    ask,
    stop: running.stop,
    clear: () => setKept(beginAnother(withTurns(kept, []))),
    conversations: kept,
    replace: setKept,
    begin: () => setKept(beginAnother(kept)),
    open: (id) => setKept({ ...kept, currentId: id }),
  };
}
