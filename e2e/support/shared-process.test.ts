import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { findShared, type Shared } from './shared-process.js';

const script = (end: string) => `
  const { findShared } = await import('${pathToFileURL(join(import.meta.dirname, 'shared-process.js'))}');
  const [first, second] = [await findShared('server'), await findShared('server')];
  const { status } = await fetch(first.baseUrl + '/healthz');
  console.log(JSON.stringify({ first, second, status, pid: process.pid }));
  ${end}`;

const canConnect = (baseUrl: string) =>
  fetch(`${baseUrl}/healthz`).then(
    () => true,
    () => false,
  );

describe('what suites share', () => {
  it.each([
    ['ends by itself', ''],
    ['is killed', "process.kill(process.pid, 'SIGKILL');"],
  ])(
    'is one server for the whole process, and goes when that %s',
    async (_, end) => {
      const arguments_ = ['--input-type=module', '--eval', script(end)];
      const run = promisify(execFile)(process.execPath, arguments_, { timeout: 60_000 });
      const { stdout } = await run.catch((error: { stdout: string }) => error);
      const { first, second, status, pid } = JSON.parse(stdout) as {
        readonly first: Shared['server'];
        readonly second: Shared['server'];
        readonly status: number;
        readonly pid: number;
      };
      expect(status).toBe(200);
      expect(second).toEqual(first);
      // The test's own time limit ends both waits.
      while (await canConnect(first.baseUrl));
      while (readdirSync(tmpdir()).some((name) => name.startsWith(`tollgate-shared-server-${pid}-`)));
      expect((await findShared('server')).baseUrl).not.toBe(first.baseUrl);
    },
    90_000,
  );
});
