import type { ChatCompletionChunk } from '../providers/chat-types.js';
import type { UpstreamEvent } from '../providers/provider-adapter.js';
import { AnswerReading } from './answer-reading.js';
import { OutputCapGuard } from './metering/output-cap-guard.js';
import { UsageMeter } from './metering/usage-meter.js';

const chunk = (content: string): ChatCompletionChunk => ({
  id: 'call_1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: { content }, logprobs: null, finish_reason: null }],
});
const piece = (content: string): UpstreamEvent => ({ type: 'chunk', chunk: chunk(content) });

function prepare(
  handOn: (chunk: ChatCompletionChunk) => Promise<void> | null,
  observe?: () => void,
  readWhole: () => void = () => {},
) {
  const request = { model: 'm', messages: [], max_completion_tokens: 10 };
  const meter = new UsageMeter({ request, promptTokensMax: 1, imageTokensMax: 0, hiddenPromptTokensMax: 0 });
  if (observe) meter.observe = observe;
  const capGuard = new OutputCapGuard(meter, { count: async () => null });
  const handed: string[] = [];
  const sink = {
    hasTold: true,
    admitted: () => {},
    whole: readWhole,
    chunk: (given: ChatCompletionChunk) => {
      handed.push(given.choices[0]?.finish_reason ?? given.choices[0]?.delta.content ?? '');
      return handOn(given);
    },
  };
  return { reading: new AnswerReading({ meter, capGuard, sink }), handed };
}

describe('AnswerReading', () => {
  it('holds the provider up for as long as the caller is behind', async () => {
    let catchUp = () => {};
    const { reading, handed } = prepare(
      () =>
        new Promise((resolve) => {
          catchUp = resolve;
        }),
    );
    let isTaken = false;
    const taking = Promise.resolve(reading.take(piece('Hello'))).then(() => {
      isTaken = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect([handed, isTaken]).toEqual([['Hello'], false]);
    catchUp();
    await taking;
    expect([isTaken, reading.hasEnough]).toEqual([true, false]);
  });

  it.each([
    [
      'at once',
      () => {
        throw new Error('the caller cannot be given it');
      },
    ],
    ['while it waits', () => Promise.reject(new Error('the caller cannot be given it'))],
  ])('has enough when the caller cannot be given a piece: %s', async (_when, handOn) => {
    const { reading } = prepare(handOn);
    await reading.take(piece('Hello'));
    expect(reading.hasEnough).toBe(true);
    expect(reading.failure).toMatchObject({ isOfSink: true, error: { message: 'the caller cannot be given it' } });
  });

  it('tells a failure of its own from one of the caller', () => {
    const { reading, handed } = prepare(
      () => null,
      () => {
        throw new Error('the meter broke');
      },
    );
    expect(reading.take(piece('Hello'))).toBeNull();
    expect([reading.hasEnough, reading.failure?.isOfSink, handed]).toEqual([true, false, []]);
  });

  it('ends a stream that goes on past its output cap, as one that obeys it ends', async () => {
    const { reading, handed } = prepare(() => null);
    await reading.take(piece('x'.repeat(10_000)));
    expect(handed.at(-1)).toBe('length');
    expect([reading.isCut, reading.hasEnough, reading.failure]).toEqual([true, true, null]);
  });

  it('has enough when a whole answer cannot be read for the caller, which is known before it is billed', () => {
    const readWhole = () => {
      throw new Error('the caller cannot be given it');
    };
    const { reading } = prepare(() => null, undefined, readWhole);
    reading.take({ type: 'embeddings', vectors: [], texts: new Map() });
    expect(reading.hasEnough).toBe(true);
    expect(reading.failure).toMatchObject({ isOfSink: true, error: { message: 'the caller cannot be given it' } });
  });

  it('keeps a whole answer back, and says when the first event came', () => {
    const { reading, handed } = prepare(() => null);
    expect(reading.firstEventMs).toBeNull();
    const vectors: UpstreamEvent = { type: 'embeddings', vectors: [], texts: new Map() };
    reading.take(vectors);
    expect([reading.whole, handed]).toEqual([vectors, []]);
    expect(reading.firstEventMs).toEqual(expect.any(Number));
  });
});
