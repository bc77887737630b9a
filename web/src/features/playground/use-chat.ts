import { useApolloClient } from '@apollo/client/react';
import { useRef, useState } from 'react';
import { serverPaths } from '../../app/paths';
import { messagesFor } from '../../lib/answer-groups';
import { type AnswerFigures, askModel, ChatError } from '../../lib/ask-model';
import type { ChatMessage, ChatSettings } from '../../lib/chat-body';
import {
  beginAnother,
  type Conversation,
  type Conversations,
  currentTurns,
  noConversations,
  withTurns,
} from '../../lib/conversations';
import { forgetViewer } from '../../lib/forget-viewer';
import { useDraft } from '../../lib/use-draft';

/** How a question is asked, and of whom else. */
export interface PlaygroundSettings extends ChatSettings {
  /** The models that are asked beside the chosen one. */
  readonly beside: readonly string[];
}

export interface Question {
  readonly content: string;
  readonly images: readonly string[];
}

/** One question or answer on the page. */
export interface Turn extends ChatMessage {
  readonly model?: string;
  readonly callId?: string;
  readonly figures?: AnswerFigures;
  /** Why the answer is not whole; absent for a whole one. */
  readonly fault?: string;
  readonly isStopped?: boolean;
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
  readonly conversations: readonly Conversation<Turn>[];
  readonly currentId: string;
  /** Begins another one beside those that are kept. */
  begin(): void;
  /** Goes on with an earlier one. */
  open(id: string): void;
}

/** Each model that a question goes to, once. */
export function modelsAsked({ model, beside }: PlaygroundSettings): readonly string[] {
  return [...new Set([model, ...beside])];
}

/** Conversations with models, kept for this tab. */
export function useChat(): Chat {
  const client = useApolloClient();
  const [kept, setKept] = useDraft<Conversations<Turn>>('playground.conversations', noConversations);
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
    conversations: kept.all,
    currentId: kept.currentId,
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
