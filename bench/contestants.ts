import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Stack, startStack } from '../e2e/support/start-stack.js';
import type { DatabaseAddress } from '../server/database/database-address.js';
import { findServerPid } from './database-server.js';
import { fundCallers } from './fund-callers.js';
import { type Program, startScript } from './start-program.js';

/**
 * `upstream`: the fake provider itself, with nothing before it. `bare`: the least that a gateway can do. `tollgate`: the real
 * server. `held`: the same, with a hold of its own for each call, as before there were leases. `unbooked`: the real server, whose
 * ledger books nothing. `peer`: somebody else's gateway.
 */
export type ContestantKind = 'upstream' | 'bare' | 'tollgate' | 'held' | 'unbooked' | 'peer';

/** Something that answers chat completions, and whose processor time is read. */
export interface Contestant {
  readonly kind: ContestantKind;
  readonly title: string;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly pid: number;
  /** Where else its calls may go, and its processes beside the first. */
  readonly alsoAt?: readonly string[];
  readonly alsoPids?: readonly number[];
  /** The database server's process, where there is one. */
  readonly databasePid: number | null;
  readonly database: DatabaseAddress | null;
  stop(): Promise<void>;
}

/** Our own server, and what it has logged. */
export interface TollgateContestant extends Contestant {
  readonly database: DatabaseAddress;
  readonly log: Stack['log'];
}

const callers = 50;
/** The bearer of those who ask for no key. */
const anySecret = ['none'];

/** The ceiling of load and provider together, with no gateway between them. */
export function directTo(upstream: Program): Contestant {
  return fromProgram('upstream', 'no gateway (ceiling)', { ...upstream, stop: () => {} });
}

/** `node:http` in, undici out, nothing else. */
export async function startBare(upstream: Program): Promise<Contestant> {
  return fromProgram('bare', 'bare pass-through', await startScript('bare-process.js', upstream.baseUrl));
}

/** A gateway without keys of ours and without a database. */
export function fromProgram(
  kind: ContestantKind,
  title: string,
  program: Program,
  headers: Readonly<Record<string, string>> = {},
): Contestant {
  return {
    ...{ kind, title, headers, secrets: anySecret, databasePid: null, database: null },
    ...{ pid: program.pid, baseUrl: program.baseUrl, stop: async () => program.stop() },
  };
}

export interface TollgateOptions {
  readonly kind?: 'tollgate' | 'held' | 'unbooked';
  /** A compiled script of this folder that the server's process loads before anything else. */
  readonly preload?: string;
  /** Left out: the server as every start has it, from joined files. */
  readonly mainScript?: string;
  readonly settings?: Readonly<Record<string, string>>;
  /** Servers on the same database. */
  readonly instances?: number;
}

/** The real server, as built and with its usual durability, on a fresh database with 50 funded accounts. */
export async function startTollgate(
  title: string,
  database: DatabaseAddress,
  upstream: Program,
  { kind = 'tollgate', preload, mainScript, settings = {}, instances = 1 }: TollgateOptions = {},
): Promise<TollgateContestant> {
  const secrets = await fundCallers(database, callers);
  const all = {
    OPENAI_API_KEY: 'sk-bench',
    OPENAI_BASE_URL: `${upstream.baseUrl}/v1`,
    ANTHROPIC_API_KEY: 'sk-ant-bench',
    ANTHROPIC_BASE_URL: `${upstream.baseUrl}/v1`,
    REQUESTS_PER_MINUTE: '1000000',
    CONCURRENT_CALLS: '1000000',
    ...(kind === 'held' ? { CREDIT_LEASES: 'off' } : {}),
    ...(preload === undefined ? {} : { NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, preload))}` }),
    ...settings,
  };
  const stack = await startStack(database, all, mainScript);
  const others: Stack[] = [];
  while (others.length < instances - 1) others.push(await startStack(database, all, mainScript));
  for (const { baseUrl } of [stack, ...others]) await openDashboard(baseUrl);
  const stopAll = async () => {
    for (const one of [stack, ...others]) await one.stop();
  };
  return {
    ...{ kind, title, headers: {}, secrets, database, databasePid: await findServerPid(database) },
    ...{ baseUrl: stack.baseUrl, pid: stack.pid, log: stack.log, stop: stopAll },
    alsoAt: others.map(({ baseUrl }) => baseUrl),
    alsoPids: [stack, ...others].flatMap(({ pid, log }) => [
      ...(pid === stack.pid ? [] : [pid]),
      ...listWorkerPids(log),
    ]),
  };
}

/** Somebody always has: what a page leaves behind in the process is part of what calls cost afterwards. */
async function openDashboard(baseUrl: string): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${baseUrl}/graphql`, {
    ...{ method: 'POST', headers, body: JSON.stringify({ query: '{ announcements { id } }' }) },
  });
  if (!answer.ok) throw new Error(`GraphQL answered ${answer.status}: ${await answer.text()}`);
}

function listWorkerPids(log: Stack['log']): number[] {
  return log.filter(({ event }) => event === 'worker_listening').map(({ pid }) => Number(pid));
}

/** Our server with everything in place but the books: what is left is what a call costs that nobody pays for. */
export function startUnbooked(database: DatabaseAddress, upstream: Program): Promise<TollgateContestant> {
  return startTollgate('Tollgate, nothing booked', database, upstream, {
    kind: 'unbooked',
    preload: 'unbooked-ledger.js',
    // It changes a class of a single file, which the joined ones have a copy of.
    mainScript: join(import.meta.dirname, '../server/main-single.js'),
  });
}
