import { mkdtempSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseAddress } from '../server/database/database-address.js';
import { judgeAims, type PhaseName } from './aims.js';
import { measureColdStarts } from './cold-start.js';
import { type Contestant, directTo, startBare, startTollgate, startUnbooked } from './contestants.js';
import { createDatabase, measureBytesOnDisk, readProduct } from './database-server.js';
import { measureSyncMs } from './describe-disk.js';
import type { StartPeer } from './install-peer.js';
import { LoadMaker } from './load-maker.js';
import { measureOpenStreams } from './open-streams.js';
import { installPeers, type PeerName } from './peers.js';
import { proveBooks } from './prove-books.js';
import { findNewestResult } from './results.js';
import { type Field, type Phase, type Row, runInTurns, showPhase } from './run-in-turns.js';
import { type Program, startScript } from './start-program.js';
import { showVerdicts } from './verdicts.js';
import {
  embeddings,
  messages,
  messagesFromChat,
  paced,
  plain,
  responses,
  streamed,
  translated,
  type Work,
} from './works.js';

const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const seconds = Number(process.env.BENCH_SECONDS ?? 4);
const callers = 64;
/** null: all, and what is measured beside them. */
const phasesWanted = process.env.BENCH_PHASES?.split(',') ?? null;

const phases: Readonly<Record<PhaseName, Phase>> = {
  plain: {
    title: `plain, ${callers} callers`,
    ...{ work: plain, order: { callers, seconds }, warmUpCalls: 10_000 },
    kinds: ['upstream', 'bare', 'tollgate', 'held', 'unbooked', 'peer'],
  },
  onePlain: {
    title: 'plain, one at a time',
    ...{ work: plain, order: { callers: 1, seconds }, warmUpCalls: 0 },
    kinds: ['upstream', 'bare', 'tollgate', 'unbooked', 'peer'],
  },
  streamed: {
    title: `stream of 50 chunks, ${callers} callers`,
    ...{ work: streamed, order: { callers, seconds }, warmUpCalls: 5_000 },
    kinds: ['upstream', 'bare', 'tollgate', 'unbooked', 'peer'],
  },
  paced: {
    title: `stream of 50 chunks, one each 10 ms, ${callers} callers`,
    ...{ work: paced, order: { callers, seconds }, warmUpCalls: 500 },
    kinds: ['upstream', 'bare', 'tollgate', 'unbooked', 'peer'],
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
 * What one call costs at this gateway, at a bare pass-through and, when asked, at peers, in one run and in turns, on
 * loopback: processor time, calls a second, waiting added; then bytes on disk, memory per stream and the time of a start. All databases
 * commit durably. Proves the books and that nothing is held, and ends with the table of aims.
 */
export async function benchGateway(peers: readonly PeerName[]): Promise<object> {
  const unknown = phasesWanted?.find((name) => !Object.hasOwn(phases, name));
  if (unknown !== undefined) throw new Error(`BENCH_PHASES has "${unknown}"; there are ${Object.keys(phases)}.`);
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  const startPeers = await installPeers(peers);
  const upstream = await startScript('upstream-process.js');
  const load = LoadMaker.start();
  const syncMs = measureSyncMs(folder);
  console.log(`Node.js ${process.version}, ${cpus().length} cores, 4 KiB synced in ${syncMs.toFixed(2)} ms\n`);
  const contestants = await startContestants(folder, upstream, startPeers);
  const measured = await runPhases({ contestants, upstreamPid: upstream.pid, load });
  for (const contestant of contestants) await contestant.stop();
  upstream.stop();
  if (phasesWanted !== null) {
    load.stop();
    return { cores: cpus().length, syncMs, rounds, secondsEach: seconds, phases: measured };
  }
  const diskBytes: Record<string, number> = {};
  for (const { title, database } of contestants) {
    if (database === null) continue;
    const { calls } = await proveBooks(database);
    diskBytes[title] = (await measureBytesOnDisk(database)) / calls;
  }
  const memory = await measureOpenStreams(folder, load);
  load.stop();
  const coldStarts = await measureColdStarts(folder);
  const aims = judgeAims({ phases: measured, diskBytes, memory, coldStarts }, findNewestResult);
  console.log(showVerdicts(aims));
  const figures = { aims, diskBytes, memory, coldStarts, phases: measured };
  return { cores: cpus().length, syncMs, rounds, secondsEach: seconds, ...figures };
}

async function startContestants(
  folder: string,
  upstream: Program,
  startPeers: readonly StartPeer[],
): Promise<readonly Contestant[]> {
  const sqlite = (name: string) => ({ kind: 'sqlite', file: join(folder, name) }) as const;
  const contestants: Contestant[] = [directTo(upstream), await startBare(upstream)];
  const addBoth = async (name: string, makeDatabase: (suffix: string) => Promise<DatabaseAddress>) => {
    contestants.push(await startTollgate(`Tollgate, ${name}`, await makeDatabase(''), upstream));
    const title = `… each call held, ${name}`;
    contestants.push(await startTollgate(title, await makeDatabase('-held'), upstream, { kind: 'held' }));
  };
  await addBoth('SQLite', async (suffix) => sqlite(`tollgate${suffix}.db`));
  const { BENCH_MYSQL_URL: first, BENCH_SECOND_MYSQL_URL: second } = process.env;
  const servers = [first, second].filter((url) => url !== undefined);
  if (servers.length < 2)
    console.log('This machine has no MariaDB, or no MySQL (MYSQLD names one); that is left out.\n');
  for (const url of servers) await addBoth(await readProduct(url), () => createDatabase(url));
  contestants.push(await startUnbooked(sqlite('unbooked.db'), upstream));
  for (const startPeer of startPeers) contestants.push(await startPeer(upstream));
  return contestants;
}

async function runPhases(field: Field): Promise<Record<PhaseName, readonly Row[]>> {
  const measured = {} as Record<PhaseName, readonly Row[]>;
  for (const [name, phase] of Object.entries(phases) as [PhaseName, Phase][]) {
    if (phasesWanted?.includes(name) === false) continue;
    const rows = await runInTurns(field, phase, rounds);
    measured[name] = rows;
    console.log(showPhase(phase, rows));
  }
  return measured;
}
