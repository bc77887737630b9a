import { readFileSync } from 'node:fs';
import { escapeHtml } from '../../kernel/texts/escape-html.js';

/** A page of the dashboard, as the build lists it. */
interface ListedPage {
  /** Its address, as `/a/:name`. */
  readonly pattern: string;
  /** The scripts and styles that it needs beside the first one, from the folder of the build. */
  readonly files: readonly string[];
  /** What stands at its top; null where that is not known before its data are. */
  readonly heading: { readonly title: string; readonly description: string } | null;
}

/** Where `index.html` has the place of the heading. */
const headingPlace = '<div class="first-frame-heading"></div>';

/** What `index.html` begins with, and what marks it for whoever seems to be signed in (`web/src/lib/session/known-visitor.ts`). */
const [root, rootOfKnown] = ['<html lang="en">', '<html lang="en" data-known-visitor>'];

/** Which addresses are pages of the dashboard, and what they are made of; without a list of the build, all are. */
export class ListedPages {
  readonly #pages: readonly (ListedPage & { readonly shape: RegExp })[] | null;

  /** @param file The `pages.json` of the build; a missing one is no list. */
  constructor(file: string) {
    const pages = readList(file);
    this.#pages =
      pages?.map((page) => ({ ...page, shape: new RegExp(`^${page.pattern.replace(/\/:\w+/g, '/[^/]+')}/?$`) })) ??
      null;
  }

  has(path: string): boolean {
    return this.#pages === null || this.#pages.some(({ shape }) => shape.test(path));
  }

  /**
   * Names the scripts and styles of the page at an address in the head of the one HTML page, so that they are fetched beside the first one, and puts
   * the page's heading into its frame, so that it can be read before any script is there. Whoever seems to be signed in sees that frame.
   * @param isKnown Whether somebody is signed in, as far as the cookie tells: what strangers see otherwise is the last of its address.
   */
  fillIn(html: string, path: string, isKnown: boolean): string {
    const found = this.#pages?.filter(({ shape }) => shape.test(path)) ?? [];
    const page = isKnown ? found.at(0) : found.at(-1);
    if (page === undefined) return html;
    const links = page.files.map((file) => {
      const rel = file.endsWith('.css') ? 'rel="preload" as="style"' : 'rel="modulepreload"';
      return `<link ${rel} fetchpriority="low" crossorigin href="/${file}">\n`;
    });
    return (isKnown ? html.replace(root, rootOfKnown) : html)
      .replace('</head>', () => `${links.join('')}</head>`)
      .replace(headingPlace, (place) => (page.heading === null ? place : drawHeading(page.heading)));
  }
}

/** Not a heading for screen readers yet: the page's own takes its place. */
function drawHeading({ title, description }: NonNullable<ListedPage['heading']>): string {
  const [words, more] = [escapeHtml(title), escapeHtml(description)];
  return `<div class="first-frame-heading"><strong>${words}</strong><p>${more}</p></div>`;
}

function readList(file: string): readonly ListedPage[] | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as readonly ListedPage[];
  } catch {
    return null;
  }
}
