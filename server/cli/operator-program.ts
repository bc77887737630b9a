import { parseArgs } from 'node:util';
import { explainStartFailure } from '../composition/explain-start-failure.js';
import { type Config, InvalidConfigError, readConfig } from '../config/config.js';
import { findPathFaults, type PathUse } from '../config/find-path-faults.js';
import { AppError } from '../kernel/app-error.js';
import { isPlainWord } from '../kernel/ids.js';
import {
  type Millicredits,
  millicreditsPerCredit,
  requireNamedAmount,
  toMillicredits,
} from '../kernel/millicredits.js';

/** For the last words to be taken by whoever reads them. */
const lastWordsMs = 1_000;

/** What was typed asks for something that cannot be, in words for whoever typed it. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError';
}

/** The words were well-formed, and what they are about is at fault: usage would not help. */
export class InputError extends UsageError {
  override readonly name = 'InputError';
}

export type ProgramOptions = Readonly<Record<string, string>>;

/** A command of the operator: which options it knows, whether a word follows it, and what it does. */
export interface OperatorCommand {
  /** Options with a value. */
  readonly options?: readonly string[];
  /** Options without one; a given one is the text `true`. */
  readonly flags?: readonly string[];
  /** What the word behind the command is: an id, or another word of printable ASCII without blanks. */
  readonly subject?: string;
  /** Whether that word may be any text, and none is found by it as it stands. */
  readonly isSubjectText?: boolean;
  /** @returns the exit status; anything else: 0. */
  readonly run: (subject: string, options: ProgramOptions) => Promise<unknown>;
}

/** What the operator's log has for a command that asked for no reason before it kept one: it may still be left out there. */
export const noReason = 'At the command line, without a reason';

export interface OperatorProgram {
  /** What may be typed. */
  readonly usage: string;
  /** The lines of it that help whoever typed this; left out: all. */
  readonly usageFor?: () => string;
  /** What is said before the reason when the work could not be done. */
  readonly failure: string;
  readonly exitCodes: { readonly usage: number; readonly failed: number };
}

/**
 * Runs one of the operator's programs to its exit status. What it fails by is said in one line with the remedy, the last one; where the
 * words typed are at fault, usage stands before it. A stack is only for what no setting and no word mends: a bug of ours.
 */
export async function runOperatorProgram(program: OperatorProgram, work: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await work();
  } catch (error) {
    const isUsage = error instanceof UsageError;
    process.exitCode = isUsage ? program.exitCodes.usage : program.exitCodes.failed;
    if (error instanceof InputError) console.error(error.message);
    else if (isUsage) console.error(`${program.usageFor?.() ?? program.usage}\n\n${error.message}`);
    else console.error(program.failure, explainFailure(error) ?? error);
  }
  // What was given up goes on waiting, such as a connection to a database that says nothing, and would keep this program for as long.
  setTimeout(() => process.exit(), lastWordsMs).unref();
}

/**
 * The lines of a usage that has one entry for each command: its first line, and those of the command that was typed; of all that begin
 * with its first word where there is no such command; else how to see all of them.
 */
