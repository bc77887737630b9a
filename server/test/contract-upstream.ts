import type { IncomingMessage, ServerResponse } from 'node:http';
import { LocalServer } from './local-server.js';
import { canary } from './provider-contract-case.js';

/** One answer of a provider, in its own words. */
export interface PlayedAnswer {
  readonly status?: number;
  /** A body of JSON, or the events of a stream. */
  readonly body: string | readonly string[];
  /** The connection breaks after so many events of a stream. */
  readonly cutAfter?: number;
}

/** The settings that lead every provider of the contracts to a port of this machine. */
export function providerSettingsAt(port: number): Readonly<Record<string, string>> {
  const url = `http://127.0.0.1:${port}`;
  return {
    OPENAI_API_KEY: canary.key,
    OPENAI_BASE_URL: `${url}/v1`,
    ANTHROPIC_API_KEY: canary.key,
    ANTHROPIC_BASE_URL: url,
    GEMINI_API_KEY: canary.key,
    GEMINI_BASE_URL: `${url}/v1beta`,
  };
}

/** A provider of any dialect over real HTTP, on a free port. It plays the answer that it was given, to whatever it is asked. */
export class ContractUpstream extends LocalServer {
  /** The body of every request so far, oldest first. */
  readonly bodies: Readonly<Record<string, unknown>>[] = [];
  #played: PlayedAnswer = { status: 404, body: '{}' };

  /** As `providerSettingsAt`. */
  get settings(): Readonly<Record<string, string>> {
    return providerSettingsAt(this.port);
  }

  /** What all further requests are answered. */
  play(answer: PlayedAnswer): void {
    this.#played = answer;
  }

  protected async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { status = 200, body, cutAfter } = this.#played;
    let text = '';
    for await (const piece of request) text += String(piece);
    this.bodies.push(JSON.parse(text) as Record<string, unknown>);
    if (typeof body === 'string') {
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      return;
    }
    response.writeHead(status, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    const written = body.slice(0, cutAfter).join('');
    if (cutAfter === undefined) response.end(written);
    // What was written goes out first; then the connection closes without an end.
    else response.write(written === '' ? ': nothing\n\n' : written, () => response.destroy());
  }
}
