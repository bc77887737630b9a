import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findAskedTransactions } from './test/architecture/asked-transactions.js';
import { findDeletesByAge } from './test/architecture/deletes-by-age.js';
import { findDocumentViolations, findLostHeadings } from './test/architecture/document-rules.js';
import { findFolderCircles } from './test/architecture/folder-circles.js';
import { findFullFolders, findPartsFaults } from './test/architecture/folder-sizes.js';
import { findImportViolations, findUnknownFolders } from './test/architecture/import-rules.js';
import { findImportTableFaults } from './test/architecture/import-table.js';
import {
  findRepositoryRoot,
  listPackagesLoadedBy,
  readSourceTree,
  type SourceTree,
} from './test/architecture/source-tree.js';
import { findTableViolations } from './test/architecture/table-rules.js';
import { findLengthViolations, findNameViolations, findTextViolations } from './test/architecture/text-rules.js';

const root = findRepositoryRoot(import.meta.dirname);
const tree = readSourceTree(root);

describe('this repository', () => {
  it('is read at all', () => {
    expect([...tree.keys()]).toEqual(
      expect.arrayContaining(['ormconfig.ts', 'server/config/config.ts', 'scripts/start.mjs']),
    );
  });

  it('keeps the import table', () => expect(findImportViolations(tree)).toEqual([]));
  it('shows the import table as it is in its document', () =>
    expect(findImportTableFaults(tree.get('docs/architecture.md') ?? '')).toEqual([]));
  it('has no folders that know each other', () => expect(findFolderCircles(tree)).toEqual([]));
  it('has folders that show their parts', () => expect(findFullFolders(tree)).toEqual([]));
  it('shows the parts of its folders in its document', () => expect(findPartsFaults(tree)).toEqual([]));
  it('has a row in the import table for every folder', () => expect(findUnknownFolders(tree)).toEqual([]));
  it('names a table outside of its owner’s folder only where the list has a reason', () =>
    expect(findTableViolations(tree)).toEqual([]));
  it('reads settings, time and column types only where they belong', () =>
    expect(findTextViolations(tree)).toEqual([]));
  it('deletes by age only where a clock that is ahead takes nothing away for good', () =>
    expect(findDeletesByAge(tree)).toEqual([]));
  it('proves whoever asks only where somebody asks, and never for what the server does by itself', () =>
    expect(findAskedTransactions(tree)).toEqual([]));
  it('names files by what they do', () => expect(findNameViolations(tree)).toEqual([]));
  it('keeps files short', () => expect(findLengthViolations(tree)).toEqual([]));

  it('loads little in the thread of the ledger, which every start waits for', () => {
    const packages = ['better-sqlite3', 'ulid'];
    expect(listPackagesLoadedBy(tree, 'server/ledger/commits/sqlite-ledger-worker.ts')).toEqual(packages);
  });

  it('names only paths that exist in its documents', () => {
    expect(findDocumentViolations(tree, (path) => existsSync(join(root, path)))).toEqual([]);
  });

  it('leads to headings that exist in its documents', () => expect(findLostHeadings(tree)).toEqual([]));
});

const treeOf = (path: string, text: string): SourceTree => new Map([[path, text]]);

it('A new transaction that proves whoever asks is found', () => {
  const text = 'await this.unitOfWork.transact((transaction) => transaction.delete(NoteEntity, { id }));';
  expect(findAskedTransactions(treeOf('server/notices/new-job.ts', text), [])).toHaveLength(1);
});

it('A new delete by age is found', () => {
  const text = 'await transaction.delete(NoteEntity, { createdAtMs: LessThan(nowMs - keptMs) });';
  expect(findDeletesByAge(treeOf('server/audit/notes.ts', text), {})).toHaveLength(1);
  expect(findDeletesByAge(treeOf('server/audit/notes.ts', '`DELETE FROM note WHERE at_ms < ?`'), {})).toHaveLength(1);
});

