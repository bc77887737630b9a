import { platform, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { AppError } from '../../kernel/app-error.js';
import { assertInvariant } from '../../kernel/assert.js';
import { readUtf8 } from '../../kernel/json-body.js';
import { parseRequest } from './parse-request.js';
import type { DecodeJob, ParseJob, ParseReply } from './request-parser.js';

/*
 * The thread that parses and checks large bodies, and decodes tokens. What it answers has been checked, so it is small or of few,
 * long texts.
 */

assertInvariant(parentPort !== null, 'large bodies are parsed in a worker thread');
const port = parentPort;
// Where the cores are scarce the event loop goes first. On Linux, and nowhere else, this is of the thread and not of the process.
if (platform() === 'linux') setPriority(0, 10);
port.on('message', async (job: ParseJob | DecodeJob) => {
  port.postMessage('tokens' in job ? await decode(job) : parse(job));
});

function parse({ blocks, ...options }: ParseJob): ParseReply {
  try {
    const text = readUtf8(Buffer.concat(blocks));
    const parsed = parseRequest(text, { ...options, isLarge: true });
    return { parsed: halfCharacter.test(text) ? toWellFormed(parsed) : parsed };
  } catch (error) {
    if (error instanceof AppError) {
      const { code, message, param } = error;
      return { refusal: { code, message, param } };
    }
    // Its message may quote the body.
    return { failure: error instanceof Error ? error.name : 'unknown' };
  }
}

const textCharactersMax = 10 * 1024 * 1024;

// The table of the tokens is large, and few ever need it.
async function decode({ tokens }: DecodeJob): Promise<ParseReply> {
  const { decode: toText } = await import('gpt-tokenizer/encoding/cl100k_base');
  const texts: string[] = [];
  let characters = 0;
  for (const [index, ids] of tokens.entries()) {
    const text = findText(ids, toText);
    characters += text?.length ?? 0;
    const param = tokens.length === 1 ? 'input' : `input[${index}]`;
    if (!text) return refuse(param, 'must be ids of tokens in cl100k_base; this model is sent the text. Send texts.');
    if (characters > textCharactersMax) return refuse('input', 'stands for too much text. Send fewer tokens.');
    texts.push(text);
  }
  return { texts };
}

function findText(ids: Uint32Array, toText: (ids: Iterable<number>) => string): string | null {
  try {
    return toText(ids);
  } catch {
    return null;
  }
}

function refuse(param: string, what: string): ParseReply {
  return { refusal: { code: 'invalid_value', message: `Invalid '${param}': ${what}`, param } };
}

// Half a character can only be written as an escape.
const halfCharacter = /\\u[dD][89a-fA-F]/;

// A text with half a character in it is written as JSON ten times slower than any other, and no provider makes sense of it.
function toWellFormed<Value>(value: Value): Value;
function toWellFormed(value: unknown): unknown {
  if (typeof value === 'string') return fillHalves(value);
  if (Array.isArray(value)) return value.map(toWellFormed);
  if (typeof value !== 'object' || value === null || value instanceof Set || value instanceof Map) return value;
  if (ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [fillHalves(name), toWellFormed(item)]));
}

function fillHalves(text: string): string {
  return Buffer.from(text).toString('utf8');
}
