import type { Request, Response } from 'express';
import { Router } from 'express';
import type { ModelCatalogue } from '../../providers/model-catalogue.js';
import { listModelPaths } from './model-pages.js';
import { publicPages } from './public-pages.js';

/** The schema's page, which is no page of the dashboard. */
const listedPaths = [...publicPages.map(({ path }) => path), '/docs'];
/** Addresses that are no pages, and pages that show nothing without a session. */
const closedToRobots = ['/api/', '/v1/', '/graphql', '/export/', '/checkout/', '/purchases/', '/verify-email'];

/** `GET /robots.txt` and `GET /sitemap.xml`, for the address at which people reach this server; each model that is offered has a page. */
export function createSiteFiles(publicUrl: string, catalogue: Pick<ModelCatalogue, 'models'>): Router {
  const robots = [
    'User-agent: *',
    ...closedToRobots.map((path) => `Disallow: ${path}`),
    '',
    `Sitemap: ${publicUrl}/sitemap.xml`,
  ];
  const listUrls = () =>
    [...listedPaths, ...listModelPaths(catalogue)].map(
      (path) => `  <url><loc>${escapeXml(publicUrl + path)}</loc></url>`,
    );
  const listSitemap = () => [
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...listUrls(),
    '</urlset>',
  ];
  const router = Router();
  const serve = (path: string, type: string, listLines: () => readonly string[]) =>
    router.get(path, (_request: Request, response: Response) => {
      response.set({ 'cache-control': 'public, max-age=3600', 'x-content-type-options': 'nosniff' });
      response.type(type).send(`${listLines().join('\n')}\n`);
    });
  serve('/robots.txt', 'text/plain', () => robots);
  serve('/sitemap.xml', 'application/xml', listSitemap);
  return router;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
