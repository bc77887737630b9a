import type { NextFunction, Request, RequestHandler, Response } from 'express';

/** What a client asks for whose base address is the bare host, or lacks the version. */
const aliases =
  /^\/(chat\/completions|responses|messages|messages\/count_tokens|embeddings|completions|models|models\/.+|credits|key)\/?$/;

/**
 * Hands to the proxy what clients ask for at the bare host. A browser that asks for a page gets the page: `/models` is one of
 * the dashboard's as well.
 */
export function createRootAliases(proxy: RequestHandler): RequestHandler {
  return (request: Request, response: Response, next: NextFunction) => {
    const isPage = (request.headers.accept ?? '').includes('text/html');
    if (isPage || !aliases.test(request.path)) next();
    else proxy(request, response, next);
  };
}
