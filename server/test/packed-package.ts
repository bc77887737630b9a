import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { findRepositoryRoot } from './architecture/source-tree.js';
import { follow, type RunningProgram, runProgramFile } from './running-program.js';

const root = findRepositoryRoot(import.meta.dirname);

interface LockedPackage {
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
}

/** The tarball that `npm pack` makes, unpacked as `npm install` does it, with production packages alone. */
export class PackedPackage {
  readonly #running = new Set<ChildProcess>();
  readonly #folder: string;

  constructor() {
    // Beside the packages, so that they can be linked and need not be copied.
    mkdirSync(join(root, '.build'), { recursive: true });
    this.#folder = mkdtempSync(join(root, '.build', 'packed-'));
    const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', this.#folder];
    execFileSync(...npm(words), { cwd: root, stdio: ['ignore', 'ignore', 'ignore'] });
    mkdirSync(this.installed, { recursive: true });
    const tarball = readdirSync(this.#folder).find((name) => name.endsWith('.tgz')) ?? '';
    execFileSync('tar', ['xzf', join(this.#folder, tarball), '--strip-components=1', '-C', this.installed]);
    layProductionPackages(this.app);
    mkdirSync(join(this.app, 'node_modules', '.bin'), { recursive: true });
    symlinkSync(this.cli, join(this.app, 'node_modules', '.bin', 'tollgate'));
  }

  /** The folder that it was installed in. */
  get app(): string {
    return join(this.#folder, 'app');
  }

  get installed(): string {
    return join(this.app, 'node_modules', 'tollgate');
  }

  private get cli(): string {
    return join(this.installed, 'scripts', 'tollgate-program.mjs');
  }

  /** Runs `tollgate` with these words; it sees these settings alone. */
  run(words: readonly string[], settings: Readonly<Record<string, string>>): RunningProgram {
    return this.#follow(runProgramFile(this.cli, words, settings, this.app));
  }

  /** As `run`, by `npx tollgate`, so that npm and a shell stand above it. */
  runByNpx(words: readonly string[], settings: Readonly<Record<string, string>>): RunningProgram {
    const own = { npm_config_cache: join(this.#folder, 'npm-cache'), npm_config_update_notifier: 'false' };
    const [program, all] = npm(['exec', '--offline', '--', 'tollgate', ...words]);
    const env = { PATH: process.env.PATH, ...own, ...settings };
    return this.#follow(follow(spawn(program, all, { cwd: this.app, env, stdio: ['ignore', 'pipe', 'pipe'] })));
  }

  async runToEnd(words: readonly string[], settings: Readonly<Record<string, string>>) {
    const { ended, output, log } = this.run(words, settings);
    const exitCode = await ended;
    return { exitCode, output: output(), log: log() };
  }

  remove(): void {
    for (const child of this.#running) child.kill('SIGKILL');
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #follow(program: RunningProgram): RunningProgram {
    this.#running.add(program.child);
    void program.ended.then(() => this.#running.delete(program.child));
    return program;
  }
}

/** Signs somebody up, gives them the credits of a code, and makes one call. @returns money in millicredits */
export async function buyAnswer(baseUrl: string, code: string) {
  const ask = async <Data>(query: string, token?: string): Promise<Data> => {
    const headers = { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) };
    const answer = await fetch(`${baseUrl}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
    return ((await answer.json()) as { data: Data }).data;
  };
  const person = '{ email: "ada@example.com", password: "a long enough password", name: "Ada" }';
  const { signUp } = await ask<{ signUp: { sessionToken: string } }>(
    `mutation { signUp(input: ${person}) { sessionToken } }`,
  );
  const token = signUp.sessionToken;
  const { createApiKey } = await ask<{ createApiKey: { secret: string } }>(
    'mutation { createApiKey(input: { name: "a" }) { secret } }',
    token,
  );
  await ask(`mutation { redeemGiftCode(code: "${code}") { __typename } }`, token);
  const readBalance = async () => {
    const { viewer } = await ask<Viewer>('{ viewer { balance { available } } }', token);
    return toMillicredits(viewer.balance.available);
  };
  const before = await readBalance();
  const response = await fetch(`${baseUrl}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${createApiKey.secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  const { usage } = (await response.json()) as Completion;
  const charged = toMillicredits(response.headers.get('x-credits-charged'));
  return { status: response.status, tokens: usage?.total_tokens, before, charged, after: await readBalance() };
}

interface Viewer {
  readonly viewer: { readonly balance: { readonly available: string | number } };
}

interface Completion {
  readonly usage?: { readonly total_tokens: number };
}

function toMillicredits(credits: string | number | null): number {
  return Math.round(Number(credits) * 1_000);
}

function npm(words: readonly string[]): [string, readonly string[]] {
  const script = process.env.npm_execpath;
  return script?.endsWith('.js') ? [process.execPath, [script, ...words]] : ['npm', words];
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
