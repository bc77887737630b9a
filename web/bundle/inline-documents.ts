import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DefinitionNode, type FragmentDefinitionNode, Kind, parse, visit } from 'graphql';
import type { Plugin } from 'vite';

const asked = /\bgraphql\(\s*`([^`]+)`\s*,?\s*\)/g;
const importOfMap = /^import \{ graphql \} from '[^']*\/gql';$/m;

/**
 * Puts each GraphQL document where its component asks for it, in place of a look into the generated map of all documents, which would
 * bring those of every page with the first script. Thus a build needs no generated code at all.
 *
 * @param sources Folder of the dashboard's sources. A fragment that no file has, or an import that is written in another way than
 *   all others, fails the build.
 */
export function inlineDocuments(sources: string): Plugin {
  let documents = new Map<string, string>();
  return {
    name: 'inline-documents',
    apply: 'build',
    enforce: 'pre',
    buildStart() {
      documents = readDocuments(sources);
    },
    transform(code, id) {
      if (!/\.tsx?$/.test(id) || id.includes('/gql/') || !importOfMap.test(code)) return null;
      const inlined = code.replace(asked, (_all, text: string) => {
        const document = documents.get(text);
        if (document === undefined) throw new Error(`${id}: a GraphQL document was not there when the build began.`);
        return document;
      });
      return { code: inlined.replace(importOfMap, ''), map: null };
    },
  };
}

/**
 * All GraphQL documents of a folder, by their text: each as JSON, with the fragments that it needs, as GraphQL Code Generator makes
 * them. Those of tests are not among them.
 * @throws when one does not parse, or needs a fragment that is nowhere.
 */
export function readDocuments(sources: string): Map<string, string> {
  const texts = listSources(sources).flatMap((file) =>
    [...readFileSync(join(sources, file), 'utf8').matchAll(asked)].map(([, text = '']) => text),
  );
  const definitions = new Map(texts.map((text) => [text, parse(text, { noLocation: true }).definitions]));
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of [...definitions.values()].flat())
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  return new Map([...definitions].map(([text, own]) => [text, toJson(withFragments(own, fragments))]));
}

function listSources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$|^gql[/\\]/.test(file),
  );
}

function withFragments(
  own: readonly DefinitionNode[],
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
): Set<DefinitionNode> {
  const needed = new Set(own);
  // A set is walked in the order in which it grows, so what a fragment needs is found as well.
  for (const definition of needed)
    visit(definition, {
      FragmentSpread({ name }) {
        const fragment = fragments.get(name.value);
        if (fragment === undefined) throw new Error(`No file has the GraphQL fragment ${name.value}.`);
        needed.add(fragment);
      },
    });
  return needed;
}

function toJson(definitions: ReadonlySet<DefinitionNode>): string {
  const document = { kind: Kind.DOCUMENT, definitions: [...definitions] };
  return JSON.stringify(document, (_key, value) => (Array.isArray(value) && value.length === 0 ? undefined : value));
}
