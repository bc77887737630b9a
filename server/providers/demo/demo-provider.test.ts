import fc from 'fast-check';
import { findPromptTokensMax } from '../../pricing/estimate-maximum-cost.js';
import { answerContext } from '../../test/answer-context.js';
import type { ChatRequest } from '../chat-types.js';
import type { UpstreamEvent } from '../provider-adapter.js';
import { createDemoTarget } from './demo-provider.js';

const context = { ...answerContext, providerId: 'demo', publicModel: 'demo-small' };
const weatherTool = {
  type: 'function',
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, unit: { enum: ['c', 'f'] }, days: { type: 'integer' } },
      required: ['city', 'unit', 'days'],
    },
  },
} as const;

function ask(changes: Partial<ChatRequest> & { text?: string } = {}): UpstreamEvent[] {
  const { text = 'Tell me about tolls', ...rest } = changes;
  const request: ChatRequest = { model: 'demo-small', messages: [{ role: 'user', content: text }], ...rest };
  return [...createDemoTarget('demo-small').answer(request, context)];
}

function completionOf(events: readonly UpstreamEvent[]) {
  const choice = events.flatMap((event) => (event.type === 'completion' ? event.completion.choices : []))[0];
  if (!choice) throw new Error('no completion');
  return choice;
}

function usageOf(events: readonly UpstreamEvent[]) {
  const usage = events.flatMap((event) => (event.type === 'usage' ? [event.usage] : [])).at(-1);
  if (!usage) throw new Error('no usage');
  return usage;
}

function deltasOf(events: readonly UpstreamEvent[]) {
  return events.flatMap((event) => (event.type === 'chunk' ? event.chunk.choices : []));
}

describe('the demo provider', () => {
  it('says that it is the demo and echoes the user', () => {
    const { message, finish_reason: reason } = completionOf(ask());
    expect(message.content).toMatch(/demo provider.*You said: Tell me about tolls$/);
    expect(reason).toBe('stop');
  });

  it('answers the same request the same way', () => {
    expect(ask()).toEqual(ask());
  });

  it('streams the very text of the plain answer, in several chunks, with the same usage', () => {
    const streamed = ask({ stream: true });
    const text = deltasOf(streamed)
      .map(({ delta }) => delta.content ?? '')
      .join('');
    expect(text).toBe(completionOf(ask()).message.content);
    expect(deltasOf(streamed).length).toBeGreaterThan(5);
    expect(deltasOf(streamed).filter(({ finish_reason: reason }) => reason !== null)).toHaveLength(1);
    expect(usageOf(streamed)).toEqual(usageOf(ask()));
  });

  it('stops at the output cap and says so', () => {
    for (const stream of [false, true]) {
      const events = ask({ stream, max_completion_tokens: 3 });
      expect(usageOf(events).outputTokens).toBe(3);
      const reasons = stream
        ? deltasOf(events).map((choice) => choice.finish_reason)
        : [completionOf(events).finish_reason];
      expect(reasons.at(-1)).toBe('length');
    }
  });

  it.each([
    ['required', { tool_choice: 'required' }],
    ['named by the request', { tool_choice: { type: 'function', function: { name: 'get_weather' } } }],
    ['named by the user', { text: 'Please use get_weather' }],
  ] as const)('calls a tool that is %s, with its required arguments', (_name, changes) => {
    const { message, finish_reason: reason } = completionOf(ask({ tools: [weatherTool], ...changes }));
    expect(reason).toBe('tool_calls');
    expect(message.content).toBeNull();
    const call = message.tool_calls?.[0];
    expect(call?.function.name).toBe('get_weather');
    expect(JSON.parse(call?.function.arguments ?? '')).toMatchObject({ unit: 'c', days: 1, city: expect.any(String) });
  });

  it('streams a tool call whose pieces join to the plain one', () => {
    const changes = { tools: [weatherTool], tool_choice: 'required' } as const;
    const pieces = deltasOf(ask({ ...changes, stream: true })).flatMap(({ delta }) => delta.tool_calls ?? []);
    const text = pieces.map((piece) => piece.function?.arguments ?? '').join('');
    expect(text).toBe(completionOf(ask(changes)).message.tool_calls?.[0]?.function.arguments);
    expect(pieces[0]).toMatchObject({ index: 0, type: 'function', function: { name: 'get_weather' } });
  });

  it('calls no tool when told not to, and none again after its result', () => {
    expect(completionOf(ask({ tools: [weatherTool], tool_choice: 'none', text: 'get_weather' })).finish_reason).toBe(
      'stop',
    );
    const messages = [
      { role: 'user', content: 'get_weather' },
      { role: 'tool', content: 'sunny', tool_call_id: 'x' },
    ] as const;
    expect(completionOf(ask({ tools: [weatherTool], messages })).message.content).toContain('The tool answered: sunny');
  });

  it('answers in JSON where asked, after the schema where there is one', () => {
    const json = completionOf(ask({ response_format: { type: 'json_object' } })).message.content;
    expect(JSON.parse(json ?? '')).toMatchObject({ isDemo: true });
    const schema = {
      type: 'object',
      required: ['tags'],
      properties: { tags: { type: 'array', items: { type: 'boolean' } } },
    };
    const shaped = completionOf(ask({ response_format: { type: 'json_schema', json_schema: { name: 's', schema } } }));
    expect(JSON.parse(shaped.message.content ?? '')).toEqual({ tags: [true] });
  });

  it('answers n choices and counts them all', () => {
    expect(usageOf(ask({ n: 3 })).outputTokens).toBe(3 * usageOf(ask()).outputTokens);
    expect(new Set(deltasOf(ask({ n: 3, stream: true })).map(({ index }) => index))).toEqual(new Set([0, 1, 2]));
  });

  it('never reports more than its hold covers, whatever the messages and the cap', () => {
    const content = fc.string({ unit: 'binary', maxLength: 2_000 });
    const messages = fc.array(fc.record({ role: fc.constantFrom('user', 'system', 'assistant'), content }), {
      minLength: 1,
    });
    fc.assert(
      fc.property(messages, fc.integer({ min: 1, max: 60 }), fc.boolean(), (anyMessages, cap, stream) => {
        const request = {
          model: 'demo-small',
          messages: anyMessages,
          max_completion_tokens: cap,
          stream,
        } as ChatRequest;
        const usage = usageOf(ask(request));
        expect(usage.inputTokens).toBeLessThanOrEqual(findPromptTokensMax(request));
        expect(usage.outputTokens).toBeLessThanOrEqual(cap);
      }),
    );
  });
});
