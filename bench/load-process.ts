import { setTimeout as sleep } from 'node:timers/promises';
import { type Dispatcher, Pool } from 'undici';
import { percentileOf } from './figures.js';
import type { Load, LoadFigures } from './load-types.js';

/*
 * Calls a gateway as ordered by its parent, over connections that stay open, and counts whole answers only. A process of its
 * own, so that what it costs is not counted as the gateway's. Each order is answered by one message.
 */
process.on('message', (load: Load) => void run(load).then((figures) => process.send?.(figures)));
process.on('disconnect', () => process.exit());

/** At the start of an open loop: until connections are open and an idle machine is at work, calls must be whole but are not timed. */
const leadMs = 1_000;

async function run(load: Load): Promise<LoadFigures> {
  const { origin } = new URL(load.url);
  const connections = load.callers ?? 1_024;
  const pools = [origin, ...(load.alsoAt ?? [])].map(
    (server) => new Pool(server, { connections, pipelining: 1, headersTimeout: 30_000, bodyTimeout: 30_000 }),
  );
  const samples: Sample[] = [];
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  const endMs = startMs + load.seconds * 1_000;
  if (load.perSecond === undefined) {
    await Promise.all(
      Array.from({ length: connections }, (_, caller) => callUntil(pools, load, { caller, endMs, samples })),
    );
  } else await callByTheClock(pools, load, load.perSecond, samples);
  const seconds = (performance.now() - startMs) / 1_000;
  const { user, system } = process.cpuUsage(cpuBefore);
  for (const pool of pools) await pool.destroy();
  const good = samples.filter(({ isWhole }) => isWhole);
  const timed = good.filter(({ sinceMs }) => load.perSecond === undefined || sinceMs >= startMs + leadMs);
  const timesMs = timed.map(({ totalMs }) => totalMs).sort((one, other) => one - other);
  const firstMs = timed.map(({ firstByteMs }) => firstByteMs).sort((one, other) => one - other);
  return {
    calls: good.length,
    failures: samples.length - good.length,
    callsPerSecond: good.length / seconds,
    p50Ms: percentileOf(timesMs, 0.5) ?? 0,
    p99Ms: percentileOf(timesMs, 0.99) ?? 0,
    firstByteP50Ms: percentileOf(firstMs, 0.5) ?? 0,
    loadCpuMicrosPerCall: (user + system) / Math.max(1, good.length),
  };
}

interface Sample {
  /** When the call was due, on this process's clock. */
  readonly sinceMs: number;
  readonly isWhole: boolean;
  readonly totalMs: number;
  readonly firstByteMs: number;
}

async function callUntil(
  pools: readonly Pool[],
  load: Load,
  { caller, endMs, samples }: { caller: number; endMs: number; samples: Sample[] },
): Promise<void> {
  for (let nowMs = performance.now(); nowMs < endMs; nowMs = performance.now()) {
    samples.push(await callOnce(pools, load, caller, nowMs));
  }
}

// Whether or not earlier ones are done; each is timed from the moment it was due.
async function callByTheClock(pools: readonly Pool[], load: Load, perSecond: number, samples: Sample[]): Promise<void> {
  const running: Promise<void>[] = [];
  const startMs = performance.now();
  const total = (leadMs / 1_000 + load.seconds) * perSecond;
  while (running.length < total) {
    const due = Math.min(total, Math.floor(((performance.now() - startMs) / 1_000) * perSecond));
    while (running.length < due) {
      const dueMs = startMs + (running.length / perSecond) * 1_000;
      running.push(callOnce(pools, load, running.length, dueMs).then((sample) => void samples.push(sample)));
    }
    await sleep(1);
  }
  await Promise.all(running);
}

function callOnce(pools: readonly Pool[], load: Load, caller: number, sinceMs: number): Promise<Sample> {
  const secret = load.secrets[caller % load.secrets.length] ?? '';
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${secret}`, ...load.headers };
  const { pathname } = new URL(load.url);
  return new Promise((resolve) => {
    pools[caller % pools.length]?.dispatch(
      { path: pathname, method: 'POST', headers, body: load.body },
      new Reader(sinceMs, load.endsWith, resolve),
    );
  });
}

class Reader implements Dispatcher.DispatchHandler {
  #status = 0;
  #firstByteMs = 0;
  #tail: Buffer = Buffer.alloc(0);

  constructor(
    private readonly sinceMs: number,
    private readonly endsWith: string,
    private readonly resolve: (sample: Sample) => void,
  ) {}

  onRequestStart(): void {}

  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#firstByteMs === 0) this.#firstByteMs = performance.now() - this.sinceMs;
    this.#tail = chunk;
  }

  onResponseEnd(): void {
    const end = this.#tail.toString('latin1', Math.max(0, this.#tail.length - 16)).trimEnd();
    this.#finish(this.#status === 200 && end.endsWith(this.endsWith));
  }

  onResponseError(): void {
    this.#finish(false);
  }

  #finish(isWhole: boolean): void {
    const totalMs = performance.now() - this.sinceMs;
    this.resolve({ isWhole, sinceMs: this.sinceMs, totalMs, firstByteMs: this.#firstByteMs });
  }
}
