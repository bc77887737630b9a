import type { RequestHandler } from 'express';

/**
 * What every answer says to a browser that shows it by mistake: run nothing, load nothing, frame it nowhere, guess no type. Pages
 * that are meant for browsers put their own policy in its place.
 * @param isHttps Whether browsers reach this server by https alone, which they then remember for a year.
 */
export function createSecurityHeaders({ isHttps }: { readonly isHttps: boolean }): RequestHandler {
  return (_request, response, next) => {
    response.setHeader('x-content-type-options', 'nosniff');
    response.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'");
    response.setHeader('referrer-policy', 'no-referrer');
    if (isHttps) response.setHeader('strict-transport-security', 'max-age=31536000; includeSubDomains');
    next();
  };
}
