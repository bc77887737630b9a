import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeTestFolder } from '../../server/test/test-folder.js';
import { findChromium, launchBrowserServer } from './browser-program.js';
import type { Shared } from './shared-process.js';
import { startStack } from './start-stack.js';

/*
 * Keeps one thing that suites share: `shared-process-keeper.js <kind> <note>`. Says where it is on its first line, and lives as
 * long as its standard input is open; then it removes the note of it, too.
 */
interface Kept<Address> {
  readonly address: Address;
  stop(): Promise<void>;
}

const kinds: { readonly [Kind in keyof Shared]: () => Promise<Kept<Shared[Kind]>> } = {
  browser: async () => {
    const browser = await launchBrowserServer(String(findChromium()));
    return { address: { wsEndpoint: browser.wsEndpoint() }, stop: () => browser.close() };
  },
  server: async () => {
    const folder = makeTestFolder('shared');
    const file = join(folder, 'tollgate.db');
    const stack = await startStack({ kind: 'sqlite', file });
    return {
      address: { baseUrl: stack.baseUrl, file },
      stop: async () => {
        await stack.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  },
};

const [, , kind, note] = process.argv;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
const orphaned = new Promise<void>((resolve) => process.stdin.resume().once('close', resolve));
const kept = await kinds[kind as keyof Shared]();
process.stdout.write(`${JSON.stringify(kept.address)}\n`);
await orphaned;
rmSync(String(note), { force: true });
await kept.stop();
process.exit();
