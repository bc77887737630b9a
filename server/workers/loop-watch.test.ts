import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runProgramFile } from '../test/running-program.js';
import { makeTestFolder } from '../test/test-folder.js';

const everyMs = 100;

/** A program that watches its loop, and then does this. @returns what it ended by, and said. */
async function run(does: string, execArgv: readonly string[] = []) {
  const folder = makeTestFolder('loop-watch');
  const watch = pathToFileURL(join(import.meta.dirname, 'loop-watch.js'));
  const logger = pathToFileURL(join(import.meta.dirname, '../kernel/logger.js'));
  const file = join(folder, 'program.mjs');
  writeFileSync(
    file,
    `import { watchLoop } from '${watch}';
import { silentLogger } from '${logger}';
const noteStarted = watchLoop({ level: 'info', format: 'json' }, silentLogger, { everyMs: ${everyMs} });
const stand = (ms) => { for (const from = performance.now(); performance.now() - from < ms; ); };
${does}`,
  );
  const program = runProgramFile(file, [], { NODE_OPTIONS: execArgv.join(' ') }, folder);
  const exitCode = await program.ended;
  return { exitCode, signal: program.child.signalCode, said: program.output() };
}

describe('a process whose loop is watched', () => {
  it('is killed once its loop has stood for six looks, and says so', async () => {
    const { signal, said } = await run('noteStarted(); setTimeout(() => stand(60_000), 50);');
    expect(signal).toBe('SIGKILL');
    expect(JSON.parse(said)).toMatchObject({ event: 'loop_stands', level: 50, forMs: 6 * everyMs });
  }, 30_000);

  it('goes on where its loop stands for less, again and again, and ends by itself', async () => {
    const turns =
      'noteStarted(); let turns = 0; const go = () => { stand(300); if ((turns += 1) < 6) setTimeout(go, 250); }; go();';
    expect(await run(turns)).toEqual({ exitCode: 0, signal: null, said: '' });
  }, 30_000);

  it('is given longer while it starts, and is watched then, too', async () => {
    const { signal, said } = await run(
      "stand(1_500); console.log('still there'); setTimeout(() => stand(60_000), 250);",
    );
    expect(signal).toBe('SIGKILL');
    const [first, last] = said.split('\n', 2) as [string, string];
    expect([first, JSON.parse(last)]).toMatchObject(['still there', { event: 'loop_stands', forMs: 30 * everyMs }]);
  }, 30_000);

  it('is not watched where a debugger may stop it', async () => {
    const { exitCode, signal } = await run('stand(1_500); process.exit(7);', ['--inspect=127.0.0.1:0']);
    expect([exitCode, signal]).toEqual([7, null]);
  }, 30_000);
});
