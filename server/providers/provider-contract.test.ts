import { AppError } from '../kernel/app-error.js';
import { Secret } from '../kernel/secret.js';
import { answerContext as context } from '../test/answer-context.js';
import { checkPlainAnswer, checkStreamedAnswer } from '../test/openai-shape.js';
import { type AnsweredCase, canary } from '../test/provider-contract-case.js';
import { providerContracts } from '../test/provider-contracts/all-contracts.js';
import { type ReadAnswer, readPlain, readStream } from '../test/read-adapter-answer.js';
import type { ChatRequest } from './chat-types.js';
import type { HttpTarget, TokenUsage } from './provider-adapter.js';
import { toCompletionUsage } from './token-usage.js';

/** Bytes in, value out: what holds for every adapter. */
describe.each(providerContracts.map((contract) => [contract.id, contract] as const))('adapter %s', (_id, contract) => {
  const { adapter } = contract;

  function targetOf(upstreamModel = contract.upstreamModel): HttpTarget {
    const apiKey = new Secret(canary.key);
    return { kind: 'http', providerId: 'acme', adapter, baseUrl: 'https://upstream.test/v1', apiKey, upstreamModel };
  }

  function build({ request, upstreamModel }: Pick<AnsweredCase, 'request' | 'upstreamModel'>, stream: boolean) {
    const asked: ChatRequest = freezeDeep({ ...request, model: 'public-name', stream });
    return adapter.buildRequest(asked, targetOf(upstreamModel));
  }

  describe.each(Object.entries(contract.cases))('%s', (_name, answered) => {
    const bytes = Buffer.from(answered.stream.join(''));

    it.each([[false], [true]])('sends exactly what the provider understands (streamed: %s)', (stream) => {
      const { url, headers, body } = build(answered, stream);
      const [keyHeader, keyValue] = contract.findKeyHeader(canary.key);
      const path = contract.findPath(answered.upstreamModel ?? contract.upstreamModel, stream);
      expect(JSON.parse(JSON.stringify(body))).toEqual({
        ...answered.upstreamBody,
        ...(stream ? contract.streamFields : {}),
      });
      expect(url).toBe(`https://upstream.test/v1${path}`);
      expect(headers).toMatchObject({ [keyHeader]: keyValue, 'accept-encoding': 'identity' });
      expect(`${url}${body}`).not.toContain(canary.key);
    });

    it('reads the plain answer, and usage once', () => {
      const read = readPlain(adapter, JSON.stringify(answered.answer), context);
      expectAnswer(read, answered);
      expect(read.events.map(({ type }) => type)).toEqual(['usage', 'completion']);
      const completion = read.events.find((event) => event.type === 'completion')?.completion;
      expect(completion?.usage).toBeUndefined();
      const usage = toCompletionUsage(read.usage as TokenUsage);
      checkPlainAnswer(200, JSON.stringify({ ...completion, usage }));
    });

    it('reads the streamed answer, and usage apart from the chunks', () => {
      const read = readStream(adapter, bytes, context);
      if (read === null) throw new Error('the stream is not whole');
      expectAnswer(read, answered);
      checkStreamedAnswer(writeStream(read));
    });

    it('never takes a cut stream for a whole answer, wherever it is cut', () => {
      let wholeCount = 0;
      for (let length = 0; length < bytes.length; length += 1) {
        const read = readPrefix(bytes.subarray(0, length));
        if (read === null) continue;
        wholeCount += 1;
        const { message, finishReason } = read;
        expect({ length, message, finishReason }).toEqual({ length, ...wholeAnswerOf(answered) });
      }
      expect(wholeCount).toBeLessThan(bytes.length / 2);
    });
  });

  // null: the client would report a broken stream.
  function readPrefix(bytes: Buffer): ReadAnswer | null {
    try {
      return readStream(adapter, bytes, context);
    } catch (error) {
      expect(error).toBeInstanceOf(AppError);
      return null;
    }
  }

  it('counts inclusively', () => {
    const { inputTokens, cachedInputTokens, cacheWriteInputTokens, outputTokens, reasoningTokens } =
      contract.cases['usage with every detail'].expected.usage;
    expect(cachedInputTokens).toBeGreaterThan(0);
    expect((cachedInputTokens ?? 0) + (cacheWriteInputTokens ?? 0)).toBeLessThan(inputTokens);
    expect(reasoningTokens).toBeGreaterThan(0);
    expect(reasoningTokens).toBeLessThan(outputTokens);
  });

  it.each(contract.errorEvents.map((fixture) => [fixture.name, fixture] as const))(
    'reports a failure inside of a stream: %s',
    (_name, { stream, code }) => {
      expect(stream.join('')).toContain(canary.organisation);
      const error = catchError(() => readStream(adapter, Buffer.from(stream.join('')), context));
      expect(error.code).toBe(code);
      expectNothingPrivate(error);
    },
  );

  it.each(contract.errorStatuses.map((fixture) => [fixture.status, fixture.name, fixture] as const))(
    'says a refusal with status %d in our own words: %s',
    (_status, _name, { status, body, code, quote }) => {
      for (const hidden of Object.values(canary)) expect(body).toContain(hidden);
      const error = adapter.parseError({ status, retryAfterMs: 1_500, body }, targetOf());
      expect(error.code).toBe(code);
      // A request that is at fault does not get better by waiting.
      expect(error.retryAfterMs).toBe(code === 'provider_rejected' ? null : 1_500);
      expect(error.message).toContain(quote ?? 'acme');
      expectNothingPrivate(error);
    },
  );

  it.each([['no JSON'], ['{"error"'], ['[]'], ['']])('makes an error of a refusal that reads %j', (body) => {
    expect(adapter.parseError({ status: 500, retryAfterMs: null, body }, targetOf()).code).toBe('provider_error');
    expect(catchError(() => adapter.parseResponse(body, context)).code).toBe('provider_error');
  });

  it('refuses by name what it cannot translate', () => {
    for (const fixture of contract.untranslatable) {
      const error = catchError(() => build(fixture, false));
      const { name, code, param } = fixture;
      expect({ name, code: error.code, param: error.param }).toEqual({ name, code, param });
      expectNothingPrivate(error);
    }
  });
});

