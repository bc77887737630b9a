import { mintSecret } from '../../server/keys/key-secret.js';
import { openSqliteDatabase } from '../../server/test/each-database.js';
import { readStreamedAnswer } from '../../server/test/wire-answers.js';
import { type ClientName, clientNames, wireOf } from './client-driver.js';
import { ClientMatrix, type MatrixQuestion, type Outcome } from './client-matrix.js';
import { checkExchanges } from './client-words.js';

interface Failure {
  readonly title: string;
  readonly changes: Omit<MatrixQuestion, 'client' | 'isStreamed'>;
  readonly status: number;
  readonly code: string;
  /** 1: no client sends it again; 3: each tries twice more. */
  readonly requests: 1 | 3;
}

// Refused or failed before any piece of the answer: one status, the same plain and streamed, and free.
const failures: readonly Failure[] = [
  { title: 'an unknown key', changes: {}, status: 401, code: 'invalid_api_key', requests: 1 },
  { title: 'an empty balance', changes: { dollars: 0 }, status: 402, code: 'insufficient_quota', requests: 1 },
  { title: 'an unknown model', changes: { model: 'gpt-99' }, status: 404, code: 'model_not_found', requests: 1 },
  upstreamFailure('429 upstream', '@@status=429', 429, 'provider_rate_limited'),
  upstreamFailure('500 upstream', '@@status=500', 502, 'provider_error'),
  upstreamFailure('529 upstream', '@@status=529', 503, 'provider_overloaded'),
  upstreamFailure('an upstream that dies before the first byte', '@@cut-before-body', 502, 'provider_error'),
  upstreamFailure('malformed JSON upstream', '@@bad-json', 502, 'provider_error'),
];

function upstreamFailure(title: string, text: string, status: number, code: string): Failure {
  return { title, changes: { text }, status, code, requests: 3 };
}

/** What stands in the place of a code on Messages. */
const typesOfMessages: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  502: 'api_error',
  503: 'overloaded_error',
};
const codeFor = (client: ClientName, { status, code }: Failure) =>
  wireOf[client] === 'messages' ? typesOfMessages[status] : code;

const forms = [
  ['plain', false],
  ['streamed', true],
] as const;

// What failures cost is proved on each database by `server/http/calls/wire-failures.test.ts`; here it is what clients make of them.
describe('The failure matrix of clients', () => {
  let matrix: ClientMatrix;
  const outcomes = new Map<string, Promise<Outcome>>();
  // Clients wait between their tries, so all of them wait at once.
  beforeAll(async () => {
    matrix = await ClientMatrix.start(await openSqliteDatabase());
    for (const client of clientNames) {
      for (const [form, isStreamed] of forms) {
        for (const { title, changes } of failures) {
          const key = title === 'an unknown key' ? { apiKey: mintSecret() } : {};
          outcomes.set(`${client} ${form} ${title}`, matrix.ask({ client, isStreamed, ...changes, ...key }));
        }
      }
    }
    await Promise.all(outcomes.values());
  }, 120_000);
  afterAll(() => matrix.close());

  describe.each(clientNames)('%s', (client) => {
    describe.each(forms)('%s', (form, isStreamed) => {
      it.each(failures)('$title: $status $code, $requests request(s), free', async (failure) => {
        const outcome = await outcomes.get(`${client} ${form} ${failure.title}`);
        const { seen, exchanges = [], chargedMillicredits } = outcome ?? {};
        expect(seen?.error).toMatchObject({ status: failure.status, code: codeFor(client, failure) });
        expect(exchanges.map(({ status }) => status)).toEqual(Array(failure.requests).fill(failure.status));
        checkExchanges(client, isStreamed, exchanges);
        expect(chargedMillicredits).toBe(0);
      });

      it('an upstream that dies in the middle: an error; a broken stream is charged what came, and not asked again', async () => {
        const question = { client, isStreamed, text: '@@cut=2' };
        const { seen, exchanges, chargedMillicredits } = await matrix.ask(question);
        expect(seen.error).not.toBeNull();
        if (!isStreamed) {
          expect(exchanges.map(({ status }) => status)).toEqual([502, 502, 502]);
          expect(chargedMillicredits).toBe(0);
          return;
        }
        expect(exchanges).toHaveLength(1);
        for (const { text } of exchanges) expect(readStreamedAnswer(wireOf[client], text).end).toBeNull();
        expect(chargedMillicredits).toBeGreaterThan(0);
        const [record] = await matrix.app.query('SELECT * FROM call_record ORDER BY call_id DESC LIMIT 1');
        expect(record).toMatchObject({ outcome: 'interrupted', usage_source: 'estimated' });
      });

      it('a caller who leaves: one request; a stream is charged what came, a plain answer as the provider made it', async () => {
        const text = `@@tokens=${isStreamed ? 1_000 : 20} @@delay=20 ${client} ${form}`;
        const leaving = isStreamed ? { leaveAfterPieces: 3 } : { leavesEarly: true };
        const { seen, exchanges, chargedMillicredits } = await matrix.ask({ client, isStreamed, text, ...leaving });
        expect(seen.error).not.toBeNull();
        expect(exchanges.length).toBeLessThanOrEqual(1);
        const sent = matrix.app.upstream.requests.filter((request) => request.text.includes(text));
        expect(sent).toHaveLength(1);
        expect(await sent[0]?.wasCutOff).toBe(isStreamed);
        const [record] = await matrix.app.query('SELECT * FROM call_record ORDER BY call_id DESC LIMIT 1');
        const written = isStreamed ? ['abandoned', 'estimated'] : ['completed', 'reported'];
        expect([record?.outcome, record?.usage_source]).toEqual(written);
        expect(chargedMillicredits).toBe(Number(record?.charged_millicredits));
        if (!isStreamed) expect(chargedMillicredits).toBe(31);
        else expect(chargedMillicredits).toBeGreaterThan(0);
      });
    });
  });
});
