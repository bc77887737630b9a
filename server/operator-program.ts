import { parseArgs } from 'node:util';
import { type Config, InvalidConfigError, readConfig } from './config.js';
import { explainStartFailure } from './explain-start-failure.js';
import { findPathFaults, type PathUse } from './find-path-faults.js';
import { AppError } from './kernel/app-error.js';

/** What was typed asks for something that cannot be, in words for whoever typed it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export interface OperatorProgram {
  /** What may be typed. */
  readonly usage: string;
  /** What is said before the reason when the work could not be done. */
  readonly failure: string;
  readonly exitCodes: { readonly usage: number; readonly failed: number };
}

/**
 * Runs one of the operator's programs to its exit status. What it fails by is said in one line with the remedy, after which
 * usage is shown where the words typed are at fault; a stack is only for what no setting and no word mends: a bug of ours.
 */
export async function runOperatorProgram(program: OperatorProgram, work: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await work();
  } catch (error) {
    const isUsage = error instanceof UsageError;
    process.exitCode = isUsage ? program.exitCodes.usage : program.exitCodes.failed;
    if (isUsage) console.error(`${error.message}\n\n${program.usage}`);
    else console.error(program.failure, explainFailure(error) ?? error);
  }
}

/**
 * The settings of a program; unless `use` says otherwise, of one that uses what a server has made.
 * @throws InvalidConfigError naming every fault at once, and a file that is not there.
 */
export function loadProgramConfig(
  environment: Readonly<Record<string, string | undefined>>,
  use: Pick<PathUse, 'isSpoolUsed'> & Partial<PathUse>,
): Config {
  const { config, faults: found, isTrue } = readConfig(environment);
  const pathFaults = findPathFaults(environment, { mustFileExist: true, ...use });
  const faults = [...found, ...pathFaults.filter(isTrue)];
  if (faults.length > 0) throw new InvalidConfigError(faults);
  return config;
}

/**
 * Reads what was typed: words, and options that each take a value and are given once.
 * @throws UsageError naming what nobody knows, or what was said twice.
 */
export function readWords(
  words: readonly string[],
  optionNames: readonly string[] = [],
): { options: Readonly<Record<string, string>>; positionals: readonly string[] } {
  const options = Object.fromEntries(optionNames.map((name) => [name, { type: 'string', multiple: true } as const]));
  try {
    const { values, positionals } = parseArgs({ args: [...words], allowPositionals: true, options });
    const entries = Object.entries(values).map(([name, given]) => [name, readOnce(name, given)] as const);
    return { options: Object.fromEntries(entries), positionals };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    throw code.startsWith('ERR_PARSE_ARGS') ? new UsageError((error as Error).message) : error;
  }
}

function readOnce(name: string, given: unknown): string {
  const values = [given].flat();
  if (values.length !== 1 || typeof values[0] !== 'string') throw new UsageError(`Say --${name} once.`);
  return values[0];
}

function explainFailure(error: unknown): string | null {
  if (error instanceof InvalidConfigError) return error.message;
  if (error instanceof AppError) return error.message;
  const message = error instanceof Error ? error.message : '';
  if (/no such (table|column): |^Table '.*' doesn't exist|^Unknown column '/.test(message)) {
    const found = message.replace(/^.*(?=no such )/s, '').replace(/\s+/g, ' ');
    return `DATABASE_URL: ${found}. Name the database of a server, or bring this one up to date: npm run migration:run`;
  }
  return explainStartFailure(error);
}
