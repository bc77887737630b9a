import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startTollgate, type TollgateContestant } from './contestants.js';
import { createDatabase } from './database-server.js';
import { showNumber, showTable } from './figures.js';
import { LoadMaker } from './load-maker.js';
import type { LoadFigures } from './load-types.js';
import { inspectBooks } from './prove-books.js';
import { startScript } from './start-program.js';
import { judge, showVerdicts } from './verdicts.js';
import { plain, streamed, toLoad } from './works.js';

const seconds = Number(process.env.BENCH_SECONDS ?? 20);
/** The server runs for so long, and then stands still for so long, over and over: a seventh of a core, or a machine that others use. */
const runMs = 10;
const standMs = 60;
/** Half of them make plain calls, half read streams, and each makes its next call once the last one is done. */
const crowds = [64, 512, 2_048, 2_048, 64];
const shareAnswered = 0.5;

interface CrowdFigures {
  readonly callers: number;
  readonly plain: LoadFigures;
  readonly streamed: LoadFigures;
  readonly answeredPerSecond: number;
}

/**
 * Crowds of callers that give up after 30 seconds, at a server that has a seventh of a core: how many of their calls are answered, whether
 * the largest crowd has as many answers a second as a small one, and whether the server is well again afterwards. Clients come again at once after
 * a refusal, which real ones do not. Ends the process with 1 where the largest crowd has less than half, or the books are wrong.
 */
export async function benchOverload(): Promise<object> {
  const upstream = await startScript('upstream-process.js');
  const loads = [LoadMaker.start(), LoadMaker.start()] as const;
  const mysqlUrl = process.env.BENCH_DATABASE === 'sqlite' ? undefined : process.env.BENCH_MYSQL_URL;
  const file = join(mkdtempSync(join(tmpdir(), 'overload-')), 't.db');
  const database = mysqlUrl === undefined ? { kind: 'sqlite' as const, file } : await createDatabase(mysqlUrl);
  const tollgate = await startTollgate('overload', database, upstream);
  const figures: CrowdFigures[] = [];
  const slow = slowDown(tollgate);
  for (const callers of crowds) {
    const order = { callers: callers / 2, seconds };
    const startMs = performance.now();
    const [ofPlain, ofStreams] = await Promise.all([
      loads[0].run({ ...toLoad(tollgate, plain), ...order }),
      loads[1].run({ ...toLoad(tollgate, streamed), ...order }),
    ]);
    const answeredPerSecond = ((ofPlain.calls + ofStreams.calls) / (performance.now() - startMs)) * 1_000;
    figures.push({ callers, plain: ofPlain, streamed: ofStreams, answeredPerSecond });
  }
  await slow.end();
  for (const load of loads) load.stop();
  await tollgate.stop();
  const books = await inspectBooks(database);
  console.log(
    showTable(['callers', 'answered/s', 'plain: p50, p99 ms', 'streams: p50, p99 ms', 'failed'], toRows(figures)),
  );
  const [few, , , many, fewAfter] = figures.map(({ answeredPerSecond }) => answeredPerSecond) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const verdicts = [
    judge({ figure: 'answered/s of 2,048 callers / of 64', atLeast: shareAnswered, unit: 'x' }, [many / few]),
    judge({ figure: '… of 64 afterwards / before', atLeast: shareAnswered, unit: 'x' }, [fewAfter / few]),
    judge({ figure: 'held at the end', atMost: 0, unit: 'holds' }, [books.openHolds]),
    judge({ figure: 'faults in the books', atMost: 0, unit: '' }, [books.violations.length]),
  ];
  console.log(`\n${showVerdicts(verdicts)}`);
  if (verdicts.some(({ outcome }) => outcome === 'missed')) process.exitCode = 1;
  return { figures, verdicts };
}

function toRows(figures: readonly CrowdFigures[]): string[][] {
  const times = ({ p50Ms, p99Ms }: LoadFigures) => `${showNumber(p50Ms)}, ${showNumber(p99Ms)}`;
  return figures.map(({ callers, plain: ofPlain, streamed: ofStreams, answeredPerSecond }) => [
    ...[String(callers), showNumber(answeredPerSecond), times(ofPlain), times(ofStreams)],
    String(ofPlain.failures + ofStreams.failures),
  ]);
}

function slowDown({ pid }: TollgateContestant): { end: () => Promise<void> } {
  let isOn = true;
  const work = (async () => {
    while (isOn) {
      process.kill(pid, 'SIGSTOP');
      await sleep(standMs);
      process.kill(pid, 'SIGCONT');
      await sleep(runMs);
    }
  })();
  return {
    end: () => {
      isOn = false;
      return work;
    },
  };
}
