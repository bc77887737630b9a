import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** What OpenAI's clients read as a stream; no proxy on the way may buffer or compress it. */
export const sseHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** A caller who reads nothing for this long is taken for gone. */
const stalledReaderMs = 30_000;

/** Writes server-sent events no faster than their reader takes them. */
export class SseWriter {
  /** @param readerLeft Aborted when the connection closes; a waiting write then ends at once. */
  constructor(
    private readonly response: ServerResponse,
    private readonly readerLeft: AbortSignal,
  ) {}

  /**
   * Writes one event and waits while the reader is behind.
   * @throws when the reader is gone or has taken nothing for 30 seconds; the connection is then closed.
   */
  async writeData(data: string): Promise<void> {
    this.readerLeft.throwIfAborted();
    if (this.response.write(`data: ${data}\n\n`)) return;
    const patience = AbortSignal.any([this.readerLeft, AbortSignal.timeout(stalledReaderMs)]);
    try {
      await once(this.response, 'drain', { signal: patience });
    } catch (error) {
      this.response.destroy();
      throw error;
    }
  }

  /** Ends a whole and billed answer. */
  endDone(): void {
    this.response.end('data: [DONE]\n\n');
  }

  /** Ends an answer that broke off: an error event, and no `[DONE]`. */
  endWithError(body: object): void {
    this.response.end(`data: ${JSON.stringify(body)}\n\n`);
  }
}
