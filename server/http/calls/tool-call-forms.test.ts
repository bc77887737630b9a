import fc from 'fast-check';
import { OpenAiStreamParser } from '../../providers/openai-compatible/openai-compatible-stream.js';
import { UsageMeter } from '../../proxy/metering/usage-meter.js';
import { readStreamedAnswer } from '../../test/wire-answers.js';
import { type MatrixWire, matrixWires } from '../../test/wire-questions.js';
import type { AnswerWire } from '../../wires/answer-wire.js';
import { ChatAnswer } from '../../wires/chat/chat-answer.js';
import { MessagesAnswer } from '../../wires/messages/messages-answer.js';
import { ResponsesAnswer } from '../../wires/responses/responses-answer.js';
import { readResponsesBody } from '../../wires/responses/responses-request.js';

// FUZZ_STREAMS=10000 tries as many of each form; FUZZ_SEED repeats a run.
const streamCount = Number(process.env.FUZZ_STREAMS ?? 15);
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));

interface Call {
  readonly id: string;
  readonly name: string;
  /** Arguments, as a provider that streams them cuts them: joined they are the JSON of an object. */
  readonly cuts: readonly string[];
}

type Piece = Readonly<Record<string, unknown>>;
/** A provider's way to stream calls: the pieces of each of its events. */
type Form = (calls: readonly Call[]) => readonly (readonly Piece[])[];

const textOf = ({ cuts }: Call) => cuts.join('');
const alone = (pieces: readonly Piece[]) => pieces.map((piece) => [piece]);

/** Each call after the other, in an opening without arguments and a piece for each cut. */
function inPieces(
  open: (call: Call, place: number) => Piece,
  more: (text: string, call: Call, at: { place: number; cut: number }) => Piece,
): Form {
  return (calls) =>
    alone(
      calls.flatMap((call, place) => [
        open(call, place),
        ...call.cuts.map((text, cut) => more(text, call, { place, cut })),
      ]),
    );
}

const whole =
  (toPiece: (call: Call, place: number) => Piece): Form =>
  (calls) =>
    alone(calls.map(toPiece));

/** The pieces of calls by turns, as far as each goes. */
function byTurns(calls: readonly Call[]): readonly (readonly Piece[])[] {
  const turns = Array.from({ length: Math.max(...calls.map(({ cuts }) => cuts.length)) }, (_, cut) =>
    calls.flatMap(({ cuts }, index) => {
      const text = cuts[cut];
      return text === undefined ? [] : [{ index, function: { arguments: text } }];
    }),
  );
  return [calls.map(({ id, name }, index) => ({ index, id, function: { name, arguments: '' } })), ...turns];
}