describe('the import table', () => {
  it.each([
    ['a folder that knows too much', 'server/kernel/ids.ts', `import { Ledger } from '../ledger/ledger.js';`],
    ['a type that knows too much', 'server/usage/usage.ts', `import type { Key } from '../keys/api-key-service.js';`],
    ['a re-export', 'server/proxy/call.ts', `export { createApp } from '../app.js';`],
    ['an import over several lines', 'server/keys/key.ts', `import {\n  a,\n  b,\n} from '../accounts/sessions.js';`],
    ['a dynamic import', 'server/ledger/ledger.ts', `const late = await import('../proxy/settle-call.js');`],
    ['a value taken from the settings', 'server/http/http.ts', `import { loadConfig } from '../config/config.js';`],
    ['a resolver with a database', 'server/keys/keys.graphql.ts', `import { DataSource } from 'typeorm';`],
    ['a resolver with a table', 'server/keys/keys.graphql.ts', `import { ApiKeyEntity } from './api-key.entity.js';`],
    ['a resolver of another domain', 'server/keys/keys.graphql.ts', `import { Ledger } from '../ledger/ledger.js';`],
    ['a service in the list of resolvers', 'server/graphql/resolvers.ts', `import { L } from '../ledger/ledger.js';`],
    ['a table of another folder', 'server/accounts/a.ts', `import { X } from '../ledger/ledger-hold.entity.js';`],
    ['a client of its own for upstream', 'server/http/http.ts', `import { fetch } from 'undici';`],
    ['Stripe outside purchases', 'server/http/stripe.route.ts', `import Stripe from 'stripe';`],
    ['a test’s server in production', 'server/http/http.ts', `import { fake } from '../test/fake-upstream.js';`],
    ['the dashboard in the server', 'server/http/http.ts', `import { paths } from '../../web/src/app/paths.js';`],
    ['the server in the dashboard', 'web/src/lib/money.ts', `import { x } from '../../../server/kernel/ids';`],
    ['a feature in a feature', 'web/src/features/keys/keys.tsx', `import { x } from '../calls/calls-page';`],
    ['a feature in a component', 'web/src/components/table.tsx', `import { x } from '../features/keys/keys';`],
    ['GraphQL in a component', 'web/src/components/table.tsx', `import { graphql } from '../gql';`],
  ])('refuses %s', (_, path, text) => {
    expect(findImportViolations(treeOf(path, text))).toHaveLength(1);
  });

  it.each([
    ['its own folder', 'server/keys/key.ts', `import { mintSecret } from './key-secret.js';`],
    ['a folder of its row', 'server/accounts/accounts.ts', `import { Ledger } from '../ledger/ledger.js';`],
    ['the type of the settings', 'server/http/http.ts', `import type { Config } from '../config/config.js';`],
    ['only types in braces', 'server/http/http.ts', `import { type Config, type Limits } from '../config/config.js';`],
    ['everything in app.ts', 'server/app.ts', `import { Ledger } from './ledger/ledger.js';`],
    ['every table in entities.ts', 'server/entities.ts', `import { A } from './accounts/account.entity.js';`],
    ['every resolver in their list', 'server/graphql/resolvers.ts', `import { K } from '../usage/usage.graphql.js';`],
    ['everything in a test', 'server/kernel/ids.test.ts', `import { Ledger } from '../ledger/ledger.js';`],
    ['what a comment mentions', 'server/kernel/ids.ts', `/*\nimport { Ledger } from '../ledger/ledger.js';\n*/`],
    ['its own feature', 'web/src/features/keys/keys.tsx', `import { x } from './keys-table';`],
  ])('allows %s', (_, path, text) => {
    expect(findImportViolations(treeOf(path, text))).toEqual([]);
  });

  it('prints who, whom and why', () => {
    expect(findImportViolations(treeOf('server/kernel/a.ts', `import '../ledger/ledger.js';`))).toEqual([
      'server/kernel/a.ts imports server/ledger/ledger: kernel holds the words that everyone may use, so it can know nobody.',
    ]);
  });

  it.each([
    ['leaves a folder out', '| `server/a/` | what it holds | kernel |'],
    ['has one too many', '| `server/a/` | what it holds | kernel, ledger (why), keys |'],
    ['has no row', ''],
  ])('is told when its document %s', (_, row) => {
    const rules = { a: { mayImport: ['kernel', 'ledger'], reason: 'a test' } };
    expect(findImportTableFaults(row, rules)).toHaveLength(1);
    expect(findImportTableFaults('| `server/a/` | holds | kernel, ledger (why) |', rules)).toEqual([]);
  });

  it.each([
    ['two that know each other', ['ab', 'ba']],
    ['three, one after the other', ['ab', 'bc', 'ca']],
  ])('finds folders in a circle: %s', (_, steps) => {
    const files = (wanted: string[]) =>
      new Map(wanted.map(([from, to]) => [`server/${from}/${to}.ts`, `import type { T } from '../${to}/t.js';`]));
    expect(findFolderCircles(files(steps))).toHaveLength(steps.length);
    expect(findFolderCircles(files([...steps.slice(1), 'ad', 'de']))).toEqual([]);
  });

  it.each([
    [24, []],
    [25, ['server/keys/ lists 25 files, more than 24: give its parts folders of their own.']],
  ])('counts the files of a folder: %i', (count, faults) => {
    const paths = Array.from({ length: count }, (_, index) => `server/keys/file-${index}.ts`);
    const tests = paths.map((path) => path.replace('.ts', '.test.ts'));
    expect(findFullFolders(new Map([...paths, ...tests].map((path) => [path, ''])))).toEqual(faults);
  });

  it.each([
    ['says nothing of them', ''],
    ['leaves one out', '| `server/a/` | `one` |'],
    ['has one that is gone', '| `server/a/` | `one`, `three`, `two` |'],
    ['has a folder without any', '| `server/a/` | `one`, `two` (more) |\n| `server/b/` | `one` |'],
  ])('is told when its document %s: parts of folders', (_, rows) => {
    const treeWith = (table: string) =>
      new Map(['server/a/one/1.ts', 'server/a/two/1.ts', 'server/b/1.ts'].map((path) => [path, ''])).set(
        'docs/architecture.md',
        `| folder | its parts |\n|---|---|\n${table}\n\n| \`server/c/\` | of another table |\n`,
      );
    expect(findPartsFaults(treeWith(rows))).toHaveLength(1);
    expect(findPartsFaults(treeWith('| `server/a/` | `one`, `two` (more) |'))).toEqual([]);
  });

  it('refuses a folder that it does not know', () => {
    expect(findUnknownFolders(treeOf('server/billing/billing.ts', ''))).toHaveLength(1);
    expect(findUnknownFolders(treeOf('server/ledger/ledger.ts', ''))).toEqual([]);
  });
});

