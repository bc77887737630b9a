import { askModel, ChatError } from './ask-model';

const settings = { model: 'demo-small', system: '', temperature: null, maxTokens: null, isStreamed: true };
const messages = [{ role: 'user', content: 'Hi' }] as const;

function answerWith(body: string, status = 200) {
  globalThis.fetch = async () => new Response(body, { status, headers: { 'x-request-id': 'call_1' } });
}

async function ask(isStreamed = true) {
  let text = '';
  const calls: string[] = [];
  const figures = await askModel({
    url: '/x',
    settings: { ...settings, isStreamed },
    messages,
    signal: new AbortController().signal,
    onCall: (id) => calls.push(id),
    onText: (piece) => {
      text += piece;
    },
  });
  return { text, calls, figures };
}

const chunk = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`;
const usage = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, credits: 0.005 } })}\n\n`;

describe('askModel', () => {
  const realFetch = globalThis.fetch;
  afterEach(() => {
    globalThis.fetch = realFetch;
  });

  it('reads a stream piece by piece, with its tokens and its price', async () => {
    answerWith(`${chunk('Hel')}${chunk('lo')}${usage}data: [DONE]\n\n`);
    const { text, calls, figures } = await ask();
    expect({ text, calls }).toEqual({ text: 'Hello', calls: ['call_1'] });
    expect(figures).toMatchObject({ promptTokens: 3, completionTokens: 2, credits: 0.005 });
  });

  it('reads an answer in one piece', async () => {
    answerWith(JSON.stringify({ choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }] }));
    const { text, figures } = await ask(false);
    expect({ text, finishReason: figures.finishReason }).toEqual({ text: 'Hello', finishReason: 'stop' });
  });

  it('puts the pieces of each tool’s input together, streamed and whole', async () => {
    const piece = (index: number, called: object) =>
      `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [{ index, function: called }] } }] })}\n\n`;
    const first = `${piece(0, { name: 'get_weather', arguments: '' })}${piece(0, { arguments: '{"city":' })}`;
    answerWith(
      `${first}${piece(1, { name: 'now', arguments: '{}' })}${piece(0, { arguments: '"Bern"}' })}data: [DONE]\n\n`,
    );
    const calls = [
      { name: 'get_weather', input: '{"city":"Bern"}' },
      { name: 'now', input: '{}' },
    ];
    expect((await ask()).figures.toolCalls).toEqual(calls);
    const whole = calls.map(({ name, input }) => ({ function: { name, arguments: input } }));
    answerWith(JSON.stringify({ choices: [{ message: { content: null, tool_calls: whole } }] }));
    expect((await ask(false)).figures.toolCalls).toEqual(calls);
  });

  it('takes a stream without [DONE] for broken off, however much it holds', async () => {
    answerWith(`${chunk('Hello')}${usage}`);
    await expect(ask()).rejects.toThrow('ended early');
  });

  it('has the words of the server when it refuses, before the stream and within', async () => {
    answerWith(JSON.stringify({ error: { message: 'No credits.', code: 'insufficient_quota' } }), 402);
    await expect(ask()).rejects.toMatchObject(new ChatError('No credits.', 'insufficient_quota'));
    answerWith(`${chunk('He')}data: {"error":{"message":"Upstream left.","code":"provider_error"}}\n\n`);
    await expect(ask()).rejects.toMatchObject({ message: 'Upstream left.', code: 'provider_error' });
  });
});
