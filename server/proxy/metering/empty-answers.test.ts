import type { ChatCompletionChunk, FinishReason } from '../../providers/chat-types.js';
import type { UpstreamEvent } from '../../providers/provider-adapter.js';
import { UsageMeter } from './usage-meter.js';

const identity = { id: 'c', created: 1, model: 'm' } as const;

function chunk(
  delta: ChatCompletionChunk['choices'][number]['delta'],
  finishReason: FinishReason | null = null,
): UpstreamEvent {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
  return { type: 'chunk', chunk: { ...identity, object: 'chat.completion.chunk', choices } };
}

function plain(message: object, finishReason: FinishReason): UpstreamEvent {
  const whole = { role: 'assistant', content: null, refusal: null, ...message } as const;
  const choices = [{ index: 0, message: whole, logprobs: null, finish_reason: finishReason }];
  return { type: 'completion', completion: { ...identity, object: 'chat.completion', choices } };
}

function usage(inputTokens: number, outputTokens: number, reasoningTokens: number | null = null): UpstreamEvent {
  const unknown = { cachedInputTokens: null, cacheWriteInputTokens: null, reasoningTokens };
  return { type: 'usage', usage: { inputTokens, outputTokens, ...unknown } };
}

/** What is charged at the end, of a model that reasons unseen. */
function billAfter(
  outcome: 'completed' | 'abandoned',
  events: readonly UpstreamEvent[],
  asked: object = {},
  isCut = false,
) {
  const request = { messages: [{ role: 'user', content: 'Hello' }] as const, max_completion_tokens: 1_000, ...asked };
  const meter = new UsageMeter({ promptTokensMax: 400, imageTokensMax: 0, hiddenPromptTokensMax: 0, request });
  meter.noteAttempt(() => true);
  meter.noteSent(1_000);
  for (const event of events) meter.observe(event, 2_000);
  if (isCut) meter.cutAtCap();
  const counter = { count: async (texts: readonly string[]) => texts.map(({ length }) => Math.ceil(length / 4)) };
  return meter.countUsageAfter(outcome, counter, { findUnseenTokensPerMs: () => 0.2, endedAtMs: 3_000 });
}