describe('the rule on tables', () => {
  const entities: [string, string][] = [
    ['server/ledger/tables/usage-hour.entity.ts', `@Entity('usage_hour')`],
    ['server/purchases/purchase.entity.ts', `@Entity('purchase')`],
  ];
  const violationsOf = (path: string, text: string) => findTableViolations(new Map([...entities, [path, text]]), []);

  it.each([
    ['in SQL', '`SELECT 1 FROM purchase`'],
    ['in SQL over several lines', '`\n  UPDATE\n  purchase SET a = 1`'],
    ['of several words by itself', `'usage_hour'`],
    ['of several words in double quotes', '"DELETE FROM usage_hour WHERE kind = \'a\'"'],
  ])('refuses the table of another folder %s', (_, literal) => {
    expect(violationsOf('server/keys/a.ts', `const sql = ${literal};`)).toHaveLength(1);
  });

  it.each([
    ['its owner', 'server/purchases/a.ts', '`SELECT 1 FROM purchase`'],
    ['a migration', 'server/database/migrations/0001-a.ts', '`DROP TABLE purchase`'],
    ['a test', 'server/keys/a.test.ts', '`SELECT 1 FROM purchase`'],
    ['a word of prose', 'server/keys/a.ts', `'There is no such purchase.'`],
    ['the name of an index', 'server/keys/a.ts', `'ix_usage_hour_key'`],
    ['a comment', 'server/keys/a.ts', `1; // FROM usage_hour`],
  ])('allows %s', (_, path, literal) => {
    expect(violationsOf(path, `const sql = ${literal};`)).toEqual([]);
  });

  it('takes what the list has, and refuses a row that nothing needs', () => {
    const rows = [{ file: 'server/keys/a.ts', tables: ['usage_hour'], reason: 'a test' }];
    const tree = (text: string): SourceTree => new Map([...entities, ['server/keys/a.ts', text]]);
    expect(findTableViolations(tree(`'usage_hour'`), rows)).toEqual([]);
    expect(findTableViolations(tree(`'nothing'`), rows)).toHaveLength(1);
  });
});