export function selectUsage(usage: string, words: readonly string[]): string {
  const [title = ''] = usage.split('\n', 1);
  const entries = usage.match(/^ {2}[a-z].*(\n {3,}.*)*/gm) ?? [];
  const namesOf = (entry: string) => /^ {2}(([a-z-]+)(?: [a-z-]+)?)/.exec(entry)?.slice(1) ?? [];
  const typed = ` ${words.join(' ')} `;
  const isTyped = (name: string | undefined) => typed.includes(` ${name} `);
  const own = entries.filter((entry) => isTyped(namesOf(entry)[0]));
  const kin = own.length > 0 ? own : entries.filter((entry) => isTyped(namesOf(entry)[1]));
  return `${title}\n\n${kin.length > 0 ? kin.join('\n') : '  help                       prints all commands'}`;
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
 * Reads what was typed: words, options that each take a value, and flags that take none; each is given once.
 * @throws UsageError naming what nobody knows, or what was said twice.
 */
export function readWords(
  words: readonly string[],
  optionNames: readonly string[] = [],
  flagNames: readonly string[] = [],
): { options: ProgramOptions; positionals: readonly string[] } {
  const options = Object.fromEntries([
    ...optionNames.map((name) => [name, { type: 'string', multiple: true }] as const),
    ...flagNames.map((name) => [name, { type: 'boolean', multiple: true }] as const),
  ]);
  try {
    const { values, positionals } = parseArgs({ args: [...words], allowPositionals: true, options });
    const entries = Object.entries(values).map(([name, given]) => [name, readOnce(name, given)] as const);
    return { options: Object.fromEntries(entries), positionals };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? '';
    throw code.startsWith('ERR_PARSE_ARGS') ? new UsageError((error as Error).message) : error;
  }
}

/**
 * Which command was typed, what it is about, and its options.
 * @param explainMissing What is said where there is no such command.
 * @throws UsageError naming what nobody knows, or what is missing.
 */
export function readCommand<Command extends Pick<OperatorCommand, 'options' | 'flags' | 'subject' | 'isSubjectText'>>(
  words: readonly string[],
  commands: Readonly<Record<string, Command>>,
  explainMissing: (name: string) => string,
): { readonly command: Command; readonly subject: string; readonly options: ProgramOptions } {
  const all = Object.values(commands);
  const known = [...new Set(all.flatMap(({ options = [] }) => options))];
  const flags = [...new Set(all.flatMap(({ flags = [] }) => flags))];
  const { options, positionals } = readWords(words, known, flags);
  const typed = positionals.slice(0, 2).join(' ');
  const name = [typed, String(positionals[0])].find((text) => Object.hasOwn(commands, text));
  const command = name === undefined ? undefined : commands[name];
  if (name === undefined || command === undefined) throw new UsageError(explainMissing(typed));
  const [subject, ...rest] = positionals.slice(name.split(' ').length);
  const beyond = command.subject === undefined ? subject : rest[0];
  if (beyond !== undefined) throw new UsageError(`Nothing is known about ${JSON.stringify(beyond)} here.`);
  const foreign = Object.keys(options).find(
    (option) => !command.options?.includes(option) && !command.flags?.includes(option),
  );
  if (foreign !== undefined) throw new UsageError(`--${foreign} does not belong to ${name}.`);
  return { command, subject: readSubject(subject, command), options };
}

// With a blank behind it, MySQL and MariaDB would find the row of an id, which is another id to all that compares here.
function readSubject(
  typed: string | undefined,
  { subject, isSubjectText = false }: Pick<OperatorCommand, 'subject' | 'isSubjectText'>,
): string {
  if (subject === undefined) return '';
  const word = need(typed, subject);
  if (isSubjectText || isPlainWord(word)) return word;
  throw new UsageError(`${JSON.stringify(word)} is not ${subject}: it has blanks, or characters beyond ASCII.`);
}

function readOnce(name: string, given: unknown): string {
  const values = [given].flat();
  if (values.length !== 1) throw new UsageError(`Say --${name} once.`);
  return String(values[0]);
}

/** @throws UsageError naming what is missing. */
export function need(value: string | undefined, what: string): string {
  if (value === undefined || value === '') throw new UsageError(`Name ${what}.`);
  return value;
}

/** What was typed names something that is not there, or breaks a rule: then usage helps. @param codes The errors that say so. */
export async function asWords<Result>(
  work: Promise<Result>,
  codes: readonly AppError['code'][] = ['not_found', 'invalid_value', 'conflict'],
): Promise<Result> {
  return work.catch((error: unknown) => {
    const isAboutWords = error instanceof AppError && codes.includes(error.code);
    throw isAboutWords ? new UsageError(error.message) : error;
  });
}

/** Credits as they are typed, in millicredits. @throws UsageError unless they are more than nothing, no more than `namedMillicreditsMax`, with at most three decimals. */
export function readCredits(text: string | undefined): Millicredits {
  const isNumber = /^\d{1,12}(\.\d{1,3})?$/.test(need(text, '--credits'));
  if (!isNumber) throw new UsageError('--credits is a number such as 500 or 0.5, with at most three decimals.');
  const amount = toMillicredits(Math.round(Number(text) * millicreditsPerCredit));
  try {
    requireNamedAmount(amount, { name: 'credits', words: '--credits', least: 1 });
  } catch (error) {
    throw error instanceof AppError ? new UsageError(error.message) : error;
  }
  return amount;
}

/** A day as it is typed, in milliseconds at its beginning in UTC. @param option Names what was typed. @throws UsageError */
export function readDay(text: string, option: string): number {
  // JavaScript would make March 3 of February 31, and thirty other things of other texts.
  const atMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  const isDay = !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(text);
  if (!isDay) throw new UsageError(`${option} is a day of the calendar such as 2026-12-31.`);
  return atMs;
}

/** @param option Names what was typed. @returns null when nothing was. @throws UsageError */
export function readWholeNumber(text: string | undefined, option: string): number | null {
  if (text === undefined) return null;
  if (!/^\d{1,10}$/.test(text)) throw new UsageError(`${option} is a whole number such as 600.`);
  return Number(text);
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
