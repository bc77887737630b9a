import type { Request, Response } from 'express';
import { AppError } from '../../kernel/app-error.js';
import type { WireName } from '../../proxy/requests/parse-request.js';
import { tellBaseAddress } from '../base-address.js';
import {
  answerCredits,
  answerEstimate,
  answerKey,
  answerReceipt,
  type CallerAccountServices,
} from '../callers/caller-account.route.js';
import { answerCountTokens } from '../callers/count-tokens.route.js';
import { answerModel, answerModelList, decodeModel } from '../callers/model.route.js';
import { openapiDocument } from '../callers/openapi-document.js';
import { type RequestMetrics, type RequestRoute, requestRoutes } from '../health/request-metrics.js';
import { answerError } from './answer-error.js';
import type { CallerGate } from './authenticate-caller.js';
import { handleProxyCall, type ProxyRouteServices } from './proxy.route.js';
import { beginExchange, endTrace, type ProxyExchange, readCallerKey, sendJson } from './proxy-exchange.js';

/** The address that the specification names, and the ones that many tools insist on. */
export const proxyPrefixes = ['/api/proxy.php', '/api/v1', '/v1', '/openai'];

export type AllProxyServices = ProxyRouteServices &
  CallerAccountServices & {
    readonly gate: CallerGate;
    readonly requestMetrics: RequestMetrics;
    /** Where callers reach the server; without a slash at the end. */
    readonly publicUrl: string;
  };

// Which addresses are calls, and in whose form.
export const callRoutes: ReadonlyMap<string, WireName> = new Map([
  ['', 'chat'],
  ['/chat/completions', 'chat'],
  ['/chat/completions/chat/completions', 'chat'],
  ['/responses', 'responses'],
  ['/completions', 'completions'],
  ['/embeddings', 'embeddings'],
  ['/messages', 'messages'],
]);

// What OpenAI and Anthropic serve beside chat. Clients that try it are told what works, and not that their base address is wrong.
const otherEndpoints =
  /^\/(assistants|audio|batches|complete|containers|conversations|edits|evals|files|fine_tuning|images|messages\/batches|moderations|organization|realtime|rerank|responses\/(compact|input_tokens)|skills|threads|uploads|vector_stores|videos)(\/|$)/;

/**
 * Answers everything below the proxy's addresses, `/v1` after them included, and the doubled path that people get by
 * pasting the whole endpoint as base address. What is unknown is told how to mend it, in OpenAI's error body.
 */
export function createProxyRoutes(services: AllProxyServices) {
  return async (request: Request, response: Response): Promise<void> => {
    const { route, model } = readAddress(request.path);
    setCorsHeaders(request, response);
    if (request.method === 'OPTIONS') {
      response.writeHead(204).end();
      return;
    }
    const isCall = callRoutes.has(route);
    const wire = callRoutes.get(route) ?? (route.startsWith('/messages/') ? 'messages' : 'chat');
    const address = { wire, model, callRoute: isCall ? nameCall(route) : null };
    const exchange = beginExchange(request, response, address, services);
    try {
      if (isCall) {
        requireMethod(exchange, 'POST');
        await handleProxyCall(exchange, await services.gate.admit(exchange), services);
      } else await answerRoute(exchange, route, services);
    } catch (error) {
      answerError(exchange, error, services);
    } finally {
      services.requestMetrics.noteAnswer(isCall ? wire : nameRoute(route), response.statusCode);
      endTrace(exchange);
    }
  };
}

/**
 * Takes an address apart.
 * @param path Without the prefix under which all this is mounted.
 * @returns the model where the address names one, as those of Azure's clients do: `/openai/deployments/{model}/chat/completions`; OpenAI's
 *   own from before 1.0 wrote `/engines/{model}/…`.
 */
function readAddress(path: string): { readonly route: string; readonly model: string | null } {
  const route = path
    .replace(/\/+/g, '/')
    .replace(/\/$/, '')
    .replace(/^(\/openai)?(\/v1)?(?=\/|$)/, '');
  const [, deployment, rest] = /^\/(?:deployments|engines)\/([^/]+)(\/.+)$/.exec(route) ?? [];
  if (deployment === undefined || rest === undefined) return { route, model: null };
  return { route: rest, model: decodeModel(deployment) };
}

