import type { NextFunction, Request, RequestHandler, Response } from 'express';

/** What a client asks for whose base address is the bare host, or lacks the version. */
const aliases =
  /^\/(chat\/completions|responses|messages|messages\/count_tokens|embeddings|completions|models|models\/.+|credits|key)\/?$/;

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
    if (asksForPage(request) || !aliases.test(request.path)) next();
    else proxy(request, response, next);
  };
}
