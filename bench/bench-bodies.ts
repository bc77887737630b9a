import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { startTollgate, type TollgateContestant } from './contestants.js';
import { percentileOf, showNumber, showTable } from './figures.js';
import { LoadMaker } from './load-maker.js';
import type { LoadFigures } from './load-types.js';
import { proveBooks } from './prove-books.js';
import { startScript } from './start-program.js';
import { judge, showVerdicts } from './verdicts.js';
import { plain, toLoad } from './works.js';

const mebibyte = 1024 * 1024;
const seconds = Number(process.env.BENCH_SECONDS ?? 6);
const senders = 5;
const warmUpSeconds = 3;
const reportTimeoutMs = 15_000;
const bodyBytes = 20 * 1024 * 1024 - 200;

const ask = (content: string) =>
  `{"model":"gpt-4o-mini","max_tokens":10,"messages":[{"role":"user","content":${content}}]}`;
const long = (unit: string) => ask(`"${unit.repeat(Math.floor((bodyBytes - 100) / Buffer.byteLength(unit)))}"`);
/** As many characters as a prompt may have, and an image for the rest of the body. */
const longest = (text: string) => {
  const rest = Math.floor((bodyBytes - 300 - Buffer.byteLength(text)) / 4);
  const url = `data:image/png;base64,${'Ab3/'.repeat(rest)}`;
  return ask(`[{"type":"text","text":"${text}"},{"type":"image_url","image_url":{"url":"${url}"}}]`);
};
const promptCharacters = 10 * mebibyte - 64;

/** The largest bodies that a server takes, and the worst of those that it refuses. */
const bodies: Readonly<Record<string, () => string>> = {
  'an image': () =>
    ask(
      `[{"type":"image_url","image_url":{"url":"data:image/png;base64,${'Ab3/'.repeat(Math.floor(bodyBytes / 4) - 100)}"}}]`,
    ),
  'English text and an image': () => longest('hello world '.repeat(promptCharacters / 12)),
  'Japanese text': () => long('日本語'),
  // One such character makes each other one take two bytes of memory.
  'English text with one Japanese character, and an image': () => longest(`日${'a'.repeat(promptCharacters - 1)}`),
  '10,000 messages, of 10 MB': () =>
    `{"model":"gpt-4o-mini","max_tokens":10,"messages":[${Array(9_999)
      .fill(`{"role":"user","content":"${'x'.repeat(1_000)}"}`)
      .join()}]}`,
  'ten million numbers, refused': () => ask(`[${'1,'.repeat(Math.floor(bodyBytes / 2) - 100)}1]`),
};

/** What `report-loop.js` tells. */
interface LoopReport {
  readonly holdMs: number;
  readonly stretchMs: number;
  readonly smallCallsMs: readonly number[];
  readonly residentBytes: number;
}

interface Figures {
  readonly name: string;
  readonly sent: number;
  readonly neighbour: LoadFigures;
  /** Processor time of the loop's thread while one of the neighbour's calls was answered, from its head to its last byte. */
  readonly workInCallMs: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly stretchMs: number;
  readonly holdMs: number;
  readonly residentBytes: number;
}

/**
 * Five callers send the largest bodies over and over, all at once, and a neighbour makes small calls meanwhile: what the loop's
 * thread works at one stretch and in all before the neighbour has its answer, which is what it waits for on a machine with a
 * core to spare, and what it did wait on this one.
 */
