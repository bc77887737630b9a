import { AppError } from '../../kernel/app-error.js';
import { Secret } from '../../kernel/secret.js';
import type { AnswerContext, HttpTarget } from '../provider-adapter.js';
import { geminiAdapter } from './gemini-adapter.js';

const key = 'AIzaSyCanary-0123456789_canary0123456789';
const target: HttpTarget = {
  kind: 'http',
  providerId: 'gemini',
  adapter: geminiAdapter,
  baseUrl: 'https://google.test/v1beta',
  apiKey: new Secret(key),
  upstreamModel: 'gemini-3.8-flash',
};
const context: AnswerContext = { providerId: 'gemini', publicModel: 'm', answerId: 'call_1', createdSeconds: 1 };

function refuse(status: number, error: object, retryAfterMs: number | null = null) {
  return geminiAdapter.parseError(
    { status, retryAfterMs, body: JSON.stringify({ error: { code: status, ...error } }) },
    target,
  );
}

function readInBand(body: unknown): AppError {
  try {
    geminiAdapter.parseResponse(JSON.stringify(body), context);
  } catch (error) {
    if (error instanceof AppError) return error;
  }
  throw new Error('no error');
}

describe('a refusal', () => {
  it.each([
    [{ details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }] }],
    [{ message: 'API key expired. Please renew the API key.' }],
    [{ message: 'API Key not found. Please pass a valid API key.' }],
    [{ message: 'API key not valid. Please pass a valid API key.' }],
    [{ status: 'FAILED_PRECONDITION', message: 'User location is not supported for the API use.' }],
  ])('with 400 is about our account: %j', (error) => {
    expect(refuse(400, { status: 'INVALID_ARGUMENT', ...error })).toMatchObject({ code: 'provider_unavailable' });
  });

  it.each([
    `Unable to submit request because tools[0].parameters.properties["API key"] has an unknown type.`,
    'Invalid value at \'contents[0].parts[0]\': "API key not valid. Please pass a valid API key."',
    'API key rotation is not a known function.',
  ])('with 400 that quotes the request is about the request: %s', (message) => {
    expect(refuse(400, { status: 'INVALID_ARGUMENT', message })).toMatchObject({ code: 'provider_rejected' });
  });

  it('asks to wait as long as Google does, unless a header says it', () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.074824224s' }];
    const error = { status: 'RESOURCE_EXHAUSTED', message: 'Quota exceeded', details };
    expect(refuse(429, error)).toMatchObject({ code: 'provider_rate_limited', retryAfterMs: 34_075 });
    expect(refuse(429, error, 1_000)).toMatchObject({ retryAfterMs: 1_000 });
    expect(refuse(429, { ...error, details: [{ retryDelay: 'soon' }] }).retryAfterMs).toBeNull();
  });

  it('marks a prompt that is too long, and a model that is not there', () => {
    const message = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).';
    expect(refuse(400, { status: 'INVALID_ARGUMENT', message }).metadata).toMatchObject({
      providerCode: 'context_length_exceeded',
    });
    const missing = refuse(404, { status: 'NOT_FOUND', message: 'models/x is not found for API version v1beta' });
    expect(missing.metadata).toMatchObject({ providerCode: 'model_not_found' });
    expect(missing.message).toContain('models/x is not found');
  });

  it('is read from a list, as a stream without events has it', () => {
    const body = JSON.stringify([{ error: { code: 400, status: 'INVALID_ARGUMENT', message: 'Bad image' } }]);
    expect(geminiAdapter.parseError({ status: 400, retryAfterMs: null, body }, target).message).toContain('Bad image');
  });

  it('tells neither our key nor our project', () => {
    const message = `Bad request of consumer 'api_key:${key}', projects/tollgate-prod and project 1029384756, at https://google.test.`;
    const { message: shown } = refuse(400, { status: 'INVALID_ARGUMENT', message });
    expect(shown).toContain('Bad request of consumer');
    expect(shown).not.toMatch(/AIza|anary|tollgate-prod|1029384756|google\.test/);
  });
});

describe('a failure inside of an answer', () => {
  it.each([
    [{ error: { code: 503, status: 'UNAVAILABLE' } }, 'provider_overloaded'],
    [{ error: { status: 'RESOURCE_EXHAUSTED' } }, 'provider_rate_limited'],
    [{ error: { code: 'odd', status: 'DEADLINE_EXCEEDED' } }, 'provider_timeout'],
    [[{ error: { code: 500 } }], 'provider_error'],
    [{ error: {} }, 'provider_error'],
    [{ error: { code: 400, details: [{ reason: 'API_KEY_INVALID' }] } }, 'provider_unavailable'],
  ])('is told as what it is: %j', (body, code) => {
    expect(readInBand(body).code).toBe(code);
  });
});
