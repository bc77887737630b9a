import { mock } from 'node:test';
import { openOperatorServices, type WithServices } from '../cli/open-operator-services.js';
import { loadProgramConfig, type OperatorCommand, type ProgramOptions } from '../cli/operator-program.js';
import { databaseUrlOf, type TestDatabase } from './each-database.js';
import { makeTestFolder } from './test-folder.js';

export interface CommandRun {
  /** What `OperatorCommand.run` says. */
  readonly status: unknown;
  readonly output: string;
}

/** Runs one of these commands as the program would, in this process. @throws what it fails by. */
export async function runCommand(
  listCommands: (withServices: WithServices) => Readonly<Record<string, OperatorCommand>>,
  database: TestDatabase,
  { name, subject = '', options = {}, settings = {} }: CommandWords,
): Promise<CommandRun> {
  const own = { DATABASE_URL: databaseUrlOf(database.address), SPOOL_DIR: makeTestFolder('spool') };
  const environment = { LOG_LEVEL: 'error', ...settings, ...own };
  const withServices = openOperatorServices(() => loadProgramConfig(environment, { isSpoolUsed: true }));
  const print = mock.method(console, 'log', () => {});
  // Words beside what is asked for, which a pipe does not get.
  const say = mock.method(console, 'error', () => {});
  try {
    const status = await listCommands(withServices)[name]?.run(subject, options);
    return { status, output: print.mock.calls.flatMap(({ arguments: words }) => words).join('\n') };
  } finally {
    print.mock.restore();
    say.mock.restore();
  }
}

interface CommandWords {
  readonly name: string;
  readonly subject?: string;
  readonly options?: ProgramOptions;
  readonly settings?: Readonly<Record<string, string>>;
}
