import { gzipSync } from 'node:zlib';
import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';

describeOnEachDatabase('a body of GraphQL that a client writes in its own way', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);

  const ask = async (headers: Readonly<Record<string, string>>, body: string | Uint8Array<ArrayBuffer>) => {
    const answer = await fetch(`${app.baseUrl}/graphql`, { method: 'POST', headers, body });
    return { status: answer.status, text: await answer.text() };
  };
  const query = JSON.stringify({ query: '{ __typename } # Zoë' });

  it.each(['utf8', 'UTF-8', '"utf-8"', 'iso-8859-1', 'us-ascii'])(
    'is read, as it is in UTF-8, whose header names the charset %s',
    async (charset) => {
      const answer = await ask({ 'content-type': `application/json; charset=${charset}` }, query);
      expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { data: { __typename: 'Query' } }]);
    },
  );

  it('is refused with what to send in its place, where it is compressed', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const answer = await ask(headers, new Uint8Array(gzipSync(query)));
    expect(answer.status).toBe(415);
    expect(answer.text).toContain('uncompressed and without the header');
  });
});
