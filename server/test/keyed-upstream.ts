import type { IncomingMessage, ServerResponse } from 'node:http';
import { LocalServer } from './local-server.js';

/** A provider over real HTTP that answers by the key it is asked with: as `refused` says, else a short answer. */
export class KeyedUpstream extends LocalServer {
  /** The keys of all requests so far, in their order. */
  readonly asked: string[] = [];
  readonly refused = new Map<
    string,
    {
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Only requests that have this text; left out: all. */
      readonly of?: string;
    }
  >();
  readonly #waiting: (() => void)[] = [];
  #isHeld = false;

  override get baseUrl(): string {
    return `${super.baseUrl}/v1`;
  }

  /** Answers nobody until `release`. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    for (const answer of this.#waiting.splice(0)) answer();
  }

  override async close(): Promise<void> {
    this.release();
    await super.close();
  }

  protected answer(request: IncomingMessage, response: ServerResponse): void {
    const key = String(request.headers.authorization ?? '').replace(/^Bearer /, '');
    this.asked.push(key);
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => {
      body += piece;
    });
    request.on('end', () => this.#answer({ key, body }, response));
  }

  #answer(asked: { readonly key: string; readonly body: string }, response: ServerResponse): void {
    if (this.#isHeld) {
      this.#waiting.push(() => this.#answer(asked, response));
      return;
    }
    const set = this.refused.get(asked.key);
    const refusal = asked.body.includes(set?.of ?? '') ? set : undefined;
    response.writeHead(refusal?.status ?? 200, { 'content-type': 'application/json', ...refusal?.headers });
    const choice = { index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' };
    const usage = { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 };
    const answer = { id: 'c1', object: 'chat.completion', created: 1, model: 'm', choices: [choice], usage };
    response.end(JSON.stringify(refusal ? { error: { message: 'No', code: null } } : answer));
  }
}
