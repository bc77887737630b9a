import { describeOnEachDatabase } from '../../server/test/each-database.js';
import { ClientMatrix } from './client-matrix.js';

describeOnEachDatabase('OpenRouter’s own client', (openTestDatabase) => {
  let matrix: ClientMatrix;
  beforeAll(async () => {
    matrix = await ClientMatrix.start(await openTestDatabase());
  });
  afterAll(() => matrix.close());

  const ask = (isStreamed: boolean, text: string, offersTools = false) =>
    matrix.ask({ client: 'openrouter', isStreamed, text, offersTools });

  it.each([
    ['plain', false],
    ['streamed', true],
  ])(
    '%s: finds its model in the list, takes every field of the answer, and is charged exactly',
    async (_, isStreamed) => {
      const { seen, chargedMillicredits } = await ask(isStreamed, 'Hello');
      expect(seen.error).toBeNull();
      expect(seen.text).not.toBe('');
      expect(seen.finishReason).toBe('stop');
      expect(chargedMillicredits).toBe(seen.totalTokens);
    },
  );

  it.each([
    ['plain', false],
    ['streamed', true],
  ])('%s: takes the calls of two tools at once', async (_, isStreamed) => {
    const { seen } = await ask(isStreamed, '@@says=two-tools', true);
    expect(seen.error).toBeNull();
    expect(seen.toolCalls).toHaveLength(2);
  });

  it.each([
    ['plain', false],
    ['streamed', true],
  ])('%s: reads a refusal with its status', async (_, isStreamed) => {
    const { seen, chargedMillicredits } = await ask(isStreamed, '@@status=400');
    expect(seen.error).toMatchObject({ status: 400 });
    expect(chargedMillicredits).toBe(0);
  });
});
