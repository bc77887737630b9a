import fc from 'fast-check';
import { z } from 'zod';
import { AppError } from '../../kernel/app-error.js';
import { type JsonBody, parseJsonBody } from '../../kernel/json-body.js';
import { bodyShape } from '../../providers/chat-request-shape.js';
import { createOpenAiCompatibleAdapter } from '../../providers/openai-compatible/openai-compatible-adapter.js';
import { commonDialect } from '../../providers/openai-compatible/openai-dialect.js';
import type { HttpTarget } from '../../providers/provider-adapter.js';
import { HostileBodies } from '../../test/hostile-bodies.js';
import { readMessagesBody } from '../../wires/messages/messages-request.js';
import { fromResponsesBody, readResponsesBody } from '../../wires/responses/responses-request.js';
import { checkChatBody } from './chat-request.js';
import { parseRequest } from './parse-request.js';
import { refuseExcess } from './refuse-excess.js';
import { readSimpleChatBody } from './simple-chat-body.js';

// FUZZ_BODIES=100000 tries as many; FUZZ_SEED repeats a run.
const bodyCount = Number(process.env.FUZZ_BODIES ?? 400);
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));

function readInFull(text: string) {
  const sent = parseJsonBody(text);
  refuseExcess(sent);
  return checkChatBody(fromResponsesBody(sent));
}

type Reading = ReturnType<typeof readInFull>;

/** What a reading comes to: the request, or the words of its refusal. */
function outcomeOf(read: () => Pick<Reading, 'request' | 'wantsUsageChunk' | 'dialect'>): unknown {
  try {
    const { request, wantsUsageChunk, dialect } = read();
    return { request, wantsUsageChunk, dialect };
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, message: error.message, param: error.param };
    throw error;
  }
}

