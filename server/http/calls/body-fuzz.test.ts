import { AppError } from '../../kernel/app-error.js';
import { findPromptTokensMax, type PromptToSize } from '../../pricing/estimate-maximum-cost.js';
import { parseRequest } from '../../proxy/requests/parse-request.js';
import { TestApp } from '../../test/create-test-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { HostileBodies } from '../../test/hostile-bodies.js';

// FUZZ_BODIES=100000 tries as many; FUZZ_SEED repeats a run.
const bodyCount = Number(process.env.FUZZ_BODIES ?? 400);
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
const pricePerToken = { 'gpt-4o-mini': 1, 'gpt-4o': 2 };
const imageTokensMax = { 'gpt-4o-mini': { low: 2_850, high: 48_200 }, 'gpt-4o': { low: 110, high: 1_760 } };
const fieldsThatMayGoOut = new Set(
  'model messages max_tokens n temperature top_p frequency_penalty presence_penalty stop seed logprobs top_logprobs logit_bias tools tool_choice parallel_tool_calls response_format reasoning_effort verbosity stream stream_options'.split(
    ' ',
  ),
);

interface SentBody extends PromptToSize {
  readonly model: keyof typeof pricePerToken;
  readonly max_tokens: number;
  readonly n?: number;
}

describe(`Hostile bodies, seed ${seed}`, () => {
  it('are read or refused, and nothing else', () => {
    const bodies = new HostileBodies(seed);
    let readCount = 0;
    for (let index = 0; index < bodyCount; index += 1) {
      try {
        parseRequest(bodies.next());
        readCount += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
      }
    }
    expect(readCount).toBeGreaterThan(bodyCount / 20);
    expect(readCount).toBeLessThan(bodyCount);
  });
});

describeOnEachDatabase(`Hostile bodies over HTTP, seed ${seed}`, (openTestDatabase) => {
  it('never crash the server, and what is sent is what was priced', async () => {
    const app = await TestApp.start(await openTestDatabase());
    const account = await app.createAccount(500);
    const bodies = new HostileBodies(seed);
    const statuses = new Map<number, number>();
    let sentCount = 0;
    for (let index = 0; index < bodyCount; index += 1) {
      const body = bodies.next();
      const response = await app.call(account.secret, body);
      const text = await response.text();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      if (![200, 400, 404].includes(response.status)) throw new Error(`${response.status} ${text} for ${body}`);
      const [sent, ...others] = app.upstream.requests.splice(0);
      expect(others).toEqual([]);
      expect(sent !== undefined).toBe(response.status === 200);
      if (!sent) continue;
      sentCount += 1;
      const request = JSON.parse(sent.text) as SentBody;
      // Nothing doubled, nothing that JSON would write otherwise, nothing that is not on the list.
      expect(JSON.stringify(request)).toBe(sent.text);
      expect(Object.keys(request).filter((field) => !fieldsThatMayGoOut.has(field))).toEqual([]);
      const promptTokensMax = findPromptTokensMax(request, imageTokensMax[request.model]);
      const boundTokens = promptTokensMax + request.max_tokens * (request.n ?? 1);
      const [receipt] = await app.query(
        `SELECT held_millicredits FROM call_record WHERE call_id = '${response.headers.get('x-generation-id')}'`,
      );
      expect(Number(receipt?.held_millicredits)).toBe(boundTokens * pricePerToken[request.model]);
    }
    expect(sentCount).toBeGreaterThan(bodyCount / 50);
    expect([...statuses.keys()].sort()).toEqual([200, 400, 404]);
    await app.close();
  }, 1_200_000);
});
