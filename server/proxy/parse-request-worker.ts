import { platform, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { AppError } from '../kernel/app-error.js';
import { assertInvariant } from '../kernel/assert.js';
import { parseRequest } from './parse-request.js';
import type { ParseJob, ParseReply } from './request-parser.js';

/* The thread that parses and checks large bodies. What it answers has been checked, so it is small or of few, long texts. */

assertInvariant(parentPort !== null, 'large bodies are parsed in a worker thread');
const port = parentPort;
// Where the cores are scarce the event loop goes first. On Linux, and nowhere else, this is of the thread and not of the process.
if (platform() === 'linux') setPriority(0, 10);
port.on('message', (job: ParseJob) => port.postMessage(parse(job)));

function parse({ blocks, wire, model }: ParseJob): ParseReply {
  try {
    const text = Buffer.concat(blocks).toString('utf8');
    const parsed = parseRequest(text, { wire, model, isLarge: true });
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

// Half a character can only be written as an escape.
const halfCharacter = /\\u[dD][89a-fA-F]/;

// A text with half a character in it is written as JSON ten times slower than any other, and no provider makes sense of it.
function toWellFormed<Value>(value: Value): Value;
function toWellFormed(value: unknown): unknown {
  if (typeof value === 'string') return fillHalves(value);
  if (Array.isArray(value)) return value.map(toWellFormed);
  if (typeof value !== 'object' || value === null || value instanceof Set || value instanceof Map) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [fillHalves(name), toWellFormed(item)]));
}

function fillHalves(text: string): string {
  return Buffer.from(text).toString('utf8');
}
