import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../config/config.js';
import { providerCatalogue } from '../providers/catalogue.js';
import { keyName } from '../providers/settings/provider-settings.js';
import { findRepositoryRoot, isTestCode, listImports, readSourceTree } from './architecture/source-tree.js';

const root = findRepositoryRoot(import.meta.dirname);
const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe('.env.example', () => {
  const example = Object.fromEntries(
    [...read('.env.example').matchAll(/^# ([A-Z][A-Z0-9_]*)=(.*)$/gm)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  );
  const shapes = [...readSourceTree(root)]
    .filter(([path]) => path.startsWith('server/config/') && !isTestCode(path))
    .map(([, text]) => text)
    .join('\n');
  const settingNames = [...new Set([...shapes.matchAll(/^ {2}([A-Z][A-Z0-9_]*):/gm)].map(([, name]) => name))];

  it('names every setting that the server reads, and no other', () => {
    const named = Object.keys(example).filter((name) => !/^OIDC_|_(API_KEY|BASE_URL|STOPS_ON_ABORT)$/.test(name));
    expect(named.sort()).toEqual(settingNames.sort());
  });

  it('names the key of every provider that needs one', () => {
    const missing = providerCatalogue
      .filter(({ isKeyOptional }) => !isKeyOptional)
      .map(({ id }) => keyName(id))
      .filter((name) => !(name in example));
    expect(missing).toEqual([]);
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

describe('the packages of npm start', () => {
  type Manifest = Readonly<Record<'dependencies' | 'devDependencies', Readonly<Record<string, string>>>>;
  const namesIn = (path: string) => {
    const { dependencies, devDependencies }: Manifest = JSON.parse(read(path));
    return Object.keys({ ...dependencies, ...devDependencies });
  };
  const ofServer = namesIn('package.json');
  const ofTests = namesIn('test-packages/package.json');
  const tree = [...readSourceTree(root)].filter(([path]) => !isTestCode(path));

  const listStrangers = (folder: RegExp, known: readonly string[]) =>
    tree
      .filter(([path]) => folder.test(path))
      .flatMap(([path, text]) => listImports(path, text).map((wanted) => ({ path, ...wanted })))
      .filter(({ isOurs, target }) => !isOurs && !target.startsWith('node:') && !known.includes(target))
      .map(({ path, target }) => `${path} imports ${target}`);

  it('hold all that the server imports', () => {
    expect(listStrangers(/^(server\/.*\.ts|ormconfig\.ts)$/, ofServer)).toEqual([]);
  });

  it('hold all that the dashboard imports', () => {
    // The types of documents come with the client; `ai` stands in a guide that the dashboard shows.
    const known = [...ofServer, ...namesIn('web/package.json'), '@graphql-typed-document-node/core', 'ai'];
    expect(listStrangers(/^web\/.*\.tsx?$/, known)).toEqual([]);
  });

  it('hold nothing that only tests, checks and benches need', () => {
    expect(ofServer.concat(namesIn('web/package.json')).filter((name) => ofTests.includes(name))).toEqual([]);
  });
});
