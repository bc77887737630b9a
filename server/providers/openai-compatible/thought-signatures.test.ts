import { messageShape } from '../chat-request-shape.js';
import type { AnswerContext, HttpTarget, UpstreamEvent } from '../provider-adapter.js';
import { createOpenAiCompatibleAdapter } from './openai-compatible-adapter.js';
import { commonDialect, type OpenAiDialect } from './openai-dialect.js';

const google = 'https://generativelanguage.googleapis.com/v1beta/openai';
const context: AnswerContext = { providerId: 'acme', publicModel: 'public', answerId: 'call_1', createdSeconds: 9 };
const stand = 'skip_thought_signature_validator';

const signedBy = (signature: string) => ({ extra_content: { google: { thought_signature: signature } } });
const callOf = (id: string, extra: object = {}) => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: '{}' },
  ...extra,
});

/** The signatures of the calls of each assistant message as they go out, and of the message itself. */
function listSent(
  messages: readonly object[],
  baseUrl: string,
  { model = 'gemini-3.8-flash', dialect = commonDialect }: { model?: string; dialect?: OpenAiDialect } = {},
) {
  const adapter = createOpenAiCompatibleAdapter(dialect);
  const target: HttpTarget = {
    ...{ kind: 'http', providerId: 'acme', adapter, baseUrl, apiKey: null },
    upstreamModel: model,
  };
  const request = { model: 'public', messages: messages.map((message) => messageShape.parse(message)) };
  const body = JSON.parse(JSON.stringify(adapter.buildRequest(request, target).body)) as {
    messages: { role: string; extra_content?: unknown; tool_calls?: { extra_content?: unknown }[] }[];
  };
  return body.messages
    .filter(({ role }) => role === 'assistant')
    .map(({ extra_content: own, tool_calls: calls = [] }) => ({
      own,
      calls: calls.map(({ extra_content: extra }) => extra),
    }));
}

const conversation = [
  { role: 'assistant', content: 'Hm.', ...signedBy('b3du') },
  { role: 'assistant', content: null, tool_calls: [callOf('a', signedBy('c2ln')), callOf('b')] },
  { role: 'assistant', content: null, tool_calls: [callOf('c'), callOf('d')] },
];
const { extra_content: own } = signedBy('b3du');
const { extra_content: signed } = signedBy('c2ln');
const { extra_content: standIn } = signedBy(stand);

function readAnswer(form: 'plain' | 'streamed', message: object): UpstreamEvent[] {
  const adapter = createOpenAiCompatibleAdapter(commonDialect);
  if (form === 'plain') {
    const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason: 'tool_calls' };
    return [...adapter.parseResponse(JSON.stringify({ choices: [choice] }), context)];
  }
  const choice = { index: 0, delta: { role: 'assistant', ...message }, finish_reason: 'stop' };
  const parser = adapter.parseStream(context);
  return [...parser.push({ name: null, data: JSON.stringify({ choices: [choice] }) })];
}

describe('signatures of thoughts behind the OpenAI-compatible endpoint of Google', () => {
  it('go back with the calls and words that they came with, and a stand-in goes with calls that began elsewhere', () => {
    expect(listSent(conversation, google)).toEqual([
      { own, calls: [] },
      { calls: [signed, undefined] },
      { calls: [standIn, undefined] },
    ]);
  });

  it.each(['gemini-2.5-flash', 'models/gemini-2.5-pro', 'google/gemini-2.5-pro', 'gemini-2.0-flash'])(
    'have no stand-in for %s, which asks for none',
    (model) => {
      expect(listSent(conversation, google, { model })[2]).toEqual({ calls: [undefined, undefined] });
    },
  );

  it.each([
    'https://api.openai.com/v1',
    'https://googleapis.com.example.org/v1',
    'https://notgoogleapis.com/v1',
    'https://example.org/generativelanguage.googleapis.com',
    'http://localhost:8000/v1',
  ])('go to nobody else, such as %s', (baseUrl) => {
    expect(listSent(conversation, baseUrl)).toEqual([
      { calls: [] },
      { calls: [undefined, undefined] },
      { calls: [undefined, undefined] },
    ]);
  });

  it('go to another address where the dialect says so, and not to Google where it says that', () => {
    const sent: OpenAiDialect = { ...commonDialect, thoughtSignatures: 'sent' };
    const leftOut: OpenAiDialect = { ...commonDialect, thoughtSignatures: 'left_out' };
    expect(listSent(conversation, 'http://localhost:1/v1', { dialect: sent })[1]?.calls).toEqual([signed, undefined]);
    expect(listSent(conversation, google, { dialect: leftOut })[1]?.calls).toEqual([undefined, undefined]);
  });

  it.each(['plain', 'streamed'] as const)('reach the caller beside their calls (%s)', (form) => {
    const answer = readAnswer(form, { ...signedBy('b3du'), tool_calls: [callOf('a', signedBy('c2ln')), callOf('b')] });
    const told = { extra_content: own, tool_calls: [{ id: 'a', extra_content: signed }, { id: 'b' }] };
    const choices = [form === 'plain' ? { message: told } : { delta: told }];
    expect(answer).toMatchObject([form === 'plain' ? { completion: { choices } } : { chunk: { choices } }]);
    expect(JSON.stringify(answer).match(/thought_signature/g)).toHaveLength(2);
  });

  it.each(['plain', 'streamed'] as const)('are left out where they are no text (%s)', (form) => {
    const odd = [{ google: { thought_signature: 7 } }, { google: 'x' }, 'x', null];
    const calls = odd.map((extra_content, index) => callOf(`call_${index}`, { extra_content }));
    expect(JSON.stringify(readAnswer(form, { tool_calls: calls }))).not.toContain('extra_content');
  });

  it('reach the caller once of a streamed call, whichever of its pieces bring them', () => {
    const parser = createOpenAiCompatibleAdapter(commonDialect).parseStream(context);
    const pieces = [
      { index: 0, id: 'a', ...signedBy('c2ln') },
      { index: 0, function: { name: 'look' }, ...signedBy('c2ln') },
      { index: 0, function: { arguments: '{}' }, ...signedBy('c2ln') },
      { index: 1, id: 'b', function: { name: 'look', arguments: '{' } },
      { index: 1, function: { arguments: '}' }, ...signedBy('bGF0ZQ==') },
    ];
    const told = pieces.flatMap((call) => {
      const data = JSON.stringify({ choices: [{ index: 0, delta: { tool_calls: [call] } }] });
      return parser.push({ name: null, data }).flatMap((event) => (event.type === 'chunk' ? event.chunk.choices : []));
    });
    const extras = told.flatMap(({ delta }) => delta.tool_calls ?? []).map((call) => [call.index, call.extra_content]);
    expect(extras.filter(([, extra]) => extra !== undefined)).toEqual([
      [0, signed],
      [1, { google: { thought_signature: 'bGF0ZQ==' } }],
    ]);
  });
});
