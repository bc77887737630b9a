import { readContent } from '../kept-list';
import { type Conversation, type Conversations, conversationsMax } from './conversations';
import type { Turn } from './turn';

/** The account keeps no more of one conversation. */
const contentBytesMax = 60_000;

/** A conversation as the account keeps it, without its pictures; null when it is too long. */
export function writeConversation({ turns }: Conversation<Turn>): string | null {
  const content = JSON.stringify({ turns: turns.map(({ images: _images, ...words }) => words) });
  return new TextEncoder().encode(content).length > contentBytesMax ? null : content;
}

/** A conversation that the account keeps; null where it cannot be read. */
export function readConversation(item: { readonly name: string; readonly content: string }): Conversation<Turn> | null {
  const { turns } = readContent(item.content);
  return Array.isArray(turns) && turns.length > 0 && turns.every(isTurn) ? { id: item.name, turns } : null;
}

interface Merged {
  readonly conversations: Conversations<Turn>;
  /** Those of them that the account has as they stand here. */
  readonly kept: readonly Conversation<Turn>[];
}

/**
 * The conversations of this tab together with those of the account: one that was deleted elsewhere is deleted here, and one that
 * is longer here, or has its pictures, stays as it is.
 *
 * @param known The ids of those that the account had when this tab last looked.
 */
export function mergeConversations(
  here: Conversations<Turn>,
  ofAccount: readonly Conversation<Turn>[],
  known: readonly string[],
): Merged {
  const kept: Conversation<Turn>[] = [];
  const shared = ofAccount.map((theirs) => {
    const ours = here.all.find(({ id }) => id === theirs.id);
    const shown = ours && ours.turns.length >= theirs.turns.length ? ours : theirs;
    if (shown.turns.length === theirs.turns.length) kept.push(shown);
    return shown;
  });
  const only = here.all.filter(({ id }) => !known.includes(id) && !ofAccount.some((theirs) => theirs.id === id));
  const all = [...shared, ...only].sort((one, other) => (one.id < other.id ? 1 : -1)).slice(0, conversationsMax);
  return { conversations: { currentId: here.currentId, all }, kept };
}

function isTurn(value: unknown): value is Turn {
  if (typeof value !== 'object' || value === null) return false;
  const { role, content, figures, images, ...words } = value as Record<string, unknown>;
  const { model, callId, fault, faultCode } = words;
  return (
    (role === 'user' || role === 'assistant') &&
    typeof content === 'string' &&
    images === undefined &&
    [model, callId, fault, faultCode].every((word) => word === undefined || typeof word === 'string') &&
    (figures === undefined || isFigures(figures))
  );
}

function isFigures(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const { promptTokens, completionTokens, credits, firstTokenMs, totalMs, toolCalls } = value as Record<
    string,
    unknown
  >;
  const numbers = [promptTokens, completionTokens, credits ?? 0, firstTokenMs, totalMs];
  return (
    numbers.every((number) => typeof number === 'number') && (toolCalls === undefined || isListOfToolCalls(toolCalls))
  );
}

function isListOfToolCalls(value: unknown): boolean {
  const isText = (text: unknown) => typeof text === 'string';
  return Array.isArray(value) && value.every((call) => isText(call?.name) && isText(call?.input));
}
