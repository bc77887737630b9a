import type { ChatCompletion } from '../providers/chat-types.js';
import { parseRequest } from '../proxy/requests/parse-request.js';
import { MessagesAnswer } from './messages/messages-answer.js';
import { ResponsesAnswer } from './responses/responses-answer.js';

const call = { id: 'call_a', type: 'function', function: { name: 'look', arguments: '{}' } } as const;
const completion: ChatCompletion = {
  id: 'x',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        refusal: null,
        reasoning_content: 'I must look.',
        tool_calls: [call],
      },
      logprobs: null,
      finish_reason: 'tool_calls',
    },
  ],
};
const usage = {
  prompt_tokens: 1,
  completion_tokens: 1,
  total_tokens: 2,
  prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
};
const thoughtsOf = ({ request }: ReturnType<typeof parseRequest>) =>
  request.messages.filter(({ role }) => role === 'assistant').map(({ reasoning_content: thought }) => thought);

describe('the plain thinking of an answer that calls a tool, sent back with what the tool said', () => {
  it.each(['reasoning_content', 'reasoning'])('is there again over chat completions, as %s', (name) => {
    const said = { role: 'assistant', content: null, [name]: 'I must look.', tool_calls: [call] };
    const asked = { role: 'user', content: 'Look', [name]: 7 };
    const messages = [asked, said, { role: 'tool', tool_call_id: 'call_a', content: 'a door' }];
    const parsed = parseRequest(JSON.stringify({ model: 'm', messages }));
    expect(thoughtsOf(parsed)).toEqual(['I must look.']);
    expect(parsed.request.messages[0]).toEqual({ role: 'user', content: 'Look' });
  });

  it('is there again over Messages', () => {
    const answer = new MessagesAnswer({ callId: 'call_1', model: 'm', promptTokensEstimate: 1 });
    const { content } = answer.toBody(completion)(usage) as { content: unknown[] };
    const result = { type: 'tool_result', tool_use_id: 'call_a', content: 'a door' };
    const messages = [
      { role: 'user', content: 'Look' },
      { role: 'assistant', content },
      { role: 'user', content: [result] },
    ];
    const parsed = parseRequest(JSON.stringify({ model: 'm', max_tokens: 9, messages }), { wire: 'messages' });
    expect(thoughtsOf(parsed)).toEqual(['I must look.']);
  });

  it.each([
    [['reasoning.encrypted_content'], ['I must look.']],
    [[], [undefined]],
  ])('is there again over Responses for who includes %j', (include, expected) => {
    const asked = { model: 'm', input: [{ role: 'user', content: 'Look' }], include, store: false };
    const { responses: settings } = parseRequest(JSON.stringify(asked), { wire: 'responses' });
    if (settings === null) throw new Error('no settings');
    const answer = new ResponsesAnswer({
      callId: 'call_1',
      model: 'm',
      createdSeconds: 1,
      nowSeconds: () => 1,
      settings,
      customTools: new Set(),
    });
    const { output } = answer.toBody(completion)(usage) as { output: object[] };
    const result = { type: 'function_call_output', call_id: 'call_a', output: 'a door' };
    const next = parseRequest(JSON.stringify({ ...asked, input: [...asked.input, ...output, result] }), {
      wire: 'responses',
    });
    expect(thoughtsOf(next)).toEqual(expected);
  });
});
