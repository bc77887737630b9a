import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createDataSource } from '../../database/data-source.js';
import { insertBulkCalls } from '../../test/bulk-calls.js';
import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';

/** EXPORT_CALLS=100000 is a busy month; it takes minutes. */
const callCount = Number(process.env.EXPORT_CALLS ?? 10_000);
const timeoutMs = Math.max(240_000, callCount * 2.4);
const megabyte = 1_024 * 1_024;
/** What is kept of each row is seen at the end; a collection takes a second in a process that has run many suites. */
const rowsMeasured = [0.1, 0.5, 0.9].map((share) => Math.floor(callCount * share));

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What is downloaded, line by line: a million calls are longer than a text may be. */
async function* readLines(url: string, sessionToken: string) {
  const response = await fetch(url, { headers: { authorization: `Bearer ${sessionToken}` } });
  expect(response.status).toBe(200);
  let rest = '';
  for await (const piece of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  expect(rest).toBe('');
}

/** Reads a table, and keeps of it only what is summed. */
async function sumColumn(url: string, sessionToken: string, column: string) {
  const heaps: number[] = [];
  let [rows, millicredits, at] = [0, 0n, -1];
  for await (const line of readLines(url, sessionToken)) {
    const cells = line.trimEnd().split(',');
    if (at < 0) at = cells.indexOf(column);
    else {
      rows += 1;
      millicredits += toMillicredits(cells[at] ?? '');
      if (rowsMeasured.includes(rows)) {
        collectGarbage();
        heaps.push(process.memoryUsage().heapUsed / megabyte);
      }
    }
  }
  return { rows, millicredits, heapMegabytes: findLargestRise(heaps) };
}

// What others in this process let go of meanwhile is no growth.
function findLargestRise(heaps: readonly number[]): number {
  return Math.max(...heaps.map((heap, place) => heap - Math.min(...heaps.slice(0, place + 1))));
}

/** Reads an account's JSON, a line for each item of its lists. Keeps the last item of each list, and the sum of the calls. */
async function readAccountJson(url: string, sessionToken: string) {
  const kept: string[] = [];
  let [rows, millicredits] = [0, 0];
  for await (const line of readLines(url, sessionToken)) {
    const isFollowed = line.startsWith('{"id"') && line.endsWith('},');
    if (!isFollowed) kept.push(line);
    if (line.includes('"credits_charged"')) {
      const call = JSON.parse(line.slice(0, line.indexOf('}') + 1));
      rows += 1;
      millicredits += Math.round(call.credits_charged * 1_000);
    }
  }
  return { rows, millicredits, rest: JSON.parse(kept.join('\n')) as Record<string, object[]> };
}

// By its digits, as a person would, so that no rounding of ours can hide one of theirs.
function toMillicredits(credits: string): bigint {
  const [, sign, whole, decimals = ''] = /^(-?)(\d+)(?:\.(\d{1,3}))?$/.exec(credits) ?? [];
  const amount = BigInt(`${whole}${decimals.padEnd(3, '0')}`);
  return sign === '-' ? -amount : amount;
}

describeOnEachDatabase(`the export of ${callCount} calls`, (openTestDatabase) => {
  it(
    'sums to the ledger to the millicredit in both tables, and needs no more memory for more rows',
    async () => {
      const database = await openTestDatabase();
      const app = await TestApp.start(database);
      const { accountId, sessionToken } = await app.createAccount(1_000);
      const [key] = await app.query(`SELECT id FROM api_key WHERE account_id = '${accountId}'`);
      const source = await createDataSource(database.address, { entities: [], migrations: [] }).initialize();
      const span = { fromMs: Date.UTC(2026, 4, 1), toMs: Date.UTC(2026, 5, 1) };
      const all = { accountId, keyId: String(key?.id), count: callCount, hasJournal: true };
      const cost = await insertBulkCalls(source, { ...all, ...span });
      await source.destroy();

      const inMay = 'from=2026-05-01T00:00:00Z&to=2026-06-01T00:00:00Z';
      const calls = await sumColumn(`${app.baseUrl}/export/calls.csv?${inMay}`, sessionToken, 'credits_charged');
      const statement = await sumColumn(`${app.baseUrl}/export/statement.csv?${inMay}`, sessionToken, 'credits');
      expect(calls).toMatchObject({ rows: callCount, millicredits: BigInt(cost) });
      expect(statement.millicredits).toBe(-BigInt(cost));
      const { posted } = await app.findWallet(accountId);
      expect(1_000_000_000 - posted).toBe(cost);
      process.stdout.write(
        `${database.kind}: ${callCount} calls exported, heap within ${calls.heapMegabytes.toFixed(1)} MB; statement within ${statement.heapMegabytes.toFixed(1)} MB\n`,
      );
      expect(Math.max(calls.heapMegabytes, statement.heapMegabytes)).toBeLessThan(32);

      const { rows, millicredits, rest } = await readAccountJson(`${app.baseUrl}/export/account.json`, sessionToken);
      expect({ rows, millicredits }).toEqual({ rows: callCount, millicredits: cost });
      expect(rest).toMatchObject({
        account: { id: accountId, email: expect.any(String) },
        sessions: [{ createdAt: expect.any(String) }],
        apiKeys: [{ id: key?.id }],
        purchases: [{ amountCents: 100_000, credits: 1_000_000, status: 'paid' }],
      });
      expect(Object.keys(rest.apiKeys?.[0] ?? {})).not.toContain('secretHash');
      await app.close();
    },
    timeoutMs,
  );
});
