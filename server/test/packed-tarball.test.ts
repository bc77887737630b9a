import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findRepositoryRoot } from './architecture/source-tree.js';
import { buyAnswer, PackedPackage } from './packed-package.js';
import { findBaseUrl, runProgramFile } from './running-program.js';

const root = findRepositoryRoot(import.meta.dirname);

describe('The packed tarball', () => {
  let packed: PackedPackage;
  beforeAll(() => {
    packed = new PackedPackage();
  }, 60_000);
  afterAll(() => packed.remove());

  it('starts in production with production packages alone, compiles nothing, bills a call, and stops when npx is told to', async () => {
    expect(existsSync(join(packed.app, 'node_modules', 'typescript'))).toBe(false);
    expect(existsSync(join(packed.installed, 'dist', 'server', 'architecture.test.js'))).toBe(false);

    const settings = { NODE_ENV: 'production', HOST: '127.0.0.1', PORT: '0', DEMO_PROVIDER: 'on' };
    const server = packed.runByNpx(['start'], settings);
    const baseUrl = await findBaseUrl(server);
    const gift = await packed.runToEnd(['gift-code', 'create', '--credits', '50'], settings);
    expect(gift).toMatchObject({ exitCode: 0 });
    const { status, charged, before, after } = await buyAnswer(baseUrl, String(gift.output.split(' ')[0]));
    expect([status, after]).toEqual([200, before - charged]);
    expect(charged).toBeGreaterThan(0);
    expect(await (await fetch(baseUrl, { headers: { accept: 'text/html' } })).text()).toContain('/assets/');
    expect(await packed.runToEnd(['verify'], settings)).toMatchObject({ exitCode: 0 });
    server.child.kill('SIGTERM');
    await server.ended;
    expect(server.output()).toContain('"event":"server_stopped"');
    // The data lie where it was started, not among the packages.
    expect(existsSync(join(packed.app, 'data', 'tollgate.db'))).toBe(true);
  }, 120_000);
});

describe('npm start in production', () => {
  it.each([
    ['nothing is built', [], /^Nothing is built here, and production compiles nothing\. Run: npm run build\n$/],
    ['no packages are installed', ['dist'], /^The packages are not installed\. Run: npm ci --omit=dev\n$/],
  ])('says what to do where %s, and compiles nothing', async (what, parts, words) => {
    const place = mkdtempSync(join(tmpdir(), `tollgate-${what.split(' ')[0]}-`));
    try {
      cpSync(join(root, 'scripts'), join(place, 'scripts'), { recursive: true });
      cpSync(join(root, 'package.json'), join(place, 'package.json'));
      for (const part of parts) {
        mkdirSync(join(place, part, 'server'), { recursive: true });
        cpSync(join(root, 'package.json'), join(place, part, 'server', 'main.js'));
      }
      const settings = { NODE_ENV: 'production' };
      const { ended, log } = runProgramFile(join(place, 'scripts/start.mjs'), [], settings, place);
      expect([await ended, log()]).toEqual([1, expect.stringMatching(words)]);
      expect(readdirSync(place).sort()).toEqual([...parts, 'package.json', 'scripts'].sort());
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });
});
