import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseAddress } from '../database/database-address.js';
import { Secret } from '../kernel/secret.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { runProgram } from '../test/run-program.js';
import { sample, sampleInWords } from '../test/sample.js';
import { doubleSecretKey } from '../test/stripe-double.js';
import { runWarmProgram } from '../test/warm-programs.js';

type Program = Parameters<typeof runWarmProgram>[0];

/** Each program with words that it would work with, and its exit statuses: for what was typed, and for what failed. */
const programs: [Program, { words: string[]; usageCode: number; failedCode: number }][] = [
  ['verify.js', { words: [], usageCode: 2, failedCode: 2 }],
  ['tollgate.js', { words: ['gift-code', 'list'], usageCode: 1, failedCode: 2 }],
  ['reconcile.js', { words: [], usageCode: 2, failedCode: 2 }],
  ['migrate.js', { words: ['revert'], usageCode: 1, failedCode: 1 }],
];
const settings = { STRIPE_SECRET_KEY: doubleSecretKey, STRIPE_API_BASE: 'http://127.0.0.1:1' };
const oddWords = [['--nonsense'], ['--force=1'], ['-x'], ['one', 'two', 'three', 'four']];
const isStack = /^\s+at /m;

describe('An operator’s program', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-programs-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const fileOf = (name: string): DatabaseAddress => ({ kind: 'sqlite', file: join(folder, name) });

  it.each(programs)(
    '%s says in one line that a file is not there, and makes none',
    async (program, { words, failedCode }) => {
      for (const name of ['missing.db', 'missing/folder/x.db']) {
        const run = await runWarmProgram(program, fileOf(name), { words, settings });
        expect(run.exitCode).toBe(failedCode);
        expect(run.log).toMatch(/DATABASE_URL: there is no file .* this program makes none\./);
        expect(run.output + run.log).not.toMatch(isStack);
        expect(existsSync(join(folder, name.split('/')[0] as string))).toBe(false);
      }
    },
    60_000,
  );

  it.each(programs)(
    '%s says in one line what a wrong place is',
    async (program, { words, failedCode }) => {
      writeFileSync(
        join(folder, 'notes.txt'),
        'This is no database, but a text that is long enough to be read as one.'.repeat(9),
      );
      writeFileSync(join(folder, 'empty.db'), '');
      for (const [name, line] of [
        ['.', /DATABASE_URL: .* is a folder\. Name a file/],
        ['notes.txt', /DATABASE_URL: file is not a database\. Name a file that SQLite made/],
        ...(program === 'migrate.js'
          ? []
          : [['empty.db', /DATABASE_URL: no such table: .*npm run migration:run/] as const]),
      ] as const) {
        const run = await runWarmProgram(program, fileOf(name), { words, settings });
        expect([name, run.exitCode]).toEqual([name, failedCode]);
        expect(run.log).toMatch(line);
        expect(run.output + run.log).not.toMatch(isStack);
      }
      expect(readdirSync(folder).filter((name) => name.startsWith('missing'))).toEqual([]);
      expect(statSync(join(folder, 'notes.txt')).size).toBe(630);
    },
    60_000,
  );

  it.each(programs)(
    '%s says in one line that the database is away',
    async (program, { words, failedCode }) => {
      const away: DatabaseAddress = {
        kind: 'mysql',
        url: new Secret('mysql://root:canary-secret@localhost:1/tollgate'),
      };
      const run = await runProgram(program, away, { words, settings });
      expect(run.exitCode).toBe(failedCode);
      expect(run.log).toMatch(/DATABASE_URL: .*ECONNREFUSED.*Start the database there, or correct the address\./);
      expect(run.output + run.log).not.toMatch(isStack);
      expect(run.output + run.log).not.toContain('canary-secret');
    },
    60_000,
  );

  it.each([...programs, ['seed.js', { words: [], usageCode: 1 }] as const])(
    `%s knows no other options and words, names them, and shows what may be typed (${sampleInWords})`,
    async (program, { words, usageCode }) => {
      for (const odd of sample(oddWords, 4)) {
        const typed = { words: [...words, ...odd], settings };
        const run =
          program === 'seed.js'
            ? await runProgram(program, fileOf('missing.db'), typed)
            : await runWarmProgram(program, fileOf('missing.db'), typed);
        expect(run.exitCode).toBe(usageCode);
        expect(run.log).toMatch(/nonsense|force|-x|"(one|two)"|whole number/);
        expect(run.log).toContain('Usage: npm run');
        expect(run.output + run.log).not.toMatch(isStack);
      }
      expect(existsSync(join(folder, 'missing.db'))).toBe(false);
    },
    60_000,
  );

  const refusedWords: readonly (readonly [words: string[], line: RegExp])[] = [
    [['--credits', '5', '--expires', '2027-02-31'], /--expires is a day of the calendar/],
    [['--credits', '5', '--expires', '2027-2-3'], /--expires is a day/],
    [['--credits', '5', '--expires', 'tomorrow'], /--expires is a day/],
    [['--credits', '5', '--expires', '1'], /--expires is a day/],
    [['--credits', '1e3'], /--credits is a number/],
    [['--credits', '0x10'], /--credits is a number/],
    [['--credits', '0.0005'], /--credits is a number/],
    [['--credits', '-5'], /--credits/],
    [['--credits', '5', '--credits', '6'], /--credits once/],
    [['--credits', '5', '--count', '1e1'], /--count is a whole number/],
    [['--credits', '5', '--expire', '2099-01-01'], /--expire/],
    [[], /Name --credits/],
  ];
  const title = `tollgate.js gift-code create %j is refused before the database is asked for (${sampleInWords})`;
  it.each(sample(refusedWords, 4))(title, async (words, line) => {
    const run = await runWarmProgram('tollgate.js', fileOf('missing.db'), { words: ['gift-code', 'create', ...words] });
    expect(run.exitCode).toBe(1);
    expect(run.log).toMatch(line);
    expect(run.log).toContain('Usage:');
  });

  it.each([
    [['account', 'freeze', 'acct_1'], 'account freeze <account>', 'Name --reason.'],
    [['doctor', '--nonsense'], 'doctor [--json]', '--nonsense'],
    [['gift-code'], 'gift-code revoke <id>', 'There is no such command.'],
    [['nonsense'], 'help  ', 'There is no such command.'],
  ])('tollgate.js %j is told what is wrong last, below the lines of that command alone', async (words, own, fault) => {
    const { log } = await runWarmProgram('tollgate.js', fileOf('missing.db'), { words });
    const lines = log.trimEnd().split('\n');
    expect(lines.at(-1)).toContain(fault);
    expect(lines.length).toBeLessThan(12);
    expect(log).toContain(`\n  ${own}`);
    expect(log).not.toContain('database move');
  });

  it.each([
    [[], 1],
    [['help'], 0],
    [['--help'], 0],
  ])('tollgate.js %j lists every command, and asks no database', async (words, status) => {
    const { exitCode, output, log } = await runProgram('tollgate.js', fileOf('missing.db'), { words });
    expect(exitCode).toBe(status);
    for (const name of ['account find <text>', 'database move --to', '  help ']) expect(output + log).toContain(name);
    expect(log).toEqual(status === 0 ? '' : expect.stringMatching(/Name a command\.\n$/));
  });

  it('migrate.js and seed.js make a file where none was, and verify.js finds it sound', async () => {
    const database = fileOf('new/tollgate.db');
    expect(await runProgram('migrate.js', database, { words: ['run'] })).toMatchObject({ exitCode: 0, log: '' });
    expect(await runProgram('migrate.js', database, { words: ['run'] })).toMatchObject({ exitCode: 0 });
    const seeded = await runProgram('seed.js', database, {
      words: ['20'],
      settings: { SEED_PASSWORD: 'a long enough one' },
    });
    expect(seeded).toMatchObject({ exitCode: 0, output: expect.stringContaining('demo@') });
    const sound = await runProgram('verify.js', database);
    expect(sound).toMatchObject({ exitCode: 0, log: '' });
    expect(sound.output).toMatch(/^ok +\d+\.\d\d s {2}The file .* is sound, says SQLite's integrity_check$/m);
  }, 60_000);

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'seed.js says how to sign in before it makes the calls, and ends after the one under way when it is sent %s',
    async (signal, exitCode) => {
      const database = fileOf(`${signal}.db`);
      const run = await runProgram('seed.js', database, {
        words: ['1000000'],
        // Once it says how to sign in, it is at its calls.
        whenSaid: (output, child) => output.includes('demo@') && child.kill(signal),
      });
      expect(run.exitCode).toBe(exitCode);
      expect(run.output).toMatch(/Sign in at .*\/sign-in with\n\n {2}demo@tollgate\.example\n {2}demo-\w{12}\n/);
      expect(run.log).toMatch(/^Stopped: the demo account has the first \d+ of them, and can be signed in to\.\n$/);
      expect(await runProgram('verify.js', database)).toMatchObject({ exitCode: 0 });
      const again = await runProgram('seed.js', database);
      expect(again).toMatchObject({ exitCode: 1, log: expect.stringContaining('an earlier run did not finish') });
    },
    60_000,
  );

  it('verify.js says of a damaged file that it is damaged, with status 1', async () => {
    const database = fileOf('damaged.db');
    const source = join(folder, 'new/tollgate.db');
    copyFileSync(source, join(folder, 'damaged.db'));
    // An index page in the middle, behind the schema: what is asked of the ledger alone might never read it.
    const file = openSync(join(folder, 'damaged.db'), 'r+');
    const { size } = statSync(join(folder, 'damaged.db'));
    for (let at = Math.floor(size / 2 / 4_096) * 4_096; at < size; at += 4_096)
      writeSync(file, Buffer.alloc(64, 0xff), 0, 64, at);
    const run = await runProgram('verify.js', database);
    expect(run.exitCode).toBe(1);
    expect(run.output).toMatch(/^BROKEN .*integrity_check$/m);
    expect(run.output).toContain('THE FILE IS DAMAGED');
    expect(run.output + run.log).not.toMatch(isStack);
  }, 60_000);
});

describeOnEachDatabase('npm run migration:run and migration:revert', (openTestDatabase) => {
  it('bring a database up to date, twice without harm, and take the last step back', async () => {
    const database = await openTestDatabase();
    for (const words of [['run'], ['run'], ['revert'], ['run']]) {
      const run = await runProgram('migrate.js', database.address, { words });
      // As MySQL comes, it lets nobody make them who may not do everything.
      const log = run.log.replace(/^The server does not let this user make the triggers .*\n/m, '');
      expect([words, run.exitCode, log]).toEqual([words, 0, '']);
    }
    await database.drop();
  }, 120_000);
});
