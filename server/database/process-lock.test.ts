import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { makeTestFolder } from '../test/test-folder.js';
import { tryLock } from './process-lock.js';

const folder = makeTestFolder('lock');

describe('tryLock', () => {
  it('is refused until the lock is released, also to its own process', () => {
    const file = join(folder, 'own.lock');
    const lock = tryLock(file);
    expect(lock).not.toBeNull();
    expect(tryLock(file)).toBeNull();
    lock?.release('keep');
    const next = tryLock(file);
    expect(next).not.toBeNull();
    next?.release('remove');
  });

  it('is refused while the owner lives, also when its garbage was collected and nothing there refers to the lock', async () => {
    const file = join(folder, 'other.lock');
    const owner = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', programThatForgets(file)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(createInterface({ input: owner.stdout }), 'line');
    expect(tryLock(file)).toBeNull();
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    const lock = tryLock(file);
    expect(lock).not.toBeNull();
    lock?.release('remove');
  });
});

/** A process that takes the lock, keeps nothing that refers to it, collects its garbage, says so, and lives on. */
function programThatForgets(file: string): string {
  const module = new URL('./process-lock.js', import.meta.url);
  return `
    import { tryLock } from ${JSON.stringify(module)};
    (() => { tryLock(${JSON.stringify(file)}); })();
    for (let round = 0; round < 5; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      globalThis.gc();
    }
    console.log('collected');
    setInterval(() => {}, 1000);`;
}
