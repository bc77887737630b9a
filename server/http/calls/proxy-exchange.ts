import type { Request, Response } from 'express';
import type { ErrorCode } from '../../kernel/app-error.js';
import type { Clock } from '../../kernel/clock.js';
import { createId } from '../../kernel/ids.js';
import { readKeyFromHeaders } from '../../keys/authenticate-key.js';
import { noOwnLimits, type OwnLimits } from '../../limits/account-limits.js';
import type { WireName } from '../../proxy/requests/parse-request.js';
import type { CallTrace } from '../../tracing/call-trace.js';
import type { CallTracer } from '../../tracing/call-tracer.js';
import type { AnswerWire } from '../../wires/answer-wire.js';
import type { RequestMetrics } from '../health/request-metrics.js';

/** One request below the proxy's addresses, with the id that its every answer carries. */
export interface ProxyExchange {
  /** `call_…`, whether a call comes of it or not. */
  readonly id: string;
  /** What the caller or a proxy in front calls this request, by the header `x-request-id`, for the log; null: nothing that can be logged. */
  readonly callerRequestId: string | null;
  readonly startedAtMs: number;
  /** The same moment by `performance.now()`. */
  readonly begunMs: number;
  readonly request: Request;
  readonly response: Response;
  /** Whose form request and answer have. */
  readonly wire: WireName;
  /** The model that its address names, which stands before the body's; null: it names none. */
  readonly model: string | null;
  /** Is told why the call was refused. */
  readonly onRefusal: (code: ErrorCode) => void;
  /** null: it is not traced. */
  readonly trace: CallTrace | null;
  /** Who tells the answer; null until it is known what was asked. */
  answer: AnswerWire | null;
  /** Whose request it is; null until that is known. */
  caller: { readonly accountId: string; readonly keyId: string } | null;
  /** The limits of its account in place of the server's; none until its account is known. */
  ownLimits: OwnLimits;
  /** What was asked for; null until that is known. */
  askedModel: string | null;
  /** Whether credits are held for it, so that there will be a receipt, however it ends. */
  hasReceipt: boolean;
}

export interface ExchangeServices {
  readonly clock: Clock;
  readonly requestMetrics: Pick<RequestMetrics, 'noteRefusal'>;
  /** null, or left out: no call is traced. */
  readonly tracer?: Pick<CallTracer, 'begin'> | null;
}

/** What an address says. */
export interface ExchangeAddress {
  readonly wire: WireName;
  readonly model: string | null;
  /** The address as the routes have it, for a request that is a call; null: it is none, and is not traced. */
  readonly callRoute: string | null;
}

/** Gives a request its id and writes the headers that every answer has. */
export function beginExchange(
  request: Request,
  response: Response,
  { wire, model, callRoute }: ExchangeAddress,
  { clock, requestMetrics, tracer }: ExchangeServices,
): ProxyExchange {
  const id = createId('call');
  const startedAtMs = clock.nowMs();
  const exchange: ProxyExchange = {
    id,
    callerRequestId: readRequestId(request),
    startedAtMs,
    begunMs: performance.now(),
    request,
    response,
    wire,
    model,
    onRefusal: (code) => requestMetrics.noteRefusal(code),
    trace: tracer && callRoute !== null ? beginTrace(request, { id, startedAtMs, callRoute }, tracer) : null,
    answer: null,
    caller: null,
    ownLimits: noOwnLimits,
    askedModel: model,
    hasReceipt: false,
  };
  response.setHeader('x-request-id', exchange.id);
  // Anthropic's clients know it by this name.
  if (wire === 'messages') response.setHeader('request-id', exchange.id);
  // The only version that OpenAI's API ever had; clients may log it.
  response.setHeader('openai-version', '2020-10-01');
  return exchange;
}

/** The secret that its caller sent, unchecked; null: none. */
export function readCallerKey({ request: { headers }, wire }: Pick<ProxyExchange, 'request' | 'wire'>): string | null {
  // Some of Anthropic's clients send a token of another service beside the key.
  const isAnthropicForm = wire === 'messages' || headers['anthropic-version'] !== undefined;
  return readKeyFromHeaders(headers, { isAnthropicForm });
}

/** Ends the trace of an exchange whose answer has left; what it says of the caller are ids of ours. */
export function endTrace({ trace, caller, response }: ProxyExchange): void {
  trace?.end({
    'http.response.status_code': response.statusCode,
    'tollgate.account.id': caller?.accountId,
    'tollgate.key.id': caller?.keyId,
  });
}

function beginTrace(
  { headers, method }: Request,
  { id, startedAtMs, callRoute }: Pick<ProxyExchange, 'id' | 'startedAtMs'> & { readonly callRoute: string },
  tracer: Pick<CallTracer, 'begin'>,
): CallTrace | null {
  const attributes = { 'http.request.method': 'POST', 'http.route': callRoute, 'tollgate.call.id': id };
  return method === 'POST'
    ? tracer.begin({ traceparent: headers.traceparent, name: `POST ${callRoute}`, startedAtMs, attributes })
    : null;
}

// A word of somebody else's in our log: no spaces, no quotes, no line breaks, and an end.
function readRequestId({ headers }: Request): string | null {
  const sent = headers['x-request-id'];
  return typeof sent === 'string' && /^[\w.:/+=-]{1,128}$/.test(sent) ? sent : null;
}

/** Says how long the answer took so far; right before its head goes out. */
export function stampProcessingTime({ response, begunMs }: ProxyExchange): void {
  response.setHeader('openai-processing-ms', Math.round(performance.now() - begunMs));
}

/** Answers 200 with JSON. */
export function sendJson(exchange: ProxyExchange, body: object): void {
  sendJsonText(exchange, JSON.stringify(body));
}

/** As `sendJson`, for JSON that is text already, or bytes in pieces. */
export function sendJsonText(exchange: ProxyExchange, json: string | readonly Buffer[]): void {
  const { response } = exchange;
  const bytes = typeof json === 'string' ? Buffer.byteLength(json) : json.reduce((sum, { length }) => sum + length, 0);
  stampProcessingTime(exchange);
  response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', 'content-length': bytes });
  // As text it leaves in one piece with its head.
  if (typeof json === 'string') response.end(json);
  else {
    for (const piece of json) response.write(piece);
    response.end();
  }
}

export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: object;
}

/** Sends an error body to a caller who has been sent nothing yet. */
export function sendError(exchange: ProxyExchange, { status, headers, body }: ErrorAnswer): void {
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
