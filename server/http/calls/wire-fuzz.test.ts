import { findPromptTokensMax, type PromptToSize } from '../../pricing/estimate-maximum-cost.js';
import { priceList } from '../../pricing/price-list.js';
import { type ClaudeApp, runWithClaude } from '../../test/claude-app.js';
import { describeOnEachDatabase } from '../../test/each-database.js';
import { HostileBodies } from '../../test/hostile-bodies.js';
import { type OtherWire, wireParts } from '../../test/hostile-wires.js';

/*
 * Hostile bodies on the wires beside chat. FUZZ_BODIES=100000 tries as many on each; FUZZ_SEED repeats a run.
 */
const bodyCount = Number(process.env.FUZZ_BODIES ?? 250);
const seed = Number(process.env.FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** What may stand between a provider's text and its frame, and is no prompt. */
const fieldsOutsideThePrompt = new Set('type role model cache_control source tool_choice thinking metadata'.split(' '));

/** A deleted letter can make another model of one. */
const findPriced = (model: string) => priceList.find(({ id }) => id === model);

interface SentBody {
  readonly model: string;
  readonly max_tokens?: number;
  readonly n?: number;
  readonly input?: string | readonly (string | number | readonly number[])[];
}

/** The most that a body for a provider of chat or embeddings can cost, in tokens. */
function boundOf(sent: SentBody): number {
  if (sent.input === undefined) {
    const promptTokensMax = findPromptTokensMax(
      sent as unknown as PromptToSize,
      findPriced(sent.model)?.imageTokensMax ?? null,
    );
    return promptTokensMax + (sent.max_tokens ?? Number.NaN) * (sent.n ?? 1);
  }
  const isOneList = typeof sent.input !== 'string' && typeof sent.input[0] === 'number';
  const inputs = typeof sent.input === 'string' || isOneList ? [sent.input] : sent.input;
  // Four tokens mark the ends of a text, and a text has at most a token for each of its bytes.
  return inputs.reduce<number>((sum, input) => {
    const size = typeof input === 'string' ? Buffer.byteLength(input) : (input as readonly number[]).length;
    return sum + 4 + size;
  }, 0);
}

/** The bytes of every text in a body that a model reads. */
function countTextBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value)
    .filter(([name]) => Array.isArray(value) || !fieldsOutsideThePrompt.has(name))
    .reduce((sum, [, part]) => sum + countTextBytes(part), 0);
}

describeOnEachDatabase(`Hostile bodies on other wires, seed ${seed}`, (openTestDatabase) => {
  let { claude, app, account } = {} as ClaudeApp;
  runWithClaude({ openTestDatabase, dollars: 500 }, (started) => {
    ({ claude, app, account } = started);
  });

  const heldFor = async (response: Response) => {
    const id = response.headers.get('x-generation-id');
    const [receipt] = await app.query(`SELECT held_millicredits FROM call_record WHERE call_id = '${id}'`);
    return Number(receipt?.held_millicredits);
  };

  /** Sends one body, and tells its status. */
  async function tryOne(wire: OtherWire, body: string): Promise<number> {
    const response = await app.call(account.secret, body, `/${wire}`);
    const text = await response.text();
    if (![200, 400, 404].includes(response.status)) throw new Error(`${response.status} ${text} for ${body}`);
    const sent = app.upstream.requests.splice(0).map((request) => {
      const sentBody = JSON.parse(request.text) as SentBody;
      // Nothing doubled, and nothing that JSON would write otherwise.
      expect(JSON.stringify(sentBody)).toBe(request.text);
      return sentBody;
    });
    const native = claude.calls.splice(0).map((call) => call.body as unknown as SentBody);
    if (sent.length + native.length !== (response.status === 200 ? 1 : 0)) {
      throw new Error(`${response.status}, and sent ${sent.length + native.length} times: ${body}`);
    }
    const price = (model: string) => Number(findPriced(model)?.millicreditsPerToken);
    for (const one of sent)
      expect({ body, held: await heldFor(response) }).toEqual({ body, held: boundOf(one) * price(one.model) });
    for (const one of native) {
      // What stays in the provider's own form is bounded by all its texts.
      const leastTokens = countTextBytes(one) + (one.max_tokens ?? Number.NaN);
      expect((await heldFor(response)) / price(one.model)).toBeGreaterThanOrEqual(leastTokens);
    }
    return response.status;
  }

  it.each(Object.keys(wireParts) as OtherWire[])(
    '%s: each is read or refused, none fails, and what was priced is what was sent',
    async (wire) => {
      const bodies = new HostileBodies(seed, wireParts[wire]);
      const counts = new Map<number, number>();
      for (let index = 0; index < bodyCount; index += 1) {
        const status = await tryOne(wire, bodies.next());
        counts.set(status, (counts.get(status) ?? 0) + 1);
      }
      process.stdout.write(`${wire}: ${[...counts].map(([status, count]) => `${count} x ${status}`).join(', ')}\n`);
      expect(counts.get(200)).toBeGreaterThan(bodyCount / 20);
      expect(counts.get(400)).toBeGreaterThan(bodyCount / 20);
    },
    7_200_000,
  );
});
