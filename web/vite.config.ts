import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig } from 'vite';

const apiServer = 'http://localhost:8080';

/** Builds into `dist/web`, from where the server serves the dashboard and fills in the nonce of each answer. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react()],
  // rxjs ships its modern build under the condition es2015; without it comes one with helpers for old browsers.
  resolve: { conditions: ['es2015', ...defaultClientConditions] },
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    sourcemap: false,
    // The policy of the page allows no data: fonts or scripts, so that assets always stay files.
    assetsInlineLimit: 0,
  },
  server: {
    port: 5173,
    proxy: {
      '/graphql': apiServer,
      '/api': apiServer,
      '^/checkout/simulated/[^/]+/pay$': apiServer,
    },
  },
});
