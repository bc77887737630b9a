const { existsSync } = require('node:fs');
const { join } = require('node:path');

// Server and journey tests run as compiled by `tsc`, exactly the code that ships; only the web needs a transpiler.
// Several people can work in one tree when each names an output folder: TOLLGATE_OUT_DIR=.build/me
const outDir = process.env.TOLLGATE_OUT_DIR ?? 'dist';

const compiled = {
  testEnvironment: 'node',
  transform: {},
  globalSetup: '<rootDir>/scripts/jest-global-setup.mjs',
  globalTeardown: '<rootDir>/scripts/jest-global-teardown.mjs',
};

const swcOptions = {
  jsc: {
    target: 'es2022',
    parser: { syntax: 'typescript', tsx: true },
    transform: { react: { runtime: 'automatic' } },
  },
  module: { type: 'commonjs' },
};

/** @type {import('jest').Config} */
module.exports = {
  maxWorkers: 2,
  testTimeout: 30_000,
  projects: [
    {
      ...compiled,
      displayName: 'server',
      roots: [join(__dirname, outDir, 'server')],
      testMatch: ['**/*.test.js'],
    },
    {
      displayName: 'web',
      testEnvironment: 'node',
      roots: [join(__dirname, 'web/src')],
      testMatch: ['**/*.test.ts', '**/*.test.tsx'],
      transform: { '\\.tsx?$': ['@swc/jest', swcOptions] },
    },
    {
      ...compiled,
      displayName: 'e2e',
      roots: [join(__dirname, outDir, 'e2e')],
      testMatch: ['**/*.test.js'],
      // A thousand streams and hundreds of stalled readers measure a machine; `npm run test:load` asks for them.
      testPathIgnorePatterns: process.env.TOLLGATE_LOAD === undefined ? ['/e2e/load/'] : [],
    },
  ].filter((project) => existsSync(project.roots[0])),
};
