import { join } from 'node:path';
import { runProgram } from './run-program.js';
import { makeTestFolder } from './test-folder.js';
import { runWarmProgram } from './warm-programs.js';

describe('Programs that run one after the other in one process', () => {
  const nowhere = { kind: 'sqlite', file: join(makeTestFolder('nothing'), 'none.db') } as const;

  it.each([
    ['tollgate.js', ['help'], 0],
    ['tollgate.js', ['doctor', '--nonsense'], 1],
    ['tollgate.js', ['gift-code', 'list'], 2],
    ['verify.js', [], 2],
    ['migrate.js', ['revert'], 1],
  ] as const)(
    '%s %j says what it says in a process of its own, and ends with its status',
    async (file, words, exitCode) => {
      const own = await runProgram(file, nowhere, { words });
      expect(own.exitCode).toBe(exitCode);
      for (const _ of ['first', 'again']) expect(await runWarmProgram(file, nowhere, { words })).toEqual(own);
    },
    60_000,
  );

  it('see no setting and no status of the one before, and not what runs beside them', async () => {
    const none = { words: ['gift-code', 'list'], settings: { DATABASE_URL: '' } };
    const [lost, help, listed] = await Promise.all([
      runWarmProgram('tollgate.js', nowhere, none),
      runWarmProgram('tollgate.js', nowhere, { words: ['help'] }),
      runWarmProgram('tollgate.js', nowhere, { words: ['gift-code', 'list'] }),
    ]);
    expect([lost.exitCode, help.exitCode, listed.exitCode]).toEqual([2, 0, 2]);
    expect([help.log, listed.log]).toEqual(['', expect.stringContaining(nowhere.file)]);
    expect(lost.log).not.toContain(nowhere.file);
  });
});
