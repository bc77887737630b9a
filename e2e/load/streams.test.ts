import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../server/test/eventually.js';
import { CrashSite } from '../crash/crash-site.js';
import { FloodUpstream } from './flood-upstream.js';

// TOLLGATE_LOAD=full measures 500 slow readers and 1,000 streams; otherwise fewer, to find a broken promise.
const isFull = process.env.TOLLGATE_LOAD === 'full';
const readerCount = isFull ? 500 : 60;
const streamCount = isFull ? 1_000 : 120;
const mebibyte = 1024 * 1024;
// Counts and memory are judged, never the time: a busy machine may take as long as this.
const timeoutMs = 600_000;
const settings = { CONCURRENT_CALLS: '100000' };

describe('Many streams on one process', () => {
  const sites: CrashSite[] = [];
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  let folder: string;
  let flood: FloodUpstream;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tollgate-load-'));
    flood = await FloodUpstream.start();
  });
  afterAll(async () => {
    await flood.close();
    rmSync(folder, { recursive: true, force: true });
  });

  afterEach(async () => {
    // A reader who still waits would hold up the end of the server.
    agent.destroy();
    for (const site of sites.splice(0)) await site.close().catch(() => site.kill());
  }, 60_000);

  const openSite = async (name: string, more: Readonly<Record<string, string>> = {}) => {
    const database = { kind: 'sqlite', file: join(folder, `${name}.db`) } as const;
    const site = await CrashSite.open(database, { customers: 1, settings: { ...settings, ...more } });
    sites.push(site);
    return site;
  };
  const start = (site: CrashSite, text: string): ClientRequest => {
    const outgoing = request(`${site.stack.baseUrl}/v1/chat/completions`, {
      method: 'POST',
      agent,
      headers: { authorization: `Bearer ${site.customers[0]?.apiKey}`, 'content-type': 'application/json' },
    });
    const messages = [{ role: 'user', content: text }];
    outgoing.end(JSON.stringify({ model: 'gpt-4o-mini', messages, max_tokens: 16_384, stream: true }));
    return outgoing;
  };

  it(
    `${readerCount} readers who read nothing of an endless stream: the server stops reading, and its memory is flat`,
    async () => {
      const site = await openSite('slow', { OPENAI_BASE_URL: flood.baseUrl, OPENAI_STOPS_ON_ABORT: 'on' });
      const before = residentBytes(site.stack.pid);
      const begun = await Promise.all(Array.from({ length: readerCount }, () => begin(() => start(site, 'Hello'))));
      const readers = begun.map(({ outgoing }) => outgoing);
      expect(countEach(begun.map(({ status }) => status))).toEqual({ 200: readerCount });
      const { sentBytes, fullBytes } = await waitUntilFull(flood, site.stack.pid);
      const later: number[] = [];
      for (let sample = 0; sample < 10; sample += 1) {
        await sleep(300);
        later.push(residentBytes(site.stack.pid));
      }
      const growthBytes = Math.max(...later) - fullBytes;
      const perReaderBytes = (fullBytes - before) / readerCount;
      report({
        readers: readerCount,
        sentMiB: sentBytes / mebibyte,
        beforeMiB: before / mebibyte,
        fullMiB: fullBytes / mebibyte,
        growthMiB: growthBytes / mebibyte,
        perReaderKiB: perReaderBytes / 1024,
      });
      // More than this fits into no buffer on the way: the server has stopped reading.
      expect(sentBytes / readerCount).toBeLessThan(32 * mebibyte);
      expect(growthBytes).toBeLessThan(32 * mebibyte);
      // The heap of a busy server, and buffers of bounded size; what was sent to it is many times that.
      expect(fullBytes - before).toBeLessThan(512 * mebibyte);
      for (const reader of readers) reader.destroy();
      await waitUntilNothingIsReserved(site);
    },
    timeoutMs,
  );

  it(
    `${streamCount} streams at once all end whole, and are charged to the token`,
    async () => {
      const site = await openSite('many');
      const startedMs = performance.now();
      const endings = await Promise.all(
        Array.from({ length: streamCount }, () => readToEnd(() => start(site, '@@tokens=40 @@delay=50'))),
      );
      const tookMs = performance.now() - startedMs;
      report({ streams: streamCount, tookMs, residentMiB: residentBytes(site.stack.pid) / mebibyte });
      expect(countEach(endings)).toEqual({ whole: streamCount });
      await waitUntilNothingIsReserved(site);
      expect((await readCredits(site)).total_usage).toBe((streamCount * (11 + 40)) / 1_000);
    },
    timeoutMs,
  );
});

/**
 * Every buffer on the way is full once next to nothing more is sent; the kernel still enlarges one here and there.
 * @returns what was sent by then, and the most memory that the server had until then.
 */
async function waitUntilFull(flood: FloodUpstream, pid: number): Promise<{ sentBytes: number; fullBytes: number }> {
  let fullBytes = 0;
  let quietSeconds = 0;
  while (quietSeconds < 4) {
    const before = flood.bytesSent;
    await sleep(1_000);
    fullBytes = Math.max(fullBytes, residentBytes(pid));
    quietSeconds = flood.bytesSent - before > mebibyte ? 0 : quietSeconds + 1;
  }
  return { sentBytes: flood.bytesSent, fullBytes };
}

interface Begun {
  readonly outgoing: ClientRequest;
  readonly response: IncomingMessage | null;
  /** The status of the answer, or what went wrong. */
  readonly status: number | string;
}

/** Calls until the server takes the call on: where the machine is busy it may refuse with 503, and means to be asked again. */
async function begin(call: () => ClientRequest): Promise<Begun> {
  for (;;) {
    const outgoing = call();
    const begun = await new Promise<Begun>((resolve) => {
      outgoing.once('response', (response) => resolve({ outgoing, response, status: response.statusCode ?? 0 }));
      outgoing.on('error', (error) => resolve({ outgoing, response: null, status: error.message }));
    });
    if (begun.status !== 503) return begun;
    outgoing.destroy();
  }
}

/** `whole` for a stream that ended with `[DONE]`; else what went wrong. */
async function readToEnd(call: () => ClientRequest): Promise<string> {
  const { response, status } = await begin(call);
  if (response === null) return String(status);
  return new Promise((resolve) => {
    let tail = '';
    response.setEncoding('utf8');
    response.on('data', (piece: string) => {
      tail = (tail + piece).slice(-40);
    });
    response.on('end', () => resolve(tail.endsWith('data: [DONE]\n\n') ? 'whole' : `${status} ${tail}`));
    response.on('error', (error) => resolve(error.message));
  });
}

function countEach(words: readonly (string | number)[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[String(word)] = (counts[String(word)] ?? 0) + 1;
  return counts;
}

async function waitUntilNothingIsReserved(site: CrashSite): Promise<void> {
  await eventually(async () => (await readCredits(site)).reserved_credits === 0, 50);
}

async function readCredits(site: CrashSite): Promise<{ total_usage: number; reserved_credits: number }> {
  const headers = { authorization: `Bearer ${site.customers[0]?.apiKey}` };
  const answer = await fetch(`${site.stack.baseUrl}/v1/credits`, { headers });
  return ((await answer.json()) as { data: { total_usage: number; reserved_credits: number } }).data;
}

function residentBytes(pid: number): number {
  const [, kibibytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) * 1024;
}

function report(figures: Readonly<Record<string, number>>): void {
  if (!isFull) return;
  const rounded = Object.entries(figures).map(([name, figure]) => `${name} ${Math.round(figure * 10) / 10}`);
  process.stderr.write(`${rounded.join(', ')}\n`);
}
