import { createHash } from 'node:crypto';
import type { ChatMessage } from '../chat-types.js';

const fitting = /^[a-zA-Z0-9]{9}$/;

/**
 * For each id of a tool call in these messages one of nine letters and digits, which is all that Mistral takes: the same one in the call
 * and in its result, another one for every other id, and in the next turn the same again. An id that fits stays as it is.
 */
export function findNineCharacterIds(messages: readonly ChatMessage[]): ReadonlyMap<string, string> {
  const ids = new Set(messages.flatMap(listIds));
  const taken = new Set([...ids].filter((id) => fitting.test(id)));
  const found = new Map([...taken].map((id) => [id, id]));
  for (const id of ids) {
    if (found.has(id)) continue;
    let candidate = hashId(id, 0);
    for (let attempt = 1; taken.has(candidate); attempt += 1) candidate = hashId(id, attempt);
    taken.add(candidate);
    found.set(id, candidate);
  }
  return found;
}

function listIds({ tool_calls: calls = [], tool_call_id: answered }: ChatMessage): string[] {
  const ids = calls.map(({ id }) => id);
  return answered === undefined ? ids : [...ids, answered];
}

function hashId(id: string, attempt: number): string {
  return createHash('sha256').update(`${attempt} ${id}`).digest('hex').slice(0, 9);
}
