import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { readFaultVerbs } from './fake-upstream-verbs.js';

const json = { 'content-type': 'application/json' };
const usualDimensions = 8;

/** The vector that the fake makes of each input: told by its place among the inputs, exact in 32 bits. */
export function fakeVector(index: number, dimensions = usualDimensions): number[] {
  return Array.from({ length: dimensions }, (_, place) => (index + 1) / 2 ** (place % 16));
}

/** What the fake counts: a token for each of `tokens`, or four for a text. */
export function countFakeTokens(inputs: readonly (string | readonly number[])[]): number {
  return inputs.reduce((sum, input) => sum + (typeof input === 'string' ? 4 : input.length), 0);
}

/**
 * Answers `POST /embeddings` as OpenAI does, unless its first text has verbs: `status=N`, `no-usage`, `zero-usage`, `total-only`,
 * `floats` whatever was asked, `fewer` vectors than inputs, `turned` the last vector first, `dimensions=N`, `cut`, `bad-json`,
 * `error` inside of a success, `not-finite`, `digits` of a few numbers, `delay=MS`.
 */
export async function answerFakeEmbeddings(response: ServerResponse, body: Record<string, unknown>): Promise<void> {
  const inputs = listInputs(body.input);
  const [first] = inputs;
  const verbs = readFaultVerbs(typeof first === 'string' ? first : '');
  if (verbs.has('delay')) await sleep(Number(verbs.get('delay')));
  const status = Number(verbs.get('status') ?? 200);
  if (status !== 200 || verbs.has('error')) {
    response.writeHead(status, json).end('{"error":{"message":"Refused here","type":"some_error","param":"input"}}');
    return;
  }
  const isBase64 = body.encoding_format === 'base64' && !verbs.has('floats');
  const dimensions = Number(verbs.get('dimensions') ?? body.dimensions ?? usualDimensions);
  const data = inputs.map((_, index) => ({
    object: 'embedding',
    index,
    embedding: write(fakeVector(index, dimensions), isBase64),
  }));
  if (verbs.has('fewer')) data.pop();
  if (verbs.has('turned')) data.reverse();
  const tokens = verbs.has('zero-usage') ? 0 : countFakeTokens(inputs);
  const usage = verbs.has('total-only') ? { total_tokens: tokens } : { prompt_tokens: tokens, total_tokens: tokens };
  const answer = { object: 'list', model: 'upstream-name', data, ...(verbs.has('no-usage') ? {} : { usage }) };
  const whole = JSON.stringify(answer);
  const written = verbs.has('digits') ? whole.replace(/\[[\d.,]+\]/, '[0.006929283,-0.1,1e-7]') : whole;
  const text = verbs.has('not-finite') ? written.replace('[1,', '[1e999,') : written;
  response.writeHead(200, { ...json, 'content-length': Buffer.byteLength(text) });
  if (verbs.has('cut')) response.write(text.slice(0, text.length / 2), () => response.destroy());
  else response.end(verbs.has('bad-json') ? `${text.slice(0, -2)}  ` : text);
}

function listInputs(input: unknown): (string | number[])[] {
  if (!Array.isArray(input)) return [input as string];
  return typeof input[0] === 'number' ? [input as number[]] : (input as (string | number[])[]);
}

function write(vector: readonly number[], isBase64: boolean): string | readonly number[] {
  return isBase64 ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : vector;
}