describe('the rules on texts', () => {
  it.each([
    ['a setting read on the side', 'server/http/http.ts', 'const level = process.env.LOG_LEVEL;'],
    ['a clock of its own', 'server/ledger/ledger.ts', 'const now = Date.now();'],
    ['a date of its own', 'server/ledger/ledger.ts', 'const now = new Date();'],
    ['an age by the wall clock', 'server/keys/a.ts', 'return this.clock.nowMs() - this.#readAtMs < freshMs;'],
    ['a deadline by the wall clock', 'server/keys/a.ts', 'if (this.#untilMs > this.parts.clock.nowMs()) return;'],
    ['a column type in words', 'server/keys/api-key.entity.ts', `@Column({ type: 'varchar', length: 64 })`],
    ['a column type as argument', 'server/keys/api-key.entity.ts', `@PrimaryColumn('varchar')`],
    ['a text that may be anything', 'server/wires/chat/a.ts', 'const name = String(tool.name);'],
    ['a length over a shared type', 'server/keys/api-key.entity.ts', '@Column({ ...nameColumn, length: 9 })'],
  ])('refuse %s', (_, path, text) => {
    expect(findTextViolations(treeOf(path, text))).toHaveLength(1);
  });

  it.each([
    ['settings in main.ts', 'server/main.ts', 'loadConfig(process.env)'],
    ['settings in verify.ts', 'server/cli/verify.ts', 'loadConfig(process.env)'],
    ['the clock in its place', 'server/kernel/clock.ts', 'Date.now()'],
    ['an age that nobody sets back', 'server/keys/a.ts', 'return clock.elapsedMs() - this.#readMs < freshMs;'],
    ['a time to be told', 'server/keys/a.ts', 'this.#lastDoneAtMs = this.clock.nowMs();'],
    ['a date of a given instant', 'server/ledger/ledger.graphql.ts', 'new Date(entry.atMs)'],
    ['prose', 'server/ledger/ledger.ts', '// never Date.now() here\nconst a = 1; // nor process.env'],
    ['a text that was checked', 'server/wires/chat/a.ts', 'const name = toText(tool.name);'],
    ['a shared column type', 'server/keys/api-key.entity.ts', `@Column({ ...hashColumn, name: 'secret_hash' })`],
  ])('allow %s', (_, path, text) => {
    expect(findTextViolations(treeOf(path, text))).toEqual([]);
  });

  it.each(['server/http/utils.ts', 'web/src/lib/date-helpers.ts', 'server/common/money.ts', 'server/keys/index.ts'])(
    'refuse the name %s',
    (path) => expect(findNameViolations(treeOf(path, ''))).toHaveLength(1),
  );

  it('refuse a file of 301 lines and a test of 501, and no shorter one', () => {
    const lines = (count: number) => 'x;\n'.repeat(count);
    expect(findLengthViolations(treeOf('server/a.ts', lines(301)))).toHaveLength(1);
    expect(findLengthViolations(treeOf('server/a.ts', lines(300)))).toEqual([]);
    expect(findLengthViolations(treeOf('server/a.test.ts', lines(501)))).toHaveLength(1);
    expect(findLengthViolations(treeOf('server/a.test.ts', lines(500)))).toEqual([]);
  });
});

describe('the rule on documents', () => {
  const exists = (path: string) => path === 'server/ledger/' || path === 'docs/architecture.md';

  it.each(['`server/gone.ts`', '`server/gone/`', '[more](docs/gone.md)'])('refuses %s', (text) => {
    expect(findDocumentViolations(treeOf('README.md', text), exists)).toHaveLength(1);
  });

  it.each([
    '`server/ledger/`',
    '[more](docs/architecture.md#shape)',
    '`/api/proxy.php`',
    '`data/tollgate.db`',
    '`npm start`',
    '[site](https://example.com/a.html)',
  ])('allows %s', (text) => {
    expect(findDocumentViolations(treeOf('README.md', text), exists)).toEqual([]);
  });

  it('refuses a link to a heading that is not there, and knows those that are', () => {
    const treeWith = (text: string) =>
      new Map([
        ['docs/operations.md', '# Operating\n\n## `npm run`, and more\n'],
        ['docs/operations/one.md', text],
      ]);
    expect(findLostHeadings(treeWith('[it](../operations.md#gone)'))).toHaveLength(1);
    expect(findLostHeadings(treeWith('# One\n[it](#two)'))).toHaveLength(1);
    expect(findLostHeadings(treeWith('# One\n[it](../operations.md#npm-run-and-more), [this](#one)'))).toEqual([]);
  });

  it('takes a path as seen from the document, too', () => {
    expect(findDocumentViolations(treeOf('docs/decisions/0001-layout.md', '[it](../architecture.md)'), exists)).toEqual(
      [],
    );
  });
});