describe('The bill of a whole answer in which nothing was made', () => {
  const free = { source: 'none', parts: null, tokens: { inputTokens: 0, outputTokens: 0 } };
  const role = chunk({ role: 'assistant', content: '' });
  const filtered = chunk({}, 'content_filter');
  const beside = (event: UpstreamEvent) => ({ ...event, isOfNextChunk: true }) as UpstreamEvent;
  const text = chunk({ content: 'x'.repeat(40) });

  it.each<[string, readonly UpstreamEvent[]]>([
    ['empty', [role, chunk({}, 'stop'), usage(25, 0)]],
    ['plain and empty', [usage(25, 0), plain({ content: '' }, 'stop')]],
    ['empty, whose end counts nothing after a first guess', [usage(25, 1), role, usage(25, 0), chunk({}, 'stop')]],
    ['empty, whose end reports no usage after a first guess', [usage(25, 3), role, chunk({}, 'stop')]],
    ['empty, with a guess beside its first piece', [beside(usage(25, 1)), role, chunk({}, 'stop')]],
    ['empty, that nobody counted', [role, chunk({}, 'stop')]],
    ['one token that was counted at the end', [usage(25, 1), role, usage(25, 1), chunk({}, 'stop')]],
    ['one token of a plain answer', [usage(25, 1), plain({ content: '' }, 'stop')]],
    ['three tokens counted with its end', [role, beside(usage(25, 3)), chunk({}, 'stop')]],
    ['a frame that is counted after its end', [role, chunk({}, 'stop'), usage(25, 16), chunk({})]],
    ['one token counted, held back by a filter', [role, filtered, usage(25, 1)]],
    ['a frame that is counted for a call that never came', [role, chunk({}, 'tool_calls'), usage(25, 9)]],
    ['cut at the output cap, with no output counted', [role, chunk({}, 'length'), usage(25, 0)]],
    ['held back by a filter', [role, filtered, usage(25, 0)]],
    ['a prompt that was blocked, in our words', [usage(25, 0), chunk({ refusal: 'Blocked.' }, 'content_filter')]],
    ['a plain one in our words', [usage(25, 0), plain({ refusal: 'Blocked.' }, 'content_filter')]],
    ['held back in words before the end', [role, chunk({ refusal: 'No. ' }), filtered, usage(25, 0)]],
    ['held back in words that nobody counted', [chunk({ refusal: 'No. ' }), chunk({ refusal: 'No.' }), filtered]],
  ])('charges nothing, also for the prompt: %s', async (_, events) => {
    for (const outcome of ['completed', 'abandoned'] as const) {
      expect(await billAfter(outcome, events)).toMatchObject(free);
    }
  });

  it.each<[string, readonly UpstreamEvent[], object]>([
    ['hidden reasoning', [role, chunk({}, 'stop'), usage(25, 40)], { source: 'reported' }],
    ['more counted than a frame has', [role, chunk({}, 'stop'), usage(25, 17)], { source: 'reported' }],
    ['more than a guess counts', [usage(25, 17), role, chunk({}, 'stop')], { source: 'reported' }],
    ['a token of reasoning that was counted', [role, chunk({}, 'stop'), usage(25, 1, 1)], { source: 'reported' }],
    [
      'a refusal that was counted',
      [usage(11, 7), plain({ refusal: 'I cannot.' }, 'content_filter')],
      { source: 'reported' },
    ],
    ['words that a filter took back', [role, filtered, usage(25, 300)], { source: 'reported' }],
    ['a refusal of the model', [usage(11, 0), chunk({ refusal: 'I will not.' }, 'stop')], { source: 'estimated' }],
    ['words before a filter', [role, text, filtered, usage(25, 0)], { source: 'estimated' }],
    ['a call', [chunk({ tool_calls: [{ index: 0, function: { name: 'f' } }] }, 'tool_calls')], {}],
    ['an image', [chunk({ images: [{ type: 'image_url' }] }, 'stop'), usage(25, 0)], { source: 'estimated' }],
    ['reasoning', [chunk({ reasoning_content: 'Hm' }), filtered, usage(25, 0)], { source: 'estimated' }],
    ['vectors', [{ type: 'embeddings', vectors: [], model: 'm' } as never, usage(25, 0)], { source: 'reported' }],
  ])('is not said of one with %s', async (_, events, more) => {
    const bill = await billAfter('completed', events);
    expect(bill).toMatchObject(more);
    expect(bill.tokens.inputTokens).toBeGreaterThan(0);
  });

  const [stopped, cut] = [chunk({}, 'stop'), chunk({}, 'length')];
  it.each<[string, object, readonly UpstreamEvent[], object]>([
    ['its output cap, at once', { max_completion_tokens: 1 }, [role, cut, usage(25, 1)], { outputTokens: 1 }],
    ['its output cap, plainly', { max_completion_tokens: 1 }, [usage(25, 1), plain({ content: '' }, 'length')], {}],
    ['its output cap, uncounted', { max_completion_tokens: 1 }, [role, cut], { outputTokens: 1 }],
    [
      'a token that it wants and that ends the turn',
      { logit_bias: { 199999: 100 } },
      [role, stopped, usage(25, 1)],
      { outputTokens: 1 },
    ],
    ['its stop text, at once', { stop: 'No' }, [role, stopped, usage(25, 2)], { outputTokens: 2 }],
    [
      'one of its stop texts',
      { stop: ['', 'No'] },
      [usage(25, 2), plain({ content: '' }, 'stop')],
      { outputTokens: 2 },
    ],
    ['its stop text, uncounted', { stop: ['No'] }, [role, stopped], {}],
    ['its output cap, while it reasoned unseen', {}, [role, cut, usage(25, 1_000)], { outputTokens: 1_000 }],
  ])(
    'is charged, so that nobody has answers made for nothing, where the request itself ended it: %s',
    async (_, asked, events, more) => {
      for (const outcome of ['completed', 'abandoned'] as const) {
        const { tokens, source } = await billAfter(outcome, events, asked);
        expect({ source, ...tokens }).toMatchObject(more);
        expect(tokens.inputTokens).toBeGreaterThan(0);
      }
    },
  );

  it('is free where stop texts were asked for and its provider counted no output, or all of them are empty', async () => {
    expect(await billAfter('completed', [role, stopped, usage(25, 0)], { stop: 'No' })).toMatchObject(free);
    expect(await billAfter('completed', [role, stopped, usage(25, 2)], { stop: [''] })).toMatchObject(free);
    expect(await billAfter('completed', [role, filtered, usage(25, 2)], { stop: 'No' })).toMatchObject(free);
  });

  it('is free where the request keeps tokens away, which ends no answer', async () => {
    expect(await billAfter('completed', [role, stopped, usage(25, 1)], { logit_bias: { 11: -100 } })).toMatchObject(
      free,
    );
  });

  it('has a frame for each choice', async () => {
    const both = [chunk({}, 'stop'), usage(25, 32)];
    expect(await billAfter('completed', both, { n: 2 })).toMatchObject(free);
    expect(await billAfter('completed', both)).toMatchObject({ source: 'reported' });
  });

  it('is charged the output cap, and no more, where all that came of it was hidden and it was cut there, by us or its provider', async () => {
    const hidden = [role, usage(25, 1_700, 1_700)];
    const ours = await billAfter('completed', hidden, {}, true);
    expect(ours).toMatchObject({ source: 'estimated', tokens: { inputTokens: 25, outputTokens: 1_000 } });
    const theirs = await billAfter('completed', [role, cut, usage(25, 1_000, 1_000)]);
    expect(theirs).toMatchObject({ source: 'reported', tokens: { inputTokens: 25, outputTokens: 1_000 } });
    const small = await billAfter('completed', [role, usage(25, 73)], { n: 8, max_completion_tokens: 1 }, true);
    expect(small).toMatchObject({ source: 'estimated', tokens: { inputTokens: 25, outputTokens: 8 } });
  });
});
