import { AppError } from '../../kernel/app-error.js';
import { parseRequest } from './parse-request.js';

const valid = { model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }] };

const withParts = (...content: readonly unknown[]) => ({ ...valid, messages: [{ role: 'user', content }] });

function refusalOf(body: unknown): { code: string; param: string | null; message: string } {
  try {
    parseRequest(typeof body === 'string' ? body : JSON.stringify(body));
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, param: error.param, message: error.message };
    throw error;
  }
  throw new Error('The body was accepted.');
}

describe('parseRequest', () => {
  it.each([
    ['text that is not JSON', '{"model":', 'invalid_json', null],
    ['an empty body', '', 'invalid_json', null],
    ['a JSON array', [], 'invalid_json', null],
    ['a JSON null', null, 'invalid_json', null],
    ['no model', { messages: valid.messages }, 'missing_required_parameter', 'model'],
    ['an empty model', { ...valid, model: '' }, 'invalid_value', 'model'],
    ['a model that is a number', { ...valid, model: 5 }, 'invalid_type', 'model'],
    ['no messages', { model: 'demo-small' }, 'missing_required_parameter', 'messages'],
    ['empty messages', { ...valid, messages: [] }, 'invalid_value', 'messages'],
    ['messages that are a text', { ...valid, messages: 'Hello' }, 'invalid_type', 'messages'],
    [
      'a message without role',
      { ...valid, messages: [{ content: 'x' }] },
      'missing_required_parameter',
      'messages[0].role',
    ],
    ['an unknown role', { ...valid, messages: [{ role: 'robot', content: 'x' }] }, 'invalid_value', 'messages[0].role'],
    [
      'a user message without content',
      { ...valid, messages: [{ role: 'user' }] },
      'missing_required_parameter',
      'messages[0].content',
    ],
    [
      'null as the content of a user message',
      { ...valid, messages: [{ role: 'user', content: null }] },
      'missing_required_parameter',
      'messages[0].content',
    ],
    [
      'a number as content',
      { ...valid, messages: [{ role: 'user', content: 5 }] },
      'invalid_type',
      'messages[0].content',
    ],
    ['max_tokens of zero', { ...valid, max_tokens: 0 }, 'invalid_value', 'max_tokens'],
    ['a negative max_tokens', { ...valid, max_tokens: -1 }, 'invalid_value', 'max_tokens'],
    ['a broken max_tokens', { ...valid, max_tokens: 1.5 }, 'invalid_type', 'max_tokens'],
    ['max_tokens as text', { ...valid, max_tokens: '5' }, 'invalid_type', 'max_tokens'],
    ['max_tokens beyond reason', { ...valid, max_tokens: 1e9 }, 'invalid_value', 'max_tokens'],
    [
      'an infinite max_tokens',
      '{"model":"m","messages":[{"role":"user","content":"x"}],"max_tokens":1e400}',
      'invalid_type',
      'max_tokens',
    ],
    ['stream as text', { ...valid, stream: 'yes' }, 'invalid_type', 'stream'],
    ['too many choices', { ...valid, n: 9 }, 'invalid_value', 'n'],
    ['audio, which has no price', { ...valid, audio: { voice: 'x' } }, 'unsupported_parameter', 'audio'],
    ['a service tier with another price', { ...valid, service_tier: 'priority' }, 'unsupported_value', 'service_tier'],
    ['a search that costs a fee', { ...valid, web_search_options: {} }, 'unsupported_parameter', 'web_search_options'],
    ['a prediction', { ...valid, prediction: { type: 'content' } }, 'unsupported_parameter', 'prediction'],
    [
      'a sound as content',
      { ...valid, messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] },
      'unsupported_value',
      'messages[0].content[0].type',
    ],
    [
      'a tool that runs at the provider',
      { ...valid, tools: [{ type: 'web_search' }] },
      'unsupported_value',
      'tools[0].type',
    ],
    [
      'an image whose address is no object',
      withParts({ type: 'text', text: 'a' }, { type: 'image_url', image_url: 'https://x.test/a.png' }),
      'invalid_type',
      'messages[0].content[1].image_url',
    ],
    [
      'an image without an address',
      withParts({ type: 'image_url', image_url: {} }),
      'missing_required_parameter',
      'messages[0].content[0].image_url.url',
    ],
    [
      'an image at a private address',
      withParts({ type: 'image_url', image_url: { url: 'http://127.0.0.1/a.png' } }),
      'invalid_value',
      'messages[0].content[0].image_url.url',
    ],
    ['a part of a kind that is none', withParts({ type: 'image' }), 'invalid_type', 'messages[0].content[0].type'],
    ['a part that is a text', withParts('Hello'), 'invalid_type', 'messages[0].content[0]'],
    [
      'content that is a number',
      { ...valid, messages: [{ role: 'user', content: 7 }] },
      'invalid_type',
      'messages[0].content',
    ],
    ['257 stop texts', { ...valid, stop: Array.from({ length: 257 }, String) }, 'invalid_value', 'stop'],
    ['a choice of tool without tools', { ...valid, tool_choice: 'sometimes' }, 'invalid_type', 'tool_choice'],
    ['an item of another route', { model: 'm', input: [{ type: 'computer_call' }] }, 'unsupported_value', 'input[0]'],
    ['input of the wrong type', { model: 'm', input: 7 }, 'invalid_type', 'input'],
    ['audio among the modalities', { ...valid, modalities: ['text', 'audio'] }, 'unsupported_parameter', 'modalities'],
  ])('refuses %s and names the field', (_, body, code, param) => {
    const refusal = refusalOf(body);
    expect(refusal).toMatchObject({ code, param });
    if (param) expect(refusal.message).toContain(param);
  });

  it('says what an image needs where its address stands alone', () => {
    const { message } = refusalOf(withParts({ type: 'image_url', image_url: 'https://x.test/a.png' }));
    expect(message).toBe(
      'Invalid \'messages[0].content[0].image_url\': must be an object with the address in it, {"url": "…"}.',
    );
  });

  it('refuses a body that is nested without end, instead of running out of stack', () => {
    const nested = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    expect(refusalOf(`{"model":"m","messages":${nested}}`)).toMatchObject({ code: 'invalid_value' });
  });

  it.each(['model', 'messages', 'user', 'stop', 'tools', 'reasoning_effort', 'logit_bias'])(
    'refuses %s when it is an object whose length cannot be compared, by the name of the field',
    (name) => {
      for (const length of ['{"toString":1}', '[{"valueOf":1,"toString":1}]']) {
        const sent = JSON.stringify({ ...valid, [name]: null }).replace('null', `{"length":${length}}`);
        expect(refusalOf(sent)).toMatchObject({
          code: expect.stringMatching(/^invalid_/),
          param: expect.stringContaining(name),
        });
      }
    },
  );

  it('takes null for an optional field as its absence', () => {
    const { request } = parseRequest(
      JSON.stringify({ ...valid, temperature: null, tools: null, max_tokens: null, stop: null }),
    );
    expect(JSON.parse(JSON.stringify(request))).toEqual(valid);
  });

  it('folds max_tokens into max_completion_tokens, which wins where both are given', () => {
    expect(parseRequest(JSON.stringify({ ...valid, max_tokens: 5 })).request.max_completion_tokens).toBe(5);
    const both = { ...valid, max_tokens: 5, max_completion_tokens: 7 };
    expect(parseRequest(JSON.stringify(both)).request.max_completion_tokens).toBe(7);
  });

  it('lets no field through that it does not know, nor a prototype', () => {
    const { request } = parseRequest(
      '{"model":"m","messages":[{"role":"user","content":"x","api_base":"y"}],"api_key":"z","__proto__":{"n":5},"store":true}',
    );
    expect(JSON.stringify(request)).toBe('{"model":"m","messages":[{"role":"user","content":"x"}]}');
    expect(request.n).toBeUndefined();
  });

  it('accepts an assistant turn that only calls tools, and parts as content', () => {
    const messages = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 't', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 't', content: '1' },
    ];
    const { request } = parseRequest(JSON.stringify({ model: 'm', messages }));
    expect(JSON.parse(JSON.stringify(request.messages))).toEqual(messages);
  });

  it('asks for the usage chunk only on a streamed call', () => {
    const options = { stream_options: { include_usage: true } };
    expect(parseRequest(JSON.stringify({ ...valid, ...options })).wantsUsageChunk).toBe(false);
    expect(parseRequest(JSON.stringify({ ...valid, ...options, stream: true })).wantsUsageChunk).toBe(true);
  });

  it.each([
    [{ user: 'jane' }, 'jane'],
    [{ safety_identifier: 'j1', user: 'jane' }, 'j1'],
    [{ user: null }, undefined],
  ])('takes the caller’s name of its own user from %j', (fields, expected) => {
    const { request } = parseRequest(JSON.stringify({ ...valid, ...fields }));
    expect(request.safety_identifier).toBe(expected);
    expect(JSON.parse(JSON.stringify(request))).not.toHaveProperty('user');
  });

  it('keeps the thinking of an earlier answer as it came', () => {
    const details = [{ type: 'reasoning.text', text: 'Hm', signature: 's', index: 0 }];
    const messages = [...valid.messages, { role: 'assistant', content: 'A', reasoning_details: details }];
    expect(parseRequest(JSON.stringify({ ...valid, messages })).request.messages[1]?.reasoning_details).toEqual(
      details,
    );
  });
});
