import type { ChatMessage, ContentPart, ToolCall } from '../chat-types.js';
import { toGeminiConversation } from './gemini-contents.js';
import { findGeminiFamily } from './gemini-models.js';

const newest = 'gemini-3.8-flash';

function convert(messages: readonly ChatMessage[], model = newest) {
  return toGeminiConversation(messages, findGeminiFamily(model));
}

function call(id: string, name = 'f', text = '{}', signature?: string): ToolCall {
  const extra_content = signature === undefined ? undefined : { google: { thought_signature: signature } };
  return { id, type: 'function', function: { name, arguments: text }, extra_content };
}

const user = (text: string): ChatMessage => ({ role: 'user', content: text });
const calling = (...calls: ToolCall[]): ChatMessage => ({ role: 'assistant', content: null, tool_calls: calls });
const result = (id: string, content: string): ChatMessage => ({ role: 'tool', tool_call_id: id, content });
const refusal = (param: string, code = 'unsupported_parameter') => expect.objectContaining({ code, param });

describe('instructions', () => {
  const messages: ChatMessage[] = [
    { role: 'system', content: 'One' },
    user('Hi'),
    { role: 'developer', content: [{ type: 'text', text: 'Two' }] },
  ];

  it('keeps every system and developer message, wherever it stands', () => {
    expect(convert(messages)).toEqual({
      systemInstruction: { parts: [{ text: 'One' }, { text: 'Two' }] },
      contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    });
  });

  it('puts them into the first turn of a model that takes them nowhere else', () => {
    expect(convert(messages, 'gemma-3-27b-it')).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'One' }, { text: 'Two' }, { text: 'Hi' }] }],
    });
    const answered: ChatMessage[] = [
      { role: 'system', content: 'One' },
      { role: 'assistant', content: 'Hello' },
    ];
    expect(convert(answered, 'gemma-3-27b-it').contents.map(({ role }) => role)).toEqual(['user', 'model']);
  });

  it('makes a turn of them where there is no other', () => {
    expect(convert([{ role: 'system', content: 'One' }])).toEqual({
      contents: [{ role: 'user', parts: [{ text: 'One' }] }],
    });
  });
});

describe('turns', () => {
  it('joins neighbours of one role and leaves out what says nothing', () => {
    const { contents } = convert([
      user('a'),
      user('b'),
      { role: 'assistant', content: '' },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No' }] },
      { role: 'assistant', content: 'c', refusal: 'Never' },
      user(''),
    ]);
    expect(contents).toEqual([
      { role: 'user', parts: [{ text: 'a' }, { text: 'b' }] },
      { role: 'model', parts: [{ text: 'No' }, { text: 'c' }, { text: 'Never' }] },
    ]);
  });

  it('refuses a conversation without a word', () => {
    expect(() => convert([user('')])).toThrow(refusal('messages', 'invalid_value'));
  });

  it('refuses a part that it does not know, and a picture where only text can be', () => {
    const audio = { type: 'input_audio', input_audio: {} } as unknown as ContentPart;
    const picture: ContentPart = { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } };
    expect(() => convert([user('a'), { role: 'user', content: [audio] }])).toThrow(refusal('messages[1].content[0]'));
    expect(() => convert([{ role: 'system', content: [picture] }])).toThrow(refusal('messages[0].content[0]'));
  });
});

describe('tool calls', () => {
  it('names each result after its call, and keeps the results of one turn together', () => {
    const { contents } = convert([
      user('a'),
      calling(call('1', 'first'), call('2', 'second')),
      result('2', '[1,2]'),
      result('1', '7'),
      user('Well?'),
    ]);
    expect(contents.at(-1)).toEqual({
      role: 'user',
      parts: [
        { functionResponse: { id: '2', name: 'second', response: { output: [1, 2] } } },
        { functionResponse: { id: '1', name: 'first', response: { output: '7' } } },
        { text: 'Well?' },
      ],
    });
  });

  it('takes the last call of an id that was used before', () => {
    const { contents } = convert([
      calling(call('0', 'old')),
      result('0', 'x'),
      calling(call('0', 'new')),
      result('0', 'y'),
    ]);
    expect(JSON.stringify(contents.at(-1))).toContain('"name":"new"');
  });

  it('refuses a result that answers no call, and names it', () => {
    expect(() => convert([user('a'), result('9', 'x')])).toThrow(refusal('messages[1].tool_call_id', 'invalid_value'));
  });

  it.each([
    ['', {}],
    [' ', {}],
    ['{"a":[1]}', { a: [1] }],
    ['{"a":', { _raw: '{"a":' }],
    ['[1]', { _raw: '[1]' }],
    ['7', { _raw: '7' }],
  ])('makes an object of the arguments %j', (text, args) => {
    expect(convert([calling(call('1', 'f', text))]).contents[0]?.parts[0]).toMatchObject({ functionCall: { args } });
  });
});

