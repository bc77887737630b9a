import { describeOnEachDatabase } from '../../server/test/each-database.js';
import { clientNames, type Question, type Seen } from './client-driver.js';
import { ClientMatrix } from './client-matrix.js';
import { checkExchanges, expectedOf } from './client-words.js';

type Changes = Partial<Omit<Question, 'client' | 'isStreamed'>>;

const paris = { name: 'get_weather', arguments: { city: 'Paris' } };
const oslo = { name: 'get_weather', arguments: { city: 'Oslo' } };
const bare = { name: 'get_time', arguments: {} };

// What is asked, what the user must see, and how many tokens the provider counts: 11 of prompt and one a piece.
const features: readonly [string, Changes, Partial<Seen>, number][] = [
  ['text', { text: '@@says=text' }, { text: 'Hello from upstream', finishReason: 'stop' }, 14],
  ['one tool', { text: '@@says=tool', offersTools: true }, { toolCalls: [paris], finishReason: 'tool_calls' }, 14],
  [
    'two tools at once',
    { text: '@@says=two-tools', offersTools: true },
    { toolCalls: [paris, oslo], finishReason: 'tool_calls' },
    16,
  ],
  [
    'a tool without arguments',
    { text: '@@says=bare-tool', offersTools: true },
    { toolCalls: [bare], finishReason: 'tool_calls' },
    12,
  ],
  ['JSON by schema', { text: '@@says=json', wantsJson: true }, { text: '{"city":"Paris"}', finishReason: 'stop' }, 13],
  ['an image', { text: '@@says=text', sendsImage: true }, { text: 'Hello from upstream', finishReason: 'stop' }, 14],
  [
    'reasoning',
    { text: '@@says=reasoning', model: 'gpt-5-mini', wantsReasoning: true },
    { text: 'Done', reasoning: 'Let me think.', finishReason: 'stop' },
    14,
  ],
  ['a refusal', { text: '@@says=refusal' }, { text: '', refusal: 'I will not.', finishReason: 'stop' }, 13],
  ['a length limit', { text: '@@tokens=50', maxTokens: 5 }, { text: ' t0 t1 t2 t3 t4', finishReason: 'length' }, 16],
];

const both = [
  ['plain', false],
  ['streamed', true],
] as const;

describeOnEachDatabase('The golden matrix of clients', (openTestDatabase) => {
  let matrix: ClientMatrix;
  beforeAll(async () => {
    matrix = await ClientMatrix.start(await openTestDatabase());
  });
  afterAll(() => matrix.close());

  describe.each(clientNames)('%s', (client) => {
    describe.each(both)('%s', (_, isStreamed) => {
      it.each(features)('%s: seen whole, in one request, charged exactly', async (_, changes, expected, tokens) => {
        const { seen, exchanges, chargedMillicredits } = await matrix.ask({ client, isStreamed, ...changes });
        expect(seen.error).toBeNull();
        expect(seen).toMatchObject(expectedOf(client, expected));
        expect(seen.totalTokens).toBe(tokens);
        expect(exchanges).toHaveLength(1);
        checkExchanges(client, isStreamed, exchanges);
        expect(chargedMillicredits).toBe(tokens);
      });
    });
  });
});
