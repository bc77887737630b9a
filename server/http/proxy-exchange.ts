import type { Request, Response } from 'express';
import type { Clock } from '../kernel/clock.js';
import { createId } from '../kernel/ids.js';
import type { OpenaiErrorAnswer } from './openai-error.js';

/** One request below the proxy's addresses, with the id that its every answer carries. */
export interface ProxyExchange {
  /** `call_…`, whether a call comes of it or not. */
  readonly id: string;
  readonly startedAtMs: number;
  readonly request: Request;
  readonly response: Response;
  readonly clock: Clock;
}

/** Gives a request its id and writes the headers that every answer has. */
export function beginExchange(request: Request, response: Response, clock: Clock): ProxyExchange {
  const exchange = { id: createId('call'), startedAtMs: clock.nowMs(), request, response, clock };
  response.setHeader('x-request-id', exchange.id);
  // The only version that OpenAI's API ever had; clients may log it.
  response.setHeader('openai-version', '2020-10-01');
  return exchange;
}

/** Says how long the answer took so far; right before its head goes out. */
export function stampProcessingTime({ response, clock, startedAtMs }: ProxyExchange): void {
  response.setHeader('openai-processing-ms', Math.max(0, Math.round(clock.nowMs() - startedAtMs)));
}

/** Answers 200 with JSON. */
export function sendJson(exchange: ProxyExchange, body: object): void {
  sendJsonText(exchange, JSON.stringify(body));
}

/** As `sendJson`, for JSON that is text already, or bytes. */
export function sendJsonText(exchange: ProxyExchange, json: string | Buffer): void {
  stampProcessingTime(exchange);
  exchange.response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(json),
  });
  // As text it leaves in one piece with its head.
  exchange.response.end(json);
}

/** Sends an OpenAI error body to a caller who has been sent nothing yet. */
export function sendOpenaiError(exchange: ProxyExchange, { status, headers, body }: OpenaiErrorAnswer): void {
  const text = Buffer.from(JSON.stringify(body));
  stampProcessingTime(exchange);
  exchange.response.writeHead(status, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': text.length,
  });
  exchange.response.end(text);
}

export function setHeaders(response: Response, headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
}
