import { readMessagesError } from '../../server/test/messages-shape.js';
import { checkPlainAnswer } from '../../server/test/openai-shape.js';
import { readPlainAnswer, readStreamedAnswer } from '../../server/test/wire-answers.js';
import type { RecordedExchange } from '../../server/test/wire-recorder.js';
import { type ClientName, type Seen, wireOf } from './client-driver.js';

/** Where a client does not hand a thing on, whatever the server sends. */
const unseenBy: Partial<Readonly<Record<ClientName, readonly (keyof Seen)[]>>> = {
  'ai-sdk': ['refusal'],
  langchain: ['refusal', 'reasoning'],
};

/** To whom a refusal is text; that it is one, they tell by this reason why the answer ends. */
const refusalWords: Partial<Readonly<Record<ClientName, string>>> = {
  anthropic: 'refusal',
  'ai-sdk-anthropic': 'content-filter',
  'ai-sdk-openai': 'content-filter',
};

/** Why an answer ends, where a client has other words for it than OpenAI's chat completions. */
const finishWords: Partial<Readonly<Record<ClientName, Readonly<Record<string, string>>>>> = {
  'ai-sdk': { tool_calls: 'tool-calls' },
  'ai-sdk-openai': { tool_calls: 'tool-calls' },
  'ai-sdk-anthropic': { tool_calls: 'tool-calls' },
  'openai-responses': { stop: 'completed', tool_calls: 'completed', length: 'max_output_tokens' },
  anthropic: { stop: 'end_turn', tool_calls: 'tool_use', length: 'max_tokens' },
};

/** What a user of this client must see, given what a user of OpenAI's own one does. */
export function expectedOf(client: ClientName, expected: Partial<Seen>): Partial<Seen> {
  const { refusal, finishReason } = expected;
  const word = finishReason ? (finishWords[client]?.[finishReason] ?? finishReason) : finishReason;
  const told = { ...expected, ...(word ? { finishReason: word } : {}) };
  const refusalWord = refusalWords[client];
  if (refusal && refusalWord) {
    const { refusal: _, ...rest } = told;
    return { ...rest, text: refusal, finishReason: refusalWord };
  }
  const unseen = unseenBy[client] ?? [];
  return Object.fromEntries(Object.entries(told).filter(([field]) => !unseen.includes(field as keyof Seen)));
}

/** Fails unless every exchange has the documented shape of the client's wire: a whole answer, a broken stream, or a refusal. */
export function checkExchanges(client: ClientName, isStreamed: boolean, exchanges: readonly RecordedExchange[]): void {
  const wire = wireOf[client];
  for (const { status, text } of exchanges) {
    if (status === 200) (isStreamed ? readStreamedAnswer : readPlainAnswer)(wire, text);
    else if (wire === 'messages') readMessagesError(text);
    else checkPlainAnswer(status, text);
  }
}
