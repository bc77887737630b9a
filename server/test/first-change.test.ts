import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { findRepositoryRoot } from './architecture/source-tree.js';
import { makeTestFolder } from './test-folder.js';

const root = findRepositoryRoot(import.meta.dirname);
const page = readFileSync(join(root, 'docs/first-change.md'), 'utf8');
const typescript = join(
  dirname(createRequire(join(root, 'package.json')).resolve('typescript/package.json')),
  'bin/tsc',
);

describe('docs/first-change.md', () => {
  let copy: string;
  beforeAll(() => {
    copy = makeTestFolder('first-change');
    for (const path of [
      'server',
      'ormconfig.ts',
      '.env.example',
      'package.json',
      'tsconfig.json',
      'tsconfig.serve.json',
      'schema.graphql',
    ])
      cpSync(join(root, path), join(copy, path), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir');
  });
  afterAll(() => rmSync(copy, { recursive: true, force: true }));

  const run = (...words: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: copy, encoding: 'utf8' });
    return { status, output: stdout + stderr };
  };

  it('says what can be done as it stands: the provider and the field are there, and the whole server compiles', () => {
    const edits = [...page.matchAll(/^( *)```diff (\S+)\n([\s\S]*?)^ *```$/gm)];
    expect(edits).toHaveLength(6);
    for (const [, indent = '', file = '', text = ''] of edits) {
      const lines = text.trimEnd().split('\n');
      applyDiff(
        join(copy, file),
        lines.map((line) => line.slice(indent.length)),
      );
    }
    const copies = [...page.matchAll(/^ *cp (\S+) (\S+)$/gm)];
    expect(copies).toHaveLength(1);
    for (const [, from = '', to = ''] of copies) cpSync(join(copy, from), join(copy, to));

    expect(run(typescript, '-p', 'tsconfig.serve.json')).toEqual({ status: 0, output: '' });
    expect(run('dist/server/graphql/emit-schema.js').status).toBe(0);
    expect(readFileSync(join(copy, 'schema.graphql'), 'utf8')).toMatch(
      /type SavedItem \{[^}]*"""\s*How many bytes its content has\.\s*"""\s*bytes: Int!/,
    );
    const ask = `import { providerCatalogue } from './dist/server/providers/catalogue.js';
      import { priceList } from './dist/server/pricing/price-list.js';
      const acme = providerCatalogue.find(({ id }) => id === 'acme');
      console.log(acme?.baseUrl, JSON.stringify(priceList).includes('acme/llama-3.3-70b'));`;
    writeFileSync(join(copy, 'ask.mjs'), ask);
    expect(run('ask.mjs')).toEqual({ status: 0, output: 'https://api.acme.example/v1 true\n' });
  }, 180_000);
});

/** Puts the lines with `+` into a file and takes those with `-` out; the lines that stay or go must be there exactly once, in a row. */
function applyDiff(file: string, lines: readonly string[]): void {
  const textOf = (mark: string) =>
    lines
      .filter((line) => line === '' || line.startsWith(' ') || line.startsWith(mark))
      .map((line) => `${line.slice(1)}\n`)
      .join('');
  const before = textOf('-');
  const parts = readFileSync(file, 'utf8').split(before);
  if (parts.length !== 2) throw new Error(`${file} holds this ${parts.length - 1} times:\n${before}`);
  writeFileSync(file, parts.join(textOf('+')));
}
