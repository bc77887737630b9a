import { describeOnEachDatabase } from '../../server/test/each-database.js';
import { fakeVector } from '../../server/test/fake-embeddings.js';
import type { ClientName } from './client-driver.js';
import { ClientMatrix } from './client-matrix.js';

const model = 'text-embedding-3-small';
const embeddingClients: readonly ClientName[] = ['openai', 'ai-sdk', 'langchain'];

describeOnEachDatabase('Embeddings through real clients', (openTestDatabase) => {
  let matrix: ClientMatrix;
  beforeAll(async () => {
    matrix = await ClientMatrix.start(await openTestDatabase());
  });
  afterAll(() => matrix.close());

  describe.each(embeddingClients)('%s', (client) => {
    it('gives its user the vectors of all texts, charged exactly', async () => {
      const embeds = ['first', 'second', 'third'];
      const { seen, chargedMillicredits } = await matrix.ask({ client, isStreamed: false, model, embeds });
      expect(seen.error).toBeNull();
      expect(seen.vectors).toEqual(embeds.map((_, index) => fakeVector(index)));
      expect(chargedMillicredits).toBe(4 * embeds.length);
    });

    it('tells its user what is wrong with a model that writes', async () => {
      const { seen, chargedMillicredits } = await matrix.ask({ client, isStreamed: false, embeds: ['first'] });
      expect(seen.error).toMatchObject({ status: 400 });
      expect(seen.error?.message).toContain('makes no embeddings');
      expect(chargedMillicredits).toBe(0);
    });
  });
});
