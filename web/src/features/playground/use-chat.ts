import { useApolloClient } from '@apollo/client/react';
import { useState, useSyncExternalStore } from 'react';
import { groupTurns } from '../../lib/playground/answer-groups';
import { beginAnother, type Conversations, currentTurns, withTurns } from '../../lib/playground/conversations';
import type { Turn } from '../../lib/playground/turn';
import { forgetViewer } from '../../lib/session/forget-viewer';
import { useDraft } from '../../lib/use-draft';
import { modelsAsked, type PlaygroundSettings } from './playground-settings';
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
  /** Sends the last question once more, to whom it failed; where nobody answered it, to whom the settings name now. */
  askAgain(settings: PlaygroundSettings): Promise<void>;
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

  /** @param said What was said up to the question, and the answers to it that stay. */
  async function run(settings: PlaygroundSettings, models: readonly string[], said: readonly Turn[]) {
    const id = kept.currentId;
    // By what is kept at that moment: other pages, and another visit to this one, may have come between question and answer.
    const setTurns = (next: readonly Turn[]) => setKept((now) => withTurns(now, next, id));
    setTurns(said);
    try {
      const asked = upToLastQuestion(said);
      await running.ask({ settings, models, asked, onAnswers: (answers) => setTurns([...said, ...answers]) });
    } catch (error) {
      // The question goes back to where it was written; after signing in it is still there.
      setTurns(turns);
      forgetViewer(client.cache);
      throw error;
    }
    void client.refetchQueries({ include: ['Playground'] });
  }

  const ask = (settings: PlaygroundSettings, { content, images }: Question) =>
    run(settings, modelsAsked(settings), [...turns, { role: 'user', content, ...(images.length > 0 && { images }) }]);

  async function askAgain(settings: PlaygroundSettings) {
    const answers = groupTurns(turns).at(-1)?.answers ?? [];
    const failed = answers.flatMap(({ fault, model }) => (fault !== undefined && model !== undefined ? [model] : []));
    const stay = answers.filter(({ fault }) => fault === undefined);
    const models = stay.length === 0 ? modelsAsked(settings) : failed;
    await run(settings, models, [...upToLastQuestion(turns), ...stay]);
  }

  return {
    turns,
    arriving,
    ask,
    askAgain,
    stop: running.stop,
    clear: () => setKept(beginAnother(withTurns(kept, []))),
    conversations: kept,
    replace: setKept,
    begin: () => setKept(beginAnother(kept)),
    open: (id) => setKept({ ...kept, currentId: id }),
  };
}

function upToLastQuestion(turns: readonly Turn[]): readonly Turn[] {
  return turns.slice(0, turns.findLastIndex(({ role }) => role === 'user') + 1);
}
