import dns, { type LookupAddress, type LookupOptions } from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { isIP } from 'node:net';
import type { Logger } from '../logger.js';
import { type AskSystem, SystemNames } from './system-names.js';

type Callback = (error: NodeJS.ErrnoException | null, address?: string | LookupAddress[], family?: number) => void;

export interface NameLookupSettings {
  readonly logger: Logger;
  /** How long a connection to a provider may take to come about. */
  readonly connectMs: number;
  /** The environment's `UV_THREADPOOL_SIZE`. */
  readonly threadPoolSize: string | undefined;
}

/** A name that takes longer is slow. Half a second more, and MySQL's two seconds would be over before its last addresses are tried. */
const slowMsMax = 1_000;

/**
 * Has `SystemNames` answer every `dns.lookup` of this process from now on. That is the one place by which whatever connects to a name
 * finds it: `net`, `tls`, `http`, `fetch`, undici, and the clients of databases, Redis, mail and Stripe. To give each of them a lookup of
 * its own would leave out those that take none, and whichever comes next; one is enough to hold both threads.
 * @returns what puts the former `dns.lookup` back.
 */
export function replaceNameLookup({ logger, connectMs, threadPoolSize }: NameLookupSettings): () => void {
  const former = dns.lookup;
  // Below the time for a connection, so that a name which was never asked is told from one that hangs.
  const slowMs = Math.min(slowMsMax, connectMs / 2);
  const askSystem = former as unknown as AskSystem;
  const names = new SystemNames({ askSystem, logger, threads: countLookUpThreads(threadPoolSize), slowMs });
  const lookup = (name: unknown, ...rest: readonly unknown[]): void => {
    const callback = rest.at(-1);
    const options = readOptions(rest);
    if (typeof name !== 'string' || name === '' || isIP(name) !== 0 || typeof callback !== 'function') {
      // No thread is asked, or Node.js says what is wrong.
      (former as (...all: readonly unknown[]) => void)(name, ...rest);
      return;
    }
    names.find(name, options, (error, addresses) => {
      const [first] = addresses;
      if (error !== null) (callback as Callback)(error);
      else if (options.all === true) (callback as Callback)(null, [...addresses]);
      else (callback as Callback)(null, first?.address, first?.family);
    });
  };
  setLookup(lookup);
  return () => setLookup(former);
}

function setLookup(lookup: unknown): void {
  Object.assign(dns, { lookup });
  syncBuiltinESMExports();
}

function readOptions([options]: readonly unknown[]): LookupOptions {
  if (typeof options === 'number') return { family: options };
  return typeof options === 'object' && options !== null ? options : {};
}

/** How many threads libuv leaves to look-ups: half of its pool, rounded up, which has 4 unless it is said otherwise. */
export function countLookUpThreads(threadPoolSize: string | undefined): number {
  const size = threadPoolSize === undefined ? 4 : Math.max(1, Number.parseInt(threadPoolSize, 10) || 1);
  return Math.floor((Math.min(size, 1_024) + 1) / 2);
}
