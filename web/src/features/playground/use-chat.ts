import { useApolloClient } from '@apollo/client/react';
import { useRef, useState } from 'react';
import { serverPaths } from '../../app/paths';
import { messagesFor } from '../../lib/playground/answer-groups';
import { askModel, ChatError } from '../../lib/playground/ask-model';
import { beginAnother, type Conversations, currentTurns, withTurns } from '../../lib/playground/conversations';
import type { Turn } from '../../lib/playground/turn';
import { forgetViewer } from '../../lib/session/forget-viewer';
import { useDraft } from '../../lib/use-draft';
import { modelsAsked, type PlaygroundSettings } from './playground-settings';

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

/** Conversations with models, kept for this tab; `use-kept-playground.ts` has the account keep them as well. */
export function useChat(): Chat {
  const client = useApolloClient();
  const [none] = useState<Conversations<Turn>>(() => beginAnother({ all: [] }));
  const [kept, setKept] = useDraft('playground.conversations', none);
  const turns = currentTurns(kept);
  // While an answer arrives, no other conversation can be opened.
  const setTurns = (next: readonly Turn[]) => setKept(withTurns(kept, next));
  const [arriving, setArriving] = useState<readonly Turn[]>([]);
  const running = useRef<AbortController | null>(null);

  async function ask(settings: PlaygroundSettings, { content, images }: Question) {
    const asked: readonly Turn[] = [...turns, { role: 'user', content, ...(images.length > 0 && { images }) }];
    const { signal } = beginRunning(running);
    const answers = new Map<string, Turn>();
    const show = (model: string, change: Partial<Turn>) => {
      const before = answers.get(model) ?? { role: 'assistant', content: '', model };
      answers.set(model, { ...before, ...change });
      setArriving([...answers.values()]);
    };
    const askOne = async (model: string) => {
      try {
        const figures = await askModel({
          url: serverPaths.playgroundChat(),
          settings: { ...settings, model },
          messages: messagesFor(model, asked),
          signal,
          onCall: (callId) => show(model, { callId }),
          onText: (text) => show(model, { content: answers.get(model)?.content + text }),
        });
        show(model, { figures });
      } catch (error) {
        if (error instanceof ChatError && error.code === 'unauthenticated') throw error;
        show(model, signal.aborted ? { isStopped: true } : { fault: wordsOf(error) });
      }
    };
    setTurns(asked);
    const models = modelsAsked(settings);
    for (const model of models) show(model, {});
    try {
      await Promise.all(models.map(askOne));
    } catch (error) {
      // The question goes back to where it was written; after signing in it is still there.
      running.current?.abort();
      setTurns(turns);
      forgetViewer(client.cache);
      throw error;
    } finally {
      running.current = null;
      setArriving([]);
    }
    setTurns([...asked, ...answers.values()]);
    void client.refetchQueries({ include: ['Playground'] });
  }

  return {
    turns,
    arriving,
    ask,
    stop: () => running.current?.abort(),
    clear: () => setKept(beginAnother(withTurns(kept, []))),
    conversations: kept,
    replace: setKept,
    begin: () => setKept(beginAnother(kept)),
    open: (id) => setKept({ ...kept, currentId: id }),
  };
}

function beginRunning(running: { current: AbortController | null }): AbortController {
  const controller = new AbortController();
  running.current = controller;
  return controller;
}

function wordsOf(error: unknown): string {
  return error instanceof ChatError ? error.message : 'Something broke on this page. The receipt has what was charged.';
}
