import { listTestFiles } from './test-files.mjs';

/*
 * Which test runs when, and on which databases. The longest beginning of a test file's path decides; a new file of the server
 * or the dashboard is thus part of `npm test` from the start, on SQLite.
 *
 * `npm test` runs the rows with `usual`, of their long suites (`long-suites.mjs`) those near a change and one in twenty of the others: what
 * a change can break first, in minutes. `npm run test:all`, and CI, runs
 * every row but the load and the cluster, each on both databases, and the rows of `each` once more on MySQL, where one is named
 * or found beside MariaDB.
 */

/**
 * @typedef {object} ScopeRow
 * @property {string} what says in a few words what the row guards
 * @property {Scope} scope the shortest run that it is part of
 * @property {'each' | 'sqlite'} usualDatabases where the suites that know both run in `npm test`
 * @property {boolean} [isAlone] whether its suites run one by one, beside the others: they kill, fill or load so much that the
 *   machine is busy with them, or measure it
 * @property {boolean} [isLate] whether its suites run in the long run when the others of the first pass are done; another server's pass may still run
 * @property {boolean} [mayRunAgain] whether one of its suites that fails is run once more, alone, before it counts as failed: what
 *   it waits for may be late beside others, a browser or a client of another make above all. Never where the books are proven:
 *   there one failure in a hundred runs is a finding.
 * @property {boolean} [takesTurns] whether its suites run on one database in CI, a third on MariaDB: they ask none for what it alone decides
 * @property {number} [sharesRuns] so that in CI one in so many of its suites runs, by the run's turn: what they prove on each page and
 *   client is proven on others in the same run
 * @property {number} [sharesLongRuns] the same for its long suites alone (`long-suites.mjs`); never where the books are proven
 * @property {boolean} [sharesServers] whether its suites run on one server in CI where there are both, half of them on MariaDB and
 *   half on MySQL, beside SQLite: what they prove is the same on both, and other halves come in the next run
 * @property {readonly string[]} suites beginnings of paths
 */

/**
 * Suites of the server that mostly wait, for half a minute and more: begun late, they would be what a run waits for at its end. Jest
 * knows that only from an earlier run, and a fresh clone has none.
 */
export const waitingLong = [
  'server/cli/operator-programs.test.ts',
  'server/database/schema-changes/migration-interrupted.test.ts',
  'server/http/calls/early-headers.test.ts',
  'server/http/calls/left-calls-property.test.ts',
  'server/http/calls/unwritten-settlement.test.ts',
  'server/http/stripe-webhook.route.test.ts',
  'server/idempotency/idempotent-answers.test.ts',
  'server/ledger/ledger-refusals.test.ts',
];