const forms: Readonly<Record<string, Form>> = {
  "OpenAI's own": inPieces(
    ({ id, name }, index) => ({ index, id, type: 'function', function: { name, arguments: '' } }),
    (text, _, { place: index }) => ({ index, function: { arguments: text } }),
  ),
  'by turns': byTurns,
  'null in place of what was said (vLLM)': inPieces(
    ({ id, name }, index) => ({ index, id, type: 'function', function: { name, arguments: null } }),
    (text, _, { place: index }) => ({ index, id: null, type: null, function: { name: null, arguments: text } }),
  ),
  'no index, an id at the beginning': inPieces(
    ({ id, name }) => ({ id, function: { name } }),
    (text) => ({ function: { arguments: text } }),
  ),
  'no index, the id in each piece': inPieces(
    ({ id, name }) => ({ id, function: { name } }),
    (text, { id }) => ({ id, function: { arguments: text } }),
  ),
  'neither id nor index, in pieces': inPieces(
    ({ name }) => ({ function: { name } }),
    (text) => ({ function: { arguments: text } }),
  ),
  'neither id nor index, the name in each piece': inPieces(
    ({ name }) => ({ function: { name } }),
    (text, { name }) => ({ function: { name, arguments: text } }),
  ),
  'index 0 of each call, an id at the beginning': inPieces(
    ({ id, name }) => ({ index: 0, id, function: { name, arguments: '' } }),
    (text) => ({ index: 0, function: { arguments: text } }),
  ),
  'index 0 of each call, the id in each piece': inPieces(
    ({ id, name }) => ({ index: 0, id, function: { name, arguments: '' } }),
    (text, { id }) => ({ index: 0, id, function: { arguments: text } }),
  ),
  'index 0 of each call, another id in each piece': inPieces(
    ({ id, name }) => ({ index: 0, id, function: { name, arguments: '' } }),
    (text, { id }, { cut }) => ({ index: 0, id: `${id} ${cut}`, function: { arguments: text } }),
  ),
  'another id in each piece': inPieces(
    ({ id, name }, index) => ({ index, id, function: { name, arguments: '' } }),
    (text, { id }, { place: index, cut }) => ({ index, id: `${id} ${cut}`, function: { name: null, arguments: text } }),
  ),
  'another id in each piece, and the name': inPieces(
    ({ id, name }, index) => ({ index, id, function: { name, arguments: '' } }),
    (text, { id, name }, { place: index, cut }) => ({ index, id: `${id} ${cut}`, function: { name, arguments: text } }),
  ),
  'id and name in each piece': inPieces(
    ({ id, name }, index) => ({ index, id, function: { name, arguments: '' } }),
    (text, { id, name }, { place: index }) => ({ index, id, function: { name, arguments: text } }),
  ),
  'the name with the last of the arguments': inPieces(
    ({ id }, index) => ({ index, id, function: { name: null, arguments: '' } }),
    (text, { name, cuts }, { place: index, cut }) => ({
      index,
      function: { name: cut === cuts.length - 1 ? name : '', arguments: text },
    }),
  ),
  'no index, the name behind the arguments': (calls) =>
    alone(
      calls.flatMap(({ id, name, cuts }) => [
        ...cuts.map((text) => ({ id, function: { arguments: text } })),
        { id, function: { name } },
      ]),
    ),
  'whole calls of index 0 (Ollama)': whole(({ id, ...call }) => ({
    index: 0,
    id,
    function: { name: call.name, arguments: textOf({ id, ...call }) },
  })),
  'whole calls without an index, in one event (Mistral)': (calls) => [
    calls.map((call) => ({ index: null, id: call.id, function: { name: call.name, arguments: textOf(call) } })),
  ],
  'whole calls without id and index': whole((call) => ({ function: { name: call.name, arguments: textOf(call) } })),
  'whole calls of index 0 without an id': whole((call) => ({
    index: 0,
    id: '',
    function: { name: call.name, arguments: textOf(call) },
  })),
  'whole calls, their function for an id': whole((call, index) => ({
    index,
    id: call.name,
    function: { name: call.name, arguments: textOf(call) },
  })),
  'arguments that are an object': whole((call, index) => ({
    index,
    id: call.id,
    function: { name: call.name, arguments: JSON.parse(textOf(call)) },
  })),
  'no arguments where there are none': whole((call, index) => ({
    index,
    id: call.id,
    function: { name: call.name, ...(textOf(call) === '{}' ? {} : { arguments: textOf(call) }) },
  })),
};

const anyCall = fc
  .record({
    name: fc.constantFrom('f', 'get_weather', 'now'),
    input: fc.dictionary(
      fc.constantFrom('a', 'city', '}{', '"'),
      fc.oneof(fc.string({ maxLength: 9 }), fc.constantFrom('{"a":1}', '}', '\\"}', 'é😀', 1, null, [{}, [1]])),
      { maxKeys: 3 },
    ),
    at: fc.array(fc.nat(60), { maxLength: 5 }),
  })
  .map(({ name, input, at }) => {
    const text = JSON.stringify(input);
    const places = [...new Set(at.map((place) => place % text.length))].sort((a, b) => a - b);
    const cuts = [0, ...places].map((from, index) => text.slice(from, places[index])).filter((cut) => cut !== '');
    return { name, cuts };
  });
const anyCalls = fc
  .array(anyCall, { minLength: 1, maxLength: 4 })
  .map((calls) => calls.map((call, index) => ({ ...call, id: `call_${String.fromCharCode(97 + index)}` })));
/** Words or thoughts that come before the events with such numbers. */
const anyWords = fc.array(
  fc.record({ before: fc.nat(20), delta: fc.constantFrom({ content: 'So ' }, { reasoning_content: 'Hm ' }) }),
  { maxLength: 3 },
);

