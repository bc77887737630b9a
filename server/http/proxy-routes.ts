import type { NextFunction, Request, Response } from 'express';
import { AppError } from '../kernel/app-error.js';
import { createId } from '../kernel/ids.js';
import type { FoundModel, ModelCatalogue } from '../providers/model-catalogue.js';
import { toOpenaiError } from './openai-error.js';
import { handleProxyCall, type ProxyRouteServices, sendOpenaiError } from './proxy.route.js';

/** The address that the specification names, and the one that many tools insist on. */
export const proxyPrefixes = ['/api/proxy.php', '/v1'];

/**
 * Answers everything below the proxy's addresses, `/v1` after them included, and the doubled path that people get by
 * pasting the whole endpoint as base address. What is unknown is told how to mend it, in OpenAI's error body.
 */
export function createProxyRoutes(services: ProxyRouteServices) {
  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    // `request.path` lacks the prefix under which this is mounted.
    const route = request.path
      .replace(/\/+/g, '/')
      .replace(/\/$/, '')
      .replace(/^\/v1(?=\/|$)/, '');
    setCorsHeaders(request, response);
    if (request.method === 'OPTIONS') {
      response.writeHead(204).end();
      return;
    }
    try {
      if (route === '' || route === '/chat/completions' || route === '/chat/completions/chat/completions') {
        requireMethod(request, response, 'POST');
        await handleProxyCall(request, response, services);
        return;
      }
      if (route === '/models' || route.startsWith('/models/')) {
        requireMethod(request, response, 'GET');
        answerModels(response, services.catalogue, decodeURIComponent(route.slice('/models/'.length)));
        return;
      }
      throw unknownUrl(request);
    } catch (error) {
      if (response.headersSent) next(error);
      else {
        response.setHeader('x-request-id', createId('call'));
        sendOpenaiError(response, toOpenaiError(error));
      }
    }
  };
}

// Browsers may call with a key; no cookie is read here, so any origin is welcome.
function setCorsHeaders(request: Request, response: Response): void {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader(
    'access-control-expose-headers',
    'x-request-id, retry-after, retry-after-ms, x-should-retry, x-ratelimit-limit-requests, x-ratelimit-remaining-requests, x-ratelimit-reset-requests, x-credits-charged, x-credits-remaining, x-credits-output-cap',
  );
  if (request.method !== 'OPTIONS') return;
  response.setHeader('access-control-allow-methods', 'GET, POST, OPTIONS');
  response.setHeader('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '*');
  response.setHeader('access-control-max-age', '7200');
}

function requireMethod(request: Request, response: Response, method: 'GET' | 'POST'): void {
  if (request.method === method) return;
  response.setHeader('allow', `${method}, OPTIONS`);
  throw new AppError('method_not_supported', `Use ${method} for this address, not ${request.method}.`);
}

function unknownUrl(request: Request): AppError {
  return new AppError(
    'unknown_url',
    `Invalid URL (${request.method} ${request.baseUrl}${request.path}). Call POST /api/proxy.php/chat/completions, or give your client the base address …/api/proxy.php.`,
  );
}

/** OpenAI's shape of the catalogue, one model when `id` is not empty. */
function answerModels(response: Response, catalogue: ModelCatalogue, id: string): void {
  if (id === '') {
    response.json({ object: 'list', data: catalogue.models.map(toModelObject) });
    return;
  }
  const model = catalogue.findModel(id);
  if (!model)
    throw new AppError('model_not_found', `The model \`${id.slice(0, 100)}\` does not exist.`, { param: 'model' });
  response.json(toModelObject(model));
}

function toModelObject(model: FoundModel): object {
  return { id: model.id, object: 'model', created: 0, owned_by: model.targets[0]?.providerId ?? 'tollgate' };
}
