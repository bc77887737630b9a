import { type ChatDelta, type FinishReason, otherOutput } from '../../providers/chat-types.js';
import type { UpstreamEvent } from '../../providers/provider-adapter.js';
import { OutputCapGuard } from './output-cap-guard.js';
import { UsageMeter } from './usage-meter.js';

/** A piece with so many bytes in a field that nobody lists. */
function piece(otherBytes: number, delta: ChatDelta = {}, finish_reason: FinishReason | null = null): UpstreamEvent {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason }];
  const other = otherBytes === 0 ? {} : { [otherOutput]: { bytes: otherBytes, choice: 0, parts: [] } };
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' } as const;
  return { type: 'chunk', chunk: { ...head, choices, ...other } };
}

function usage(inputTokens: number, outputTokens: number): UpstreamEvent {
  const unknown = { cachedInputTokens: null, cacheWriteInputTokens: null, reasoningTokens: null };
  return { type: 'usage', usage: { inputTokens, outputTokens, ...unknown } };
}

const counter = { count: async (texts: readonly string[]) => texts.map(({ length }) => Math.ceil(length / 4)) };
const request = { messages: [{ role: 'user', content: 'Hello' }] as const, max_completion_tokens: 2_000 };

function meterAfter(...events: readonly UpstreamEvent[]): UsageMeter {
  const meter = new UsageMeter({ promptTokensMax: 400, imageTokensMax: 0, hiddenPromptTokensMax: 0, request });
  meter.noteAttempt(() => false);
  meter.noteSent(1_000);
  for (const event of events) meter.observe(event, 2_000);
  return meter;
}

const billOf = (...events: readonly UpstreamEvent[]) =>
  meterAfter(...events).countUsageAfter('completed', counter, { findUnseenTokensPerMs: () => 0, endedAtMs: 3_000 });

const end = piece(0, {}, 'stop');
const words = piece(0, { content: 'x'.repeat(400) });

describe('Output in fields that nobody lists', () => {
  it.each<[string, readonly UpstreamEvent[], number]>([
    ['alone, as English of its length', [piece(40), end], 10],
    ['in pieces', [piece(40), piece(41), end], 21],
    ['of a megabyte, as an image', [piece(1_000_000), end], 1_120],
    ['beside words that are longer, as the words', [piece(40), words, end], 100],
    ['beside words that are shorter', [piece(400), piece(0, { content: 'x'.repeat(40) }), end], 100],
    ['beside thoughts, with them', [piece(400), piece(0, { reasoning_content: 'x'.repeat(40) }), end], 100],
  ])('is charged where nobody counted: %s', async (_, events, outputTokens) => {
    expect(await billOf(...events)).toMatchObject({ source: 'estimated', tokens: { outputTokens } });
  });

  it('is charged as counted, as far as its bytes can be tokens', async () => {
    expect(await billOf(piece(8_000), end, usage(5, 7_900))).toMatchObject({ source: 'estimated' });
    expect(await billOf(piece(8_000), end, usage(5, 1_900))).toMatchObject({
      source: 'reported',
      tokens: { outputTokens: 1_900 },
    });
    expect(await billOf(piece(10), end, usage(5, 1_900))).toMatchObject({ source: 'estimated' });
  });

  it('takes nothing from a count that came before it, which it may only describe', async () => {
    const bill = await billOf(words, end, usage(5, 99), piece(4_000));
    expect(bill).toMatchObject({ source: 'reported', tokens: { outputTokens: 99 } });
  });

  it('ends no stream at its output cap, since nobody knows how many tokens it is', () => {
    const meter = meterAfter(...Array.from({ length: 100 }, () => piece(10_000)));
    expect(new OutputCapGuard(meter, counter).isDue).toBe(false);
    expect(meter.progress.completionTokens).toBe(1);
  });
});