export async function benchBodies(): Promise<object> {
  const upstream = await startScript('upstream-process.js');
  const database = { kind: 'sqlite', file: join(mkdtempSync(join(tmpdir(), 'bodies-')), 't.db') } as const;
  const tollgate = await startTollgate('SQLite', database, upstream, { preload: 'report-loop.js' });
  const load = LoadMaker.start();
  const neighbour = (forSeconds: number) => load.run({ ...toLoad(tollgate, plain), callers: 1, seconds: forSeconds });
  await neighbour(warmUpSeconds);
  const measured = [await measure('none', tollgate, { neighbour, body: null })];
  for (const [name, make] of Object.entries(bodies)) {
    measured.push(await measure(name, tollgate, { neighbour, body: Buffer.from(make()) }));
  }
  load.stop();
  await tollgate.stop();
  upstream.stop();
  await proveBooks(database);
  showFigures(measured);
  const verdicts = [
    judge({ figure: 'longest work of the loop', atMost: 50, unit: 'ms' }, [
      Math.max(...measured.map(({ stretchMs }) => stretchMs)),
    ]),
    judge({ figure: 'work before a neighbour has its answer', atMost: 70, unit: 'ms' }, [
      Math.max(...measured.map(({ workInCallMs }) => workInCallMs.max)),
    ]),
  ];
  console.log(`\n${showVerdicts(verdicts)}`);
  return { seconds, measured, verdicts };
}

interface Order {
  readonly neighbour: (seconds: number) => Promise<LoadFigures>;
  readonly body: Buffer | null;
}

async function measure(name: string, tollgate: TollgateContestant, { neighbour, body }: Order): Promise<Figures> {
  await readLoop(tollgate);
  const endMs = performance.now() + seconds * 1_000;
  const sending =
    body === null
      ? []
      : tollgate.secrets.slice(1, 1 + senders).map((secret) => sendUntil(endMs, tollgate, secret, body));
  const figures = await neighbour(seconds);
  const sent = (await Promise.all(sending)).reduce((sum, count) => sum + count, 0);
  const { holdMs, stretchMs, smallCallsMs, residentBytes } = await readLoop(tollgate);
  const sorted = smallCallsMs.toSorted((one, other) => one - other);
  const [p50, p99, max] = [0.5, 0.99, 1].map((share) => percentileOf(sorted, share)) as [number, number, number];
  return { name, sent, neighbour: figures, workInCallMs: { p50, p99, max }, stretchMs, holdMs, residentBytes };
}

/** Sends one body after the other, on one connection. @returns how many were answered. */
async function sendUntil(
  endMs: number,
  { baseUrl }: TollgateContestant,
  secret: string,
  body: Buffer,
): Promise<number> {
  const pool = new Pool(baseUrl, { connections: 1, headersTimeout: 60_000 });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${secret}` };
  let sent = 0;
  for (; performance.now() < endMs; sent += 1) {
    const answer = await pool.request({ path: '/v1/chat/completions', method: 'POST', headers, body });
    const text = await answer.body.text();
    if (answer.statusCode !== 200 && answer.statusCode !== 400) throw new Error(`${answer.statusCode}: ${text}`);
  }
  await pool.destroy();
  return sent;
}

async function readLoop({ pid, log }: TollgateContestant): Promise<LoopReport> {
  const reports = () => log.filter(({ event }) => event === 'bench_loop');
  const reportsSoFar = reports().length;
  process.kill(pid, 'SIGUSR2');
  const deadlineMs = performance.now() + reportTimeoutMs;
  for (;;) {
    const report = reports()[reportsSoFar];
    if (report) return report as unknown as LoopReport;
    if (performance.now() > deadlineMs) throw new Error('The server did not report its event loop.');
    await sleep(20);
  }
}

function showFigures(measured: readonly Figures[]): void {
  const rows = measured.map(({ name, sent, neighbour, workInCallMs, stretchMs, holdMs, residentBytes }) => [
    name,
    String(sent),
    String(neighbour.calls),
    [neighbour.p50Ms, neighbour.p99Ms].map(showNumber).join(', '),
    [workInCallMs.p50, workInCallMs.p99, workInCallMs.max].map(showNumber).join(', '),
    showNumber(stretchMs),
    showNumber(holdMs),
    showNumber(residentBytes / mebibyte),
  ]);
  const head = [
    ...[
      'bodies, five at once',
      'sent',
      'small calls',
      'they waited, p50, p99 ms',
      '… the loop’s work in it, p50, p99, max ms',
    ],
    ...['longest work ms', 'longest hold ms', 'memory MiB'],
  ];
  console.log(showTable(head, rows));
}
