import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { findRepositoryRoot } from './test/architecture/source-tree.js';

const root = findRepositoryRoot(import.meta.dirname);
const running = new Set<ChildProcess>();
let folder: string;

beforeAll(() => {
  // Beside the packages, so that they can be linked and need not be copied.
  mkdirSync(join(root, '.build'), { recursive: true });
  folder = mkdtempSync(join(root, '.build', 'packed-'));
});
afterAll(() => {
  for (const child of running) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

interface LockedPackage {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
}

/** Lays what `npm ci --omit=dev` installs, by the lockfile, without asking anybody for it. */
function layProductionPackages(target: string): void {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, LockedPackage>>;
  };
  for (const [path, { dev, devOptional, link }] of Object.entries(packages)) {
    const isInstalled = path.startsWith('node_modules/') && existsSync(join(root, path));
    if (isInstalled && !dev && !devOptional && !link) linkFolder(join(root, path), join(target, path));
  }
}

function linkFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    // Packages inside of it have rows of their own in the lockfile.
    if (entry.isDirectory() && entry.name !== 'node_modules') linkFolder(join(from, entry.name), join(to, entry.name));
    else if (entry.isFile() && !existsSync(join(to, entry.name)))
      linkSync(join(from, entry.name), join(to, entry.name));
  }
}

function run(program: string, words: readonly string[], settings: Readonly<Record<string, string>>, cwd: string) {
  const child = spawn(process.execPath, [program, ...words], {
    cwd,
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  const ended = once(child, 'exit').then(([code]) => {
    running.delete(child);
    return code as number | null;
  });
  return { child, ended };
}

async function runToEnd(...parts: Parameters<typeof run>) {
  const { child, ended } = run(...parts);
  const [output, log, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { output, log, exitCode };
}

async function findBaseUrl(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    const port = /"port":(\d+).*"event":"server_listening"/.exec(line)?.[1] ?? null;
    const entry = port ?? (line.includes('server_listening') ? String(JSON.parse(line).port) : null);
    if (entry !== null) return `http://127.0.0.1:${entry}`;
  }
  throw new Error(`The server ended while starting:\n${await text(child.stderr as NodeJS.ReadableStream)}`);
}

describe('The packed tarball', () => {
  it('starts in production with production packages alone, compiles nothing, and bills a call', async () => {
    const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
    const npm = process.env.npm_execpath;
    const [program, words] = npm?.endsWith('.js') ? [process.execPath, [npm, ...pack]] : ['npm', pack];
    execFileSync(program, words, { cwd: root, stdio: ['ignore', 'ignore', 'ignore'] });
    const app = join(folder, 'app');
    const installed = join(app, 'node_modules', 'tollgate');
    mkdirSync(installed, { recursive: true });
    const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
    execFileSync('tar', ['xzf', join(folder, tarball), '--strip-components=1', '-C', installed]);
    layProductionPackages(app);
    expect(existsSync(join(app, 'node_modules', 'typescript'))).toBe(false);
    expect(existsSync(join(installed, 'dist', 'server', 'packed-tarball.test.js'))).toBe(false);

    const cli = join(installed, 'scripts', 'tollgate-program.mjs');
    const settings = { NODE_ENV: 'production', HOST: '127.0.0.1', PORT: '0', DEMO_PROVIDER: 'on' };
    const { child, ended } = run(cli, ['start'], settings, app);
    const baseUrl = await findBaseUrl(child);
    const gift = await runToEnd(cli, ['gift-code', 'create', '--credits', '50'], settings, app);
    expect(gift).toMatchObject({ exitCode: 0 });
    const code = gift.output.split(' ')[0];
    const ask = async (query: string, token?: string) => {
      const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) };
      const body = JSON.stringify({ query });
      const answer = (await (await fetch(`${baseUrl}/graphql`, { method: 'POST', headers, body })).json()) as {
        data: Record<string, Record<string, string>>;
      };
      return answer.data;
    };
    const { signUp } = await ask(
      'mutation { signUp(input: { email: "ada@example.com", password: "a long enough password", name: "Ada" }) { sessionToken } }',
    );
    const { createApiKey } = await ask(
      'mutation { createApiKey(input: { name: "a" }) { secret } }',
      signUp?.sessionToken,
    );
    await ask(`mutation { redeemGiftCode(code: "${code}") { __typename } }`, signUp?.sessionToken);
    const response = await fetch(`${baseUrl}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${createApiKey?.secret}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('"usage"')]);
    expect(Number(response.headers.get('x-credits-charged'))).toBeGreaterThan(0);
    expect(await (await fetch(baseUrl, { headers: { accept: 'text/html' } })).text()).toContain('/assets/');
    expect(await runToEnd(cli, ['verify'], settings, app)).toMatchObject({ exitCode: 0 });
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    // The data lie where it was started, not among the packages.
    expect(existsSync(join(app, 'data', 'tollgate.db'))).toBe(true);
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
      const { exitCode, log } = await runToEnd(join(place, 'scripts/start.mjs'), [], settings, place);
      expect([exitCode, log]).toEqual([1, expect.stringMatching(words)]);
      expect(readdirSync(place).sort()).toEqual([...parts, 'package.json', 'scripts'].sort());
    } finally {
      rmSync(place, { recursive: true, force: true });
    }
  });
});
