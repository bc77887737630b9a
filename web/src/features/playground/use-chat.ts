import { useApolloClient } from '@apollo/client/react';
import { useRef, useState } from 'react';
import { serverPaths } from '../../app/paths';
import { type AnswerFigures, askModel, ChatError, type ChatMessage, type ChatSettings } from '../../lib/ask-model';
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
  /** The answer that is arriving; null when nobody is being asked. */
  readonly arriving: Turn | null;
  ask(settings: ChatSettings, question: string): Promise<void>;
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

/** Conversations with models, kept for this tab. */
export function useChat(): Chat {
  const client = useApolloClient();
  const [kept, setKept] = useDraft<Conversations<Turn>>('playground.conversations', noConversations);
  const turns = currentTurns(kept);
  // While an answer arrives, no other conversation can be opened.
  const setTurns = (next: readonly Turn[]) => setKept(withTurns(kept, next));
  const [arriving, setArriving] = useState<Turn | null>(null);
  const running = useRef<AbortController | null>(null);

  async function ask(settings: ChatSettings, question: string) {
    const asked: readonly Turn[] = [...turns, { role: 'user', content: question }];
    const controller = new AbortController();
    running.current = controller;
    let answer: Turn = { role: 'assistant', content: '', model: settings.model };
    const show = (change: Partial<Turn>) => {
      answer = { ...answer, ...change };
      setArriving(answer);
    };
    setTurns(asked);
    setArriving(answer);
    try {
      const figures = await askModel({
        url: serverPaths.playgroundChat(),
        settings,
        messages: toMessages(asked),
        signal: controller.signal,
        onCall: (callId) => show({ callId }),
        onText: (text) => show({ content: answer.content + text }),
      });
      answer = { ...answer, figures };
    } catch (error) {
      if (error instanceof ChatError && error.code === 'unauthenticated') {
        // The question goes back to where it was written; after signing in it is still there.
        setTurns(turns);
        forgetViewer(client.cache);
        throw error;
      }
      answer = { ...answer, ...(controller.signal.aborted ? { isStopped: true } : { fault: wordsOf(error) }) };
    } finally {
      running.current = null;
      setArriving(null);
    }
    setTurns([...asked, answer]);
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

/** What is sent of a conversation: answers that never came are left out, with the questions before them. */
function toMessages(turns: readonly Turn[]): readonly ChatMessage[] {
  return turns
    .filter((turn, index) => {
      const answer = turn.role === 'user' ? turns[index + 1] : turn;
      return answer === undefined || answer.content !== '';
    })
    .map(({ role, content }) => ({ role, content }));
}

function wordsOf(error: unknown): string {
  return error instanceof ChatError ? error.message : 'Something broke on this page. The receipt has what was charged.';
}
