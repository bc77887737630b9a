import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findRepositoryRoot } from './architecture/source-tree.js';

const root = findRepositoryRoot(import.meta.dirname);

describe('npm run sbom', () => {
  const { components } = JSON.parse(String(execFileSync(process.execPath, ['scripts/sbom.mjs'], { cwd: root }))) as {
    components: {
      name: string;
      group?: string;
      version: string;
      hashes: unknown[];
      licenses?: { expression: string }[];
    }[];
  };
  const names = components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`);

  it('names every package of production with its version and hash, and none that only builds and tests need', () => {
    const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
      string,
      Record<string, string>
    >;
    for (const [name, version] of Object.entries(dependencies ?? {})) expect(names).toContain(`${name}@${version}`);
    const tools = ['typescript', 'vite', 'jest', '@biomejs/biome', 'react'];
    expect(names.filter((name) => tools.some((tool) => name.startsWith(`${tool}@`)))).toEqual([]);
    expect(components.filter(({ hashes }) => hashes.length === 0)).toEqual([]);
  });

  it('has no licence that would bind whoever runs this', () => {
    const free =
      /^\(?(MIT|MIT-0|ISC|BSD-[23]-Clause|0BSD|Apache-2\.0|Unlicense|CC0-1\.0|BlueOak-1\.0\.0|Python-2\.0)\b/;
    const others = components.filter(({ licenses }) => !free.test(licenses?.[0]?.expression ?? ''));
    expect(others.map(({ name, licenses }) => [name, licenses?.[0]?.expression])).toEqual([]);
  });
});
