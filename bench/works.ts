import type { Contestant } from './contestants.js';
import type { Load } from './load-types.js';

/** One kind of call, in OpenAI's dialect, and what a gateway that translates nothing is sent instead. */
export interface Work {
  readonly body: string;
  readonly endsWith: string;
  readonly untranslated: { readonly path: string; readonly body: string; readonly endsWith: string };
}

const chatPath = '/v1/chat/completions';
const question = [{ role: 'user', content: 'Tell me in fifty words why the sky is blue.' }];

function workOf(model: string, isStreamed: boolean): Work {
  const body = JSON.stringify({ model, messages: question, max_tokens: 200, ...(isStreamed ? { stream: true } : {}) });
  const endsWith = isStreamed ? '[DONE]' : '}';
  return { body, endsWith, untranslated: { path: chatPath, body, endsWith } };
}

export const plain = workOf('gpt-4o-mini', false);
export const streamed = workOf('gpt-4o-mini', true);
export const translated: Work = {
  ...workOf('claude-haiku-4-5', true),
  untranslated: {
    path: '/v1/messages',
    body: JSON.stringify({ model: 'claude', messages: question, max_tokens: 200, stream: true }),
    endsWith: '}',
  },
};

/** How this contestant is asked for that work. */
export function toLoad(
  { kind, baseUrl, alsoAt = [], headers, secrets }: Contestant,
  work: Work,
): Pick<Load, 'url' | 'alsoAt' | 'body' | 'endsWith' | 'headers' | 'secrets'> {
  const isOurs = kind === 'tollgate' || kind === 'unbooked';
  const { path, body, endsWith } = isOurs ? { ...work, path: chatPath } : work.untranslated;
  return { url: `${baseUrl}${path}`, body, endsWith, headers, secrets, alsoAt };
}
