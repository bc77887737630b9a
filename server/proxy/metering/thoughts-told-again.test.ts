import { AnthropicStreamParser } from '../../providers/anthropic/anthropic-stream.js';
import type { ChatDelta } from '../../providers/chat-types.js';
import type { UpstreamEvent } from '../../providers/provider-adapter.js';
import { answerContext } from '../../test/answer-context.js';
import { streamedData, textBlock, thinkingBlock } from '../../test/provider-contracts/anthropic-answers.js';
import { OutputCapGuard } from './output-cap-guard.js';
import { UsageMeter } from './usage-meter.js';

const fourCharacters = { count: async (texts: readonly string[]) => texts.map(({ length }) => Math.ceil(length / 4)) };

function meterOf(events: readonly UpstreamEvent[], cap: number): UsageMeter {
  const request = { messages: [{ role: 'user', content: 'Hello' }] as const, max_completion_tokens: cap };
  const meter = new UsageMeter({ promptTokensMax: 400, imageTokensMax: 0, hiddenPromptTokensMax: 0, request });
  meter.noteAttempt(() => true);
  meter.noteSent(1_000);
  for (const event of events) meter.observe(event, 2_000);
  return meter;
}

async function billLeft(meter: UsageMeter) {
  const { tokens } = await meter.countUsageAfter('abandoned', fourCharacters, {
    findUnseenTokensPerMs: () => 0,
    endedAtMs: 2_000,
  });
  return tokens.outputTokens;
}

/** What Claude streams of so many characters of thinking and of words, up to the words. */
function thinkAloud(thinking: number, words: number): readonly UpstreamEvent[] {
  const pieces = Array.from({ length: thinking / 40 }, () => 'x'.repeat(40));
  const blocks = [thinkingBlock('sig', ...pieces), textBlock('y'.repeat(words))];
  const data = streamedData(blocks, { stopReason: 'end_turn', inputTokens: 11, outputTokens: 1 });
  const parser = new AnthropicStreamParser(answerContext);
  return data.slice(0, -2).flatMap((event) => parser.push({ name: null, data: JSON.stringify(event) }));
}

const piece = (delta: ChatDelta): UpstreamEvent => ({
  type: 'chunk',
  chunk: {
    ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
    choices: [{ index: 0, delta, logprobs: null, finish_reason: null }],
  },
});
const detail = (text: string) => ({ reasoning_details: [{ type: 'reasoning.text', text }] });

describe('Thinking that is told in pieces and then once more as a whole', () => {
  it('is charged once when its caller leaves', async () => {
    expect(await billLeft(meterOf(thinkAloud(4_000, 400), 5_000))).toBe(1_000 + 100);
  });

  it('does not end an answer that is within its output cap', async () => {
    const meter = meterOf(thinkAloud(3_200 * 4, 600 * 4), 4_000);
    expect(await new OutputCapGuard(meter, fourCharacters).isPast()).toBe(false);
  });

  it.each([
    ['in details of the same pieces', [{ reasoning: 'x'.repeat(40), ...detail('x'.repeat(40)) }]],
    ['in details behind each piece', [{ reasoning: 'x'.repeat(40) }, detail('x'.repeat(40))]],
    ['in details before them', [detail('x'.repeat(40)), { reasoning_content: 'x'.repeat(40) }]],
    ['in details alone', [detail('x'.repeat(20)), detail('x'.repeat(20))]],
    ['in more details than were told as text', [{ reasoning: 'x'.repeat(8) }, detail('x'.repeat(40))]],
  ] as const)('is charged once, as far as the longer of both goes: %s', async (_, deltas) => {
    expect(await billLeft(meterOf(deltas.map(piece), 5_000))).toBe(10);
  });
});
