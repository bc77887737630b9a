import { type ChildProcess, fork, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { startStack } from '../e2e/support/start-stack.js';
import type { DatabaseAddress } from '../server/database/database-address.js';
import { Secret } from '../server/kernel/secret.js';
import { fundCallers } from './fund-callers.js';
import type { Load, LoadFigures } from './load-types.js';

/** Something that answers chat completions, and whose processor time is read. */
export interface Contestant {
  readonly title: string;
  /** Without a slash at the end. */
  readonly baseUrl: string;
  /** Below the base address: where chat completions are served, whatever dialect its provider speaks. */
  readonly path: string;
  readonly secrets: readonly string[];
  readonly pid: number;
  /** The database server's process, where there is one. */
  readonly databasePid: number | null;
  readonly database: DatabaseAddress | null;
  stop(): Promise<void>;
}

/** A helper process of the measurement: a fake provider or the bare gateway. It ends with us. */
export interface Helper {
  readonly pid: number;
  readonly baseUrl: string;
  stop(): void;
}

const callers = 50;

/** Starts a compiled script of this folder that prints its port. */
export async function startHelper(script: string, ...scriptArguments: string[]): Promise<Helper> {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), ...scriptArguments], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = await once(createInterface({ input: child.stdout }), 'line');
  return { pid: child.pid ?? 0, baseUrl: `http://127.0.0.1:${port}`, stop: () => child.kill('SIGKILL') };
}

/** `node:http` in, undici out, nothing else. */
export async function startBare(upstream: Helper): Promise<Contestant> {
  const bare = await startHelper('bare-process.js', upstream.baseUrl);
  return {
    ...{ title: 'bare pass-through', baseUrl: bare.baseUrl, path: '/v1/chat/completions', secrets: ['none'] },
    ...{ pid: bare.pid, databasePid: null, database: null },
    stop: async () => bare.stop(),
  };
}

/** The real server, as built and with its usual durability, on a fresh database with 50 funded accounts. */
export async function startTollgate(title: string, database: DatabaseAddress, upstream: Helper): Promise<Contestant> {
  const secrets = await fundCallers(database, callers);
  const stack = await startStack(database, {
    OPENAI_API_KEY: 'sk-bench',
    OPENAI_BASE_URL: `${upstream.baseUrl}/v1`,
    ANTHROPIC_API_KEY: 'sk-ant-bench',
    ANTHROPIC_BASE_URL: `${upstream.baseUrl}/v1`,
    REQUESTS_PER_MINUTE: '1000000',
    CONCURRENT_CALLS: '1000000',
  });
  return {
    ...{ title, baseUrl: stack.baseUrl, path: '/v1/chat/completions', secrets, pid: stack.pid, database },
    databasePid: database.kind === 'mysql' ? await findServerPid(database.url.reveal()) : null,
    stop: () => stack.stop(),
  };
}

/** A database of its own on this server. */
export async function createDatabase(serverUrl: string): Promise<DatabaseAddress> {
  const name = `bench_${randomBytes(6).toString('hex')}`;
  const connection = await createConnection(serverUrl);
  await connection.query(`CREATE DATABASE ${name}`);
  await connection.end();
  return { kind: 'mysql', url: new Secret(`${serverUrl}/${name}`) };
}

async function findServerPid(url: string): Promise<number | null> {
  const connection = await createConnection(url);
  const [rows] = await connection.query<RowDataPacket[]>('SELECT @@pid_file AS file, @@datadir AS folder');
  await connection.end();
  const file = String(rows[0]?.file);
  const path = file.startsWith('/') ? file : join(String(rows[0]?.folder), file);
  try {
    return Number(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/** The process that makes the load. */
export class LoadMaker {
  private constructor(private readonly child: ChildProcess) {}

  static start(): LoadMaker {
    return new LoadMaker(fork(join(import.meta.dirname, 'load-process.js')));
  }

  async run(load: Load): Promise<LoadFigures> {
    this.child.send(load);
    const [figures] = await once(this.child, 'message');
    return figures as LoadFigures;
  }

  stop(): void {
    this.child.disconnect();
  }
}

/** Processor time of a process so far, all its threads, in microseconds; in steps of 10,000. 0 where there is no /proc. */
export function readCpuMicros(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is a name in parentheses that may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  } catch {
    return 0;
  }
}

/** Memory of a process in kilobytes; 0 where there is no /proc. */
export function readMemoryKb(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
