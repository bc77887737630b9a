import { answerContext as context } from '../../test/answer-context.js';
import { parseOpenAiResponse } from './openai-compatible-response.js';

function parse(answer: unknown) {
  return parseOpenAiResponse(JSON.stringify(answer), context);
}

function parseMessage(message: object, finishReason: string | null = 'stop') {
  const event = parse({ choices: [{ index: 0, message, finish_reason: finishReason }] })[0];
  return event?.type === 'completion' ? event.completion.choices[0] : null;
}

describe('parseOpenAiResponse', () => {
  it('tells thoughts and images of a content in parts apart from its words', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } };
    const thinking = { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] };
    expect(parseMessage({ content: [thinking, { type: 'text', text: 'Hi' }, image] })?.message).toMatchObject({
      content: 'Hi',
      reasoning_content: 'Hm.',
      images: [image],
    });
    expect(parseMessage({ content: 'Hi', reasoning_content: '', reasoning: 'Hm.' })?.message.reasoning_content).toBe(
      undefined,
    );
  });

  it('takes a truth value in the place of a refusal, of thoughts, or of words beside calls, for none', () => {
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } };
    const message = { content: false, refusal: false, reasoning: true, tool_calls: [call] };
    const [event] = parseOpenAiResponse(JSON.stringify({ choices: [{ message }] }), context);
    expect(event).toMatchObject({
      completion: { choices: [{ message: { content: null, refusal: null, tool_calls: [call] } }] },
    });
    expect(JSON.stringify(event)).not.toContain('reasoning');
  });

  it('gives as many choices as were asked for, numbered from 0, and leaves the others out', () => {
    const numbersOf = (choicesAsked: number, ...indexes: (number | undefined)[]) => {
      const choices = indexes.map((index) => ({ index, message: { content: `at ${index}` }, finish_reason: 'stop' }));
      const events = parseOpenAiResponse(JSON.stringify({ choices }), { ...context, choicesAsked });
      expect(events.some(({ type }) => type === 'unasked')).toBe(indexes.length > choicesAsked);
      const event = events.at(-1);
      const given = event?.type === 'completion' ? event.completion.choices : [];
      return given.map(({ index, message }) => [index, message.content]);
    };
    expect(numbersOf(1, 1)).toEqual([[0, 'at 1']]);
    expect(numbersOf(1, 0, 1, 2)).toEqual([[0, 'at 0']]);
    expect(numbersOf(2, 1, 2)).toEqual([
      [1, 'at 1'],
      [0, 'at 2'],
    ]);
    expect(numbersOf(2, undefined, undefined, undefined)).toHaveLength(2);
  });

  it('takes a count and words that stand in the choice itself, and tells its caller of no other count', () => {
    const usage = { prompt_tokens: 3, completion_tokens: 1 };
    const [counted, completion] = parse({ choices: [{ index: 0, text: 'Hi', finish_reason: 'stop', usage }] });
    expect(counted).toMatchObject({ type: 'usage', usage: { inputTokens: 3, outputTokens: 1 } });
    const choice = { index: 0, message: { role: 'assistant', content: 'Hi', refusal: null }, finish_reason: 'stop' };
    expect(JSON.parse(JSON.stringify(completion))).toMatchObject({ completion: { choices: [choice] } });
    expect(JSON.stringify(completion)).not.toMatch(/usage|"text"/);
    expect(() => parse({ choices: [{ index: 0, finish_reason: 'stop' }] })).toThrow(/cannot be read/);
  });

  it('gives usage first, then the completion under our name and with every required field', () => {
    const events = parse({
      id: 'chatcmpl-theirs',
      object: 'chat.completion',
      created: 1,
      model: 'their-name',
      provider: 'their-host',
      system_fingerprint: 'fp_1',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Hi', reasoning_content: 'Hm' }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 1, cost: 0.5 },
    });
    expect(events.map(({ type }) => type)).toEqual(['usage', 'completion']);
    expect(JSON.parse(JSON.stringify(events[1]))).toEqual({
      type: 'completion',
      completion: {
        id: 'call_1',
        object: 'chat.completion',
        created: 99,
        model: 'public-name',
        system_fingerprint: 'fp_1',
        choices: [
          {
            index: 0,
            message: { role: 'assistant', content: 'Hi', reasoning_content: 'Hm', refusal: null },
            logprobs: null,
            finish_reason: 'stop',
          },
        ],
      },
    });
  });

  it('gives no usage event when the usage makes no sense', () => {
    const choices = [{ message: { content: 'Hi' }, finish_reason: 'stop' }];
    expect(parse({ choices, usage: { prompt_tokens: -3, completion_tokens: 1 } }).map(({ type }) => type)).toEqual([
      'completion',
    ]);
  });

  it.each([
    ['eos', 'stop'],
    ['model_length', 'length'],
    ['content_filter', 'content_filter'],
    ['something_new', 'stop'],
    ['constructor', 'stop'],
    ['content_filter: PROHIBITED_CONTENT', 'content_filter'],
    ['function_call_filter: MALFORMED_FUNCTION_CALL', 'stop'],
    [null, 'stop'],
  ])('brings the finish reason %s into OpenAI’s own: %s', (theirs, ours) => {
    expect(parseMessage({ content: 'Hi' }, theirs)?.finish_reason).toBe(ours);
  });

  it('repairs tool calls: id, text arguments, null content, finish reason', () => {
    const calls = [
      { function: { name: 'f', arguments: { a: 1 } } },
      { id: 'x', function: { name: 'g', arguments: '' } },
    ];
    expect(parseMessage({ content: '', tool_calls: calls })).toEqual({
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        refusal: null,
        tool_calls: [
          { id: 'call_1_0', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
          { id: 'x', type: 'function', function: { name: 'g', arguments: '{}' } },
        ],
      },
      logprobs: null,
      finish_reason: 'tool_calls',
    });
  });

  it('gives calls that have one id, or none, ids of their own, and a call of null or blank arguments an empty object', () => {
    const calls = ['now', 'now', '', null].map((id) => ({ id, function: { name: 'now', arguments: id ? ' ' : null } }));
    const told = parseMessage({ content: null, tool_calls: calls })?.message.tool_calls ?? [];
    expect(told.map(({ id }) => id)).toEqual(['now', 'call_1_1', 'call_1_2', 'call_1_3']);
    expect(told.map((call) => call.function)).toEqual(calls.map(() => ({ name: 'now', arguments: '{}' })));
  });

  it('joins a content that comes in parts', () => {
    const content = [
      { type: 'thinking', thinking: [] },
      { type: 'text', text: 'A' },
      { type: 'text', text: 'B' },
    ];
    expect(parseMessage({ content })?.message.content).toBe('AB');
  });

  it.each([
    ['not JSON', '{"choices": ['],
    ['a page', '<h1>502</h1>'],
    ['nothing', ''],
    ['an array', '[]'],
    ['no choices', '{"choices": []}'],
    ['no message', '{"choices": [{"index": 0}]}'],
    ['an error', '{"error": {"message": "org-Tollgate123 sk-secret"}}'],
    ['an error in words', '{"error": "org-Tollgate123 sk-secret"}'],
    ['the error object of vLLM', '{"object": "error", "message": "org-Tollgate123 sk-secret"}'],
    ['a failure as finish reason', '{"choices": [{"message": {}, "finish_reason": "insufficient_system_resource"}]}'],
  ])('refuses %s with an error of our own words', (_name, body) => {
    const attempt = () => parseOpenAiResponse(body, context);
    expect(attempt).toThrow(expect.objectContaining({ code: 'provider_error' }));
    expect(attempt).toThrow(/^Provider acme (sent an answer that cannot be read|failed to answer)/);
  });

  it('takes a model of Google’s that made an invalid tool call, and said nothing, for no success', () => {
    const reason = 'function_call_filter: MALFORMED_FUNCTION_CALL';
    expect(() => parseMessage({ content: '' }, reason)).toThrow(
      expect.objectContaining({ code: 'model_error', innerReason: `finish_reason ${reason}` }),
    );
  });

  it('takes the status that an error in disguise names', () => {
    const body = '{"error": {"message": "slow down", "code": 429}}';
    expect(() => parseOpenAiResponse(body, context)).toThrow(
      expect.objectContaining({ code: 'provider_rate_limited' }),
    );
  });
});
