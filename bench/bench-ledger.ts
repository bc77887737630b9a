import { cpus, tmpdir } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseAddress } from '../server/database/database-address.js';
import { findLedgerViolations } from '../server/ledger/checks/check-ledger.js';
import { LedgerFixture } from '../server/test/ledger-fixture.js';
import { measureSyncMs } from './describe-disk.js';
import { percentileOf, type Spread, showSpread, showTable, spreadOf } from './figures.js';
import { LedgerLanes, type Payer } from './ledger-lanes.js';
import { measureOnEachDatabase } from './on-each-database.js';

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const secondsEach = Number(process.env.BENCH_SECONDS ?? 3);
const steadyCallsPerSecond = 500;
const wallets = 200;
const fundsEach = 1_000_000_000_000;

interface Load {
  readonly title: string;
  readonly lanes: LedgerLanes;
  readonly callers: number;
  readonly payers: readonly Payer[];
}

interface LoadFigures {
  readonly title: string;
  readonly callsPerSecond: Spread;
  readonly holdP50Ms: Spread;
  readonly holdP99Ms: Spread;
}

/**
 * Hold and settle with durable commits: in batches against one transaction for each operation, in one run, in turns; and how
 * long a hold takes at a steady 500 calls a second. Ends by proving the books.
 */
export async function benchLedger(): Promise<object> {
  const syncMs = measureSyncMs(tmpdir());
  console.log(
    `Node.js ${process.version}, ${cpus().length} cores, 4 KiB written and synced in ${syncMs.toFixed(2)} ms\n`,
  );
  return { cores: cpus().length, syncMs, rounds, secondsEach, ...(await measureOnEachDatabase(measure)) };
}

async function measure(title: string, address: DatabaseAddress, folder: string): Promise<object> {
  const fixture = await LedgerFixture.open({ kind: address.kind, address, drop: async () => {} });
  const open = (lanes: number, isBatched: boolean) => LedgerLanes.open(address, folder, { lanes, isBatched });
  const batched = open(1, true);
  const single = open(1, false);
  const parallel = address.kind === 'mysql' ? open(16, false) : null;
  const many = await Promise.all(Array.from({ length: wallets }, () => fixture.createFundedAccount(fundsEach)));
  const hot = many.slice(0, 1);
  const loads: Load[] = [
    { title: 'batched, 64 callers', lanes: batched, callers: 64, payers: many },
    { title: 'batched, 256 callers', lanes: batched, callers: 256, payers: many },
    { title: 'batched, 64 callers, one wallet', lanes: batched, callers: 64, payers: hot },
    { title: 'batched, 256 callers, one wallet', lanes: batched, callers: 256, payers: hot },
    { title: 'one by one, 64 callers', lanes: single, callers: 64, payers: many },
    { title: 'one by one, 64 callers, one wallet', lanes: single, callers: 64, payers: hot },
    ...(parallel
      ? [{ title: 'one by one, 16 connections, 64 callers', lanes: parallel, callers: 64, payers: many }]
      : []),
  ];
  const figures = await runInTurns(loads);
  const steady = await runSteady(batched, many);
  for (const lanes of [batched, single, parallel]) await lanes?.close();
  const violations = await findLedgerViolations(fixture.source.manager);
  await fixture.ledger.close();
  await fixture.source.destroy();
  if (violations.length > 0) throw new Error(`The books are wrong: ${JSON.stringify(violations)}`);
  report(title, figures, steady);
  return { figures, steady };
}

async function runInTurns(loads: readonly Load[]): Promise<LoadFigures[]> {
  const results = loads.map(() => [] as { callsPerSecond: number; p50: number; p99: number }[]);
  for (let round = 0; round < rounds; round += 1) {
    for (const [index, load] of loads.entries()) results[index]?.push(await runClosedLoop(load));
  }
  return loads.map(({ title }, index) => {
    const own = results[index] ?? [];
    return {
      title,
      callsPerSecond: spreadOf(own.map(({ callsPerSecond }) => callsPerSecond)),
      holdP50Ms: spreadOf(own.map(({ p50 }) => p50)),
      holdP99Ms: spreadOf(own.map(({ p99 }) => p99)),
    };
  });
}

/** Every caller makes its next call when the last one is settled. The first tenth is not counted. */
async function runClosedLoop({ lanes, callers, payers }: Load) {
  const startMs = performance.now() + secondsEach * 100;
  const endMs = performance.now() + secondsEach * 1_000;
  const holdsMs: number[] = [];
  const keepCalling = async (caller: number) => {
    const payer = payers[caller % payers.length] as Payer;
    for (let nowMs = performance.now(); nowMs < endMs; nowMs = performance.now()) {
      const holdMs = await lanes.call(caller, payer, nowMs);
      if (nowMs >= startMs) holdsMs.push(holdMs);
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => keepCalling(caller)));
  const sorted = holdsMs.sort((one, other) => one - other);
  const callsPerSecond = sorted.length / ((performance.now() - startMs) / 1_000);
  return { callsPerSecond, p50: percentileOf(sorted, 0.5), p99: percentileOf(sorted, 0.99) };
}

/** Calls come by the clock, whether or not earlier ones are done; each is timed from the moment it was due. */
async function runSteady(lanes: LedgerLanes, payers: readonly Payer[]): Promise<{ p50Ms: Spread; p99Ms: Spread }> {
  const outcomes: { p50: number; p99: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const calls: Promise<number>[] = [];
    const startMs = performance.now();
    const total = 2 * secondsEach * steadyCallsPerSecond;
    while (calls.length < total) {
      const due = Math.min(total, Math.floor(((performance.now() - startMs) / 1_000) * steadyCallsPerSecond));
      while (calls.length < due) {
        const dueMs = startMs + (calls.length / steadyCallsPerSecond) * 1_000;
        calls.push(lanes.call(calls.length, payers[calls.length % payers.length] as Payer, dueMs));
      }
      await sleep(1);
    }
    const sorted = (await Promise.all(calls)).sort((one, other) => one - other);
    outcomes.push({ p50: percentileOf(sorted, 0.5), p99: percentileOf(sorted, 0.99) });
  }
  return { p50Ms: spreadOf(outcomes.map(({ p50 }) => p50)), p99Ms: spreadOf(outcomes.map(({ p99 }) => p99)) };
}

function report(title: string, figures: readonly LoadFigures[], steady: { p50Ms: Spread; p99Ms: Spread }): void {
  // The fairest opponent: the best that one transaction for each operation achieves.
  const single = figures.filter((row) => row.title.startsWith('one by one'));
  const best = Math.max(...single.map(({ callsPerSecond }) => callsPerSecond.median));
  const rows = figures.map((row) => [
    row.title,
    showSpread(row.callsPerSecond),
    `${(row.callsPerSecond.median / best).toFixed(1)} x`,
    showSpread(row.holdP50Ms),
    showSpread(row.holdP99Ms),
  ]);
  const steadyRow = [
    `steady ${steadyCallsPerSecond} calls/s, batched`,
    '',
    '',
    showSpread(steady.p50Ms),
    showSpread(steady.p99Ms),
  ];
  const head = [title, 'calls/s', 'against the best one by one', 'hold p50 ms', 'hold p99 ms'];
  console.log(`${showTable(head, [...rows, steadyRow])}\n`);
}
