import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import {
  type AbortBilling,
  countSteps,
  type MeteredDialect,
  type MeteredPlan,
  MeteredUpstream,
} from '../../test/metered-upstream.js';
import { makeTestFolder } from '../../test/test-folder.js';
import { endOf, matrixWires, pathOf, toWireBody } from '../../test/wire-questions.js';

const wires = [...matrixWires, 'completions'] as const;

/** When a caller leaves: while its request is on its way, when its provider pauses after so many steps, or never. */
type Leaving = { readonly at: 'upload' | 'once' | 'never' } | { readonly at: 'step'; readonly step: number };

type Wire = (typeof wires)[number];

interface Sample {
  readonly wire: Wire;
  readonly plan: Omit<MeteredPlan, 'pauseAfterStep' | 'promptTokens'>;
  readonly promptWords: number;
  readonly isStreamed: boolean;
  readonly leaving: Leaving;
}

const dialects: readonly MeteredDialect[] = ['openai', 'anthropic', 'gemini'];
const billings: readonly AbortBilling[] = ['what was written', 'everything', 'nothing before the first word'];
const modelOf = ({ dialect, billing }: Sample['plan']) => `${dialect}-${billing === 'everything' ? 'on' : 'stop'}`;

const samples: fc.Arbitrary<Sample> = fc
  .record({
    wire: fc.constantFrom(...wires),
    dialect: fc.constantFrom(...dialects),
    billing: fc.constantFrom(...billings),
    words: fc.integer({ min: 1, max: 12 }),
    thoughts: fc.constantFrom(0, 3, 60),
    hidden: fc.integer({ min: 0, max: 40 }),
    promptWords: fc.integer({ min: 0, max: 300 }),
    isStreamed: fc.boolean(),
    at: fc.constantFrom('upload' as const, 'once' as const, 'never' as const, ...Array(8).fill('step' as const)),
    // Most of what may be counted wrongly has come towards the end.
    place: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0.8, max: 1, noNaN: true })),
  })
  .map(({ wire, dialect, billing, words, thoughts, hidden, promptWords, isStreamed, at, place }) => {
    // One that stops shows all that it makes: unseen reasoning is another test's affair.
    const plan = { dialect, billing, words, thoughts, hiddenTokens: billing === 'everything' ? hidden : 0 };
    const leaving = at === 'step' ? { at, step: Math.round(place * countSteps(plan)) } : { at };
    return { wire, plan, promptWords, isStreamed, leaving };
  });

// Around the words: the frames of a message as OpenAI counts them, and a bound of what our estimate of them is above that.
const frameTokens = 7;
const slackTokens = 30;

function writeTollgateFile(folder: string, baseUrl: string): string {
  const lines = dialects.flatMap((dialect) =>
    ['stop', 'on'].map(
      (conduct) =>
        `  ${dialect}-${conduct}: { adapter: ${dialect}, baseUrl: "${baseUrl}${{ openai: '/v1', anthropic: '', gemini: '/v1beta' }[dialect]}", apiKey: test-key, stopsOnAbort: ${conduct === 'stop'} }`,
    ),
  );
  const models = dialects.flatMap((dialect) =>
    ['stop', 'on'].map(
      (conduct) =>
        `  ${dialect}-${conduct}: { tier: lower, maxOutputTokens: 1000, capabilities: { reasoning: false }, routes: [${dialect}-${conduct}/${{ openai: 'plain-model', anthropic: 'claude-3-5-haiku-latest', gemini: 'gemini-2.0-flash' }[dialect]}] }`,
    ),
  );
  const file = join(folder, 'tollgate.yaml');
  writeFileSync(file, ['providers:', ...lines, 'models:', ...models, ''].join('\n'));
  return file;
}

