/** @jest-environment jsdom */
import { waitFor } from '@testing-library/react';
import { watchBalance } from './watch-balance';

/** Stands for the server: each stream that is opened is kept, with what the page has been told by it. */
class Streams {
  readonly opened: { readonly signal: AbortSignal; readonly end: () => void }[] = [];

  readonly fetch = async (_url: unknown, { signal }: { signal: AbortSignal }) => {
    const encoder = new TextEncoder();
    let end = () => {};
    const next = JSON.stringify({ data: { balance: { available: this.opened.length + 1, held: 0 } } });
    const parts = [`event: next\ndata: ${next}\n\n`];
    const ended = new Promise<void>((resolve, reject) => {
      end = resolve;
      signal.addEventListener('abort', () => reject(new Error('aborted')));
    });
    ended.catch(() => undefined);
    async function* body() {
      for (const part of parts) yield encoder.encode(part);
      await ended;
      yield encoder.encode('event: complete\ndata:\n\n');
    }
    this.opened.push({ signal, end: () => end() });
    const headers = { get: () => 'text/event-stream; charset=utf-8' };
    return { ok: true, status: 200, headers, body: body() };
  };

  get openCount(): number {
    return this.opened.filter(({ signal }) => !signal.aborted).length;
  }
}

function show(state: 'visible' | 'hidden'): void {
  Object.defineProperty(document, 'visibilityState', { value: state, configurable: true });
  document.dispatchEvent(new Event('visibilitychange'));
}

describe('The live balance', () => {
  const real = { fetch: globalThis.fetch, TextEncoder: globalThis.TextEncoder, TextDecoder: globalThis.TextDecoder };
  let streams: Streams;
  let told: number[];
  let end: () => void;

  beforeEach(async () => {
    const { TextDecoder, TextEncoder } = await import('node:util');
    streams = new Streams();
    Object.assign(globalThis, { fetch: streams.fetch, TextDecoder, TextEncoder });
    told = [];
    show('visible');
    end = watchBalance(({ available }) => told.push(available));
    await waitFor(() => expect(told).toEqual([1]));
  });
  afterEach(() => {
    end();
    Object.assign(globalThis, real);
    Reflect.deleteProperty(document, 'visibilityState');
  });

  it('holds no connection while the page is hidden, and tells what is so once it is seen again', async () => {
    show('hidden');
    expect(streams.openCount).toBe(0);
    show('visible');
    await waitFor(() => expect(told).toEqual([1, 2]));
    expect(streams.openCount).toBe(1);
    end();
    expect(streams.openCount).toBe(0);
    show('visible');
    expect(streams.opened).toHaveLength(2);
  });

  it('goes on after the server has ended it, as before a restart', async () => {
    streams.opened[0]?.end();
    await waitFor(() => expect(told).toEqual([1, 2]), { timeout: 10_000 });
  });
});
