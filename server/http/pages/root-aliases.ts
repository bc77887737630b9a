import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { callRoutes } from '../calls/proxy-routes.js';

/** What a client asks for whose base address is the bare host, or lacks the version, beside calls. */
const readAliases = /^\/(messages\/count_tokens|models|models\/.+|credits|key)$/;

function isAlias(path: string): boolean {
  const route = path.replace(/\/$/, '');
  return route !== '' && (callRoutes.has(route) || readAliases.test(route));
}

/**
 * Hands to `calls` an address with doubled slashes as if they were single, as clients make it of a base address that ends with one.
 * Stands behind the exact addresses, so that it costs them nothing. What `calls` does not know keeps its address.
 */
export function createSlashCollapse(calls: RequestHandler): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const { path, url } = request;
    if (!path.includes('//')) return next();
    request.url = path.replace(/\/{2,}/g, '/') + url.slice(path.length);
    calls(request, response, (error?: unknown) => {
      request.url = url;
      next(error);
    });
  };
}

/** Whether a page is wanted, as by a browser; who takes anything does not ask for one. */
export function asksForPage({ headers }: Request): boolean {
  return (headers.accept ?? '').includes('text/html');
}

/**
 * Hands to the proxy what clients ask for at the bare host. A browser that asks for a page gets the page: `/models` is one of
 * the dashboard's as well.
 */
export function createRootAliases(proxy: RequestHandler): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    if (asksForPage(request) || !isAlias(request.path)) next();
    else proxy(request, response, next);
  };
}
