import type { UpstreamTimeouts } from '../config/time-settings.js';
import type { AppError } from '../kernel/app-error.js';
import { Secret } from '../kernel/secret.js';
import { type UpstreamCall, UpstreamClient, type UpstreamClientOptions } from '../providers/call-upstream.js';
import { providerCatalogue } from '../providers/catalogue.js';
import type { ChatRequest } from '../providers/chat-types.js';
import type { HttpTarget, UpstreamEvent } from '../providers/provider-adapter.js';
import { FakeUpstream, type RecordedRequest } from './fake-upstream.js';

export const generousTimeouts: UpstreamTimeouts = {
  connectMs: 5_000,
  firstByteMs: 10_000,
  idleMs: 10_000,
  totalMs: 20_000,
};
/** Our key at the fake upstream; no error may show it. */
export const canaryKey = 'sk-ours-canary-0123456789';

/** Sends calls to one fake upstream with clients of its own, and closes them all in the end. */
export class FakeUpstreamCaller {
  readonly #clients: UpstreamClient[] = [];

  private constructor(readonly upstream: FakeUpstream) {}

  static async start(): Promise<FakeUpstreamCaller> {
    return new FakeUpstreamCaller(await FakeUpstream.start());
  }

  createClient(options: Partial<UpstreamClientOptions> = {}): UpstreamClient {
    const client = new UpstreamClient({ timeouts: generousTimeouts, ...options });
    this.#clients.push(client);
    return client;
  }

  /** A call whose last user message is `text`; `changes` are of the request or of the call. */
  callOf(text: string, changes: Partial<ChatRequest> & Partial<Omit<UpstreamCall, 'request'>> = {}): UpstreamCall {
    const { target = targetAt(this.upstream.baseUrl), signal = new AbortController().signal, ...others } = changes;
    const { answerId = 'call_1', onFirstByte, ...rest } = others;
    const request: ChatRequest = { model: 'public-name', messages: [{ role: 'user', content: text }], ...rest };
    return { target, request, signal, answerId, ...(onFirstByte ? { onFirstByte } : {}) };
  }

  get lastRequest(): RecordedRequest | undefined {
    return this.upstream.requests.at(-1);
  }

  async closeClients(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map((client) => client.close()));
  }

  async close(): Promise<void> {
    await this.closeClients();
    await this.upstream.close();
  }
}

/** Any address, taken for OpenAI's. */
export function targetAt(baseUrl: string): HttpTarget {
  const provider = providerCatalogue.find(({ id }) => id === 'openai');
  if (!provider) throw new Error('openai is in the catalogue');
  const { id: providerId, adapter } = provider;
  return { kind: 'http', providerId, adapter, baseUrl, apiKey: new Secret(canaryKey), upstreamModel: 'gpt-4o' };
}

/** Reads a call to its end; an error ends it too. */
export async function readAll(calling: AsyncGenerator<UpstreamEvent>) {
  const events: UpstreamEvent[] = [];
  try {
    for await (const event of calling) events.push(event);
    return { events, error: null };
  } catch (error) {
    return { events, error: error as AppError };
  }
}

/** All text of an answer, plain or streamed. */
export function textOf(events: readonly UpstreamEvent[]): string {
  return events
    .map((event) => {
      if (event.type === 'chunk') return event.chunk.choices[0]?.delta.content ?? '';
      return event.type === 'completion' ? (event.completion.choices[0]?.message.content ?? '') : '';
    })
    .join('');
}

/** The usage that counts: the last one. */
export function usageOf(events: readonly UpstreamEvent[]) {
  return events.flatMap((event) => (event.type === 'usage' ? [event.usage] : [])).at(-1) ?? null;
}
