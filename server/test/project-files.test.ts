import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../config.js';
import { findRepositoryRoot } from './architecture/source-tree.js';

const root = findRepositoryRoot(import.meta.dirname);
const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe('.env.example', () => {
  const example = Object.fromEntries(
    [...read('.env.example').matchAll(/^# ([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
  const settingNames = [...read('server/config.ts').matchAll(/^ {2}([A-Z][A-Z0-9_]*):/gm)].map(([, name]) => name);

  it('names every setting that the server reads, and no other', () => {
    const named = Object.keys(example).filter((name) => !/_(API_KEY|BASE_URL)$/.test(name));
    expect(named.sort()).toEqual(settingNames.sort());
  });

  it('shows the defaults', () => {
    expect(loadConfig(example)).toEqual(loadConfig({}));
  });
});

describe('package-lock.json', () => {
  interface LockedPackage {
    readonly resolved?: string;
    /** A folder of this repository. */
    readonly link?: boolean;
    readonly optionalDependencies?: Readonly<Record<string, string>>;
  }
  const packages: Readonly<Record<string, LockedPackage>> = JSON.parse(read('package-lock.json')).packages;

  it('names no registry, so that each machine uses its own', () => {
    expect(Object.values(packages).filter(({ resolved, link }) => resolved !== undefined && !link)).toEqual([]);
  });

  it('holds the builds for every system; if not, run scripts/complete-lockfile.mjs', () => {
    const wanted = Object.values(packages).flatMap((locked) => Object.keys(locked.optionalDependencies ?? {}));
    const paths = Object.keys(packages);
    expect(wanted.filter((name) => !paths.some((path) => path.endsWith(`node_modules/${name}`)))).toEqual([]);
  });
});
