import type { Plugin } from 'vite';

const hookFile = /\/@mantine\/hooks\/esm\/use-id\/use-id\.mjs$/;

const hook = `
import { useId as useReactId } from 'react';
export function useId(staticId) {
  const id = useReactId();
  return typeof staticId === 'string' ? staticId : 'mantine-' + id;
}
`;

/**
 * Leaves Mantine's fields the ids that React makes. By itself Mantine gives each another one, of chance, as soon as it is drawn, for pages of
 * several React roots; so each form is drawn twice before anybody sees it. This page has one root. A Mantine whose hook lies elsewhere
 * fails the build.
 */
export function keepReactIds(): Plugin {
  let isFound = false;
  return {
    name: 'keep-react-ids',
    apply: 'build',
    load(id) {
      if (!hookFile.test(id)) return null;
      isFound = true;
      return { code: hook, map: null };
    },
    buildEnd(error) {
      if (!error && !isFound)
        throw new Error('Mantine has its hook useId in another file; see bundle/keep-react-ids.ts.');
    },
  };
}
