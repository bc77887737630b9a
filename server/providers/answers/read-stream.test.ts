import { createOpenAiCompatibleAdapter } from '../openai-compatible/openai-compatible-adapter.js';
import { commonDialect } from '../openai-compatible/openai-dialect.js';
import type { UpstreamEvent } from '../provider-adapter.js';
import { readStream } from './read-stream.js';

const context = { providerId: 'acme', publicModel: 'm', answerId: 'call_1', createdSeconds: 1, choicesAsked: 1 };
const lineOf = (content: string) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n`;

/** Reads a stream, and counts the turns that others have meanwhile. */
async function read(text: string) {
  const taken: UpstreamEvent[] = [];
  const taker = {
    hasEnough: false,
    take: (event: UpstreamEvent) => {
      taken.push(event);
      return null;
    },
  };
  const parser = createOpenAiCompatibleAdapter(commonDialect).parseStream(context);
  const bounds = { providerId: 'acme', eventBytesMax: 10_000_000, limits: { valuesMax: 1_000_000, levelsMax: 128 } };
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const stream = { exchange: { read: () => null }, start: Buffer.from(text), parser, signal: null };
  const failure = await readStream(stream, bounds, taker).catch((error: unknown) => error);
  isOver = true;
  const words = taken.flatMap((event) => (event.type === 'chunk' ? [event.chunk.choices[0]?.delta.content ?? ''] : []));
  return { words: words.filter(Boolean), turns, failure };
}

describe('A stream whose events have one line end between them', () => {
  it('lets others have their turns, however many events it has', async () => {
    const { words, turns, failure } = await read(lineOf('a').repeat(10_000));
    expect(failure).toBeUndefined();
    expect(words).toHaveLength(10_000);
    expect(turns).toBeGreaterThan(30);
  });

  it('is read up to the line that cannot be read, as any other is up to such an event', async () => {
    const { words, failure } = await read(`${lineOf('a')}${lineOf('b')}data: {"cut\n`);
    expect(words).toEqual(['a', 'b']);
    expect(failure).toMatchObject({ code: 'provider_error' });
  });
});
