import { readFile, stat } from 'node:fs/promises';
import { isLoopbackHost } from '../kernel/addresses/loopback.js';
import { AppError } from '../kernel/app-error.js';
import { isJsonObject } from '../kernel/json-body.js';
import { InputError, type ProgramOptions, readCommand, UsageError } from './operator-program.js';
import { printFacts } from './print-facts.js';
import { remoteCommands } from './remote-commands.js';

export const remoteUsage = `A remote server, with an operator's token (docs/operations/commands.md):

npm run tollgate -- --url https://tollgate.example.com --token-file FILE <command>

TOLLGATE_URL and TOLLGATE_TOKEN_FILE, both set, replace the two options. It prints the server's answer, with --json as JSON.`;

/** A server elsewhere, and by what it is asked. */
export interface RemoteDoor {
  readonly url: URL;
  readonly tokenFile: string;
  /** The command. */
  readonly words: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Answer {
  readonly data?: { readonly operator?: Readonly<Record<string, unknown>> } | null;
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[];
}

/** Nobody was reached. */
const unsentCodes: ReadonlySet<string | undefined> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);
const timeoutMs = 30_000;
const answerBytesMax = 8_000_000;
/** Faults of what was typed. */
const wordCodes: ReadonlySet<string> = new Set(['NOT_FOUND', 'BAD_USER_INPUT', 'CONFLICT']);

/**
 * The server that the words or the settings name; null: this machine's own. TOLLGATE_URL alone names none: what calls the API reads it, too.
 * @throws UsageError for an address that is none, or sends the token through the open; and for one of address and token without the other.
 */
export function findRemoteDoor(words: readonly string[], environment: Environment): RemoteDoor | null {
  const rest = [...words];
  const [typedAddress, typedFile] = [takeOption(rest, '--url'), takeOption(rest, '--token-file')];
  const tokenFile = typedFile ?? environment.TOLLGATE_TOKEN_FILE;
  const address = typedAddress ?? (tokenFile ? environment.TOLLGATE_URL : undefined);
  if (!address) {
    if (typedFile !== undefined) throw new UsageError('Name the server that takes the token with --url.');
    return null;
  }
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '')
    throw new UsageError('--url is an address such as https://tollgate.example.com, without user and password.');
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname))
    throw new UsageError('--url has to begin with https: the token would be sent in plain text.');
  if (!tokenFile) throw new UsageError('Name the file that has the token with --token-file, or TOLLGATE_TOKEN_FILE.');
  return { url, tokenFile, words: rest };
}

/** Carries a command out over there, and prints what came of it. @throws UsageError, AppError: both in words for whoever typed it. */
export async function runRemotely(door: RemoteDoor): Promise<void> {
  const words = toPreview(door.words);
  // Before its options are read: those of another command are nobody's here.
  const name = words.slice(0, 2).join(' ');
  if (![name, words[0] ?? ''].some((known) => Object.hasOwn(remoteCommands, known)))
    throw new InputError(explainMissing(name));
  const { command, subject, options } = readCommand(words, remoteCommands, explainMissing);
  const variables = (await command.toVariables?.(subject, options)) ?? {};
  const token = await readToken(door.tokenFile);
  const ending = command.document.startsWith('mutation') ? endingOfChange(options) : '';
  const answer = await ask(door.url, token, { query: command.document, variables, ending });
  if (answer.errors !== undefined) throw toFailure(answer.errors);
  const facts = answer.data?.operator ?? {};
  if (options.json !== undefined) return console.log(JSON.stringify(facts, null, 2));
  const told = command.toWords?.(facts, subject) ?? null;
  if (told === null) printFacts(facts);
  else console.log(told);
}

/** A look at prices is a question of its own. `--dry-run` of any other command stays, and is refused: it must not be carried out. */
function toPreview(words: readonly string[]): readonly string[] {
  const [first, second, ...rest] = words;
  if (first !== 'prices' || second !== 'apply' || !rest.includes('--dry-run')) return words;
  return ['prices', 'preview', ...rest.filter((word) => word !== '--dry-run')];
}

function explainMissing(name: string): string {
  return `${name} is not available remotely: run it on the server's own machine, without --url and TOLLGATE_URL, or do it at /operator.`;
}

function takeOption(words: string[], name: string): string | undefined {
  const at = words.findIndex((word) => word === name || word.startsWith(`${name}=`));
  if (at === -1) return undefined;
  const [word = ''] = words.splice(at, 1);
  return word.includes('=') ? word.slice(name.length + 1) : words.splice(at, 1)[0];
}

async function readToken(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new InputError(`--token-file: ${file} cannot be read. Put the token into it, and let nobody else read it.`);
  });
  const isOpen = process.platform !== 'win32' && ((await stat(file)).mode & 0o077) !== 0;
  if (isOpen) console.error(`${file} can be read by others on this machine: chmod 600 ${file}`);
  const token = text.trim();
  if (/^op-tg-[\w-]{20,100}$/.test(token)) return token;
  throw new InputError(`--token-file: ${file} has no operator's token. It begins with op-tg-; make one at /operator.`);
}

/** What is said of a change whose answer is missing: it may have been made. */
function endingOfChange({ once }: ProgramOptions): string {
  if (once !== undefined) return ' It may have been done: type the same again, which with this --once does it once.';
  return ' It may have been done: look before you type it again.';
}

interface Question {
  readonly query: string;
  readonly variables: object;
  /** What is said where it was asked and no answer came. */
  readonly ending: string;
}

async function ask(url: URL, token: string, { ending, ...question }: Question): Promise<Answer> {
  const address = new URL(`${url.pathname.replace(/\/+$/, '')}/graphql`, url);
  let body: unknown;
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(question),
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    body = JSON.parse(await readText(response));
  } catch (error) {
    const words = `${url.origin} gave no answer: ${describe(error)}. Is this its address?`;
    throw new AppError('service_unavailable', `${words}${isUnsent(error) ? '' : ending}`);
  }
  if (isAnswer(body)) return body;
  // Something else is at this address: whoever asked must not take it for done.
  const words = `${url.origin} gave no answer of Tollgate's API. Is this its address?`;
  throw new AppError('service_unavailable', `${words}${ending}`);
}

function isAnswer(body: unknown): body is Answer {
  if (!isJsonObject(body)) return false;
  const { data, errors } = body;
  if (errors === undefined) return isJsonObject(data) && isJsonObject(data.operator);
  return (
    Array.isArray(errors) &&
    errors.length > 0 &&
    errors.every((one) => isJsonObject(one) && typeof one.message === 'string')
  );
}

async function readText(response: Response): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of response.body ?? []) {
    length += piece.length;
    if (length > answerBytesMax) throw new Error(`it is longer than ${answerBytesMax} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function isUnsent(error: unknown): boolean {
  return unsentCodes.has((error as { readonly cause?: { readonly code?: string } }).cause?.code);
}

function describe(error: unknown): string {
  if (error instanceof SyntaxError) return 'what came is no JSON';
  const { name, message, cause } = error as Error & { readonly cause?: { readonly code?: string } };
  if (name === 'TimeoutError') return `none came in ${timeoutMs / 1_000} seconds`;
  return cause?.code ?? message;
}

function toFailure(errors: NonNullable<Answer['errors']>): Error {
  const message = errors.map((error) => error.message).join(' ');
  const isAboutWords = errors.every(({ extensions }) => wordCodes.has(extensions?.code ?? ''));
  return isAboutWords ? new InputError(message) : new AppError('forbidden', message);
}
