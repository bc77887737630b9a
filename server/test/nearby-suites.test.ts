import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findRepositoryRoot, listImports, readSourceTree, type SourceTree } from './architecture/source-tree.js';

interface NearbySuites {
  findNearbySuites(changed: readonly string[], tree: SourceTree, list: typeof listImports): string[];
}

const root = findRepositoryRoot(import.meta.dirname);
const { findNearbySuites } = (await import(
  pathToFileURL(join(root, 'scripts/nearby-suites.mjs')).href
)) as NearbySuites;

const tree = new Map([
  ['server/money/cents.ts', ''],
  ['server/money/cents.test.ts', ''],
  ['server/money/dollars.test.ts', ''],
  ['server/till/till.ts', "import { cents } from '../money/cents.js';"],
  ['server/till/till.test.ts', "import { till } from './till.js';"],
  ['server/shop/shop.ts', "import { till } from '../till/till.js';"],
  ['server/shop/shop.test.ts', "import { shop } from './shop.js';"],
  ['server/shop/price.test.ts', "import { cents } from '../money/cents.js';"],
  ['server/graphql/schema.test.ts', "read('schema.graphql');"],
  ['server/test/fake-shop.ts', ''],
  ['server/test/sample.test.ts', ''],
  ['web/src/till.test.tsx', "import { Till } from './till';"],
  ['web/src/till.tsx', ''],
]);
const near = (...changed: string[]) => findNearbySuites(changed, tree, listImports);

describe('the suites near a change', () => {
  it('lie beside it, import it, or import what does, and none is further away', () => {
    expect(near('server/money/cents.ts')).toEqual([
      'server/money/cents.test.ts',
      'server/money/dollars.test.ts',
      'server/shop/price.test.ts',
      'server/till/till.test.ts',
    ]);
    expect(near('web/src/till.tsx')).toEqual(['web/src/till.test.tsx']);
  });

  it('are those that name a file which is no module', () => {
    expect(near('schema.graphql')).toEqual(['server/graphql/schema.test.ts']);
  });

  it('are not all that lie beside what other tests use', () => {
    expect(near('server/test/fake-shop.ts')).toEqual([]);
  });

  it('are none where nothing has changed, and those of a file that is gone', () => {
    expect(near()).toEqual([]);
    expect(near('server/shop/gone.ts')).toEqual(['server/shop/price.test.ts', 'server/shop/shop.test.ts']);
  });

  it('name the suite beside each file of the server and of the dashboard that has one', () => {
    const sources = readSourceTree(root);
    const pairs = [...sources.keys()]
      .filter((file) => /^(server|web\/src)\/.*\.test\.tsx?$/.test(file) && !file.startsWith('server/test/'))
      .map((test) => ({ test, source: test.replace('.test.', '.') }))
      .filter(({ source }) => sources.has(source))
      .filter((_, place) => place % 25 === 0);
    expect(pairs.length).toBeGreaterThan(10);
    for (const { test, source } of pairs) expect(findNearbySuites([source], sources, listImports)).toContain(test);
  });
});