function expectAnswer({ message, finishReason, usage }: ReadAnswer, answered: AnsweredCase): void {
  expect({ message, finishReason }).toEqual(wholeAnswerOf(answered));
  expect(usage).toEqual(answered.expected.usage);
}

function wholeAnswerOf({ expected }: AnsweredCase): Pick<ReadAnswer, 'message' | 'finishReason'> {
  const { content, ...others } = expected.message;
  const message = { role: 'assistant', ...others, ...(content === null ? {} : { content }) };
  return { message, finishReason: expected.finishReason };
}

// The stream as a caller would read it.
function writeStream({ events, usage }: ReadAnswer): string {
  const chunks = events.flatMap((event) => (event.type === 'chunk' ? [event.chunk] : []));
  for (const chunk of chunks) expect(chunk.usage ?? null).toBeNull();
  const written: object[] = [...chunks];
  const { id, created, model } = chunks[0] ?? {};
  const head = { id, created, model, object: 'chat.completion.chunk' };
  written.push({ ...head, choices: [], usage: toCompletionUsage(usage as TokenUsage) });
  return `${written.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`;
}

function catchError(action: () => unknown): AppError {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(AppError);
    return error as AppError;
  }
  throw new Error('nothing was thrown');
}

function expectNothingPrivate(error: AppError): void {
  const shown = `${error.message} ${error.param} ${JSON.stringify(error.metadata)} ${String(error.cause)}`;
  for (const hidden of Object.values(canary)) expect(shown).not.toContain(hidden);
  expect(shown).not.toContain('upstream.test');
}

function freezeDeep<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freezeDeep(inner);
  }
  return value;
}
