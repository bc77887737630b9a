import { mkdtempSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { judgeAims, type PhaseName } from './aims.js';
import { measureColdStarts } from './cold-start.js';
import { type Contestant, directTo, startBare, startTollgate, startUnbooked } from './contestants.js';
import { createDatabase } from './database-server.js';
import { measureSyncMs } from './describe-disk.js';
import { LoadMaker } from './load-maker.js';
import { measureOpenStreams } from './open-streams.js';
import { installPortkey } from './portkey.js';
import { proveBooks } from './prove-books.js';
import { findNewestResult } from './results.js';
import { type Field, type Phase, type Row, runInTurns, showPhase } from './run-in-turns.js';
import { type Program, startScript } from './start-program.js';
import { showVerdicts } from './verdicts.js';
import { embeddings, messages, messagesFromChat, plain, responses, streamed, translated, type Work } from './works.js';

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const callers = 64;

const phases: Readonly<Record<PhaseName, Phase>> = {
  plain: {
    title: `plain, ${callers} callers`,
    ...{ work: plain, order: { callers, seconds }, warmUpCalls: 10_000 },
    kinds: ['upstream', 'bare', 'tollgate', 'unbooked', 'peer'],
  },
  streamed: {
    title: `stream of 50 chunks, ${callers} callers`,
    ...{ work: streamed, order: { callers, seconds }, warmUpCalls: 5_000 },
    kinds: ['upstream', 'bare', 'tollgate', 'peer'],
  },
  translated: {
    title: `translated stream (Anthropic) of 50 chunks, ${callers} callers`,
    ...{ work: translated, order: { callers, seconds }, warmUpCalls: 5_000 },
    kinds: ['upstream', 'bare', 'tollgate'],
  },
  responses: wire('Responses stream of 50 chunks', responses),
  messagesFromChat: wire('Messages stream of 50 chunks from a provider of chat', messagesFromChat),
  messages: wire('Messages stream of 50 chunks from Anthropic', messages),
  embeddings: wire('embeddings, one vector of 1,536 numbers', embeddings),
  single: {
    title: 'stream of 50 chunks, one at a time',
    ...{ work: streamed, order: { callers: 1, seconds }, warmUpCalls: 0 },
    kinds: ['upstream', 'bare', 'tollgate', 'peer'],
  },
  steady500: steady(500),
  steady1000: steady(1_000),
};

function wire(title: string, work: Work): Phase {
  return {
    title: `${title}, ${callers} callers`,
    ...{ work, order: { callers, seconds }, warmUpCalls: 5_000 },
    kinds: ['upstream', 'bare', 'tollgate'],
  };
}

function steady(perSecond: number): Phase {
  return {
    title: `plain, steady ${perSecond} calls/s`,
    ...{ work: plain, order: { perSecond, seconds }, warmUpCalls: 0 },
    kinds: ['upstream', 'bare', 'tollgate'],
  };
}

/**
 * What one call costs at this gateway, at a bare pass-through and, when asked, at a peer, in one run and in turns, on
 * loopback: processor time, calls a second, waiting added; then memory per stream and the time of a start. Both databases
 * commit durably. Proves the books and that nothing is held, and ends with the table of aims.
 */
export async function benchGateway({ peer }: { peer: 'portkey' | null }): Promise<object> {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  const startPeer = peer === 'portkey' ? await installPortkey() : null;
  const upstream = await startScript('upstream-process.js');
  const load = LoadMaker.start();
  const syncMs = measureSyncMs(folder);
  console.log(`Node.js ${process.version}, ${cpus().length} cores, 4 KiB synced in ${syncMs.toFixed(2)} ms\n`);
  const contestants = await startContestants(folder, upstream, startPeer);
  const measured = await runPhases({ contestants, upstreamPid: upstream.pid, load });
  for (const contestant of contestants) await contestant.stop();
  upstream.stop();
  for (const { database } of contestants) if (database) await proveBooks(database);
  const memory = await measureOpenStreams(folder, load);
  load.stop();
  const coldStarts = await measureColdStarts(folder);
  const aims = judgeAims({ phases: measured, memory, coldStarts }, findNewestResult);
  console.log(showVerdicts(aims));
  return { cores: cpus().length, syncMs, rounds, secondsEach: seconds, aims, memory, coldStarts, phases: measured };
}

async function startContestants(
  folder: string,
  upstream: Program,
  startPeer: ((upstream: Program) => Promise<Contestant>) | null,
): Promise<readonly Contestant[]> {
  const sqlite = (name: string) => ({ kind: 'sqlite', file: join(folder, name) }) as const;
  const contestants: Contestant[] = [directTo(upstream), await startBare(upstream)];
  contestants.push(await startTollgate('Tollgate, SQLite', sqlite('tollgate.db'), upstream));
  const mysqlUrl = process.env.BENCH_MYSQL_URL;
  if (mysqlUrl === undefined) console.log('This machine has no MariaDB; that part is left out.\n');
  else contestants.push(await startTollgate('Tollgate, MariaDB', await createDatabase(mysqlUrl), upstream));
  contestants.push(await startUnbooked(sqlite('unbooked.db'), upstream));
  if (startPeer !== null) contestants.push(await startPeer(upstream));
  return contestants;
}

async function runPhases(field: Field): Promise<Record<PhaseName, readonly Row[]>> {
  const measured = {} as Record<PhaseName, readonly Row[]>;
  for (const [name, phase] of Object.entries(phases) as [PhaseName, Phase][]) {
    const rows = await runInTurns(field, phase, rounds);
    measured[name] = rows;
    console.log(showPhase(phase, rows));
  }
  return measured;
}
