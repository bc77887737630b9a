import type { ChatMessage, ChatRequest, ReasoningEffort } from '../chat-types.js';
import type { HttpTarget } from '../provider-adapter.js';
import { anthropicAdapter } from './anthropic-adapter.js';
import { toAnthropicRequest } from './anthropic-request.js';

interface Asked {
  readonly cap?: number;
  readonly forced?: boolean;
  readonly messages?: readonly ChatMessage[];
}

function think(
  upstreamModel: string,
  effort: ReasoningEffort | undefined,
  { cap = 10_000, forced, messages }: Asked = {},
) {
  const sent = toAnthropicRequest(
    {
      model: 'public-name',
      messages: messages ?? [{ role: 'user', content: 'Hi' }],
      max_completion_tokens: cap,
      reasoning_effort: effort,
      tools: [{ type: 'function', function: { name: 'f' } }],
      tool_choice: forced ? 'required' : 'auto',
    },
    { upstreamModel, apiKey: null },
  );
  return { thinking: sent.thinking ?? null, effort: sent.output_config?.effort ?? null, cap: sent.max_tokens };
}

const summarized = { type: 'adaptive', display: 'summarized' };

describe('reasoning_effort', () => {
  it.each([
    ['claude-opus-4-6', 'minimal', summarized, 'low'],
    ['claude-opus-4-6', 'medium', summarized, 'medium'],
    ['claude-opus-4-6', 'xhigh', summarized, 'max'],
    ['claude-opus-4-8', 'xhigh', summarized, 'xhigh'],
    ['claude-opus-5-5', 'max', summarized, 'max'],
    ['claude-next-1', 'high', summarized, 'high'],
  ] as const)('of %s: %s is adaptive thinking with a level it knows', (model, effort, thinking, level) => {
    expect(think(model, effort)).toEqual({ thinking, effort: level, cap: 10_000 });
  });

  it.each([
    ['claude-opus-4-6', null, null],
    ['claude-haiku-4-5', null, null],
    ['claude-sonnet-5', { type: 'disabled' }, null],
    ['claude-haiku-5-5', { type: 'disabled' }, null],
    ['claude-sonnet-5-5', { type: 'between_tools' }, null],
    // It cannot be turned off, only kept short.
    ['claude-opus-5-5', null, 'low'],
  ] as const)('of %s: none is said as %j', (model, thinking, effort) => {
    expect(think(model, 'none')).toEqual({ thinking, effort, cap: 10_000 });
  });

  it.each([
    ['claude-sonnet-5-5', undefined, null],
    ['claude-sonnet-5-5', 'low', 'low'],
    ['claude-sonnet-5-5', 'max', 'high'],
  ] as const)('of %s beside thinking between tools alone: %s is said with it', (upstreamModel, effort, said) => {
    const sent = toAnthropicRequest(
      {
        ...{ model: 'm', messages: [{ role: 'user', content: 'Hi' }], max_completion_tokens: 10_000 },
        ...{ reasoning_effort: effort, isThinkingAsked: false, isThinkingBetweenTools: true },
      },
      { upstreamModel, apiKey: null },
    );
    expect([sent.thinking, sent.output_config?.effort ?? null]).toEqual([{ type: 'between_tools' }, said]);
  });

  it.each([
    ['claude-sonnet-5-5', true],
    ['claude-opus-5-5', false],
    ['claude-sonnet-5', false],
    ['claude-haiku-4-5', false],
  ])('may be of thinking between tools alone at %s: %s', (upstreamModel, may) => {
    expect(anthropicAdapter.thinksBetweenTools?.({ upstreamModel } as HttpTarget)).toBe(may);
  });

  it('that is not asked for changes nothing', () => {
    expect(think('claude-opus-5', undefined)).toEqual({ thinking: null, effort: null, cap: 10_000 });
  });

  it.each([
    ['low', 10_000, 1_024],
    ['medium', 10_000, 3_000],
    ['high', 10_000, 6_000],
    ['max', 10_000, 6_000],
    ['high', 2_048, 1_228],
  ] as const)('%s of an older model is a part of the cap of %i, and never raises it', (effort, cap, budgetTokens) => {
    expect(think('claude-haiku-4-5', effort, { cap })).toEqual({
      thinking: { type: 'enabled', budget_tokens: budgetTokens },
      effort: null,
      cap,
    });
  });

  it.each(['claude-opus-4-5', 'claude-opus-4-8'])(
    'may reason unseen at %s where thinking is asked for, and not for an effort alone',
    (upstreamModel) => {
      const target = { upstreamModel } as HttpTarget;
      const mayReason = (asked: Partial<ChatRequest>) =>
        anthropicAdapter.mayReason?.({ model: 'm', messages: [], ...asked }, target);
      expect(mayReason({ isThinkingAsked: true })).toBe(true);
      expect(mayReason({ reasoning_effort: 'low' })).toBe(true);
      expect(mayReason({ reasoning_effort: 'low', isThinkingAsked: false })).toBe(false);
      expect(mayReason({ reasoning_effort: 'none', isThinkingAsked: false })).toBe(false);
    },
  );

  it('of an older model is left out where the cap has no room for it, and of a model that cannot think', () => {
    expect(think('claude-haiku-4-5', 'high', { cap: 2_047 })).toEqual({ thinking: null, effort: null, cap: 2_047 });
    expect(think('claude-3-haiku-20240307', 'high', { cap: 3_000 }).thinking).toBeNull();
  });

  it.each([
    ['claude-haiku-4-5', null, null],
    ['claude-opus-4-6', null, null],
    ['claude-opus-5', { type: 'disabled' }, 'high'],
  ] as const)('of %s gives way to a forced tool', (model, thinking, effort) => {
    expect(think(model, 'max', { forced: true })).toEqual({ thinking, effort, cap: 10_000 });
  });

  it('nobody asked for gives way to a forced tool too, where it is on by default', () => {
    expect(think('claude-sonnet-5', undefined, { forced: true }).thinking).toEqual({ type: 'disabled' });
    expect(think('claude-opus-4-6', undefined, { forced: true }).thinking).toBeNull();
  });

  describe('after a call of a tool', () => {
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } } as const;
    const detail = {
      type: 'reasoning.text',
      text: 'Hm',
      signature: 's',
      format: 'anthropic-claude-v1',
      model: 'public-name',
    };
    const turn = (details?: (typeof detail)[]): ChatMessage[] => [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', tool_calls: [call], reasoning_details: details },
      { role: 'tool', tool_call_id: 'a', content: 'A' },
    ];
    const budget = { type: 'enabled', budget_tokens: 6_000 };

    it('is left out by an older model whose thinking did not come back, since it would be answered with an error', () => {
      expect(think('claude-haiku-4-5', 'high', { messages: turn() }).thinking).toBeNull();
      expect(think('claude-haiku-4-5', 'high', { messages: turn([detail]) }).thinking).toEqual(budget);
    });

    it('counts only the turn that is in progress', () => {
      const messages: ChatMessage[] = [
        ...turn(),
        { role: 'assistant', content: 'So' },
        { role: 'user', content: 'And?' },
      ];
      expect(think('claude-haiku-4-5', 'high', { messages }).thinking).toEqual(budget);
    });

    it('stays on where thinking is adaptive, which asks for nothing back', () => {
      expect(think('claude-opus-5', 'high', { messages: turn() }).thinking).toEqual(summarized);
    });
  });
});
