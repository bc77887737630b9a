import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTollgate } from './contestants.js';
import type { LoadMaker } from './load-maker.js';
import { proveBooks } from './prove-books.js';
import { readServerMemory } from './server-memory.js';
import { startScript } from './start-program.js';
import { plain, streamed, toLoad } from './works.js';

const streams = Number(process.env.BENCH_STREAMS ?? 1_000);
/** A stream of 50 chunks is open for 15 seconds, and is looked at when all of them have long begun. */
const chunkEveryMs = 300;
const lookAfterMs = 9_000;
const calmMs = 2_000;

/** What the server holds for each open stream, in kilobytes. */
export interface StreamMemory {
  readonly streams: number;
  /**
   * Growth of the resident memory of the process, with whatever garbage there is: what an operator sees. Less than the next
   * two together where the process had memory left over.
   */
  readonly residentKbEach: number;
  /** Growth of the objects that are left after a collection of garbage, and of the buffers outside of the heap. */
  readonly heapKbEach: number;
  readonly bufferKbEach: number;
}

/** Opens many slow streams at once on a server of its own, warm but idle before, and compares its memory with and without. */
export async function measureOpenStreams(folder: string, load: LoadMaker): Promise<StreamMemory> {
  const slow = await startScript('upstream-process.js', String(chunkEveryMs));
  const database = { kind: 'sqlite', file: join(folder, 'open-streams.db') } as const;
  const tollgate = await startTollgate('Tollgate', database, slow, { preload: 'report-memory.js' });
  await load.run({ ...toLoad(tollgate, plain), callers: 64, seconds: 2 });
  // Twice: what the first collection lets go of is given back to the system a little later.
  await readServerMemory(tollgate);
  await sleep(calmMs);
  const before = await readServerMemory(tollgate);
  const opened = load.run({ ...toLoad(tollgate, streamed), callers: streams, seconds: 1 });
  const [during, figures] = await Promise.all([sleep(lookAfterMs).then(() => readServerMemory(tollgate)), opened]);
  await tollgate.stop();
  slow.stop();
  if (figures.failures > 0 || figures.calls < streams) {
    throw new Error(`Only ${figures.calls} of ${streams} streams were whole, ${figures.failures} failed.`);
  }
  await proveBooks(database);
  return {
    streams,
    residentKbEach: (during.residentKb - before.residentKb) / streams,
    heapKbEach: (during.heapKb - before.heapKb) / streams,
    bufferKbEach: (during.bufferKb - before.bufferKb) / streams,
  };
}