describe('thought signatures', () => {
  const signaturesOf = (messages: readonly ChatMessage[], model?: string) =>
    convert(messages, model).contents.flatMap(({ parts }) =>
      parts.flatMap((part) => ('functionCall' in part ? [part.thoughtSignature] : [])),
    );

  it('go back on the very call that they came with', () => {
    const turns = [
      calling(call('1', 'f', '{}', 'sig-1'), call('2')),
      result('1', 'x'),
      calling(call('3', 'f', '{}', 'sig-3')),
    ];
    expect(signaturesOf(turns)).toEqual(['sig-1', undefined, 'sig-3']);
    expect(signaturesOf(turns, 'gemini-2.5-pro')).toEqual(['sig-1', undefined, 'sig-3']);
  });

  it('are stood for by Google’s word on the first call of each turn, since a call without is refused', () => {
    const turns = [calling(call('1'), call('2')), result('1', 'x'), calling(call('3'))];
    const stand = 'skip_thought_signature_validator';
    expect(signaturesOf(turns)).toEqual([stand, undefined, stand]);
    expect(signaturesOf(turns, 'gemini-99-ultra')).toEqual([stand, undefined, stand]);
    expect(signaturesOf(turns, 'gemini-2.5-pro')).toEqual([undefined, undefined, undefined]);
  });
});

describe('images', () => {
  it('that a tool answered with stand behind the answers of its turn, in their order', () => {
    const picture = (data: string): ContentPart => ({
      type: 'image_url',
      image_url: { url: `data:image/png;base64,${data}` },
    });
    const { contents } = convert([
      user('a'),
      calling(call('1'), call('2')),
      { role: 'tool', tool_call_id: '1', content: [{ type: 'text', text: 'one' }, picture('aGk=')] },
      { role: 'tool', tool_call_id: '2', content: [picture('aG8=')] },
      user('Well?'),
    ]);
    expect(contents.at(-1)?.parts).toEqual([
      { functionResponse: { id: '1', name: 'f', response: { output: 'one' } } },
      { functionResponse: { id: '2', name: 'f', response: { output: 'See the image.' } } },
      { inlineData: { mimeType: 'image/png', data: 'aGk=' } },
      { inlineData: { mimeType: 'image/png', data: 'aG8=' } },
      { text: 'Well?' },
    ]);
  });

  const convertUrl = (url: string) => convert([{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }]);

  it('travel inside of the request, also with parameters in their address', () => {
    expect(convertUrl('data:image/webp;name=a.webp;base64,aGk=').contents[0]?.parts).toEqual([
      { inlineData: { mimeType: 'image/webp', data: 'aGk=' } },
    ]);
  });

  it.each([
    ['https://example.org/a.png', 'send a data: URL'],
    ['http://169.254.169.254/latest', 'send a data: URL'],
    ['data:image/gif;base64,aGk=', 'Send a PNG'],
    ['data:application/pdf;base64,aGk=', 'Send a PNG'],
    ['data:video/mp4;base64,aGk=', 'Send a PNG'],
    ['data:image/png,raw', 'Send a PNG'],
  ])('are refused as %s, with the remedy', (url, remedy) => {
    expect(() => convertUrl(url)).toThrow(refusal('messages[0].content[0].image_url.url'));
    expect(() => convertUrl(url)).toThrow(remedy);
  });
});
