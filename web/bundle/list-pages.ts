import type { Plugin, Rolldown } from 'vite';
import { findPageHeading, type PageHeading } from '../src/app/page-headings';
import { pathPatterns, publicPages } from '../src/app/paths';

/** A page of the dashboard, as the server reads it. */
interface ListedPage {
  readonly pattern: string;
  /** The scripts that it needs beside the first one, and their styles, from the folder of the build. */
  readonly files: readonly string[];
  /** What stands at its top, to be shown before any script is there; null where that is not known. */
  readonly heading: PageHeading | null;
}

/**
 * Writes down which addresses are pages, so that the server can answer 404 for the others, and which scripts and styles each needs, so
 * that browsers fetch them beside the first one rather than after it. What strangers see otherwise is listed once more, behind the rest:
 * `/` as the landing page, and what anybody may see with its frame.
 */
export function listPages(): Plugin {
  return {
    name: 'list-pages',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
      const pages: ListedPage[] = Object.entries(pathPatterns).map(([name, pattern]) => ({
        pattern,
        files: listFiles(chunks, name.startsWith('operator') ? 'operator' : name),
        heading: findPageHeading(pattern),
      }));
      const landing: ListedPage = {
        pattern: pathPatterns.overview,
        files: listFiles(chunks, 'landing'),
        heading: null,
      };
      const framed: ListedPage[] = publicPages.map((name) => ({
        pattern: pathPatterns[name],
        files: [...new Set([...listFiles(chunks, name), ...listFiles(chunks, 'publicFrame')])],
        heading: findPageHeading(pathPatterns[name]),
      }));
      const source = JSON.stringify([...pages, landing, ...framed]);
      this.emitFile({ type: 'asset', fileName: 'pages.json', source });
    },
  };
}

/** The script of a page's route and those that it imports, with their styles, without what the first script brings. */
function listFiles(chunks: readonly Rolldown.OutputChunk[], page: string): readonly string[] {
  const route = `/routes/${page.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.tsx`;
  const chunk = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith(route));
  if (!chunk) throw new Error(`No script of the build is the page of ${route}.`);
  const found = new Set([chunk.fileName]);
  for (const fileName of found) {
    for (const imported of chunks.find((one) => one.fileName === fileName)?.imports ?? []) found.add(imported);
  }
  const first = chunks.filter((one) => one.isEntry).flatMap((entry) => [entry.fileName, ...entry.imports]);
  const own = [...found].filter((fileName) => !first.includes(fileName));
  const styles = chunks.filter(({ fileName }) => own.includes(fileName)).flatMap(listStyles);
  return [...own, ...new Set(styles)];
}

function listStyles({ viteMetadata }: Rolldown.OutputChunk): readonly string[] {
  return [...(viteMetadata?.importedCss ?? [])];
}
