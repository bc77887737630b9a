import { gzipSync } from 'node:zlib';
import { TestApp } from '../test/create-test-app.js';
import { describeOnEachDatabase } from '../test/each-database.js';

describeOnEachDatabase('a request of GraphQL that a client writes in its own way', (openTestDatabase) => {
  const app = TestApp.forAll(openTestDatabase);

  const ask = async (headers: Readonly<Record<string, string>>, body: string | Uint8Array<ArrayBuffer>) => {
    const answer = await fetch(`${app.baseUrl}/graphql`, { method: 'POST', headers, body });
    return { status: answer.status, text: await answer.text() };
  };
  const json = { 'content-type': 'application/json' };
  const query = JSON.stringify({ query: '{ __typename } # Zoë' });

  it.each(['utf8', 'UTF-8', '"utf-8"', 'iso-8859-1', 'us-ascii'])(
    'is read, as it is in UTF-8, whose header names the charset %s',
    async (charset) => {
      const answer = await ask({ 'content-type': `application/json; charset=${charset}` }, query);
      expect([answer.status, JSON.parse(answer.text)]).toEqual([200, { data: { __typename: 'Query' } }]);
    },
  );

  it('is refused with what to send in its place, where it is compressed', async () => {
    const answer = await ask({ ...json, 'content-encoding': 'gzip' }, new Uint8Array(gzipSync(query)));
    expect(answer.status).toBe(415);
    expect(answer.text).toContain('uncompressed and without the header');
  });

  it('is told how to ask by POST where it comes by GET, as of urql unless it is told otherwise', async () => {
    const answer = await fetch(`${app.baseUrl}/graphql?query=${encodeURIComponent('{ __typename }')}`);
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await answer.text()).toContain('`preferGetMethod: false`');
  });

  it.each(['', 'Basic ', 'Token '])('is told how a token is sent, where it comes as “%s…”', async (scheme) => {
    const { sessionToken } = await app.createAccount(0);
    const headers = { ...json, authorization: `${scheme}${sessionToken}` };
    const asked = await ask(headers, JSON.stringify({ query: '{ proof { left } }' }));
    const downloaded = await fetch(`${app.baseUrl}/export/calls.csv`, { headers });
    for (const text of [asked.text, await downloaded.text()])
      expect(text).toContain('Authorization: Bearer <session token or API key>');
  });
});
