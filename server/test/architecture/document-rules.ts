import { posix } from 'node:path';
import type { SourceTree } from './source-tree.js';

// A path as prose names one: with a slash, and with an extension or a slash at the end.
const namedPath = /^[\w.@-]+(\/[\w.@-]+)*(\/|\/[\w@-][\w.@-]*\.[a-z][a-z0-9]*)$/;
const madeLater = /^(dist|data|node_modules|coverage|web\/src\/gql)\//;

/** Every link to a heading of a document that has no such heading. */
export function findLostHeadings(tree: SourceTree): string[] {
  return listDocuments(tree).flatMap(([document, text]) =>
    [...text.matchAll(/\]\(([^)\s#:]*)#([^)\s]+)\)/g)].flatMap(([, path = '', heading = '']) => {
      const target = path === '' ? document : posix.join(posix.dirname(document), path);
      const found = tree.get(target);
      if (found === undefined || listHeadings(found).includes(heading)) return [];
      return [`${document} leads to ${target}#${heading}, a heading that is not there.`];
    }),
  );
}

/** As GitHub makes the address of a heading. */
function listHeadings(text: string): string[] {
  return [...text.matchAll(/^#+ (.+)$/gm)].map(([, words = '']) =>
    words
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replace(/ /g, '-'),
  );
}

/** Every path that a document names, in backticks or as a link, and that is not there, seen from the root, the document or `server/`. */
export function findDocumentViolations(tree: SourceTree, exists: (path: string) => boolean): string[] {
  return listDocuments(tree).flatMap(([document, text]) =>
    listNamedPaths(text)
      .filter((path) => !madeLater.test(path))
      .filter((path) => ![path, posix.join(posix.dirname(document), path), `server/${path}`].some(exists))
      .map((path) => `${document} names ${path}, which does not exist.`),
  );
}

function listDocuments(tree: SourceTree) {
  return [...tree].filter(([path]) => /^(docs\/.*|README|CONTRIBUTING)\.md$/.test(path));
}

function listNamedPaths(text: string): string[] {
  const quoted = [...text.matchAll(/`([^`\n]+)`/g)]
    .map(([, words = '']) => words)
    .filter((words) => namedPath.test(words));
  const linked = [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, address = '']) => address.replace(/#.*$/, ''))
    .filter((address) => address !== '' && !/^[a-z]+:|^\//.test(address));
  return [...new Set([...quoted, ...linked])];
}
