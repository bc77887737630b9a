import type { Contestant } from './contestants.js';
import type { Load } from './load-types.js';

/** One kind of call, on one of our wires, and what a gateway that translates nothing is sent instead. */
export interface Work {
  /** Chat completions when left out. */
  readonly path?: string;
  readonly body: string;
  readonly endsWith: string;
  readonly untranslated: { readonly path: string; readonly body: string; readonly endsWith: string };
}

const chatPath = '/v1/chat/completions';
const question = [{ role: 'user', content: 'Tell me in fifty words why the sky is blue.' }];

function workOf(model: string, isStreamed: boolean, more: object = {}): Work {
  const stream = isStreamed ? { stream: true } : {};
  const body = JSON.stringify({ model, messages: question, max_tokens: 200, ...stream, ...more });
  const endsWith = isStreamed ? '[DONE]' : '}';
  return { body, endsWith, untranslated: { path: chatPath, body, endsWith } };
}

export const plain = workOf('gpt-4o-mini', false);
export const streamed = workOf('gpt-4o-mini', true);
/** A chunk each 10 ms, as fast models write: each comes and leaves by itself. */
export const paced = workOf('gpt-4o-mini', true, { seed: 10 });
export const translated: Work = {
  ...workOf('claude-haiku-4-5', true),
  untranslated: {
    path: '/v1/messages',
    body: JSON.stringify({ model: 'claude', messages: question, max_tokens: 200, stream: true }),
    endsWith: '}',
  },
};

const inputOf = (model: string) => JSON.stringify({ model, input: question, max_output_tokens: 200, stream: true });
const messagesOf = (model: string) => JSON.stringify({ model, messages: question, max_tokens: 200, stream: true });
const messagesPath = '/v1/messages';

/** Responses from a provider that speaks chat completions. */
export const responses: Work = { ...streamed, path: '/v1/responses', body: inputOf('gpt-4o-mini'), endsWith: '}' };
/** Messages from a provider that speaks chat completions. */
export const messagesFromChat: Work = {
  ...streamed,
  path: messagesPath,
  body: messagesOf('gpt-4o-mini'),
  endsWith: '}',
};
/** Messages from a provider that speaks Messages. */
export const messages: Work = {
  ...translated,
  path: messagesPath,
  body: messagesOf('claude-haiku-4-5'),
  endsWith: '}',
};
const texts = JSON.stringify({ model: 'text-embedding-3-small', input: question[0]?.content });
const embeddingsPath = '/v1/embeddings';
/** One vector. */
export const embeddings: Work = {
  ...{ path: embeddingsPath, body: texts, endsWith: '}' },
  untranslated: { path: embeddingsPath, body: texts, endsWith: '}' },
};

/** How this contestant is asked for that work. */
export function toLoad(
  { kind, baseUrl, alsoAt = [], headers, secrets }: Contestant,
  work: Work,
): Pick<Load, 'url' | 'alsoAt' | 'body' | 'endsWith' | 'headers' | 'secrets'> {
  const isOurs = ['tollgate', 'held', 'unbooked'].includes(kind);
  const { path, body, endsWith } = isOurs ? { path: chatPath, ...work } : work.untranslated;
  return { url: `${baseUrl}${path}`, body, endsWith, headers, secrets, alsoAt };
}
