import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const asked = /\bgraphql\(\s*`([^`]+)`\s*,?\s*\)/g;
const definition = /^\s*(query|mutation|subscription|fragment)\s+(\w+)/;
const generated = /^export const (\w+) = (\{"kind":"Document".*\}) as unknown as /gm;
const importOfMap = /^import \{ graphql \} from '[^']*\/gql';$/m;

/**
 * Puts each GraphQL document where its component asks for it, in place of a look into the generated map of all documents, which would
 * bring those of every page with the first script.
 *
 * @param sources Folder of the dashboard's sources, with the generated types in `gql/graphql.ts`. A document that is not there, or an
 *   import that is written in another way than all others, fails the build.
 */
export function inlineDocuments(sources: string): Plugin {
  let documents = new Map<string, string>();
  return {
    name: 'inline-documents',
    apply: 'build',
    enforce: 'pre',
    buildStart() {
      documents = readDocuments(join(sources, 'gql/graphql.ts'));
    },
    transform(code, id) {
      if (!/\.tsx?$/.test(id) || id.includes('/gql/') || !importOfMap.test(code)) return null;
      const inlined = code.replace(asked, (_all, text: string) => {
        const [, kind, name] = definition.exec(text) ?? [];
        const document = documents.get(`${name}${kind === 'fragment' ? 'FragmentDoc' : 'Document'}`);
        if (document === undefined) throw new Error(`${id}: ${kind} ${name} is not among the generated documents.`);
        return document;
      });
      return { code: inlined.replace(importOfMap, ''), map: null };
    },
  };
}

function readDocuments(file: string): Map<string, string> {
  const found = [...readFileSync(file, 'utf8').matchAll(generated)];
  return new Map(found.map(([, name = '', document = '']) => [name, document]));
}
