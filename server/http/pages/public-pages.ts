import { escapeHtml } from '../../kernel/texts/escape-html.js';

/** A page that says something to whoever is not signed in, as search engines and shared links name it. */
export interface PublicPage {
  readonly path: string;
  /** At most `titleLengthMax` characters. */
  readonly title: string;
  /** At most `descriptionLengthMax` characters. */
  readonly description: string;
}

/** What search engines show. */
export const titleLengthMax = 60;
export const descriptionLengthMax = 160;

/** What a search engine may list, beside a page for each model. The page itself names the browser's tab later, in its own words. */
export const publicPages: readonly PublicPage[] = [
  {
    path: '/',
    title: 'Tollgate: one key for many AI models, billed to the token',
    description:
      'Change the base URL and the key of any OpenAI client, and nothing else. Prepaid credits, exact receipts, and failures are free.',
  },
  {
    path: '/models',
    title: 'Models: prices, abilities and answer times · Tollgate',
    description:
      'Every model of this server: price per million tokens, context, abilities, measured p50, p95 and uptime by provider. Compare up to three.',
  },
  {
    path: '/pricing',
    title: 'Pricing and calculator · Tollgate',
    description:
      'What a request and a month of requests cost, in credits and dollars, exactly as they are billed. No fee beside the tokens.',
  },
  {
    path: '/status',
    title: 'Status of this server and its providers · Tollgate',
    description:
      'How each provider does now, and its uptime and answer times of the last 30 days, measured by real calls.',
  },
  {
    path: '/quickstart',
    title: 'Docs: point any OpenAI client here · Tollgate',
    description:
      'Base URL and key for curl, Python, Node, AI SDK, LangChain, Open WebUI, Cursor and others, and what a program may rely on.',
  },
  {
    path: '/sign-up',
    title: 'Create an account · Tollgate',
    description: 'An e-mail address and a password: your account and your API key work at once.',
  },
  { path: '/sign-in', title: 'Sign in · Tollgate', description: 'Your credits, keys, receipts and reports.' },
];

/** Shown beside a link to any page: 1200 × 630 pixels, made by `npm run pictures`. */
export const sharedPicture = '/share.png';

/** Gives the picture for sharing its whole address in the one HTML page of the dashboard: who shows it has no other page to begin from. */
export function namePicture(html: string, publicUrl: string): string {
  return html.replace(`content="${sharedPicture}"`, () => `content="${escapeHtml(publicUrl + sharedPicture)}"`);
}

export function findPublicPage(path: string): PublicPage | null {
  return publicPages.find((one) => one.path === path.replace(/(?<=.)\/$/, '')) ?? null;
}

/**
 * Puts a page's title and description into the one HTML page of the dashboard, and its address, which is one also where it was asked for
 * with more behind it.
 */
export function describePage(html: string, page: PublicPage, publicUrl: string): string {
  const [title, description] = [escapeHtml(page.title), escapeHtml(page.description)];
  const canonical = `<link rel="canonical" href="${escapeHtml(publicUrl + page.path)}" />`;
  return html
    .replace(/<title>[^<]*<\/title>/, () => `<title>${title}</title>\n    ${canonical}`)
    .replace(/(<meta name="description" content=")[^"]*/, (_all, before: string) => before + description)
    .replace(/(<meta property="og:title" content=")[^"]*/, (_all, before: string) => before + title)
    .replace(/(<meta property="og:description" content=")[^"]*/, (_all, before: string) => before + description);
}
