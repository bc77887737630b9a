import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import express, { type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';
import type { ModelCatalogue } from '../../providers/model-catalogue.js';
import { ListedPages } from './listed-pages.js';
import { findModelPage, isModelPath } from './model-pages.js';
import { describePage, findPublicPage, namePicture } from './public-pages.js';
import { asksForPage } from './root-aliases.js';

const noncePlaceholder = /__CSP_NONCE__/g;

export interface DashboardParts {
  readonly publicUrl: string;
  /** Whose models have a page each. */
  readonly catalogue: Pick<ModelCatalogue, 'models'>;
  /** Whether a request looks as if somebody were signed in; it decides about nothing but what is fetched early. */
  readonly isKnown: (request: Request) => boolean;
}

/**
 * Serves the built dashboard: hashed assets that browsers keep for a year, and the page itself at the root, and for every other
 * address to whoever asks for a page; with a fresh nonce each time, so that nothing that was smuggled into the page can run or
 * restyle it. Whoever else asks for what is not there is left to what comes next.
 *
 * What search engines may list has a title and a description of its own.
 * An address that is no page of the dashboard, or that of a model that is not offered, is answered with it, too, which says so, and
 * with status 404.
 *
 * @param folder Where the web build lies. Without a build, a page says how to make one.
 */
export function createDashboardFiles(folder: string, parts: DashboardParts): express.Router {
  const { publicUrl, catalogue, isKnown } = parts;
  const page = namePicture(readPage(join(folder, 'index.html')), publicUrl);
  const pages = new ListedPages(join(folder, 'pages.json'));
  const router = express.Router();
  router.use('/assets', preferCompressed(join(folder, 'assets')));
  router.use('/assets', express.static(join(folder, 'assets'), { immutable: true, maxAge: '1y', fallthrough: false }));
  const files = express.static(folder, { index: false, maxAge: '1h' });
  router.use((request, response, next) => {
    if (request.path === '/pages.json') next();
    else files(request, response, next);
  });
  router.use((request: Request, response: Response, next: NextFunction) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    if (!isRead || (request.path !== '/' && !asksForPage(request))) {
      next();
      return;
    }
    const nonce = randomBytes(16).toString('base64');
    protectPage(nonce, publicUrl.startsWith('https:'))(request, response, (error?: unknown) => {
      if (error) next(error);
      else {
        const { path } = request;
        const described = findPublicPage(path) ?? findModelPage(path, catalogue);
        const isThere = isModelPath(path) ? described !== null : pages.has(path);
        response.status(isThere ? 200 : 404).set('cache-control', 'no-store');
        const ofPage = described === null ? page : describePage(page, described, publicUrl);
        const html = pages.fillIn(ofPage, path, isKnown(request));
        response.type('html').send(html.replace(noncePlaceholder, nonce));
      }
    });
  });
  return router;
}

/** The build lays compressed copies beside the files; whoever can read one is given it under the file's own name. */
function preferCompressed(folder: string): express.RequestHandler {
  const copies = new Set(listFiles(folder).filter((name) => /\.(br|gz)$/.test(name)));
  return (request, response, next) => {
    response.vary('accept-encoding');
    const encoding = request.acceptsEncodings('br', 'gzip');
    const copy = `${request.path.slice(1)}.${encoding === 'gzip' ? 'gz' : 'br'}`;
    if (encoding && copies.has(copy)) {
      response.type(extname(request.path));
      response.setHeader('content-encoding', encoding);
      request.url = `/${copy}`;
    }
    next();
  };
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readPage(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '<!doctype html><title>Tollgate</title><p>The dashboard has not been built. Run <code>npm run build</code>.</p>';
  }
}

function protectPage(nonce: string, isHttps: boolean) {
  return helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        'default-src': ["'none'"],
        'script-src': ["'self'", `'nonce-${nonce}'`],
        'style-src': ["'self'", `'nonce-${nonce}'`],
        'img-src': ["'self'", 'data:'],
        'font-src': ["'self'"],
        'connect-src': ["'self'"],
        'manifest-src': ["'self'"],
        'base-uri': ["'none'"],
        'object-src': ["'none'"],
        'frame-ancestors': ["'none'"],
        'form-action': ["'self'", 'https://checkout.stripe.com'],
      },
    },
    strictTransportSecurity: isHttps ? { maxAge: 31_536_000, includeSubDomains: true } : false,
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    referrerPolicy: { policy: 'no-referrer' },
  });
}
