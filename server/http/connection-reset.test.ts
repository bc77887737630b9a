import { connect } from 'node:net';
import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';
import { RecordedUpstream } from '../test/recorded-upstream.js';
import { sample, sampleInWords } from '../test/sample.js';
import { endOf, type MatrixWire, matrixWires, pathOf, toWireBody } from '../test/wire-questions.js';

/** Runs `work` for 0 … count - 1, or for a sample of them, so many at once. @returns how often it ran. */
async function forEachOffset(
  { count, atOnce, oneIn }: { count: number; atOnce: number; oneIn: number },
  work: (offset: number) => Promise<void>,
): Promise<number> {
  const offsets = sample([...Array(count).keys()], oneIn);
  const waiting = offsets.values();
  const run = async () => {
    for (const offset of waiting) await work(offset);
  };
  await Promise.all(Array.from({ length: atOnce }, run));
  return offsets.length;
}

const bodyOf = (wire: MatrixWire, content: string) =>
  toWireBody(wire, { messages: [{ role: 'user', content }] }, { model: 'gpt-4o-mini', stream: true });
// The wires differ in how they tell an answer, and not in what becomes of a call: fewer places show it. Of chat it is every byte.
const stepOf = (wire: MatrixWire) => (wire === 'chat' ? 1 : 4);

const event = (delta: object, finishReason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'u', object: 'chat.completion.chunk', created: 1, model: 'u', choices: [{ index: 0, delta, finish_reason: finishReason }] })}\n\n`;

const recordedEvents = [
  event({ role: 'assistant', content: '' }),
  event({ content: 'Grüße' }),
  event({ content: ' from' }),
  event({}, 'stop'),
  'data: {"id":"u","choices":[],"usage":{"prompt_tokens":11,"completion_tokens":3}}\n\n',
  'data: [DONE]\n\n',
];

interface Receipt {
  readonly outcome: string;
  readonly usage_source: string;
  readonly error_code: string | null;
  readonly charged_millicredits: number | string;
}

describeOnEachDatabase(`A connection that is reset (${sampleInWords})`, (openTestDatabase) => {
  it.each(matrixWires)(
    'of a stream over %s by the provider, at every byte of its answer (every fourth beside chat): free without output, an estimate of what came, or the whole price',
    async (wire) => {
      const upstream = await RecordedUpstream.start(recordedEvents);
      const app = await TestApp.start(await openTestDatabase(), { OPENAI_BASE_URL: upstream.baseUrl });
      const account = await app.createAccount(5);
      const counts = { free: 0, estimated: 0, whole: 0 };
      let chargedMillicredits = 0;

      const step = stepOf(wire);
      const count = Math.ceil((upstream.recording.length + 1) / step);
      const offsets = await forEachOffset({ count, atOnce: 8, oneIn: 8 }, async (place) => {
        const offset = place * step;
        const response = await app.call(account.secret, bodyOf(wire, `@@offset=${offset}`), pathOf[wire]);
        const seen = await response.text();
        const callId = response.headers.get('x-request-id');
        const [receipt] = (await app.query(
          `SELECT * FROM call_record WHERE call_id = '${callId}'`,
        )) as unknown as Receipt[];
        const charged = Number(receipt?.charged_millicredits);
        chargedMillicredits += charged;
        // What is written down is what this caller saw; its stream ended, so its hold is resolved.
        if (seen.includes(endOf[wire])) {
          expect([response.status, receipt?.outcome, receipt?.error_code]).toEqual([200, 'completed', null]);
          expect(seen).toContain('Grüße');
          counts[receipt?.usage_source === 'reported' ? 'whole' : 'estimated'] += 1;
          if (receipt?.usage_source === 'reported') expect(charged).toBe(14);
          else expect(charged).toBeGreaterThan(0);
        } else if (seen.includes('Grüße')) {
          expect([response.status, receipt?.outcome]).toEqual([200, 'interrupted']);
          expect([receipt?.usage_source, receipt?.error_code]).toEqual(['estimated', 'provider_error']);
          expect(charged).toBeGreaterThan(0);
          counts.estimated += 1;
        } else {
          expect([receipt?.outcome, charged]).toEqual(['failed', 0]);
          expect(seen).toContain(wire === 'messages' ? '"type":"api_error"' : 'provider_error');
          counts.free += 1;
        }
      });

      const { posted, pending } = await app.findWallet(account.accountId);
      expect({ posted, pending }).toEqual({ posted: 5_000_000 - chargedMillicredits, pending: 0 });
      expect(counts.free + counts.estimated + counts.whole).toBe(offsets);
      for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0);
      await app.close();
      await upstream.close();
    },
    120_000,
  );

  it.each(matrixWires)(
    'of a stream over %s by the caller, at every byte of what it is sent (every fourth beside chat): the hold is resolved within 5 seconds and charged as written',
    async (wire) => {
      const app = await TestApp.start(await openTestDatabase());
      const account = await app.createAccount(5);
      const { host, port, pathname } = new URL(`${app.proxyUrl}${pathOf[wire]}`);
      const body = JSON.stringify(bodyOf(wire, '@@delay=15'));
      const head = [
        `POST ${pathname} HTTP/1.1`,
        `host: ${host}`,
        `authorization: Bearer ${account.secret}`,
        'content-type: application/json',
        `content-length: ${Buffer.byteLength(body)}`,
      ];
      /** Reads so many bytes, then resets. @returns the bytes that came. */
      const readAndReset = (bytesMax: number) =>
        new Promise<number>((resolve, reject) => {
          let bytes = 0;
          const socket = connect(Number(port), '127.0.0.1');
          socket.on('error', reject);
          socket.on('close', () => resolve(bytes));
          socket.on('data', (piece) => {
            bytes += piece.length;
            if (bytes >= bytesMax || piece.includes(endOf[wire])) socket.resetAndDestroy();
          });
          socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, () => {
            if (bytesMax === 0) socket.resetAndDestroy();
          });
        });

      const length = await readAndReset(Number.POSITIVE_INFINITY);
      expect(length).toBeGreaterThan(1_000);
      const step = stepOf(wire);
      const count = Math.ceil((length + 1) / step);
      await forEachOffset({ count, atOnce: 16, oneIn: wire === 'chat' ? 8 : 32 }, async (place) => {
        await readAndReset(place * step);
      });
      const resetAtMs = performance.now();
      await app.waitUntilSettled(account.accountId);
      expect(performance.now() - resetAtMs).toBeLessThan(5_000);

      const receipts = (await app.query('SELECT * FROM call_record')) as unknown as Receipt[];
      for (const { outcome, usage_source: source, charged_millicredits: charged } of receipts) {
        const written = { completed: 'reported', abandoned: Number(charged) > 0 ? 'estimated' : 'none' };
        expect(source).toBe(written[outcome as keyof typeof written]);
        if (outcome === 'completed') expect(Number(charged)).toBe(14);
      }
      expect(receipts.some(({ outcome }) => outcome === 'abandoned')).toBe(true);
      const charged = receipts.reduce((sum, receipt) => sum + Number(receipt.charged_millicredits), 0);
      expect(await app.findWallet(account.accountId)).toEqual({ posted: 5_000_000 - charged, pending: 0 });
      await app.close();
    },
    120_000,
  );
});
