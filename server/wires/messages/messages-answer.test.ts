import type { ChatCompletion, CompletionUsage } from '../../providers/chat-types.js';
import { MessagesAnswer } from './messages-answer.js';

const usage = {
  ...{ prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
} satisfies CompletionUsage;

describe('MessagesAnswer', () => {
  it('tells arguments that are nested too deep to be written again as the text that they are', () => {
    const text = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    const message = {
      ...{ role: 'assistant', content: null, refusal: null },
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: text } }],
    } as const;
    const completion = { choices: [{ index: 0, message, logprobs: null, finish_reason: 'tool_calls' }] };
    const answer = new MessagesAnswer({ callId: 'call_1', model: 'm', promptTokensEstimate: 1 });
    const body = answer.toBody(completion as unknown as ChatCompletion, usage);
    expect(JSON.parse(JSON.stringify(body))).toMatchObject({ content: [{ type: 'tool_use', input: { _raw: text } }] });
  });
});