/** @type {readonly ScopeRow[]} */
export const scopeRows = [
  {
    what: 'what rests on the database server itself',
    scope: 'usual',
    usualDatabases: 'each',
    suites: [
      'server/database/',
      'server/cli/take-back-migration.test.ts',
      'server/config/database-settings.test.ts',
      'server/ledger/every-error.test.ts',
      'server/ledger/ledger-refusals.test.ts',
      'server/factors/begun-at-once.test.ts',
      'server/graphql/ended-callers.test.ts',
      'server/composition/work-of-server.test.ts',
      'server/graphql/every-id.test.ts',
      'server/graphql/waiting-behind-an-end.test.ts',
      'server/http/playground-standing.test.ts',
      'server/operator/people/operator-standing.test.ts',
      'server/test/each-database.test.ts',
      'server/test/private-database-server.test.ts',
      'server/test/schema-template.test.ts',
    ],
  },
  {
    what: 'money',
    scope: 'usual',
    usualDatabases: 'each',
    sharesServers: true,
    suites: [
      'server/alerts/',
      'server/idempotency/',
      'server/ledger/',
      'server/gifts/',
      'server/purchases/',
      'server/top-ups/',
      'server/http/calls/answer-fuzz.test.ts',
      'server/http/calls/call-marks.test.ts',
      'server/http/calls/calls-at-once.test.ts',
      'server/http/calls/embeddings.test.ts',
      'server/http/calls/empty-answers.test.ts',
      'server/http/calls/equal-calls-property.test.ts',
      'server/http/calls/estimated-usage.test.ts',
      'server/http/calls/left-calls',
      'server/http/calls/price-of-leaving.test.ts',
      'server/http/calls/proxy',
      'server/http/calls/replay-permissions.test.ts',
      'server/http/calls/streams-at-the-end.test.ts',
      'server/http/calls/told-or-free.test.ts',
      'server/http/calls/unlisted-output.test.ts',
      'server/http/stripe-webhook.route.test.ts',
      'server/http/calls/unwritten-settlement.test.ts',
      'server/http/calls/upstream-excess.test.ts',
      'server/cli/move-database.test.ts',
      'server/operator/accounts/account-deletion.test.ts',
      'server/operator/money/gift-desk.test.ts',
      'server/operator/operator-changes.test.ts',
      'server/operator/people/operator-passkeys.test.ts',
      'server/operator/operator-rehearsal.test.ts',
      'server/operator/abuse/risk-marks.test.ts',
      'server/operator/money/settlement-desk.test.ts',
      'server/operator/money/usage-desk.test.ts',
      'server/proxy/metering/implausible-usage.test.ts',
      'server/composition/wrong-totals.test.ts',
      'server/totals/usage-totals.test.ts',
      'server/cli/commands/purchase-commands.test.ts',
      'server/cli/commands/settlement-commands.test.ts',
      'server/cli/commands/usage-commands.test.ts',
      'server/operator/large-database.test.ts',
      'server/usage/reports/explore.test.ts',
      'server/usage/sums/usage-summer.test.ts',
      'server/test/clock-set-right.test.ts',
      'server/test/sums-over-time.test.ts',
      'server/composition/watch-time.test.ts',
      'server/operator/money/alone-limit-clock.test.ts',
      'server/webhooks/',
    ],
  },
  {
    what: 'keys, limits and members',
    scope: 'usual',
    usualDatabases: 'each',
    mayRunAgain: true,
    sharesServers: true,
    suites: [
      'server/keys/',
      'server/limits/',
      'server/members/',
      'server/accounts/identities/linked-identities.test.ts',
      'server/factors/passkeys/passkey-bounds.test.ts',
      'server/saved-items/',
      'server/usage/requests/receipt-links.test.ts',
      'server/http/calls/key-limits.test.ts',
      'server/graphql/live-elsewhere.test.ts',
      'server/http/calls/shared-',
    ],
  },
  {
    what: 'purchases cut short at each step',
    scope: 'usual',
    usualDatabases: 'sqlite',
    suites: ['server/purchases/purchase-crash'],
  },
  {
    what: 'the tarball on a database with TLS',
    scope: 'all',
    usualDatabases: 'each',
    suites: ['server/test/packed-tarball-mysql.test.ts'],
  },
  {
    what: 'programs, packages and what tests rest on',
    scope: 'usual',
    usualDatabases: 'sqlite',
    isLate: true,
    mayRunAgain: true,
    takesTurns: true,
    sharesLongRuns: 2,
    suites: ['server/cli/', 'server/test/'],
  },
  {
    what: 'the rest of the server',
    scope: 'usual',
    usualDatabases: 'sqlite',
    mayRunAgain: true,
    takesTurns: true,
    sharesLongRuns: 2,
    suites: ['server/'],
  },
  { what: 'the dashboard', scope: 'usual', usualDatabases: 'sqlite', mayRunAgain: true, suites: ['web/src/'] },
  {
    what: 'the journeys of a new user, a purchase, keys and calls',
    scope: 'usual',
    usualDatabases: 'sqlite',
    mayRunAgain: true,
    takesTurns: true,
    suites: [
      'e2e/journeys/new-user.journey.test.ts',
      'e2e/journeys/purchase.journey.test.ts',
      'e2e/journeys/keys.journey.test.ts',
      'e2e/journeys/calls.journey.test.ts',
    ],
  },
  {
    what: 'every page, in one look and one account',
    scope: 'usual',
    usualDatabases: 'sqlite',
    mayRunAgain: true,
    suites: ['e2e/journeys/every-page.journey.test.ts'],
  },
  {
    what: 'the other journeys',
    scope: 'all',
    usualDatabases: 'sqlite',
    mayRunAgain: true,
    takesTurns: true,
    sharesRuns: 3,
    suites: ['e2e/journeys/', 'e2e/support/'],
  },
  {
    what: 'clients of many makes',
    scope: 'all',
    usualDatabases: 'sqlite',
    isLate: true,
    mayRunAgain: true,
    takesTurns: true,
    suites: ['e2e/clients/'],
  },
  {
    what: 'programs that write code',
    scope: 'all',
    usualDatabases: 'sqlite',
    isLate: true,
    mayRunAgain: true,
    suites: ['e2e/coding-agents/'],
  },
  {
    what: 'crashes and shutdowns',
    scope: 'all',
    usualDatabases: 'sqlite',
    isAlone: true,
    suites: ['e2e/crash/', 'e2e/shutdown/'],
  },
  {
    what: 'the last release on the new tables',
    scope: 'all',
    usualDatabases: 'sqlite',
    isAlone: true,
    suites: ['e2e/upgrade/'],
  },
  {
    what: 'a thousand streams at once',
    scope: 'load',
    usualDatabases: 'sqlite',
    isAlone: true,
    suites: ['e2e/load/'],
  },
  {
    what: 'a whole deployment on a cluster',
    scope: 'cluster',
    usualDatabases: 'sqlite',
    isAlone: true,
    suites: ['e2e/cluster/'],
  },
];

/** @typedef {'usual' | 'all' | 'load' | 'cluster'} Scope */

/** @param {string} file a test file, seen from the project's folder @returns {ScopeRow} @throws for a file of no row */
export function rowOf(file) {
  let best = null;
  let bestLength = 0;
  for (const row of scopeRows) {
    for (const beginning of row.suites) {
      if (beginning.length <= bestLength || !file.startsWith(beginning)) continue;
      best = row;
      bestLength = beginning.length;
    }
  }
  if (best === null) throw new Error(`scripts/test-scope.mjs has no row for ${file}.`);
  return best;
}

/** Test files that a run of this scope does not run. @param {Scope} scope @returns {string[]} */
export function listFilesOutside(scope) {
  return listTestFiles().filter((file) => !includes(scope, rowOf(file).scope));
}

/**
 * Splits the test files of a run of this scope: those that run side by side, those that follow them, and beside these the ones that
 * run one by one. @param {Scope} scope
 */
export function splitFiles(scope) {
  const files = listTestFiles().filter((file) => includes(scope, rowOf(file).scope));
  const alone = files.filter((file) => rowOf(file).isAlone);
  // A usual run has nothing that they could run beside.
  const late = scope === 'usual' ? [] : files.filter((file) => rowOf(file).isLate);
  return { together: files.filter((file) => !alone.includes(file) && !late.includes(file)), late, alone };
}

/** Whether a suite that failed is run once more, alone, before it counts as failed. @param {string} file */
export function hasSecondRun(file) {
  return rowOf(file).mayRunAgain === true;
}

/** Whether a run of this scope has the rows of that one. @param {Scope} scope @param {Scope} rowScope */
export function includes(scope, rowScope) {
  return scope === rowScope || rowScope === 'usual' || (scope === 'load' && rowScope === 'all');
}
