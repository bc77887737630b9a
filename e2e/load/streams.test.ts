import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, type ClientRequest, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CrashSite } from '../crash/crash-site.js';
import { FloodUpstream } from './flood-upstream.js';

// TOLLGATE_LOAD=full measures 500 slow readers and 1,000 streams; otherwise fewer, to find a broken promise.
const isFull = process.env.TOLLGATE_LOAD === 'full';
const readerCount = isFull ? 500 : 60;
const streamCount = isFull ? 1_000 : 120;
const mebibyte = 1024 * 1024;
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
    for (const site of sites.splice(0)) await site.close();
  });

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
    outgoing.end(JSON.stringify({ model: 'gpt-4o-mini', messages, max_tokens: 1_000, stream: true }));
    return outgoing;
  };

  it(`${readerCount} readers who read nothing of an endless stream: the server stops reading, and its memory is flat`, async () => {
    const site = await openSite('slow', { OPENAI_BASE_URL: flood.baseUrl });
    const before = residentBytes(site.stack.pid);
    const readers = Array.from({ length: readerCount }, () => start(site, 'Hello'));
    await Promise.all(readers.map((reader) => new Promise<void>((begun) => reader.once('response', () => begun()))));
    for (const reader of readers) reader.on('error', () => {});
    // Every buffer on the way is full once next to nothing more is sent; the kernel still enlarges one here and there.
    let sent = Number.NEGATIVE_INFINITY;
    while (flood.bytesSent - sent > 2 * mebibyte) {
      sent = flood.bytesSent;
      await sleep(500);
    }
    const full = residentBytes(site.stack.pid);
    const later: number[] = [];
    for (let sample = 0; sample < 10; sample += 1) {
      await sleep(300);
      later.push(residentBytes(site.stack.pid));
    }
    const growthBytes = Math.max(...later) - full;
    const perReaderBytes = (full - before) / readerCount;
    report({
      readers: readerCount,
      sentMiB: sent / mebibyte,
      beforeMiB: before / mebibyte,
      fullMiB: full / mebibyte,
      growthMiB: growthBytes / mebibyte,
      perReaderKiB: perReaderBytes / 1024,
    });
    expect(flood.bytesSent - sent).toBeLessThan(64 * mebibyte);
    expect(growthBytes).toBeLessThan(16 * mebibyte);
    // The heap of a busy server, and buffers of bounded size; what was sent to it is many times that.
    expect(full - before).toBeLessThan(384 * mebibyte);
    for (const reader of readers) reader.destroy();
    await waitUntilNothingIsReserved(site);
  }, 120_000);

  it(`${streamCount} streams at once all end whole, and are charged to the token`, async () => {
    const site = await openSite('many');
    const startedMs = performance.now();
    const endings = await Promise.all(
      Array.from({ length: streamCount }, async () => {
        let tail = '';
        const outgoing = start(site, '@@tokens=40 @@delay=50');
        await new Promise<void>((resolve, reject) => {
          outgoing.once('error', reject);
          outgoing.once('response', (response) => {
            response.setEncoding('utf8');
            response.on('data', (piece: string) => {
              tail = (tail + piece).slice(-40);
            });
            response.on('end', resolve);
            response.on('error', reject);
          });
        });
        return tail.endsWith('data: [DONE]\n\n');
      }),
    );
    const tookMs = performance.now() - startedMs;
    report({ streams: streamCount, tookMs, residentMiB: residentBytes(site.stack.pid) / mebibyte });
    expect(endings.filter((isWhole) => isWhole)).toHaveLength(streamCount);
    await waitUntilNothingIsReserved(site);
    expect((await readCredits(site)).total_usage).toBe((streamCount * (11 + 40)) / 1_000);
  }, 120_000);
});

async function waitUntilNothingIsReserved(site: CrashSite): Promise<void> {
  while ((await readCredits(site)).reserved_credits > 0) await sleep(50);
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
