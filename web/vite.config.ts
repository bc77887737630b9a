import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type Plugin, type Rolldown } from 'vite';
import { inlineDocuments } from './bundle/inline-documents';
import { keepReactIds } from './bundle/keep-react-ids';
import { keepUsedIcons } from './bundle/keep-used-icons';
import { listPages } from './bundle/list-pages';
import { firstParts, runInParts } from './bundle/run-in-parts';

const sources = join(import.meta.dirname, 'src');
const apiServer = 'http://localhost:8080';

/** Lays each script and style beside itself once more, compressed as well as can be, so that the server need not do it. */
function compressAssets(): Plugin {
  return {
    name: 'compress-assets',
    apply: 'build',
    // From the disk: only what was written is final.
    async writeBundle({ dir = '.' }, bundle) {
      const names = Object.keys(bundle).filter((name) => /\.(js|css)$/.test(name));
      await Promise.all(
        names.map(async (name) => {
          const file = join(dir, name);
          const source = await readFile(file);
          await writeFile(`${file}.br`, await promisify(brotliCompress)(source));
          await writeFile(`${file}.gz`, await promisify(gzip)(source, { level: 9 }));
        }),
      );
    },
  };
}

/**
 * One file for what every page needs and one for what many share, rather than some sixty small ones for each page: on a slow network
 * their number counts for more than the few bytes that a page gets and does not need (`docs/performance-tried.md`).
 */
const fewFiles: Rolldown.CodeSplittingGroup[] = [
  ...firstParts,
  // Forms that keep what is typed are opened behind a button, no stranger begins with tabs, and no overview with filters, a choice of
  // days, check boxes or long lists: a first visit waits for none of them.
  {
    name: 'shared',
    minShareCount: 5,
    test: (file) =>
      !/\/(forms\/(use-kept-form|kept-note)|reports\/(range-picker|day-range-form|month-grid)|search-filters|format-moment|Tabs\/.*|Checkbox\/.*)\./.test(
        file,
      ),
  },
];

/** Builds into `dist/web`, from where the server serves the dashboard and fills in the nonce of each answer. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    inlineDocuments(sources),
    keepUsedIcons(join(sources, 'components/icons.tsx')),
    keepReactIds(),
    react(),
    listPages(),
    runInParts(),
    compressAssets(),
  ],
  // rxjs ships its modern build under the condition es2015; without it comes one with helpers for old browsers.
  resolve: { conditions: ['es2015', ...defaultClientConditions] },
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    sourcemap: false,
    // The policy of the page allows no data: fonts or scripts, so that assets always stay files.
    assetsInlineLimit: 0,
    // A first visit fetches 145 kB of it, compressed, which a journey holds it to.
    chunkSizeWarningLimit: 600,
    rolldownOptions: { output: { codeSplitting: { groups: fewFiles } } },
  },
  server: {
    port: 5173,
    proxy: {
      '/mailbox': apiServer,
      '/graphql': apiServer,
      '/api': apiServer,
      '/playground/chat/completions': apiServer,
      '/playground/estimate': apiServer,
      '/export': apiServer,
      '/page-faults': apiServer,
      '^/sign-in/(with|callback)/': apiServer,
      '^/checkout/simulated/[^/]+/pay$': apiServer,
    },
  },
});