describeOnEachDatabase(
  'Whoever leaves, whenever, on whichever wire, whatever the provider then bills',
  (openTestDatabase) => {
    let upstream: MeteredUpstream;
    const folder = makeTestFolder('left');
    beforeAll(async () => {
      upstream = await MeteredUpstream.start();
    });
    const app = TestApp.forAll(openTestDatabase, () => ({
      TOLLGATE_CONFIG: writeTollgateFile(folder, upstream.baseUrl),
    }));
    const account = app.accountForAll(50);
    afterAll(() => upstream.close());

    const writeRequest = (wire: Wire, body: string) => {
      const path = wire === 'completions' ? '/completions' : pathOf[wire];
      const { port, pathname } = new URL(`${app.proxyUrl}${path}`);
      const head = [
        `POST ${pathname} HTTP/1.1`,
        'host: tollgate.test',
        `authorization: Bearer ${account.secret}`,
        'content-type: application/json',
        `content-length: ${Buffer.byteLength(body)}`,
      ];
      return { port: Number(port), text: `${head.join('\r\n')}\r\n\r\n${body}` };
    };

    /** Makes the call, leaves it where the sample says. @returns what became of it; without a receipt where no call came of it. */
    async function play({ wire, plan, promptWords, isStreamed, leaving }: Sample) {
      const pauseAfterStep = leaving.at === 'step' ? leaving.step : -1;
      const run = upstream.expect({ ...plan, promptTokens: promptWords + 1 + frameTokens, pauseAfterStep });
      const lines = app.logLines.length;
      const content = `${run.mark} hi${' word'.repeat(promptWords)}`;
      const question = { messages: [{ role: 'user' as const, content }], max_completion_tokens: 500 };
      const asked = { model: modelOf(plan), stream: isStreamed };
      const body =
        wire === 'completions' ? { ...asked, prompt: content, max_tokens: 500 } : toWireBody(wire, question, asked);
      const { port, text } = writeRequest(wire, JSON.stringify(body));
      const socket = connect(port, '127.0.0.1');
      const ended = new Promise<void>((resolve) => socket.on('close', () => resolve()));
      socket.on('error', () => {});
      let answer = '';
      socket.on('data', (bytes) => {
        answer += bytes.toString();
        const isWhole = isStreamed
          ? answer.includes(wire === 'completions' ? endOf.chat : endOf[wire])
          : answer.includes('"usage"');
        if (isWhole && leaving.at === 'never') socket.end();
      });
      socket.write(leaving.at === 'upload' ? text.slice(0, -5) : text);
      if (leaving.at === 'upload' || leaving.at === 'once') socket.end();
      if (leaving.at === 'step') {
        await Promise.race([run.paused, ended]);
        socket.destroy();
        // What was written may still be on its way to us, and bytes have no other sign of their arrival than their effect.
        await new Promise((resolve) => setTimeout(resolve, 5));
        if (plan.billing === 'everything' || !isStreamed) run.goOn();
      }
      await ended;
      for (let waits = 0; ; waits += 1) {
        if (waits > 5_000)
          throw new Error(`nothing came of ${JSON.stringify({ wire, leaving, plan, isStreamed, answer })}`);
        const said = app.logLines.slice(lines);
        const completed = said.find((line) => line.includes('"call_completed"'));
        const callId = completed && /"callId":"(call_\w+)"/.exec(completed)?.[1];
        if (callId) {
          const [receipt] = await app.query(`SELECT * FROM call_record WHERE call_id = '${callId}'`);
          return { run, receipt: receipt ?? null };
        }
        if (said.some((line) => line.includes('caller_left'))) return { run, receipt: null };
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
    }

    it('is charged at least what the provider bills, but for a word on its way, and never more than was made or held', async () => {
      const outcomes = new Set<unknown>();
      const check = async (sample: Sample) => {
        const { run, receipt } = await play(sample);
        const billed = run.billedTokens;
        const charged = Number(receipt?.charged_millicredits ?? 0);
        outcomes.add(`${receipt?.outcome}/${receipt?.usage_source}`);
        const seen = JSON.stringify({
          sample,
          billed,
          charged,
          outcome: receipt?.outcome,
          source: receipt?.usage_source,
        });
        const promptTokens = sample.promptWords + 1 + frameTokens;
        if (charged < billed - 1) throw new Error(`charged too little: ${seen}`);
        if (charged > Number(receipt?.held_millicredits ?? 0)) throw new Error(`more than was held: ${seen}`);
        if (receipt?.usage_source === 'reported' && charged !== billed) throw new Error(`not as reported: ${seen}`);
        if (charged > Math.max(billed, promptTokens) + slackTokens) throw new Error(`charged too much: ${seen}`);
        if (sample.leaving.at === 'never' && receipt?.usage_source !== 'reported')
          throw new Error(`no report: ${seen}`);
      };
      await fc.assert(fc.asyncProperty(samples, check), { numRuns: 250 });
      expect([...outcomes]).toEqual(expect.arrayContaining(['abandoned/estimated', 'completed/reported']));
    }, 240_000);

    it('is charged what it was answered by the embedded provider, or nothing', async () => {
      const ask = (more: object) => ({ model: 'demo-small', messages: [{ role: 'user', content: 'Hello' }], ...more });
      const whole = await app.call(account.secret, ask({}));
      const charged = Number(whole.headers.get('x-credits-charged')) * 1_000;
      const before = (await app.findWallet(account.accountId)).posted;
      const leaving = new AbortController();
      const response = await app.call(account.secret, ask({ stream: true }), '/chat/completions', {}, leaving.signal);
      await response.body?.getReader().read();
      leaving.abort();
      await app.waitUntilSettled(account.accountId);
      expect(before - (await app.findWallet(account.accountId)).posted).toBe(charged);
    });
  },
);