/** null: the body is refused before that. */
function attempt(translate: () => JsonBody): JsonBody | null {
  try {
    return translate();
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

const isSimple = (text: string): boolean => {
  try {
    return readSimpleChatBody(JSON.parse(text) as JsonBody) !== null;
  } catch {
    return false;
  }
};

const odd = fc.constantFrom<unknown>(null, '', 0, -1, 1.5, 2 ** 53, '5', true, [], {}, 'x'.repeat(5_000), ['x']);
const mostly = (usual: fc.Arbitrary<unknown>, seldom: fc.Arbitrary<unknown> = odd) =>
  fc.oneof({ weight: 40, arbitrary: usual }, { weight: 1, arbitrary: seldom });
const text = fc.string({ unit: 'binary', maxLength: 30 });
const role = mostly(
  fc.constantFrom('system', 'user', 'assistant', 'developer'),
  fc.constantFrom('tool', 'function', 'robot', null),
);
const content = mostly(text);
const message = mostly(
  fc.record({ role, content }),
  fc.oneof(
    odd,
    fc.record({ role, content, name: text }),
    fc.constant(JSON.parse('{"role":"user","content":"x","__proto__":1}')),
  ),
);
const anyOf = (...values: unknown[]) => fc.constantFrom(...values);
const usual = fc.record(
  {
    model: mostly(anyOf('gpt-4o-mini', 'gpt-4o', 'x'.repeat(256)), anyOf('', 'x'.repeat(257), 5)),
    messages: mostly(fc.array(message, { minLength: 1, maxLength: 3 }), anyOf([], manyMessages(), 'Hi', null)),
    stream: mostly(fc.boolean()),
    stream_options: mostly(fc.record({ include_usage: mostly(fc.boolean()) }, { requiredKeys: [] })),
    max_tokens: mostly(anyOf(1, 200, 10_000_000), anyOf(0, 10_000_001, 1.5, null)),
    max_completion_tokens: mostly(anyOf(1, 10_000_000), anyOf(0, 10_000_001, 1.5, null)),
    n: mostly(anyOf(1, 8), anyOf(0, 9, '1')),
    temperature: mostly(anyOf(0, 1, 2, 1e-7), anyOf(2.1, -0.1)),
    top_p: mostly(anyOf(0, 0.5, 1), anyOf(1.1, -0.1)),
    frequency_penalty: mostly(anyOf(-2, 2), anyOf(-2.1, 2.1)),
    presence_penalty: mostly(anyOf(-2, 2), anyOf(-2.1, 2.1)),
    seed: mostly(fc.maxSafeInteger()),
    user: mostly(text),
  },
  { requiredKeys: ['model', 'messages'] },
);
// What only the full check knows.
const unusual = fc.record(
  {
    stop: mostly(text),
    tool_choice: mostly(anyOf('auto')),
    usage: fc.record({ include: fc.boolean() }),
    input: text,
    audio: odd,
    safety_identifier: mostly(text),
    store: fc.boolean(),
  },
  { requiredKeys: [] },
);
const body = fc.oneof(
  { weight: 6, arbitrary: usual },
  { weight: 1, arbitrary: fc.tuple(usual, unusual).map(([one, other]) => ({ ...one, ...other })) },
);

function manyMessages(): object[] {
  return Array.from({ length: 65 }, () => ({ role: 'user', content: 'Hi' }));
}

describe(`readSimpleChatBody, seed ${seed}`, () => {
  it('comes to the same request, or the same refusal, as the full check, for every body', () => {
    let simpleCount = 0;
    fc.assert(
      fc.property(body, (fields) => {
        const sent = JSON.stringify(fields);
        if (isSimple(sent)) simpleCount += 1;
        expect(outcomeOf(() => parseRequest(sent))).toEqual(outcomeOf(() => readInFull(sent)));
      }),
      { numRuns: bodyCount, seed },
    );
    // The generator must not have left the way that is to be compared.
    expect(simpleCount).toBeGreaterThan(bodyCount / 5);
    expect(simpleCount).toBeLessThan(bodyCount);
  });

  const { properties = {} } = z.toJSONSchema(bodyShape, { io: 'input' });
  it.each(Object.entries(properties))('comes to the same for `%s`, at its bounds and beyond them', (name, field) => {
    const { minimum = 0, maximum = 0, minLength = 0, maxLength = 0 } = field as z.core.JSONSchema.BaseSchema;
    const numbers = [minimum, maximum].flatMap((bound) => [bound - 1, bound - 0.5, bound, bound + 0.5, bound + 1]);
    const texts = [minLength - 1, minLength, maxLength, maxLength + 1].map((length) => 'x'.repeat(Math.max(length, 0)));
    for (const value of [...numbers, ...texts, true, null, [], {}]) {
      const sent = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hi' }], [name]: value });
      expect(outcomeOf(() => parseRequest(sent))).toEqual(outcomeOf(() => readInFull(sent)));
    }
  });

  it('comes to the same for hostile bodies', () => {
    const bodies = new HostileBodies(seed);
    for (let index = 0; index < bodyCount; index += 1) {
      const sent = bodies.next();
      expect(outcomeOf(() => parseRequest(sent))).toEqual(outcomeOf(() => readInFull(sent)));
    }
  });

  it.each([
    { wire: 'Messages', name: 'messages', translate: readMessagesBody },
    { wire: 'Responses', name: 'input', translate: readResponsesBody },
  ])('comes to the request of the full check for bodies of $wire', ({ name, translate }) => {
    let simpleCount = 0;
    fc.assert(
      fc.property(body, ({ messages, stream_options: _, ...fields }) => {
        const text = JSON.stringify({ ...fields, [name]: messages });
        const translated = attempt(() => translate(parseJsonBody(text)).body);
        const simple = translated && readSimpleChatBody(translated);
        if (!translated || !simple) return;
        simpleCount += 1;
        expect(outcomeOf(() => simple)).toEqual(outcomeOf(() => checkChatBody(translated)));
      }),
      { numRuns: bodyCount, seed },
    );
    expect(simpleCount).toBeGreaterThan(bodyCount / 5);
  });

  it('lets the same bytes go to a provider', () => {
    const target = { upstreamModel: 'gpt-4o-mini', providerId: 'openai', baseUrl: 'http://x', apiKey: null };
    const adapter = createOpenAiCompatibleAdapter(commonDialect);
    const write = ({ request }: Pick<Reading, 'request'>) =>
      JSON.stringify(adapter.buildRequest(request, { ...target, kind: 'http', adapter } as HttpTarget).body);
    fc.assert(
      fc.property(body, (fields) => {
        const sent = JSON.stringify(fields);
        fc.pre(isSimple(sent));
        expect(write(parseRequest(sent))).toBe(write(readInFull(sent)));
      }),
      { numRuns: Math.ceil(bodyCount / 10), seed },
    );
  });
});
