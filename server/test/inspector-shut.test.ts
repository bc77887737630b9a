import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { findRepositoryRoot } from './architecture/source-tree.js';
import { makeTestFolder } from './test-folder.js';

const scripts = join(findRepositoryRoot(import.meta.dirname), 'scripts');
/** What hears SIGUSR1 of its own, at which Node.js then opens nothing. */
const tellListeners = "console.log(process.listenerCount('SIGUSR1'));\n";

/** @returns what the file says. */
const run = (file: string) => spawnSync(process.execPath, [file], { encoding: 'utf8' }).stdout.trim();

describe('the inspector of Node.js, which SIGUSR1 opens to every user of the machine', () => {
  const starts = ['start', 'tollgate-program', 'tollgate', 'verify', 'migrate', 'reconcile-purchases', 'seed'];

  it.each(starts)('is shut by what %s imports first', (name) => {
    const text = readFileSync(join(scripts, `${name}.mjs`), 'utf8');
    const [first] = text.match(/(?<=^import )'.+'(?=;$)|(?<=^import .+ from )'.+'(?=;$)/m) ?? [];
    expect(first).toBe("'./check-node-version.mjs'");
    const file = join(makeTestFolder('start'), 'start.mjs');
    const shared = pathToFileURL(join(scripts, 'check-node-version.mjs')).href;
    writeFileSync(file, `import '${shared}';\n${tellListeners}`);
    expect(run(file)).toBe('1');
  });

  it('is shut before a joined program is read', async () => {
    const { programEntry } = (await import(join(scripts, 'program-entry.mjs'))) as {
      programEntry(joined: string): string;
    };
    const folder = makeTestFolder('entry');
    const file = join(folder, 'main.mjs');
    writeFileSync(file, programEntry('./joined.mjs'));
    // What a program imports is read and run before its own first line.
    writeFileSync(join(folder, 'joined.mjs'), "import './part.mjs';\n");
    writeFileSync(join(folder, 'part.mjs'), tellListeners);
    expect(run(file)).toBe('1');
  });
});