const context = { providerId: 'acme', publicModel: 'a-model', answerId: 'call_9', createdSeconds: 99 };
const usage = {
  ...{ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
};
const options = { callId: 'call_9', model: 'a-model' };
const createWire: Readonly<Record<MatrixWire, () => AnswerWire>> = {
  chat: () => new ChatAnswer({ dialect: { usesFunctions: false, customTools: new Set() }, wantsUsageChunk: true }),
  responses: () =>
    new ResponsesAnswer({
      ...{ ...options, createdSeconds: 99, nowSeconds: () => 99, customTools: new Set() },
      settings: readResponsesBody({ input: 'Hi', reasoning: { summary: 'auto' } }).settings,
    }),
  messages: () => new MessagesAnswer({ ...options, promptTokensEstimate: 3 }),
};
const counter = { count: async (texts: readonly string[]) => texts.map(({ length }) => length) };

/** What a caller is told on a wire, and what the call is billed for where its provider counts nothing. */
async function read(deltas: readonly object[], wire: AnswerWire) {
  const parser = new OpenAiStreamParser(context);
  const meter = new UsageMeter({
    request: { model: 'a-model', messages: [{ role: 'user', content: 'Hi' }], max_completion_tokens: 5_000 },
    ...{ promptTokensMax: 9, imageTokensMax: 0, hiddenPromptTokensMax: 0, heldMillicredits: 5_000 },
  } as unknown as ConstructorParameters<typeof UsageMeter>[0]);
  let text = '';
  const choices = [...deltas.map((delta) => ({ delta })), { delta: {}, finish_reason: 'stop' }];
  const datas = choices.map((choice) => JSON.stringify({ choices: [{ index: 0, ...choice }] }));
  const pushed = datas.map((data) => () => parser.push({ name: null, data }));
  for (const next of [...pushed, () => parser.end()]) {
    for (const event of next()) {
      meter.observe(event, 1);
      if (event.type === 'chunk') text += wire.toEvents(event.chunk);
    }
  }
  const used = await meter.countUsageAfter('completed', counter, { findUnseenTokensPerMs: () => 0, endedAtMs: 2 });
  return { text: text + wire.toEnd(usage), billed: used.tokens.outputTokens };
}

function toDeltas(form: Form, calls: readonly Call[], words: readonly { before: number; delta: object }[]): object[] {
  const events = form(calls).map((pieces) => ({ tool_calls: pieces }));
  return [...events, null].flatMap((event, index) => [
    ...words.filter(({ before }) => before % (events.length + 1) === index).map(({ delta }) => delta),
    ...(event === null ? [] : [event]),
  ]);
}

const parsed = (text: string) => JSON.parse(text || '{}') as unknown;

describe(`Streamed calls of tools, seed ${seed}`, () => {
  describe.each(matrixWires)('over %s', (wire) => {
    it.each(Object.entries(forms))('are whole, apart, named and billed the same in the form: %s', async (_, form) => {
      await fc.assert(
        fc.asyncProperty(anyCalls, anyWords, async (calls, words) => {
          const { text, billed } = await read(toDeltas(form, calls, words), createWire[wire]());
          const seen = readStreamedAnswer(wire, text);
          const wordsOf = (field: string) =>
            words
              .flatMap(({ delta }) => Object.entries(delta))
              .map(([name, word]) => (name === field ? word : ''))
              .join('');
          expect(seen.calls.map((call) => [call.name, parsed(call.arguments)])).toEqual(
            calls.map((call) => [call.name, parsed(textOf(call))]),
          );
          expect(new Set(seen.calls.map(({ id }) => id)).size).toBe(calls.length);
          expect(seen.end).toBe({ chat: 'tool_calls', responses: 'completed', messages: 'tool_use' }[wire]);
          expect([seen.text, seen.reasoning]).toEqual([wordsOf('content'), wordsOf('reasoning_content')]);
          const own = await read(toDeltas(byTurns, calls, words), createWire.chat());
          expect(billed).toBe(own.billed);
        }),
        { numRuns: streamCount, seed },
      );
    });
  });
});
