import type { Plugin, Rolldown } from 'vite';

/**
 * What every page needs, in two files: packages, and the rest, which is our own and begins. More files are read no sooner, and compress
 * worse (`docs/performance-tried.md`).
 */
export const firstParts: Rolldown.CodeSplittingGroup[] = [
  // React runs where it is first asked for, which is meant to be here.
  { name: 'packages', tags: ['$initial'], test: /[\\/]node_modules[\\/]|[\\/]create-root\.ts$/, priority: 2 },
  { name: 'first', tags: ['$initial'], priority: 1 },
];

/** Has a browser compile the whole of a file while it arrives. */
const compileHint = '//# allFunctionsCalledOnLoad\n';

const part = /\s*<link rel="modulepreload" [^>]*>/g;
const first = /<script type="module" (crossorigin) src="([^"]+)"><\/script>/;

/**
 * Has `run-parts.js` run the parts one after the other, each in a task of its own: in one task they hold a telephone for 200 ms. All
 * come behind the styles, which the first picture waits for, and for nothing else. A page that names its scripts in another way than
 * this expects fails the build.
 *
 * Browsers are told to compile all of the two while they arrive, beside the page's own thread, since most of it runs at once. Else each
 * function is compiled when it is first called, which was a fifth of what a telephone's page had to do (`docs/performance-tried.md`).
 */
export function runInParts(): Plugin {
  return {
    name: 'run-in-parts',
    apply: 'build',
    generateBundle: {
      // A hint counts at the top alone, where the builder lays its list of files last.
      order: 'post',
      handler(_options, bundle) {
        for (const output of Object.values(bundle)) {
          if (output.type === 'chunk' && (output.name === 'packages' || output.isEntry))
            output.code = compileHint + output.code;
        }
      },
    },
    transformIndexHtml: {
      order: 'post',
      handler(html) {
        const parts = html.match(part) ?? [];
        if (parts.length === 0 || !first.test(html))
          throw new Error('The page names its scripts in another way; see bundle/run-in-parts.ts.');
        const early = '<link rel="modulepreload" data-part fetchpriority="low"';
        return html.replaceAll(part, '').replace(first, (_all, crossorigin: string, file: string) => {
          const links = parts.map((link) => link.trim().replace('<link rel="modulepreload"', early));
          const last = `${early} ${crossorigin} href="${file}">`;
          return ['<script type="module" src="/run-parts.js"></script>', ...links, last].join('\n    ');
        });
      },
    },
  };
}
