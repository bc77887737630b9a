import { openSqliteDatabase } from '../../server/test/each-database.js';
import { AimockDouble } from './aimock-double.js';
import { clientNames, type Question, type Seen } from './client-driver.js';
import { ClientMatrix } from './client-matrix.js';
import { checkExchanges, expectedOf } from './client-words.js';

type Changes = Partial<Omit<Question, 'client' | 'isStreamed'>>;

const paris = { name: 'get_weather', arguments: { city: 'Paris' } };
const oslo = { name: 'get_weather', arguments: { city: 'Oslo' } };
const bare = { name: 'get_time', arguments: {} };
const toolCalls = (...calls: Seen['toolCalls']) => ({ toolCalls: calls, finishReason: 'tool_calls' });

// What is asked, what the user must see, and how many tokens the double counts, prompt and answer.
const features: readonly [string, Changes, Partial<Seen>, number][] = [
  ['text', {}, { text: 'Hello from upstream', finishReason: 'stop' }, 14],
  ['tool', { offersTools: true }, toolCalls(paris), 14],
  ['two-tools', { offersTools: true }, toolCalls(paris, oslo), 16],
  ['bare-tool', { offersTools: true }, toolCalls(bare), 12],
  ['json', { wantsJson: true }, { text: '{"city":"Paris"}', finishReason: 'stop' }, 13],
  ['reasoning', {}, { text: 'Done', finishReason: 'stop' }, 14],
  ['image', { sendsImage: true }, { text: 'Hello from upstream', finishReason: 'stop' }, 14],
  ['length', { maxTokens: 5 }, { text: 'one two three', finishReason: 'length' }, 16],
];

interface DoubledProvider {
  readonly id: string;
  readonly model: string;
  readonly reasoningModel: string;
  readonly path: RegExp;
  /** Must be on every request. */
  readonly headers: Readonly<Record<string, string>>;
}

const key = 'sk-operator-canary-0123456789';
const providers: readonly DoubledProvider[] = [
  {
    id: 'openai',
    model: 'gpt-4o-mini',
    reasoningModel: 'gpt-5-mini',
    path: /^\/v1\/chat\/completions$/,
    headers: { authorization: expect.any(String) },
  },
  {
    id: 'anthropic',
    model: 'claude-haiku-4-5',
    reasoningModel: 'claude-haiku-4-5',
    path: /^\/v1\/messages$/,
    headers: { 'x-api-key': expect.any(String), 'anthropic-version': '2023-06-01' },
  },
  {
    id: 'gemini',
    model: 'gemini-2.5-flash',
    reasoningModel: 'gemini-2.5-flash',
    path: /^\/v1beta\/models\/gemini-2\.5-flash:(generateContent|streamGenerateContent)(\?alt=sse)?$/,
    headers: { 'x-goog-api-key': expect.any(String) },
  },
];

// What clients read does not depend on the database; the golden matrix beside it runs on both.
describe('The golden matrix against a double that none of us wrote', () => {
  let matrix: ClientMatrix;
  let double: AimockDouble;
  let asked = 0;
  beforeAll(async () => {
    double = await AimockDouble.start();
    matrix = await ClientMatrix.start(await openSqliteDatabase(), {
      OPENAI_BASE_URL: `${double.url}/v1`,
      ANTHROPIC_API_KEY: key,
      ANTHROPIC_BASE_URL: double.url,
      GEMINI_API_KEY: key,
      GEMINI_BASE_URL: `${double.url}/v1beta`,
    });
  });
  afterAll(async () => {
    await matrix.close();
    double.close();
  });

  describe.each(providers.map((provider) => [provider.id, provider] as const))('as %s', (_, provider) => {
    describe.each(clientNames)('%s', (client) => {
      describe.each([
        ['plain', false],
        ['streamed', true],
      ] as const)('%s', (_, isStreamed) => {
        it.each(features)(
          '%s: seen whole, charged exactly, and understood',
          async (name, changes, expected, tokens) => {
            asked += 1;
            const mark = `(${asked}) @@says=${name === 'image' ? 'text' : name}`;
            const model = name === 'reasoning' ? provider.reasoningModel : provider.model;
            const question = { client, isStreamed, model, text: mark, ...changes };
            const { seen, exchanges, chargedMillicredits } = await matrix.ask(question);
            expect(seen.error).toBeNull();
            expect(seen).toMatchObject(expectedOf(client, expected));
            expect(chargedMillicredits).toBe(tokens);
            expect(exchanges).toHaveLength(1);
            checkExchanges(client, isStreamed, exchanges);

            const requests = await double.findRequests(mark);
            expect(requests).toHaveLength(1);
            const [request] = requests;
            expect(request).toMatchObject({ headers: provider.headers, response: { status: 200 } });
            expect(request?.path).toMatch(provider.path);
            expect(request?.body.tools?.map((tool) => tool.function.name)).toEqual(
              changes.offersTools ? ['get_weather', 'get_time'] : undefined,
            );
          },
        );
      });
    });
  });
});
