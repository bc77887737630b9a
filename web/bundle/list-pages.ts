import type { Plugin } from 'vite';
import { pathPatterns } from '../src/app/paths';

/** Writes down which addresses are pages, so that the server can answer 404 for the others. */
export function listPages(): Plugin {
  return {
    name: 'list-pages',
    apply: 'build',
    generateBundle() {
      const source = JSON.stringify(Object.values(pathPatterns));
      this.emitFile({ type: 'asset', fileName: 'pages.json', source });
    },
  };
}
