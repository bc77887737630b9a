import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { testWorkerCount, usualWorkerCount } from './scripts/measure-slowdown.mjs';
import { projectRoot } from './scripts/run-step.mjs';
import { jestPathOf, outDir } from './scripts/test-files.mjs';
import { listFilesOutside } from './scripts/test-scope.mjs';
import { listFilesOffMysql, listFilesOffSqlite } from './scripts/test-turns.mjs';

const waitFactor = Number(process.env.TOLLGATE_WAIT_FACTOR ?? 1);

const scope = process.env.TOLLGATE_TEST_SCOPE === 'all' ? 'all' : 'usual';

/** Whose turn it is on MariaDB; null: everybody's. */
const turn = process.env.TOLLGATE_TURN ? Number(process.env.TOLLGATE_TURN) : null;

/** Whether another pass has the half of suites whose turn is on MySQL. */
const hasSecondServer = process.env.TOLLGATE_SECOND_SERVER === 'yes';

/** Test files that are not run: `scripts/test.mjs` names them; whoever calls Jest by hand is spared the load. */
const leftOut =
  process.env.TOLLGATE_SUITES_LEFT_OUT?.split('\n').filter((file) => file !== '') ?? listFilesOutside('all');

const common = {
  testPathIgnorePatterns: leftOut.map((file) => `^${jestPathOf(file).replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`),
};

// Server and journey tests run as compiled by `tsc`, exactly the code that ships; only the web needs a transpiler.
const compiled = {
  ...common,
  testMatch: ['**/*.test.js'],
  transform: {},
  testEnvironment: '<rootDir>/scripts/jest-process-environment.mjs',
  runtime: '<rootDir>/scripts/jest-process-runtime.mjs',
  // For `server/test/each-database.ts`.
  globals: {
    pathsOffMysql: listFilesOffMysql(scope, turn, hasSecondServer).map(jestPathOf),
    pathsOffSqlite: listFilesOffSqlite(scope, turn).map(jestPathOf),
  },
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
export default {
  maxWorkers: scope === 'all' ? testWorkerCount : usualWorkerCount,
  // Jest keeps the modules of the suites that have ended: after half an hour a worker had 3.8 GB to collect around.
  workerIdleMemoryLimit: '1GB',
  testSequencer: '<rootDir>/scripts/jest-sequencer.mjs',
  testTimeout: 30_000 * waitFactor,
  projects: [
    { ...compiled, displayName: 'server', roots: [join(projectRoot, outDir, 'server')] },
    {
      ...common,
      displayName: 'web',
      testEnvironment: '<rootDir>/scripts/jest-environment.mjs',
      runtime: '<rootDir>/scripts/jest-shared-scripts-runtime.mjs',
      roots: [join(projectRoot, 'web', 'src')],
      testMatch: ['**/*.test.ts', '**/*.test.tsx'],
      transform: { '\\.tsx?$': ['@swc/jest', swcOptions] },
      // Component tests ask for a document by `@jest-environment jsdom` in their first lines.
      setupFiles: [join(projectRoot, 'web/src/test/browser-parts.ts')],
      moduleNameMapper: { '\\.css$': join(projectRoot, 'web/src/test/style-names.ts') },
    },
    { ...compiled, displayName: 'e2e', roots: [join(projectRoot, outDir, 'e2e')] },
  ].filter((project) => existsSync(project.roots[0] ?? '')),
};
