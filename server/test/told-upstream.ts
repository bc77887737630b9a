import type { IncomingMessage, ServerResponse } from 'node:http';
import { LocalServer } from './local-server.js';
import type { Dialect } from './odd-answers.js';

/** A model of each dialect, by its public name. */
export const modelsOfDialects: Readonly<Record<Dialect, string>> = {
  openai: 'gpt-4o-mini',
  anthropic: 'claude-opus-5',
  gemini: 'gemini-3.8-flash',
};

/** The same short question on each wire, by its address. */
export const askOnWires: Readonly<Record<string, (model: string) => object>> = {
  '/chat/completions': (model) => ({ model, max_tokens: 300, messages: [{ role: 'user', content: 'Hello' }] }),
  '/responses': (model) => ({ model, max_output_tokens: 300, input: 'Hello' }),
  '/messages': (model) => ({ model, max_tokens: 300, messages: [{ role: 'user', content: 'Hello' }] }),
  '/completions': (model) => ({ model, max_tokens: 300, prompt: 'Hello' }),
};

/** The settings that lead a server to one address for every dialect. */
export function allDialectsAt(address: string): Readonly<Record<string, string>> {
  return {
    OPENAI_BASE_URL: `${address}/v1`,
    ANTHROPIC_API_KEY: 'sk-ant-1',
    ANTHROPIC_BASE_URL: address,
    GEMINI_API_KEY: 'AIza-1',
    GEMINI_BASE_URL: `${address}/v1beta`,
  };
}

/** All providers behind one address, which answers every request with the bytes that it was told. */
export class ToldUpstream extends LocalServer {
  reply = { body: '', isStreamed: false };

  /** What leads a server to it. */
  get settings(): Readonly<Record<string, string>> {
    return allDialectsAt(this.baseUrl);
  }

  protected answer(request: IncomingMessage, response: ServerResponse): void {
    request.resume();
    request.on('end', () => {
      const { body, isStreamed } = this.reply;
      response.writeHead(200, { 'content-type': isStreamed ? 'text/event-stream' : 'application/json' });
      response.end(body);
    });
  }
}