async function answerRoute(exchange: ProxyExchange, route: string, services: AllProxyServices): Promise<void> {
  const [, resource = '', rest = ''] = /^\/([^/]+)(?:\/(.+))?$/.exec(route) ?? [];
  const isAlone = rest === '';
  const isRead = ['GET', 'HEAD'].includes(exchange.request.method);
  // What is posted below a model's name is a call of another interface, such as Google's `models/{model}:generateContent`.
  if (resource === 'models' && (isAlone || isRead)) {
    requireMethod(exchange, exchange.request.method === 'HEAD' ? 'HEAD' : 'GET');
    // The list is public, but a client that tries its key by it must learn that the key is wrong.
    if (bringsKey(exchange)) await services.gate.admit(exchange, []);
    if (isAlone) answerModelList(exchange, services.catalogue);
    else answerModel(exchange, services.catalogue, rest);
  } else if (resource === 'openapi.json' && isAlone) {
    requireMethod(exchange, 'GET');
    sendJson(exchange, openapiDocument);
  } else if (resource === 'credits' && isAlone) {
    requireMethod(exchange, 'GET');
    await answerCredits(exchange, await services.gate.admit(exchange, ['usage:read']), services);
  } else if (resource === 'key' && isAlone) {
    requireMethod(exchange, 'GET');
    await answerKey(exchange, await services.gate.admit(exchange, []), services);
  } else if (resource === 'calls' && !isAlone) {
    requireMethod(exchange, 'GET');
    await answerReceipt(exchange, await services.gate.admit(exchange, ['usage:read']), services, rest);
  } else if (route === '/messages/count_tokens') {
    requireMethod(exchange, 'POST');
    await answerCountTokens(exchange, await services.gate.admit(exchange), services);
  } else if (resource === 'estimate' && isAlone) {
    requireMethod(exchange, 'POST');
    await answerEstimate(exchange, await services.gate.admit(exchange), services);
  } else if (otherEndpoints.test(route)) throw unsupportedEndpoint(exchange, services);
  else if (resource === 'responses' && !isAlone) throw notStored(exchange);
  else throw unknownUrl(exchange, services);
}

function nameRoute(route: string): RequestRoute {
  return requestRoutes.find((name) => route === `/${name}` || route.startsWith(`/${name}/`)) ?? 'other';
}

// The addresses that only exist for clients that build them wrongly mean the one below the specification's.
function nameCall(route: string): string {
  return route === '' ? '/chat/completions' : route;
}

function bringsKey(exchange: ProxyExchange): boolean {
  return exchange.request.headers.authorization !== undefined || readCallerKey(exchange) !== null;
}

const exposedHeaders = [
  'x-request-id',
  'request-id',
  'x-generation-id',
  'openai-processing-ms',
  'openai-version',
  'retry-after',
  'retry-after-ms',
  'x-should-retry',
  'x-ratelimit-limit-requests',
  'x-ratelimit-remaining-requests',
  'x-ratelimit-reset-requests',
  'x-ratelimit-limit-tokens',
  'x-ratelimit-remaining-tokens',
  'x-ratelimit-reset-tokens',
  'x-credits-charged',
  'x-credits-remaining',
  'x-credits-output-cap',
  'idempotency-replayed',
].join(', ');

// Browsers may call with a key; no cookie is read here, so any origin is welcome.
function setCorsHeaders(request: Request, response: Response): void {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-expose-headers', exposedHeaders);
  if (request.method !== 'OPTIONS') return;
  response.setHeader('access-control-allow-methods', 'GET, POST, OPTIONS');
  response.setHeader('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '*');
  response.setHeader('access-control-max-age', '7200');
}

function requireMethod({ request, response }: ProxyExchange, method: 'GET' | 'HEAD' | 'POST'): void {
  if (request.method === method) return;
  response.setHeader('allow', `${method}, OPTIONS`);
  throw new AppError('method_not_supported', `Use ${method} for this address, not ${request.method}.`);
}

type BaseAddress = Pick<AllProxyServices, 'publicUrl'>;

function unsupportedEndpoint({ request }: ProxyExchange, { publicUrl }: BaseAddress): AppError {
  return new AppError(
    'unsupported_endpoint',
    `${request.method} ${request.baseUrl}${request.path} is not offered here. Use ${publicUrl}/api/proxy.php/chat/completions, /responses, /completions, /messages or /embeddings.`,
  );
}

function notStored({ request }: ProxyExchange): AppError {
  return new AppError(
    'unsupported_endpoint',
    `${request.method} ${request.baseUrl}${request.path} is not offered here: responses are not stored. POST to /responses, with the whole conversation in \`input\`.`,
  );
}

function unknownUrl({ request }: ProxyExchange, { publicUrl }: BaseAddress): AppError {
  return new AppError(
    'unknown_url',
    `Invalid URL (${request.method} ${request.baseUrl}${request.path}). Call POST ${publicUrl}/api/proxy.php/chat/completions. ${tellBaseAddress(publicUrl)}`,
  );
}
