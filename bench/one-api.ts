import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../e2e/support/free-port.js';
import { fromProgram } from './contestants.js';
import { PeerUnavailableError, runInstallStep, type StartPeer } from './install-peer.js';
import { type Program, startListening } from './start-program.js';

const source = 'https://github.com/songquanpeng/one-api';
const version = 'v0.6.10';
const buildTimeoutMs = 1_800_000;
const startTimeoutMs = 60_000;
const secret = 'peer0000000000000000000000000000000000000000000000';
const accessToken = 'peer1111111111111111111111111111';

/**
 * One API, fetched with git and built with Go in a temporary folder, on SQLite, as it comes: it checks the key, takes a quota
 * before the call, and books tokens and a log row after it. `ONE_API` names a program that is built already. Its tokenizer
 * fetches its tables at the start, or finds them in TIKTOKEN_CACHE_DIR.
 * @throws PeerUnavailableError without git or Go, or when it cannot be fetched or built.
 */
export async function installOneApi(): Promise<StartPeer> {
  const folder = mkdtempSync(join(tmpdir(), 'one-api-'));
  const program = process.env.ONE_API ?? (await build(folder));
  return async (upstream) => {
    const port = await findFreePort();
    const { PATH, TIKTOKEN_CACHE_DIR } = process.env;
    const started = await startListening({
      command: [program, '--port', String(port)],
      ...{ folder, port, readyPath: '/api/status', timeoutMs: startTimeoutMs },
      env: {
        ...{ PATH, HOME: folder, GIN_MODE: 'release', SQLITE_PATH: join(folder, 'one-api.db') },
        ...{ INITIAL_ROOT_TOKEN: secret, INITIAL_ROOT_ACCESS_TOKEN: accessToken },
        ...(TIKTOKEN_CACHE_DIR === undefined ? {} : { TIKTOKEN_CACHE_DIR }),
      },
    });
    await addProvider(started, upstream);
    return { ...fromProgram('peer', 'One API, SQLite', started), secrets: [`sk-${secret}`] };
  };
}

async function build(folder: string): Promise<string> {
  const [clone, program] = [join(folder, 'source'), join(folder, 'one-api')];
  const step = { timeoutMs: buildTimeoutMs, folder };
  const options = ['--quiet', '--depth=1', `--branch=${version}`];
  await runInstallStep('Fetching One API', ['git', 'clone', ...options, source, clone], step);
  // Its program holds its pages, which would have to be built first, and which no call asks for.
  for (const theme of ['default', 'berry', 'air']) {
    mkdirSync(join(clone, 'web/build', theme), { recursive: true });
    writeFileSync(join(clone, 'web/build', theme, 'index.html'), '');
  }
  await runInstallStep('Building One API', ['go', 'build', '-o', program, '.'], { ...step, folder: clone });
  return program;
}

async function addProvider({ baseUrl }: Program, upstream: Program): Promise<void> {
  const channel = {
    ...{ type: 1, name: 'bench', key: 'sk-bench', group: 'default', models: 'gpt-4o-mini' },
    base_url: upstream.baseUrl,
  };
  const answer = await fetch(`${baseUrl}/api/channel/`, {
    method: 'POST',
    headers: { authorization: accessToken, 'content-type': 'application/json' },
    body: JSON.stringify(channel),
  });
  const { success, message } = (await answer.json()) as { success: boolean; message?: string };
  if (!success) throw new PeerUnavailableError(`One API took no provider: ${message}`);
}
