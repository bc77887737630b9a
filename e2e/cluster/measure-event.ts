import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseAddress } from '../../server/database/database-address.js';
import { openLedgerSnapshot } from '../../server/ledger/checks/ledger-snapshot.js';
import { databaseUrlOf } from '../../server/test/each-database.js';
import { stretched } from '../../server/test/wait-factor.js';
import { countOpenHolds, findBookFaults, readBookedCalls } from '../crash/find-book-faults.js';
import type { Deployment } from './deployment.js';
import type { GroupReplication } from './group-replication.js';
import { Load, type LoadedCall } from './load.js';
import { longestGapMs, WriteProbe } from './write-probe.js';

const verifyScript = join(import.meta.dirname, '../../server/cli/verify.js');
/** Leases of dead servers end within this, and what waits on disks is booked. */
const restTimeoutMs = stretched(150_000);

/** What became of the calls while something happened. */
export interface EventReport {
  readonly event: string;
  readonly callsPerSecond: number;
  readonly calls: number;
  /** Not begun, since the machine could not keep up. */
  readonly skipped: number;
  /** kind -> how many, of calls that were not answered whole. */
  readonly failed: Readonly<Record<string, number>>;
  /** Answers that were seen whole and are not booked. */
  readonly lost: number;
  /** Calls that are booked at more than their price. */
  readonly double: number;
  /** Holds that are still open when all should have ended. */
  readonly stuck: number;
  /** Between two answers that were seen whole. */
  readonly longestGapMs: number;
  /** … and between two writes of a plain client. */
  readonly databaseGapMs: number;
  /** What is wrong with the books, as sentences, and what `ledger:verify` had to say unless it found all well. */
  readonly faults: readonly string[];
  /** What the instances that run at its end had warned of since they started. */
  readonly warnings: Readonly<Record<string, number>>;
}

export interface Measured {
  readonly group: GroupReplication;
  readonly deployment: Deployment;
  /** All calls since the first customer signed up: the books are about all of them. */
  readonly everSeen: LoadedCall[];
  readonly callsPerSecond: number;
  /** How long before the event, and after it. */
  readonly aroundMs: number;
}

/** What happens to a deployment. What it gives back is done once nobody calls any more. */
export type Happening = () => Promise<(() => Promise<void>) | void>;

/**
 * Calls before, during and after something that happens to the deployment, then looks at the books at rest. A server that comes
 * back into its group does so after the calls: on one machine it would not catch up with what the others go on to write.
 */
export async function measureEvent(
  { group, deployment, everSeen, callsPerSecond, aroundMs }: Measured,
  event: string,
  happen: Happening,
): Promise<EventReport> {
  const probe = new WriteProbe(group);
  const load = new Load(deployment.balancer.baseUrl, deployment.customers, callsPerSecond);
  let ends: [number, number];
  let afterwards: Awaited<ReturnType<Happening>>;
  try {
    await sleep(aroundMs);
    afterwards = await happen();
    await sleep(aroundMs);
  } finally {
    // Whatever happened, nothing goes on calling.
    ends = await Promise.all([load.stop(), probe.stop()]);
    everSeen.push(...load.seen);
  }
  if (afterwards !== undefined) await afterwards();
  const [perSecond, databaseGapMs] = ends;
  const whole = load.seen.filter(({ call }) => call.outcome === 'whole');
  const books = await readBooksAtRest(group, deployment, everSeen);
  return {
    ...{ event, callsPerSecond: perSecond, calls: load.seen.length, skipped: load.skippedCount },
    failed: countKinds(load.seen),
    ...books,
    longestGapMs: longestGapMs(whole.map(({ endedMs }) => endedMs)),
    databaseGapMs,
    warnings: deployment.countWarnings(),
  };
}

async function readBooksAtRest(
  group: GroupReplication,
  deployment: Deployment,
  everSeen: readonly LoadedCall[],
): Promise<Pick<EventReport, 'lost' | 'double' | 'stuck' | 'faults'>> {
  const address: DatabaseAddress = { kind: 'mysql', url: group.urlOf(await group.getPrimary()) };
  const endsMs = performance.now() + restTimeoutMs;
  let stuck = await countOpenHolds(address);
  while (stuck > 0 || (await deployment.countKeptSettlements()) > 0) {
    if (performance.now() > endsMs) break;
    await sleep(200);
    stuck = await countOpenHolds(address);
  }
  const snapshot = await openLedgerSnapshot(address);
  const booked = await readBookedCalls(snapshot).finally(() => snapshot.close());
  let lost = 0;
  let double = 0;
  for (const { call } of everSeen) {
    const books = booked.get(call.callId ?? '');
    if (call.outcome === 'whole' && books === undefined) lost += 1;
    const charges = [books?.journalMillicredits ?? 0, books?.receiptMillicredits ?? 0];
    if (call.outcome === 'whole' && Math.max(...charges) > call.chargedMillicredits) double += 1;
  }
  const faults = await findBookFaults(address, { customers: deployment.customers, seen: [...everSeen] });
  return { lost, double, stuck, faults: [...faults, ...verify(address, deployment)] };
}

/** `npm run ledger:verify`, on the machine of each instance. */
function verify(address: DatabaseAddress, deployment: Deployment): string[] {
  return deployment.instances.flatMap(({ spoolFolder }) => {
    const env = { PATH: process.env.PATH, DATABASE_URL: databaseUrlOf(address), SPOOL_DIR: spoolFolder };
    const { status, stdout, stderr } = spawnSync(process.execPath, [verifyScript], { env, encoding: 'utf8' });
    return status === 0 ? [] : [`ledger:verify ended with ${status}: ${stdout}${stderr}`];
  });
}

function countKinds(seen: readonly LoadedCall[]): Record<string, number> {
  const kinds: Record<string, number> = {};
  for (const { call, isStreamed } of seen) {
    const kind = kindOf(call, isStreamed);
    if (kind !== null) kinds[kind] = (kinds[kind] ?? 0) + 1;
  }
  return kinds;
}

/** @returns null for a call that was answered whole. */
function kindOf({ outcome, callId, status }: LoadedCall['call'], isStreamed: boolean): string | null {
  if (outcome === 'whole') return null;
  if (status === null) return 'no answer';
  if (outcome === 'part') return isStreamed ? 'stream cut' : 'answer cut';
  return `${status} of ${callId === null ? 'balancer' : 'server'}`;
}
