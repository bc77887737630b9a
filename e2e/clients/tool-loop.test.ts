import { describeOnEachDatabase } from '../../server/test/each-database.js';
import type { LoopingClient, Question } from './client-driver.js';
import { ClientMatrix } from './client-matrix.js';
import { ScriptedProvider, signatureOf, tokensOfTurn } from './scripted-provider.js';

const cities = ['Paris', 'Oslo', 'Rome'];
const callFor = (city: string) => ({ tool: 'get_weather', input: { city } });
const turns = [...cities.map((city) => ({ calls: callFor(city) })), { says: 'All three are known.' }];

interface Loop {
  readonly client: LoopingClient;
  readonly storesNothing?: boolean;
  /** It sends back, with the calls, the thinking that led to them. */
  readonly keepsThinking: boolean;
}

const loops: readonly (readonly [string, Loop])[] = [
  ['openai', { client: 'openai-responses', keepsThinking: true }],
  ['@openai/agents', { client: 'openai-agents', keepsThinking: true }],
  ['@anthropic-ai/sdk', { client: 'anthropic', keepsThinking: true }],
  ['@ai-sdk/anthropic', { client: 'ai-sdk-anthropic', keepsThinking: true }],
  // It trusts in a store of the server, and sends words and thinking back by reference.
  ['@ai-sdk/openai', { client: 'ai-sdk-openai', keepsThinking: true }],
  ['@ai-sdk/openai with `store: false`', { client: 'ai-sdk-openai', storesNothing: true, keepsThinking: true }],
];

const models = [
  ['OpenAI', 'gpt-5-mini', 1],
  ['Anthropic', 'claude-opus-5', 2],
  ['Gemini', 'gemini-3.8-flash', 1],
] as const;

describeOnEachDatabase('A loop of three rounds of tools', (openTestDatabase) => {
  let provider: ScriptedProvider;
  let matrix: ClientMatrix;
  beforeAll(async () => {
    provider = await ScriptedProvider.start(turns);
    matrix = await ClientMatrix.start(await openTestDatabase(), provider.settings);
  });
  afterAll(async () => {
    await matrix.close();
    await provider.close();
  });

  describe.each(loops)('run by %s', (_, { client, storesNothing = false, keepsThinking }) => {
    describe.each(models)('on a model of %s', (maker, model, price) => {
      it.each([
        ['plain', false],
        ['streamed', true],
      ] as const)(
        '%s: no turn is asked twice, all thinking that can come back does, and each is charged once',
        async (_, isStreamed) => {
          const before = provider.requests.length;
          const question: Partial<Question> = { model, text: 'The weather?', runsTools: true, storesNothing };
          const { seen, exchanges, chargedMillicredits } = await matrix.ask({ client, isStreamed, ...question });
          expect(seen.error).toBeNull();
          expect(seen.text).toBe('All three are known.');
          expect(seen.toolCalls).toEqual(cities.map((city) => ({ name: 'get_weather', arguments: { city } })));

          const requests = provider.requests.slice(before);
          expect(exchanges.map(({ status }) => status)).toEqual(turns.map(() => 200));
          expect(requests).toHaveLength(turns.length);
          expect(chargedMillicredits).toBe(turns.length * tokensOfTurn * price);
          if (maker === 'OpenAI' || !keepsThinking) return;
          // Neither maker takes its own calls back without what it signed.
          const signatures = cities.map((_, turn) => signatureOf(turn));
          for (const [turn, { text }] of requests.entries()) {
            expect(signatures.filter((signature) => text.includes(signature))).toEqual(signatures.slice(0, turn));
          }
        },
      );
    });
  });
});

describeOnEachDatabase('A model that speaks before it calls a tool', (openTestDatabase) => {
  let provider: ScriptedProvider;
  let matrix: ClientMatrix;
  beforeAll(async () => {
    provider = await ScriptedProvider.start([{ says: 'I look.', calls: callFor('Oslo') }, { says: 'It is known.' }]);
    matrix = await ClientMatrix.start(await openTestDatabase(), provider.settings);
  });
  afterAll(async () => {
    await matrix.close();
    await provider.close();
  });

  const askFor = (client: LoopingClient, storesNothing: boolean, isStreamed: boolean) =>
    matrix.ask({ client, isStreamed, storesNothing, model: 'gemini-3.8-flash', text: 'The weather?', runsTools: true });

  describe.each([
    ['plain', false],
    ['streamed', true],
  ] as const)('%s', (_, isStreamed) => {
    it.each(loops)('goes on with what the tool says, run by %s', async (_, { client, storesNothing = false }) => {
      const { seen, exchanges, chargedMillicredits } = await askFor(client, storesNothing, isStreamed);
      expect(seen.error).toBeNull();
      expect(seen.text).toContain('It is known.');
      expect(provider.requests.at(-1)?.text).toContain('I look.');
      expect(exchanges).toHaveLength(2);
      expect(chargedMillicredits).toBe(2 * tokensOfTurn);
    });
  });
});
